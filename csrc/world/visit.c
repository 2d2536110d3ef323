#include "visit.h"

#include <stddef.h>

#include "index.h"

typedef struct {
    const kw_scene *scene;
    double low_x_m;
    double low_y_m;
    double high_x_m;
    double high_y_m;
    kw_visitor visit;
    void *context;
} search;

static void visit_if_near(const search *at, const kw_solid *solid) {
    double reach_x = solid->cos_h * solid->half_x_m + solid->sin_h * solid->half_y_m;
    double reach_y = solid->sin_h * solid->half_x_m + solid->cos_h * solid->half_y_m;
    if (solid->x_m + reach_x >= at->low_x_m && solid->x_m - reach_x <= at->high_x_m &&
        solid->y_m + reach_y >= at->low_y_m && solid->y_m - reach_y <= at->high_y_m) {
        at->visit(at->context, solid);
    }
}

static void visit_cells(const search *at) {
    const kw_index *index = at->scene->index;
    int32_t low_col = kw_index_cell(index, at->low_x_m - index->x0_m, index->n_cols);
    int32_t low_row = kw_index_cell(index, at->low_y_m - index->y0_m, index->n_rows);
    int32_t high_col = kw_index_cell(index, at->high_x_m - index->x0_m, index->n_cols);
    int32_t high_row = kw_index_cell(index, at->high_y_m - index->y0_m, index->n_rows);
    for (int32_t row = low_row; row <= high_row; ++row) {
        /* the lists of neighbouring cells in a row follow each other */
        int32_t first = index->starts[row * index->n_cols + low_col];
        int32_t end = index->starts[row * index->n_cols + high_col + 1];
        for (int32_t k = first; k < end; ++k) {
            visit_if_near(at, &at->scene->solids[index->solids[k]]);
        }
    }
}

void kw_scene_visit(const kw_scene *scene, const uint8_t *present, double low_x_m, double low_y_m,
                    double high_x_m, double high_y_m, kw_visitor visit, void *context) {
    search at = {scene, low_x_m, low_y_m, high_x_m, high_y_m, visit, context};
    if (scene->index == NULL) {
        for (int32_t i = 0; i < scene->n_solids; ++i) {
            if (kw_solid_is_present(&scene->solids[i], present)) {
                visit_if_near(&at, &scene->solids[i]);
            }
        }
        return;
    }
    visit_cells(&at);
    for (int32_t k = 0; k < scene->n_changeable; ++k) {
        if (present[k] != 0) {
            visit_if_near(&at, &scene->solids[scene->changeable[k]]);
        }
    }
}
