/* The cells near the shell, gathered once a decision and sorted into blocks, so that a pose is
 * held against those alone that could leave it less room than is known already.
 *
 * The distance is exact: that of a cell's centre from the body's rectangle, minus the depth
 * where it lies inside.
 */
#include "grid/corridor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double CELL_M = KW_LOCAL_CELL_UM / 1e6;
/* from a block's middle to the centre of a cell in its corner */
static const double BLOCK_HALF_DIAGONAL_M = 0.0990; /* 3.5 cells, times the root of 2, rounded up */

void kw_corridor_create(const kw_shell *shell, kw_corridor *out_corridor) {
    memset(out_corridor, 0, sizeof *out_corridor);
    out_corridor->half_x_m = 0.5 * shell->length_m;
    out_corridor->half_y_m = 0.5 * shell->width_m;
    out_corridor->around_m = sqrt(out_corridor->half_x_m * out_corridor->half_x_m +
                                  out_corridor->half_y_m * out_corridor->half_y_m);
    out_corridor->ahead_m = shell->body_ahead_m;
}

void kw_corridor_destroy(kw_corridor *corridor) {
    free(corridor->cells);
    free(corridor->picked);
}

/* ---- Room ---- */

kw_body kw_corridor_body(const kw_corridor *corridor, double x_m, double y_m, double cosine,
                         double sine) {
    return (kw_body){
        .x_m = x_m - corridor->origin_x_m + corridor->ahead_m * cosine,
        .y_m = y_m - corridor->origin_y_m + corridor->ahead_m * sine,
        .cosine = cosine,
        .sine = sine,
    };
}

kw_body kw_corridor_body_at(const kw_corridor *corridor, kw_pose pose) {
    double sine;
    double cosine;
    kw_sincos(pose.heading_rad, &sine, &cosine);
    return kw_corridor_body(corridor, pose.x_m, pose.y_m, cosine, sine);
}

/* From the body's outline to a place, minus its depth inside. */
static double gap_to(const kw_corridor *corridor, const kw_body *at, double x_m, double y_m) {
    const double dx = x_m - at->x_m;
    const double dy = y_m - at->y_m;
    const double along = fabs(at->cosine * dx + at->sine * dy) - corridor->half_x_m;
    const double across = fabs(at->cosine * dy - at->sine * dx) - corridor->half_y_m;
    if (along > 0.0 && across > 0.0) {
        return sqrt(along * along + across * across);
    }
    return along > across ? along : across;
}

static int is_beyond(double dx, double dy, double limit) {
    return dx * dx + dy * dy > limit * limit;
}

static int comes_first(const kw_near_cell *a, const kw_near_cell *b) {
    return a->row != b->row ? a->row < b->row : a->col < b->col;
}

double kw_corridor_room(const kw_corridor *corridor, const kw_body *at, double most_m,
                        int32_t *out_cell) {
    double least = most_m;
    int32_t cell = -1;
    for (int32_t b = 0; b < corridor->n_blocks; b++) {
        const kw_near_block *block = &corridor->blocks[b];
        const double reach = least + corridor->around_m + BLOCK_HALF_DIAGONAL_M + block->keep_m;
        if (is_beyond(block->x_m - at->x_m, block->y_m - at->y_m, reach)) {
            continue;
        }
        for (int32_t i = block->first; i < block->first + block->n; i++) {
            const kw_near_cell *near = &corridor->cells[i];
            if (is_beyond(near->x_m - at->x_m, near->y_m - at->y_m,
                          least + corridor->around_m + near->keep_m)) {
                continue;
            }
            const double room =
                gap_to(corridor, at, near->x_m, near->y_m) - near->keep_m - near->least_m;
            if (room < least ||
                (room == least && cell >= 0 && comes_first(near, &corridor->cells[cell]))) {
                least = room;
                cell = i;
            }
        }
    }
    if (cell >= 0) {
        *out_cell = cell;
    }
    return least;
}

/* ---- Gathering ---- */

static kw_status make_room(kw_corridor *corridor, int32_t n) {
    if (n <= corridor->capacity) {
        return KW_OK;
    }
    kw_near_cell *cells = realloc(corridor->cells, (size_t)n * sizeof *cells);
    if (cells == NULL) {
        return KW_NO_MEMORY;
    }
    corridor->cells = cells;
    int32_t *picked = realloc(corridor->picked, (size_t)n * sizeof *picked);
    if (picked == NULL) {
        return KW_NO_MEMORY;
    }
    corridor->picked = picked;
    corridor->capacity = n;
    return KW_OK;
}

/* Centre of cell or block number `at` on an axis, from the origin. */
static double middle_m(int32_t at, int32_t cells, double origin_m) {
    return ((double)at * cells + 0.5 * cells) * CELL_M - origin_m;
}

/* Which block of the window a cell of the map lies in. */
static int32_t block_at(const kw_local_cell *cell, int32_t first_row, int32_t first_col) {
    const int32_t row = (cell->row >> KW_BLOCK_SHIFT) - first_row;
    const int32_t col = (cell->col >> KW_BLOCK_SHIFT) - first_col;
    return row * KW_BLOCK_SIDE + col;
}

/* Picks the cells within reach, and opens a block for each that holds one. */
static void pick(kw_corridor *corridor, const kw_local_map *map, double spare_m, int32_t first_row,
                 int32_t first_col) {
    memset(corridor->block_of, 0, sizeof corridor->block_of);
    corridor->n_cells = 0;
    corridor->n_blocks = 0;
    for (int32_t i = 0; i < map->n_cells; i++) {
        const kw_local_cell *cell = &map->cells[i];
        const double x = middle_m(cell->col, 1, corridor->origin_x_m);
        const double y = middle_m(cell->row, 1, corridor->origin_y_m);
        if (is_beyond(x, y, spare_m + cell->tolerance_um / 1e6)) {
            continue;
        }
        int32_t *block = &corridor->block_of[block_at(cell, first_row, first_col)];
        if (*block == 0) {
            corridor->blocks[corridor->n_blocks] = (kw_near_block){
                .x_m = middle_m(cell->col >> KW_BLOCK_SHIFT, 1 << KW_BLOCK_SHIFT,
                                corridor->origin_x_m),
                .y_m = middle_m(cell->row >> KW_BLOCK_SHIFT, 1 << KW_BLOCK_SHIFT,
                                corridor->origin_y_m),
            };
            *block = ++corridor->n_blocks;
        }
        corridor->blocks[*block - 1].n++;
        corridor->picked[corridor->n_cells++] = i;
    }
}

/* Lays the picked cells block by block. */
static void lay(kw_corridor *corridor, const kw_local_map *map, double clearance_m,
                int32_t first_row, int32_t first_col) {
    int32_t first = 0;
    for (int32_t b = 0; b < corridor->n_blocks; b++) {
        corridor->blocks[b].first = first;
        first += corridor->blocks[b].n;
        corridor->blocks[b].n = 0;
    }
    for (int32_t i = 0; i < corridor->n_cells; i++) {
        const kw_local_cell *cell = &map->cells[corridor->picked[i]];
        const int32_t b = corridor->block_of[block_at(cell, first_row, first_col)] - 1;
        kw_near_block *block = &corridor->blocks[b];
        const double keep = clearance_m + cell->tolerance_um / 1e6;
        corridor->cells[block->first + block->n++] = (kw_near_cell){
            .x_m = middle_m(cell->col, 1, corridor->origin_x_m),
            .y_m = middle_m(cell->row, 1, corridor->origin_y_m),
            .keep_m = keep,
            .row = cell->row,
            .col = cell->col,
        };
        block->keep_m = keep > block->keep_m ? keep : block->keep_m;
    }
}

/* A cell that is in the corridor already may come no nearer than it is, but for a hair. */
static void allow(kw_corridor *corridor, kw_pose pose, double nearer_m) {
    const kw_body at = kw_corridor_body_at(corridor, pose);
    for (int32_t i = 0; i < corridor->n_cells; i++) {
        kw_near_cell *near = &corridor->cells[i];
        if (!is_beyond(near->x_m - at.x_m, near->y_m - at.y_m, corridor->around_m + near->keep_m)) {
            const double slack = gap_to(corridor, &at, near->x_m, near->y_m) - near->keep_m;
            near->least_m = slack < 0.0 ? slack - nearer_m : 0.0;
        }
    }
}

kw_status kw_corridor_gather(kw_corridor *corridor, const kw_local_map *map, kw_pose pose,
                             double clearance_m, double nearer_m, double reach_m, double spare_m) {
    if (make_room(corridor, map->capacity) != KW_OK) {
        return KW_NO_MEMORY;
    }
    const kw_tick_pose here = kw_local_map_here(map);
    const int32_t block_um = KW_LOCAL_CELL_UM << KW_BLOCK_SHIFT;
    const int32_t first_row = (int32_t)floor((double)here.y_um / block_um) - KW_BLOCK_REACH;
    const int32_t first_col = (int32_t)floor((double)here.x_um / block_um) - KW_BLOCK_REACH;
    corridor->origin_x_m = pose.x_m;
    corridor->origin_y_m = pose.y_m;
    const double farthest_m = reach_m + fabs(corridor->ahead_m) + corridor->around_m + clearance_m;
    pick(corridor, map, farthest_m + spare_m, first_row, first_col);
    lay(corridor, map, clearance_m, first_row, first_col);
    allow(corridor, pose, nearer_m);
    return KW_OK;
}
