/* A uniform grid over the permanent solids of a large scene.
 *
 * A cell lists every solid that reaches into it, grown by KW_INDEX_MARGIN_M: far more than
 * a walk over the cells can err by rounding. So what a ray meets, or what is near a
 * place, is always listed in the cells that are looked at, and the answers are those of
 * testing all solids, bit for bit.
 */
#ifndef KW_INDEX_H
#define KW_INDEX_H

#include "crossing.h"
#include "scene.h"

#define KW_INDEX_MARGIN_M 1e-6

struct kw_index {
    double x0_m; /* lower left corner of cell (0, 0) */
    double y0_m;
    double cell_m;
    double cells_per_m;
    int32_t n_cols;
    int32_t n_rows;
    int32_t *starts;       /* [n_rows * n_cols + 1], into solids */
    int32_t *solids;       /* of each cell, ascending */
    uint16_t *empty_rings; /* of each cell: rings of empty cells around it, and itself */
};

/* Makes none (NULL) where testing all solids is quicker. */
kw_status kw_index_create(const kw_scene *scene, kw_index **out_index);
void kw_index_destroy(kw_index *index);

/* The column of n (or the row) of a place, the nearest one where it is outside. */
KW_INLINE int32_t kw_index_cell(const kw_index *index, double from_origin_m, int32_t n) {
    double cells = from_origin_m * index->cells_per_m;
    return !(cells > 0.0) ? 0 : cells >= (double)n ? n - 1 : (int32_t)cells;
}

/* A ray's way over the grid. */
typedef struct {
    const kw_index *index;
    double x_m;
    double y_m;
    double inverse_x;
    double inverse_y;
    int32_t col;
    int32_t row;
    int32_t step_col; /* 1 or -1 */
    int32_t step_row;
    double leave_x; /* distance at which the ray leaves the column */
    double leave_y;
} kw_walk;

KW_INLINE double kw_walk_leave_x(const kw_walk *walk) {
    double border =
        walk->index->x0_m + (double)(walk->col + (walk->step_col > 0)) * walk->index->cell_m;
    return (border - walk->x_m) * walk->inverse_x;
}

KW_INLINE double kw_walk_leave_y(const kw_walk *walk) {
    double border =
        walk->index->y0_m + (double)(walk->row + (walk->step_row > 0)) * walk->index->cell_m;
    return (border - walk->y_m) * walk->inverse_y;
}

/* Starts on the cell where the ray from (x_m, y_m) along (ux, uy), of these inverses, first
 * enters the grid. False where it never does. */
KW_INLINE bool kw_walk_begin(kw_walk *walk, const kw_index *index, double x_m, double y_m,
                             double ux, double uy, double inverse_x, double inverse_y) {
    double low_x = (index->x0_m - x_m) * inverse_x;
    double low_y = (index->y0_m - y_m) * inverse_y;
    double high_x = (index->x0_m + (double)index->n_cols * index->cell_m - x_m) * inverse_x;
    double high_y = (index->y0_m + (double)index->n_rows * index->cell_m - y_m) * inverse_y;
    double enter = kw_greater(kw_lesser(low_x, high_x), kw_lesser(low_y, high_y));
    double leave = kw_lesser(kw_greater(low_x, high_x), kw_greater(low_y, high_y));
    enter = kw_greater(enter, 0.0);
    if (enter > leave) {
        return false;
    }
    *walk = (kw_walk){
        .index = index,
        .x_m = x_m,
        .y_m = y_m,
        .inverse_x = inverse_x,
        .inverse_y = inverse_y,
        .col = kw_index_cell(index, x_m + enter * ux - index->x0_m, index->n_cols),
        .row = kw_index_cell(index, y_m + enter * uy - index->y0_m, index->n_rows),
        .step_col = inverse_x > 0.0 ? 1 : -1,
        .step_row = inverse_y > 0.0 ? 1 : -1,
    };
    walk->leave_x = kw_walk_leave_x(walk);
    walk->leave_y = kw_walk_leave_y(walk);
    return true;
}

/* Distance at which the ray leaves the cell. */
KW_INLINE double kw_walk_leave(const kw_walk *walk) {
    return kw_lesser(walk->leave_x, walk->leave_y);
}

/* Goes on to the next cell. False where the ray leaves the grid. */
KW_INLINE bool kw_walk_next(kw_walk *walk) {
    if (walk->leave_x < walk->leave_y) {
        walk->col += walk->step_col;
        walk->leave_x = kw_walk_leave_x(walk);
        return walk->col >= 0 && walk->col < walk->index->n_cols;
    }
    walk->row += walk->step_row;
    walk->leave_y = kw_walk_leave_y(walk);
    return walk->row >= 0 && walk->row < walk->index->n_rows;
}

#endif
