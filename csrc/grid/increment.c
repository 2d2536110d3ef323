#include "increment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/math.h"

static const double UM_PER_M = 1e6;
static const double FAR_M = (double)KW_ROLLING_FAR_UM / 1e6;

void kw_increment_destroy(kw_increment *increment) {
    free(increment->cells);
    free(increment->table);
    *increment = (kw_increment){0};
}

int32_t kw_whole_pose_from(const kw_rolling_pose *pose, kw_whole_pose *out_pose) {
    /* written so that NaN fails */
    if (!(fabs(pose->x_m) <= FAR_M && fabs(pose->y_m) <= FAR_M && fabs(pose->z_m) <= FAR_M &&
          fabs(pose->yaw_rad) <= KW_ANGLE_MAX_RAD)) {
        return 0;
    }
    *out_pose = (kw_whole_pose){
        .x_um = kw_round_i64(pose->x_m * UM_PER_M),
        .y_um = kw_round_i64(pose->y_m * UM_PER_M),
        .z_um = kw_round_i64(pose->z_m * UM_PER_M),
        .yaw_urad = kw_round_i64(kw_wrap_rad(pose->yaw_rad) * 1e6),
    };
    return 1;
}

int32_t kw_voxel_within(const kw_rolling_bounds *bounds, const kw_whole_pose *pose,
                        kw_voxel voxel) {
    /* in half micrometres, where centres are whole */
    const int64_t reach = 2 * bounds->radius_um;
    const int64_t dx = (2 * (int64_t)voxel.x + 1) * bounds->voxel_um - 2 * pose->x_um;
    const int64_t dy = (2 * (int64_t)voxel.y + 1) * bounds->voxel_um - 2 * pose->y_um;
    const int64_t dz = (2 * (int64_t)voxel.z + 1) * bounds->voxel_um - 2 * pose->z_um;
    if (dx > reach || dx < -reach || dy > reach || dy < -reach || dz > reach || dz < -reach) {
        return 0; /* and the squares below fit */
    }
    return dx * dx + dy * dy + dz * dz <= reach * reach;
}

/* The quotient rounded down. Exact: |a| <= 1e13 and b <= 1e7, so a quotient that is not
 * whole lies at least 1 / b from the next integer, and rounds by 1e-3 of that. */
static int32_t index_of(double a_um, double voxel_um) {
    return (int32_t)floor(a_um / voxel_um);
}

kw_voxel kw_voxel_at(const kw_rolling_bounds *bounds, int64_t x_um, int64_t y_um, int64_t z_um) {
    const double voxel_um = (double)bounds->voxel_um;
    return (kw_voxel){index_of((double)x_um, voxel_um), index_of((double)y_um, voxel_um),
                      index_of((double)z_um, voxel_um)};
}

static kw_status reserve(kw_increment *increment, int64_t n) {
    if (increment->table && n <= increment->room) {
        return KW_OK;
    }
    const uint32_t size = kw_voxel_table_size(n);
    kw_increment_cell *cells = malloc((size_t)(size / 2) * sizeof *cells);
    int32_t *table = malloc((size_t)size * sizeof *table);
    if (!cells || !table) {
        free(cells);
        free(table);
        return KW_NO_MEMORY;
    }
    free(increment->cells);
    free(increment->table);
    increment->cells = cells;
    increment->table = table;
    increment->room = size / 2;
    increment->mask = size - 1;
    return KW_OK;
}

/* Counts a point of a voxel; returns the voxel's cell. */
static int32_t count(kw_increment *increment, kw_voxel voxel) {
    uint32_t place = kw_voxel_hash(voxel) & increment->mask;
    for (;;) {
        const int32_t index = increment->table[place];
        if (index == KW_NO_SLOT) {
            break;
        }
        if (kw_voxel_equal(increment->cells[index].voxel, voxel)) {
            increment->cells[index].n_points++;
            return index;
        }
        place = (place + 1) & increment->mask;
    }
    increment->table[place] = increment->n_cells;
    increment->cells[increment->n_cells] = (kw_increment_cell){.voxel = voxel, .n_points = 1};
    return increment->n_cells++;
}

kw_status kw_increment_read(kw_increment *increment, const kw_rolling_bounds *bounds,
                            const kw_whole_pose *pose, int64_t n, const double *points_m) {
    if (reserve(increment, n) != KW_OK) {
        return KW_NO_MEMORY;
    }
    memset(increment->table, 0xff, ((size_t)increment->mask + 1) * sizeof(int32_t));
    increment->n_cells = 0;
    increment->n_far = 0;
    increment->n_unqualified = 0;
    const double voxel_um = (double)bounds->voxel_um;
    const int64_t low_um = pose->z_um + bounds->low_um;
    const int64_t high_um = pose->z_um + bounds->high_um;
    int32_t last = KW_NO_SLOT; /* neighbours in the frame often share a voxel */
    for (int64_t i = 0; i < n; i++) {
        const double *point = &points_m[3 * i];
        if (!(fabs(point[0]) <= FAR_M && fabs(point[1]) <= FAR_M && fabs(point[2]) <= FAR_M)) {
            return KW_BAD_ARGUMENT;
        }
        const int64_t z_um = kw_round_i64(point[2] * UM_PER_M);
        if (z_um < low_um || z_um > high_um) {
            increment->n_unqualified++;
            continue;
        }
        const kw_voxel voxel = {
            index_of((double)kw_round_i64(point[0] * UM_PER_M), voxel_um),
            index_of((double)kw_round_i64(point[1] * UM_PER_M), voxel_um),
            index_of((double)z_um, voxel_um),
        };
        if (last != KW_NO_SLOT && kw_voxel_equal(increment->cells[last].voxel, voxel)) {
            increment->cells[last].n_points++;
        } else {
            last = count(increment, voxel);
        }
    }
    for (int32_t i = 0; i < increment->n_cells; i++) {
        kw_increment_cell *cell = &increment->cells[i];
        cell->far = !kw_voxel_within(bounds, pose, cell->voxel);
        increment->n_far += cell->far;
    }
    return KW_OK;
}
