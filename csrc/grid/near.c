/* Whether something lies near a route: the route is walked in leaps, for the next cells cannot
 * be nearer than the distance to this one less their number.
 */
#include "kw_grid.h"

static int32_t largest_of(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static int32_t distance_of(int32_t a, int32_t b) {
    return a > b ? a - b : b - a;
}

/* 1 where one of n cells, each beside the one before, lies near a cell. */
static int is_near(int32_t n, const int32_t *cells, int32_t row, int32_t col, int32_t reach,
                   int32_t reach_squared) {
    int32_t i = 0;
    while (i < n) {
        const int32_t rows = distance_of(cells[2 * i], row);
        const int32_t cols = distance_of(cells[2 * i + 1], col);
        const int32_t apart = largest_of(rows, cols);
        if (apart <= reach && rows * rows + cols * cols <= reach_squared) {
            return 1;
        }
        i += largest_of(apart - reach, 1);
    }
    return 0;
}

int32_t kw_route_is_near(int32_t n, const int32_t *cells, int32_t n_others, const int32_t *rows,
                         const int32_t *cols, int32_t reach_squared) {
    int32_t reach = 0;
    while ((reach + 1) * (reach + 1) <= reach_squared) {
        ++reach;
    }
    for (int32_t i = 0; i < n_others; ++i) {
        if (is_near(n, cells, rows[i], cols[i], reach, reach_squared)) {
            return 1;
        }
    }
    return 0;
}
