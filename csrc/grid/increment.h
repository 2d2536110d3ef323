/* The points of one frame as voxels: rounded, qualified by height, and counted. */
#ifndef KW_GRID_INCREMENT_H
#define KW_GRID_INCREMENT_H

#include "grid/voxels.h"
#include "kw_rolling.h"

/* A pose in integers; yaw in microradians. */
typedef struct {
    int64_t x_um;
    int64_t y_um;
    int64_t z_um;
    int64_t yaw_urad;
} kw_whole_pose;

typedef struct {
    kw_voxel voxel;
    int32_t n_points;
    int32_t far;  /* 1: its centre lies beyond the radius */
    int32_t slot; /* for the caller: where the map holds it */
} kw_increment_cell;

/* Memory grows with the largest frame and is kept. */
typedef struct {
    kw_increment_cell *cells; /* distinct voxels, in the order of their first points */
    int32_t *table;
    int64_t room; /* points that fit */
    uint32_t mask;
    int32_t n_cells;
    int32_t n_far;
    int64_t n_unqualified;
} kw_increment;

void kw_increment_destroy(kw_increment *increment);

/* 1 where every figure of the pose is finite and near enough. */
int32_t kw_whole_pose_from(const kw_rolling_pose *pose, kw_whole_pose *out_pose);

/* 1 where a voxel's centre lies within the radius of the pose, closed. */
int32_t kw_voxel_within(const kw_rolling_bounds *bounds, const kw_whole_pose *pose, kw_voxel voxel);

/* The voxel that a place lies in. */
kw_voxel kw_voxel_at(const kw_rolling_bounds *bounds, int64_t x_um, int64_t y_um, int64_t z_um);

/* Reads n points. KW_BAD_ARGUMENT where a coordinate is not finite or too far. */
kw_status kw_increment_read(kw_increment *increment, const kw_rolling_bounds *bounds,
                            const kw_whole_pose *pose, int64_t n, const double *points_m);

#endif
