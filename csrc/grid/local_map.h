/* The local map's inside, for what marks it and what looks into it. */
#ifndef KW_GRID_LOCAL_MAP_H
#define KW_GRID_LOCAL_MAP_H

#include <stddef.h>

#include "common/math.h"
#include "kw_local_map.h"

enum {
    KW_LOCAL_SIDE = 512, /* cells of the window, a power of two: wider than it reaches across */
    KW_SCAN_BEAMS = 360,
    KW_GRID_ZONES = 8,
    KW_GRID_RAYS = 2 * KW_GRID_ZONES,
};
_Static_assert(2 * (KW_LOCAL_RADIUS_UM / KW_LOCAL_CELL_UM + 2) < KW_LOCAL_SIDE,
               "two cells within the radius never share a slot");

typedef struct {
    int32_t x_um;
    int32_t y_um;
    int32_t heading_urad;
} kw_tick_pose;

/* Directions of the senses' rays in the body's frame, found once. */
typedef struct {
    double cosine[KW_SCAN_BEAMS];
    double sine[KW_SCAN_BEAMS];
    double exit_m[KW_SCAN_BEAMS]; /* from the mount to where the ray leaves the body */
} kw_scan_rays;

typedef struct {
    double cosine[KW_GRID_RAYS]; /* azimuths, from left to right */
    double sine[KW_GRID_RAYS];
    double level[KW_GRID_ZONES]; /* of each row: cosine of its upper rays' elevation */
} kw_grid_rays;

/* Live cells are a dense list; `slot_of` finds a cell's place in it. What it holds for a cell
 * that is not live is never believed, so nothing is ever cleared. */
struct kw_local_map {
    kw_shell shell;
    kw_sense senses[KW_SENSE_COUNT];
    int32_t ticks_per_step;
    kw_scan_rays scan;
    kw_grid_rays grid;

    int32_t has_begun;
    int32_t tick;       /* of the last observation */
    int32_t first_tick; /* the oldest whose pose is in the ring */
    int32_t still_tick; /* from this tick on the pose has not jumped */
    int32_t n_known;    /* ranging senses that have told since then */
    int32_t is_known[KW_SENSE_COUNT];
    int32_t n_ring; /* a power of two */
    kw_tick_pose *ring;

    int32_t n_cells;
    int32_t capacity;
    kw_local_cell *cells;
    int32_t *slot_of; /* [KW_LOCAL_SIDE * KW_LOCAL_SIDE] */
};

/* The last pose observed. */
kw_tick_pose kw_local_map_here(const kw_local_map *map);

/* The pose of a tick, 0 where it is not in the ring. */
int32_t kw_local_map_pose(const kw_local_map *map, int32_t tick, kw_tick_pose *out_pose);

/* Marks the cell of a place in um. KW_NO_MEMORY where the list cannot grow. */
kw_status kw_local_map_touch(kw_local_map *map, double x_um, double y_um, int32_t tick,
                             int32_t tolerance_um);

/* Directions of the rays of scan and grid (marks.c). */
void kw_marks_prepare(kw_local_map *map);

/* 1 where no frame was sampled after the tick (marks.c). */
int32_t kw_marks_check(const kw_local_map *map, int32_t tick, const kw_frames *frames);

/* Marks all that the frames met (marks.c). */
kw_status kw_marks_take(kw_local_map *map, const kw_frames *frames);

#endif
