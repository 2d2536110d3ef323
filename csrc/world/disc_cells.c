/* Which cells a disc's centre may be in, and which edges it may cross.
 *
 * The distance from the solids changes by no more than the way between two points. So the
 * distance of a cell's centre alone closes most cells near solids, and opens most cells;
 * the rest is decided by looking at ever smaller parts of the cell, against those solids
 * alone that can matter in it. These are listed first, solid by solid.
 */
#include "disc_cells.h"

#include <stdlib.h>
#include <string.h>

#include "footprint.h"

#define SQRT_HALF 0.70710678118654752440
/* How often a cell or an edge is halved in the search for a point that fits. */
#define HALVINGS 5
/* Marks a cell that its centre alone does not decide. */
#define UNSURE 8

typedef struct {
    const kw_scene *scene;
    const kw_disc_grid *grid;
    double corner_m; /* from a cell's centre to its corner */
    uint8_t *cells;
    int32_t *starts; /* [n_cells + 1], into solids */
    int32_t *solids; /* those near each cell */
} survey;

typedef void (*pair_visitor)(survey *at, int32_t cell, int32_t solid, double distance_m);

static double centre_x(const kw_disc_grid *grid, int32_t col) {
    return grid->x0_m + ((double)col + 0.5) * grid->cell_m;
}

static double centre_y(const kw_disc_grid *grid, int32_t row) {
    return grid->y0_m + ((double)row + 0.5) * grid->cell_m;
}

/* The number of cells below a coordinate, kept from 0 to n. */
static int32_t cells_below(double from_origin_m, double cell_m, int32_t n) {
    double below = floor(from_origin_m / cell_m);
    return below <= 0.0 ? 0 : below >= (double)n ? n : (int32_t)below;
}

/* Visits every cell whose centre is less than reach_m from the solid. */
static void visit_near(survey *at, int32_t i, double reach_m, pair_visitor visit) {
    const kw_disc_grid *grid = at->grid;
    const kw_solid *solid = &at->scene->solids[i];
    double slack = 1e-6 * grid->cell_m + 1e-9;
    double reach_y = kw_footprint_reach_y(solid, reach_m) + slack;
    int32_t last_row = cells_below(solid->y_m + reach_y - grid->y0_m, grid->cell_m, grid->n_rows);
    for (int32_t row = cells_below(solid->y_m - reach_y - grid->y0_m, grid->cell_m, grid->n_rows);
         row <= last_row && row < grid->n_rows; ++row) {
        double y = centre_y(grid, row);
        kw_span span = kw_footprint_span(solid, reach_m + slack, y - slack, y + slack);
        if (span.low > span.high) {
            continue;
        }
        int32_t last = cells_below(span.high - grid->x0_m, grid->cell_m, grid->n_cols);
        for (int32_t col = cells_below(span.low - grid->x0_m, grid->cell_m, grid->n_cols);
             col <= last && col < grid->n_cols; ++col) {
            double distance = kw_footprint_distance(solid, centre_x(grid, col), y);
            if (distance < reach_m) {
                visit(at, row * grid->n_cols + col, i, distance);
            }
        }
    }
}

static void visit_all(survey *at, pair_visitor visit) {
    const kw_scene *scene = at->scene;
    for (int32_t i = 0; i < scene->n_solids; ++i) {
        if (kw_solid_is_present(&scene->solids[i], scene->initial_present)) {
            visit_near(at, i, at->grid->radius_m + at->corner_m, visit);
        }
    }
}

static void count_pair(survey *at, int32_t cell, int32_t solid, double distance_m) {
    (void)solid;
    if (distance_m < at->grid->radius_m - at->corner_m) {
        at->cells[cell] = KW_CELL_CLOSED;
    } else if (at->cells[cell] != KW_CELL_CLOSED) {
        at->cells[cell] = UNSURE;
        ++at->starts[cell];
    }
}

static void list_pair(survey *at, int32_t cell, int32_t solid, double distance_m) {
    (void)distance_m;
    if (at->cells[cell] == UNSURE) {
        at->solids[--at->starts[cell]] = solid;
    }
}

/* Turns the counts into the ends of the lists; list_pair leaves their starts. */
static kw_status make_room_for_lists(survey *at, int32_t n_cells) {
    int64_t total = 0;
    for (int32_t cell = 0; cell < n_cells; ++cell) {
        total += at->cells[cell] == UNSURE ? at->starts[cell] : 0;
        if (total > INT32_MAX) {
            return KW_NO_MEMORY;
        }
        at->starts[cell] = (int32_t)total;
    }
    at->starts[n_cells] = (int32_t)total;
    at->solids = malloc((total > 0 ? (size_t)total : 1) * sizeof *at->solids);
    return at->solids == NULL ? KW_NO_MEMORY : KW_OK;
}

/* A cell, or an edge (one half size 0), and the solids that matter in it. */
typedef struct {
    const kw_scene *scene;
    const int32_t *solids;
    int32_t n;
    double radius_m;
} nearby;

/* Least distance of a point from the solids, or some value below enough_m. */
static double distance_from(const nearby *near, double x, double y, double enough_m) {
    double least = (double)INFINITY;
    for (int32_t k = 0; k < near->n && least >= enough_m; ++k) {
        const kw_solid *solid = &near->scene->solids[near->solids[k]];
        least = kw_lesser(least, kw_footprint_distance(solid, x, y));
    }
    return least;
}

/* Whether the disc fits somewhere in the part of half sizes (half_x, half_y). */
static bool part_fits(const nearby *near, double x, double y, double half_x, double half_y,
                      int halvings) {
    double least_m = near->radius_m - sqrt(half_x * half_x + half_y * half_y);
    double distance_m = distance_from(near, x, y, least_m);
    if (distance_m >= near->radius_m) {
        return true;
    }
    if (distance_m < least_m || halvings == 0) {
        return false;
    }
    double step_x = 0.5 * half_x;
    double step_y = 0.5 * half_y;
    for (int quarter = 0; quarter < 4; ++quarter) {
        /* an edge has two halves, not four quarters */
        if ((half_x == 0.0 && (quarter & 1) != 0) || (half_y == 0.0 && (quarter & 2) != 0)) {
            continue;
        }
        if (part_fits(near, x + ((quarter & 1) != 0 ? step_x : -step_x),
                      y + ((quarter & 2) != 0 ? step_y : -step_y), step_x, step_y, halvings - 1)) {
            return true;
        }
    }
    return false;
}

/* Whether the disc fits somewhere in the cell or on the edge of these half sizes. */
static bool fits(const survey *at, int32_t cell, double x, double y, double half_x, double half_y) {
    const int32_t *solids = at->solids + at->starts[cell];
    nearby near = {at->scene, solids, at->starts[cell + 1] - at->starts[cell], at->grid->radius_m};
    for (int corner = 0; corner < 4; ++corner) {
        double corner_x = x + ((corner & 1) != 0 ? half_x : -half_x);
        double corner_y = y + ((corner & 2) != 0 ? half_y : -half_y);
        if (distance_from(&near, corner_x, corner_y, near.radius_m) >= near.radius_m) {
            return true;
        }
    }
    /* a single convex solid is farthest from a corner */
    return near.n > 1 && part_fits(&near, x, y, half_x, half_y, HALVINGS);
}

static void decide_cell(survey *at, int32_t row, int32_t col) {
    int32_t cell = row * at->grid->n_cols + col;
    double half = 0.5 * at->grid->cell_m;
    if (at->cells[cell] == UNSURE &&
        !fits(at, cell, centre_x(at->grid, col), centre_y(at->grid, row), half, half)) {
        at->cells[cell] |= KW_CELL_CLOSED;
    }
}

/* Edges of a cell that is open everywhere are open. */
static void decide_edges(survey *at, int32_t row, int32_t col) {
    const kw_disc_grid *grid = at->grid;
    int32_t cell = row * grid->n_cols + col;
    double half = 0.5 * grid->cell_m;
    double x = centre_x(grid, col);
    double y = centre_y(grid, row);
    bool is_last_col = col + 1 == grid->n_cols;
    bool is_last_row = row + 1 == grid->n_rows;
    if ((at->cells[cell] & UNSURE) == 0) {
        return;
    }
    if (!is_last_col && (at->cells[cell + 1] & UNSURE) != 0 &&
        !fits(at, cell, x + half, y, 0.0, half)) {
        at->cells[cell] |= KW_CELL_SHUT_RIGHT;
    }
    if (!is_last_row && (at->cells[cell + grid->n_cols] & UNSURE) != 0 &&
        !fits(at, cell, x, y + half, half, 0.0)) {
        at->cells[cell] |= KW_CELL_SHUT_UP;
    }
}

static void decide(survey *at) {
    const kw_disc_grid *grid = at->grid;
    for (int32_t row = 0; row < grid->n_rows; ++row) {
        for (int32_t col = 0; col < grid->n_cols; ++col) {
            decide_cell(at, row, col);
        }
    }
    for (int32_t row = 0; row < grid->n_rows; ++row) {
        for (int32_t col = 0; col < grid->n_cols; ++col) {
            decide_edges(at, row, col);
        }
    }
    for (int32_t cell = 0; cell < grid->n_rows * grid->n_cols; ++cell) {
        at->cells[cell] &= KW_CELL_BITS;
    }
}

kw_status kw_disc_cells(const kw_scene *scene, const kw_disc_grid *grid, uint8_t *out_cells) {
    int32_t n_cells = grid->n_rows * grid->n_cols;
    survey at = {.scene = scene,
                 .grid = grid,
                 .corner_m = grid->cell_m * SQRT_HALF,
                 .cells = out_cells,
                 .starts = calloc((size_t)n_cells + 1, sizeof *at.starts)};
    kw_status status = KW_NO_MEMORY;
    if (at.starts != NULL) {
        memset(out_cells, 0, (size_t)n_cells);
        visit_all(&at, count_pair);
        status = make_room_for_lists(&at, n_cells);
    }
    if (status == KW_OK) {
        visit_all(&at, list_pair);
        decide(&at);
    }
    free(at.starts);
    free(at.solids);
    return status;
}
