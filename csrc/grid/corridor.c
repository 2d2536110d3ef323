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
    free(corridor->cells.x_m); /* and all columns after it */
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

static int comes_first(const kw_near_cells *cells, int32_t a, int32_t b) {
    return cells->row[a] != cells->row[b] ? cells->row[a] < cells->row[b]
                                          : cells->col[a] < cells->col[b];
}

/* What room each of n cells from `first` on leaves the body. */
KW_CLONES static void find_rooms(const kw_corridor *corridor, int32_t first, int32_t n,
                                 const kw_body *at, double *restrict out_room_m) {
    const kw_near_cells cells = corridor->cells;
    const kw_body body = *at;
    const double half_x = corridor->half_x_m;
    const double half_y = corridor->half_y_m;
    for (int32_t i = 0; i < n; i++) {
        const double dx = cells.x_m[first + i] - body.x_m;
        const double dy = cells.y_m[first + i] - body.y_m;
        const double along = fabs(body.cosine * dx + body.sine * dy) - half_x;
        const double across = fabs(body.cosine * dy - body.sine * dx) - half_y;
        const double corner = sqrt(along * along + across * across);
        const double side = along > across ? along : across;
        const int is_beside_a_corner = (along > 0.0) & (across > 0.0);
        const double gap = is_beside_a_corner ? corner : side;
        out_room_m[i] = gap - cells.keep_m[first + i] - cells.least_m[first + i];
    }
}

/* Marks the blocks that hold a cell which could leave less than some room. */
KW_CLONES static void mark_within(const kw_near_places *places, int32_t n, double x_m, double y_m,
                                  double reach_m, uint8_t *restrict out_within) {
    for (int32_t b = 0; b < n; b++) {
        const double dx = places->x_m[b] - x_m;
        const double dy = places->y_m[b] - y_m;
        const double reach = reach_m + places->keep_m[b];
        out_within[b] = dx * dx + dy * dy <= reach * reach;
    }
}

double kw_corridor_room(const kw_corridor *corridor, const kw_body *at, double most_m,
                        int32_t *out_cell) {
    const kw_near_places *places = &corridor->places;
    const double block_reach = corridor->around_m + BLOCK_HALF_DIAGONAL_M;
    uint8_t within[KW_BLOCKS_MOST];
    double room_m[KW_BLOCK_CELLS];
    double least = most_m;
    int32_t cell = -1;
    mark_within(places, corridor->n_blocks, at->x_m, at->y_m, most_m + block_reach, within);
    for (int32_t b = 0; b < corridor->n_blocks; b++) {
        if (!within[b] || is_beyond(places->x_m[b] - at->x_m, places->y_m[b] - at->y_m,
                                    least + block_reach + places->keep_m[b])) {
            continue;
        }
        const kw_near_block *block = &corridor->blocks[b];
        find_rooms(corridor, block->first, block->n, at, room_m);
        for (int32_t i = 0; i < block->n; i++) {
            if (room_m[i] < least || (room_m[i] == least && cell >= 0 &&
                                      comes_first(&corridor->cells, block->first + i, cell))) {
                least = room_m[i];
                cell = block->first + i;
            }
        }
    }
    if (cell >= 0) {
        *out_cell = cell;
    }
    return least;
}

/* ---- Gathering ---- */

/* All columns in one piece: four of figures, then row, column and what was picked. */
static kw_status make_room(kw_corridor *corridor, int32_t n) {
    if (n <= corridor->capacity) {
        return KW_OK;
    }
    enum { FIGURES = 4, NUMBERS = 3 };
    double *columns = malloc((size_t)n * (FIGURES * sizeof(double) + NUMBERS * sizeof(int32_t)));
    if (columns == NULL) {
        return KW_NO_MEMORY;
    }
    free(corridor->cells.x_m);
    int32_t *numbers = (int32_t *)(columns + (size_t)n * FIGURES);
    corridor->cells = (kw_near_cells){
        .x_m = columns,
        .y_m = columns + n,
        .keep_m = columns + (size_t)n * 2,
        .least_m = columns + (size_t)n * 3,
        .row = numbers,
        .col = numbers + n,
    };
    corridor->picked = numbers + (size_t)n * 2;
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

/* Marks the cells of the map that lie within reach. */
KW_CLONES static void mark_near(const kw_local_cell *cells, int32_t n, double origin_x_m,
                                double origin_y_m, double reach_m, uint8_t *restrict out_near) {
    for (int32_t i = 0; i < n; i++) {
        const double x = middle_m(cells[i].col, 1, origin_x_m);
        const double y = middle_m(cells[i].row, 1, origin_y_m);
        const double reach = reach_m + cells[i].tolerance_um / 1e6;
        out_near[i] = x * x + y * y <= reach * reach;
    }
}

/* Picks the cells within reach, chunk by chunk: half of them are, in no order that could be
 * guessed, so none is decided by a branch. */
static void pick(kw_corridor *corridor, const kw_local_map *map, double reach_m) {
    enum { CHUNK = 256 };
    uint8_t is_near[CHUNK];
    int32_t n = 0;
    for (int32_t first = 0; first < map->n_cells; first += CHUNK) {
        const int32_t left = map->n_cells - first;
        const int32_t n_chunk = left < CHUNK ? left : CHUNK;
        mark_near(map->cells + first, n_chunk, corridor->origin_x_m, corridor->origin_y_m, reach_m,
                  is_near);
        for (int32_t i = 0; i < n_chunk; i++) {
            corridor->picked[n] = first + i;
            n += is_near[i];
        }
    }
    corridor->n_cells = n;
}

/* Opens a block for each that holds a picked cell. */
static void open_blocks(kw_corridor *corridor, const kw_local_map *map, int32_t first_row,
                        int32_t first_col) {
    memset(corridor->block_of, 0, sizeof corridor->block_of);
    corridor->n_blocks = 0;
    for (int32_t i = 0; i < corridor->n_cells; i++) {
        const kw_local_cell *cell = &map->cells[corridor->picked[i]];
        int32_t *block = &corridor->block_of[block_at(cell, first_row, first_col)];
        if (*block == 0) {
            const int32_t b = corridor->n_blocks;
            corridor->blocks[b].n = 0;
            corridor->places.x_m[b] =
                middle_m(cell->col >> KW_BLOCK_SHIFT, 1 << KW_BLOCK_SHIFT, corridor->origin_x_m);
            corridor->places.y_m[b] =
                middle_m(cell->row >> KW_BLOCK_SHIFT, 1 << KW_BLOCK_SHIFT, corridor->origin_y_m);
            corridor->places.keep_m[b] = 0.0;
            *block = ++corridor->n_blocks;
        }
        corridor->blocks[*block - 1].n++;
    }
}

/* Lays the picked cells block by block. */
static void lay(kw_corridor *corridor, const kw_local_map *map, double clearance_m,
                int32_t first_row, int32_t first_col) {
    const kw_near_cells *cells = &corridor->cells;
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
        const int32_t at = block->first + block->n++;
        cells->x_m[at] = middle_m(cell->col, 1, corridor->origin_x_m);
        cells->y_m[at] = middle_m(cell->row, 1, corridor->origin_y_m);
        cells->keep_m[at] = keep;
        cells->least_m[at] = 0.0;
        cells->row[at] = cell->row;
        cells->col[at] = cell->col;
        double *block_keep = &corridor->places.keep_m[b];
        *block_keep = keep > *block_keep ? keep : *block_keep;
    }
}

/* A cell that is in the corridor already may come no nearer than it is, but for a hair. */
static void allow(kw_corridor *corridor, kw_pose pose, double nearer_m) {
    const kw_near_cells *cells = &corridor->cells;
    const kw_body at = kw_corridor_body_at(corridor, pose);
    for (int32_t i = 0; i < corridor->n_cells; i++) {
        const double keep_m = cells->keep_m[i];
        if (!is_beyond(cells->x_m[i] - at.x_m, cells->y_m[i] - at.y_m,
                       corridor->around_m + keep_m)) {
            const double slack = gap_to(corridor, &at, cells->x_m[i], cells->y_m[i]) - keep_m;
            cells->least_m[i] = slack < 0.0 ? slack - nearer_m : 0.0;
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
    pick(corridor, map, farthest_m + spare_m);
    open_blocks(corridor, map, first_row, first_col);
    lay(corridor, map, clearance_m, first_row, first_col);
    allow(corridor, pose, nearer_m);
    return KW_OK;
}
