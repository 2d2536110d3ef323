/* The shortest way of a disc to a goal by fast marching: a front runs out from the goal at
 * one metre a metre, through open cells and edges, and the time it arrives is the length.
 *
 * Upwind, of second order where the front allows it, after Sethian (1999), "Fast marching
 * methods", SIAM Review 41(2). Cells from which the rectangle of cells to the goal's
 * is all open start with the exact distance: so the front starts out round.
 */
#include <math.h>
#include <stdlib.h>

#include "common/math.h"
#include "disc_cells.h"

/* Beside the bits of disc_cells.h. */
#define EXACT 8 /* sees the goal: its distance is final */
#define DONE 16 /* the front has passed */

#define PLACE_MAX_M 1e6
/* The disc must clear solids by this much: so not even a point of no size slips between two
 * that touch. */
#define CLEAR_M 1e-9

typedef struct {
    kw_disc_grid grid;
    double goal_x_m;
    double goal_y_m;
    uint8_t *cells;
    double *length_m; /* so far */
    int32_t *heap;    /* cells that the front may reach next, nearest first */
    int32_t *places;  /* [n_cells] in the heap, -1 for none */
    int32_t n_heap;
} march;

/* Equal lengths go by cell, so that the order is one and the same everywhere. */
static bool is_before(const march *at, int32_t a, int32_t b) {
    return at->length_m[a] < at->length_m[b] || (at->length_m[a] == at->length_m[b] && a < b);
}

static void put(march *at, int32_t place, int32_t cell) {
    at->heap[place] = cell;
    at->places[cell] = place;
}

static void sift_up(march *at, int32_t place) {
    int32_t cell = at->heap[place];
    while (place > 0 && is_before(at, cell, at->heap[(place - 1) / 2])) {
        put(at, place, at->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(at, place, cell);
}

static void sift_down(march *at, int32_t cell) {
    int32_t place = 0;
    for (;;) {
        int32_t child = 2 * place + 1;
        if (child >= at->n_heap) {
            break;
        }
        if (child + 1 < at->n_heap && is_before(at, at->heap[child + 1], at->heap[child])) {
            ++child;
        }
        if (!is_before(at, at->heap[child], cell)) {
            break;
        }
        put(at, place, at->heap[child]);
        place = child;
    }
    put(at, place, cell);
}

/* Puts a cell in the heap, or moves it up there, with a length that is less than before. */
static void offer(march *at, int32_t cell, double length_m) {
    at->length_m[cell] = length_m;
    if (at->places[cell] < 0) {
        put(at, at->n_heap++, cell);
    }
    sift_up(at, at->places[cell]);
}

static int32_t take_nearest(march *at) {
    int32_t cell = at->heap[0];
    int32_t last = at->heap[--at->n_heap];
    if (at->n_heap > 0) {
        sift_down(at, last);
    }
    at->cells[cell] |= DONE;
    return cell;
}

/* Whether the edge from a cell towards the next column (or row) lets the disc pass. */
static bool is_right_open(const march *at, int32_t cell) {
    return (at->cells[cell] & KW_CELL_SHUT_RIGHT) == 0;
}

static bool is_up_open(const march *at, int32_t cell) {
    return (at->cells[cell] & KW_CELL_SHUT_UP) == 0;
}

/* A cell's neighbours that one can pass to, -1 for none: right, left, up, down. */
static void neighbours(const march *at, int32_t cell, int32_t out_cells[4]) {
    int32_t n_cols = at->grid.n_cols;
    int32_t col = cell % n_cols;
    int32_t row = cell / n_cols;
    out_cells[0] = col + 1 < n_cols && is_right_open(at, cell) ? cell + 1 : -1;
    out_cells[1] = col > 0 && is_right_open(at, cell - 1) ? cell - 1 : -1;
    out_cells[2] = row + 1 < at->grid.n_rows && is_up_open(at, cell) ? cell + n_cols : -1;
    out_cells[3] = row > 0 && is_up_open(at, cell - n_cols) ? cell - n_cols : -1;
}

/* Length at a cell that the front has passed, infinite elsewhere. */
static double passed(const march *at, int32_t cell) {
    return cell >= 0 && (at->cells[cell] & DONE) != 0 ? at->length_m[cell] : (double)INFINITY;
}

/* One axis's share in the equation: (rate * (length - from_m))^2. */
typedef struct {
    double from_m;
    double rate;
} upwind;

/* From the nearer of the two neighbours of one axis, and the one behind it where the front
 * passed that before. pair: the axis's two places among the four neighbours. */
static upwind upwind_of(const march *at, const int32_t beside[4], int pair) {
    double first = passed(at, beside[pair]);
    double second = passed(at, beside[pair + 1]);
    int side = second < first ? pair + 1 : pair;
    double near = second < first ? second : first;
    if (near < (double)INFINITY) {
        int32_t beyond[4];
        neighbours(at, beside[side], beyond);
        double far = passed(at, beyond[side]);
        if (far <= near) {
            return (upwind){(4.0 * near - far) / 3.0, 1.5};
        }
    }
    return (upwind){near, 1.0};
}

/* Solves |gradient| = 1 from the neighbours that the front has passed. */
static double arrival(const march *at, int32_t cell) {
    int32_t beside[4];
    neighbours(at, cell, beside);
    upwind x = upwind_of(at, beside, 0);
    upwind y = upwind_of(at, beside, 2);
    double cell_m = at->grid.cell_m;
    double by_x = x.from_m + cell_m / x.rate;
    double by_y = y.from_m + cell_m / y.rate;
    double alone = by_x < by_y ? by_x : by_y;
    if (!(alone > x.from_m && alone > y.from_m)) {
        return alone; /* the other axis comes too late to help, or not at all */
    }
    double weight_x = x.rate * x.rate;
    double weight_y = y.rate * y.rate;
    double weight = weight_x + weight_y;
    double apart = x.from_m - y.from_m;
    double square =
        cell_m * cell_m / weight - weight_x * weight_y / (weight * weight) * (apart * apart);
    return (weight_x * x.from_m + weight_y * y.from_m) / weight + sqrt(square > 0.0 ? square : 0.0);
}

static void run_front(march *at) {
    while (at->n_heap > 0) {
        int32_t beside[4];
        neighbours(at, take_nearest(at), beside);
        for (int32_t k = 0; k < 4; ++k) {
            int32_t cell = beside[k];
            if (cell < 0 || (at->cells[cell] & (KW_CELL_CLOSED | DONE | EXACT)) != 0) {
                continue;
            }
            double length_m = arrival(at, cell);
            if (length_m < at->length_m[cell]) {
                offer(at, cell, length_m);
            }
        }
    }
}

static bool is_exact(const march *at, int32_t cell) {
    return (at->cells[cell] & EXACT) != 0;
}

/* Starts the cells of one row from the goal's column outwards, step = 1 or -1. A cell sees
 * the goal where it is open and both cells next to it on the goal's side see it, across
 * open edges: then all the rectangle between is open. towards: rows to the one that lies on
 * the goal's side, 0 in the goal's own row. */
static void see_row(march *at, int32_t row, int32_t goal_col, int32_t step, int32_t towards) {
    const kw_disc_grid *grid = &at->grid;
    double dy = grid->y0_m + ((double)row + 0.5) * grid->cell_m - at->goal_y_m;
    for (int32_t col = goal_col; col >= 0 && col < grid->n_cols; col += step) {
        int32_t cell = row * grid->n_cols + col;
        int32_t inner = cell + towards * grid->n_cols;
        int32_t lower = towards < 0 ? inner : cell;
        int32_t before = cell - step;
        int32_t left = step > 0 ? before : cell;
        if ((at->cells[cell] & KW_CELL_CLOSED) != 0 ||
            (towards != 0 && !(is_exact(at, inner) && is_up_open(at, lower))) ||
            (col != goal_col && !(is_exact(at, before) && is_right_open(at, left)))) {
            return; /* nothing beyond it sees the goal either */
        }
        if (!is_exact(at, cell)) {
            double dx = grid->x0_m + ((double)col + 0.5) * grid->cell_m - at->goal_x_m;
            at->cells[cell] |= EXACT;
            offer(at, cell, sqrt(dx * dx + dy * dy));
        }
    }
}

static void start_front(march *at) {
    const kw_disc_grid *grid = &at->grid;
    double goal_row = floor((at->goal_y_m - grid->y0_m) / grid->cell_m);
    double goal_col = floor((at->goal_x_m - grid->x0_m) / grid->cell_m);
    if (!(goal_row >= 0.0 && goal_row < (double)grid->n_rows && goal_col >= 0.0 &&
          goal_col < (double)grid->n_cols)) {
        return; /* no way leads out of the grid */
    }
    for (int32_t step = -1; step <= 1; step += 2) {
        for (int32_t row = (int32_t)goal_row; row < grid->n_rows; ++row) {
            see_row(at, row, (int32_t)goal_col, step, row == (int32_t)goal_row ? 0 : -1);
        }
        for (int32_t row = (int32_t)goal_row - 1; row >= 0; --row) {
            see_row(at, row, (int32_t)goal_col, step, 1);
        }
    }
}

static kw_status find_shortest(const kw_scene *scene, march *at, double *out_m) {
    int32_t n_cells = at->grid.n_rows * at->grid.n_cols;
    kw_status status = kw_disc_cells(scene, &at->grid, at->cells);
    if (status != KW_OK) {
        return status;
    }
    at->length_m = out_m;
    for (int32_t cell = 0; cell < n_cells; ++cell) {
        at->length_m[cell] = (double)INFINITY;
        at->places[cell] = -1;
    }
    start_front(at);
    run_front(at);
    return KW_OK;
}

static bool is_place(double x_m, double y_m) {
    return fabs(x_m) <= PLACE_MAX_M && fabs(y_m) <= PLACE_MAX_M; /* false for NaN */
}

static bool is_grid(const kw_disc_grid *grid) {
    return grid->radius_m >= CLEAR_M && grid->radius_m <= PLACE_MAX_M && grid->cell_m >= 1e-4 &&
           grid->cell_m <= PLACE_MAX_M && grid->n_rows > 0 && grid->n_cols > 0 &&
           (int64_t)grid->n_rows * grid->n_cols < INT32_MAX && is_place(grid->x0_m, grid->y0_m);
}

kw_status kw_scene_shortest(const kw_scene *scene, double disc_radius_m, double x0_m, double y0_m,
                            double cell_m, int32_t n_rows, int32_t n_cols, double goal_x_m,
                            double goal_y_m, double *out_m) {
    march at = {.grid = {x0_m, y0_m, cell_m, n_rows, n_cols, disc_radius_m + CLEAR_M},
                .goal_x_m = goal_x_m,
                .goal_y_m = goal_y_m};
    if (!is_grid(&at.grid) || !is_place(goal_x_m, goal_y_m)) {
        return KW_BAD_ARGUMENT;
    }
    size_t n_cells = (size_t)n_rows * (size_t)n_cols;
    at.cells = malloc(n_cells * sizeof *at.cells);
    at.heap = malloc(n_cells * sizeof *at.heap);
    at.places = malloc(n_cells * sizeof *at.places);
    kw_status status = KW_NO_MEMORY;
    if (at.cells != NULL && at.heap != NULL && at.places != NULL) {
        uint64_t control = kw_float_control_enter();
        status = find_shortest(scene, &at, out_m);
        kw_float_control_leave(control);
    }
    free(at.cells);
    free(at.heap);
    free(at.places);
    return status;
}
