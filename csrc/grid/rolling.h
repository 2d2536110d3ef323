/* The rolling map's own parts, shared by what feeds it and what publishes it. */
#ifndef KW_GRID_ROLLING_H
#define KW_GRID_ROLLING_H

#include "grid/components.h"
#include "grid/identities.h"
#include "grid/increment.h"
#include "grid/shadow.h"
#include "grid/voxels.h"
#include "kw_rolling.h"

/* Points that hit a cell in one frame, kept for the hold. */
typedef struct {
    int64_t stamp_ns;
    int32_t slot;
    int32_t n_points;
} kw_hit;

struct kw_rolling {
    kw_rolling_bounds bounds;
    kw_voxels voxels;
    kw_identities identities;
    kw_hit *hits; /* hits[first_hit] ... hits[n_hits - 1], by rising stamp */
    int64_t first_hit;
    int64_t n_hits;
    int64_t hit_room;
    int64_t time_ns;  /* of the last frame or tick */
    int64_t frame_ns; /* of the last frame whose stamp and pose were in order */
    kw_whole_pose pose;
    int32_t has_time;
    int32_t has_frame; /* and so a pose */
    int32_t fault;

    /* of the last frame */
    kw_increment increment;
    kw_voxel middle;  /* of the window, which holds all active cells */
    int32_t *current; /* slots that it hit */
    int32_t n_current;
    int32_t is_frame; /* 0: the last call was a tick, and no cell is current */

    /* what was published, and scratch of publishing */
    kw_components window;
    kw_shadow corridor;
    kw_shadow occupied;
    int32_t *first_parts; /* by component, before the split */
    int32_t *taken;
    kw_rolling_component *components;
    int64_t component_room;
    int64_t n_components;
    kw_rolling_run *runs;
    int64_t n_runs;
};

/* Memory for publishing after a frame of so many cells; to be had before anything changes. */
kw_status kw_rolling_reserve(kw_rolling *map, int64_t n_frame_cells);

/* Finds components and identities of the cells as they are, and assesses them. */
void kw_rolling_publish(kw_rolling *map, const kw_rolling_corridor *corridor,
                        kw_rolling_result *result);

/* Counts the bearings, which are never better or worse than unknown. */
void kw_rolling_count_bearings(int64_t n_bearing_only, kw_rolling_result *result);

#endif
