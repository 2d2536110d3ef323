#include "index.h"

#include <stdlib.h>

#include "footprint.h"

/* With fewer permanent solids than this, testing all of them is quicker. */
#define SOLIDS_MIN 24
/* Cells aimed at, and the most cells and list entries: so memory and time grow with the
 * number of solids, whatever their sizes and however far apart they are. */
#define CELLS_PER_SOLID 2
#define CELLS_PER_SOLID_MAX 4
#define ENTRIES_PER_SOLID_MAX 16
#define MAX_BESIDE 4096
/* The grid reaches this far beyond all solids. */
#define BORDER_M 1e-3

typedef struct {
    double low_x;
    double low_y;
    double high_x;
    double high_y;
    int32_t n_solids;
} extent;

static extent extent_of(const kw_scene *scene) {
    extent all = {(double)INFINITY, (double)INFINITY, -(double)INFINITY, -(double)INFINITY, 0};
    for (int32_t i = 0; i < scene->n_solids; ++i) {
        const kw_solid *solid = &scene->solids[i];
        if (solid->changeable >= 0) {
            continue;
        }
        double reach_y = kw_footprint_reach_y(solid, BORDER_M);
        kw_span span =
            kw_footprint_span(solid, BORDER_M, solid->y_m - reach_y, solid->y_m + reach_y);
        all.low_x = kw_lesser(all.low_x, span.low);
        all.high_x = kw_greater(all.high_x, span.high);
        all.low_y = kw_lesser(all.low_y, solid->y_m - reach_y);
        all.high_y = kw_greater(all.high_y, solid->y_m + reach_y);
        ++all.n_solids;
    }
    return all;
}

/* Cells of this size along a length. */
static double cells_along(double length_m, double cell_m) {
    return floor(length_m / cell_m) + 1.0;
}

static int64_t most(int32_t n_solids, int32_t per_solid) {
    int64_t limit = (int64_t)n_solids * per_solid + MAX_BESIDE;
    return limit < INT32_MAX ? limit : INT32_MAX;
}

/* Sets the grid's shape, its cells no smaller than cell_m and not too many. */
static void shape(kw_index *index, const extent *all, double cell_m) {
    double width = all->high_x - all->low_x;
    double height = all->high_y - all->low_y;
    double n_max = (double)most(all->n_solids, CELLS_PER_SOLID_MAX);
    while (cells_along(width, cell_m) * cells_along(height, cell_m) > n_max) {
        cell_m *= 1.25;
    }
    index->x0_m = all->low_x;
    index->y0_m = all->low_y;
    index->cell_m = cell_m;
    index->cells_per_m = 1.0 / cell_m;
    index->n_cols = (int32_t)cells_along(width, cell_m);
    index->n_rows = (int32_t)cells_along(height, cell_m);
}

/* Enters one solid into the cells it reaches into: counts, or with `listing` fills their
 * lists from the ends that starts[] holds. Returns the number of entries. */
static int64_t enter(kw_index *index, const kw_scene *scene, int32_t i, bool listing) {
    const kw_solid *solid = &scene->solids[i];
    double cell_m = index->cell_m;
    double reach_y = kw_footprint_reach_y(solid, KW_INDEX_MARGIN_M);
    int32_t low_row = kw_index_cell(index, solid->y_m - reach_y - index->y0_m, index->n_rows);
    int32_t high_row = kw_index_cell(index, solid->y_m + reach_y - index->y0_m, index->n_rows);
    int64_t n = 0;
    for (int32_t row = low_row; row <= high_row; ++row) {
        double low_y = index->y0_m + (double)row * cell_m;
        kw_span span = kw_footprint_span(solid, KW_INDEX_MARGIN_M, low_y, low_y + cell_m);
        if (span.low > span.high) {
            continue;
        }
        int32_t high_col = kw_index_cell(index, span.high - index->x0_m, index->n_cols);
        for (int32_t col = kw_index_cell(index, span.low - index->x0_m, index->n_cols);
             col <= high_col; ++col) {
            int32_t *start = &index->starts[row * index->n_cols + col];
            if (listing) {
                index->solids[--*start] = i;
            } else {
                ++*start;
            }
            ++n;
        }
    }
    return n;
}

/* Counts each cell's entries. False where they are too many. */
static bool count(kw_index *index, const kw_scene *scene, int64_t n_max) {
    int64_t n = 0;
    for (int32_t i = 0; i < scene->n_solids; ++i) {
        if (scene->solids[i].changeable < 0) {
            n += enter(index, scene, i, false);
            if (n > n_max) {
                return false;
            }
        }
    }
    return true;
}

static kw_status list(kw_index *index, const kw_scene *scene) {
    int32_t n_cells = index->n_cols * index->n_rows;
    int32_t n = 0;
    for (int32_t cell = 0; cell < n_cells; ++cell) {
        n += index->starts[cell];
        index->starts[cell] = n;
    }
    index->starts[n_cells] = n;
    index->solids = calloc(n > 0 ? (size_t)n : 1, sizeof *index->solids);
    if (index->solids == NULL) {
        return KW_NO_MEMORY;
    }
    /* backwards from the ends, so that each list ascends */
    for (int32_t i = scene->n_solids - 1; i >= 0; --i) {
        if (scene->solids[i].changeable < 0) {
            enter(index, scene, i, true);
        }
    }
    return KW_OK;
}

/* One more than the least of a cell's neighbours in a row of three, within the grid. */
static int32_t ring_beyond(const kw_index *index, int32_t row, int32_t col, int32_t least) {
    if (row < 0 || row >= index->n_rows) {
        return least;
    }
    for (int32_t k = col - 1; k <= col + 1; ++k) {
        if (k >= 0 && k < index->n_cols) {
            int32_t beyond = index->empty_rings[row * index->n_cols + k] + 1;
            least = beyond < least ? beyond : least;
        }
    }
    return least;
}

/* Distance in king's moves to the nearest cell that is not empty: one sweep each way. */
static kw_status measure_empty_rings(kw_index *index) {
    int32_t n_cells = index->n_cols * index->n_rows;
    index->empty_rings = calloc((size_t)n_cells, sizeof *index->empty_rings);
    if (index->empty_rings == NULL) {
        return KW_NO_MEMORY;
    }
    for (int32_t cell = 0; cell < n_cells; ++cell) {
        bool is_empty = index->starts[cell] == index->starts[cell + 1];
        index->empty_rings[cell] = is_empty ? UINT16_MAX : 0;
    }
    for (int32_t cell = 0; cell < n_cells; ++cell) {
        int32_t least = index->empty_rings[cell];
        least = ring_beyond(index, cell / index->n_cols - 1, cell % index->n_cols, least);
        least = ring_beyond(index, cell / index->n_cols, cell % index->n_cols, least);
        index->empty_rings[cell] = (uint16_t)least;
    }
    for (int32_t cell = n_cells - 1; cell >= 0; --cell) {
        int32_t least = index->empty_rings[cell];
        least = ring_beyond(index, cell / index->n_cols + 1, cell % index->n_cols, least);
        least = ring_beyond(index, cell / index->n_cols, cell % index->n_cols, least);
        index->empty_rings[cell] = (uint16_t)least;
    }
    return KW_OK;
}

static kw_status fill(kw_index *index, const kw_scene *scene, const extent *all) {
    double width = all->high_x - all->low_x;
    double height = all->high_y - all->low_y;
    double cell_m = sqrt(width * height / ((double)all->n_solids * CELLS_PER_SOLID));
    for (;;) {
        shape(index, all, cell_m);
        free(index->starts);
        index->starts =
            calloc((size_t)index->n_cols * (size_t)index->n_rows + 1, sizeof *index->starts);
        if (index->starts == NULL) {
            return KW_NO_MEMORY;
        }
        bool is_single = index->n_cols == 1 && index->n_rows == 1;
        if (count(index, scene,
                  is_single ? INT32_MAX : most(all->n_solids, ENTRIES_PER_SOLID_MAX))) {
            break;
        }
        cell_m = 2.0 * index->cell_m;
    }
    kw_status status = list(index, scene);
    return status == KW_OK ? measure_empty_rings(index) : status;
}

kw_status kw_index_create(const kw_scene *scene, kw_index **out_index) {
    extent all = extent_of(scene);
    if (all.n_solids < SOLIDS_MIN) {
        *out_index = NULL;
        return KW_OK;
    }
    kw_index *index = calloc(1, sizeof *index);
    if (index == NULL) {
        return KW_NO_MEMORY;
    }
    kw_status status = fill(index, scene, &all);
    if (status != KW_OK) {
        kw_index_destroy(index);
        return status;
    }
    *out_index = index;
    return KW_OK;
}

void kw_index_destroy(kw_index *index) {
    if (index == NULL) {
        return;
    }
    free(index->starts);
    free(index->solids);
    free(index->empty_rings);
    free(index);
}
