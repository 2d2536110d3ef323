/* The way whose least clearance is the greatest: Prim's tree from the start, widest points
 * first, until the goal's turn (Pollack, 1960, by way of the greatest spanning tree).
 *
 * Points are the cells' centres, edges and corners, half a cell apart, and steps straight.
 * Along such a step the distance to each occupied square only rises or only falls, so none
 * on the way is nearer than its points say: the clearance is never read too great. Between
 * two faces that stand square to an axis it is exact, as their middle is a point; through an
 * oblique gap the way may have to pass beside the middle, and the reading errs to the narrow
 * side. What stands on both sides of the narrowest point is named, so a caller can measure.
 */
#include <stdlib.h>
#include <string.h>

#include "grid/way.h"

/* Bits of a point, beside the direction it was entered by. */
#define OCCUPIED 4
#define SEEN 8
#define GOAL 16

typedef struct {
    kw_way *way;
    const kw_way_query *query;
    int32_t n_rows; /* of points, those on the array's border included */
    int32_t n_cols;
    int32_t cap;
    int32_t exempt; /* squared */
} search;

static int32_t point_at(const search *at, int32_t row, int32_t col) {
    return row * at->n_cols + col;
}

static kw_status size(search *at) {
    kw_way *way = at->way;
    const int64_t n = (int64_t)at->n_rows * at->n_cols;
    if (kw_way_size_marks(way, n) != KW_OK) {
        return KW_NO_MEMORY;
    }
    if (n > way->next_capacity) {
        int32_t *next = realloc(way->next, (size_t)n * sizeof *next);
        if (next == NULL) {
            return KW_NO_MEMORY;
        }
        way->next = next;
        way->next_capacity = n;
    }
    if (n > way->clearance_capacity) {
        int16_t *clearance = realloc(way->clearance, (size_t)n * sizeof *clearance);
        if (clearance == NULL) {
            return KW_NO_MEMORY;
        }
        way->clearance = clearance;
        way->clearance_capacity = n;
    }
    way->heads.n = 0;
    way->tails.n = 0;
    for (int32_t i = 0; i <= at->cap; i++) {
        if (!kw_list_add(&way->heads, -1) || !kw_list_add(&way->tails, -1)) {
            return KW_NO_MEMORY;
        }
    }
    return KW_OK;
}

static void take_row(void *to, int32_t row, const int16_t *distances) {
    const search *at = to;
    for (int32_t col = 0; col < at->n_cols; col++) {
        at->way->clearance[point_at(at, row, col)] = distances[col];
    }
}

/* The shell stands in the start's cell, so no solid does. */
static bool is_solid(const kw_way_query *query, int32_t row, int32_t col) {
    return query->states[(int64_t)row * query->n_cols + col] == KW_CELL_OCCUPIED &&
           (row != query->start_row || col != query->start_col);
}

static kw_status find_clearances(search *at) {
    const kw_way_query *query = at->query;
    for (int32_t row = 0; row < query->n_rows; row++) {
        for (int32_t col = 0; col < query->n_cols; col++) {
            if (!is_solid(query, row, col)) {
                continue;
            }
            for (int32_t i = 0; i < 9; i++) { /* the square with its border */
                at->way->marks[point_at(at, 2 * row + i / 3, 2 * col + i % 3)] = OCCUPIED;
            }
        }
    }
    const kw_box all = {0, at->n_rows - 1, 0, at->n_cols - 1};
    return kw_distance_find(&at->way->scratch, KW_BETWEEN_POINTS, at->way->marks, at->n_cols,
                            OCCUPIED, all, all, at->cap, take_row, at);
}

/* The last in is the last out, so that ways through the open are short. */
static void put(search *at, int32_t point, int32_t clearance) {
    kw_way *way = at->way;
    const int32_t tail = way->tails.items[clearance];
    if (tail < 0) {
        way->heads.items[clearance] = point;
    } else {
        way->next[tail] = point;
    }
    way->tails.items[clearance] = point;
    way->next[point] = -1;
}

/* The clearance of a point as it counts. */
static int32_t counted(const search *at, int32_t row, int32_t col) {
    const int32_t clearance = at->way->clearance[point_at(at, row, col)];
    const int64_t rows = row - (2 * (int64_t)at->query->start_row + 1);
    const int64_t cols = col - (2 * (int64_t)at->query->start_col + 1);
    const bool is_exempt = rows * rows + cols * cols <= at->exempt; /* the start always is */
    return is_exempt && clearance > 0 ? at->cap : clearance;
}

static const int32_t row_steps[4] = {0, 1, 0, -1};
static const int32_t col_steps[4] = {1, 0, -1, 0};

/* Puts in the neighbours of a point, whose way has this clearance. */
static void spread(search *at, int32_t row, int32_t col, int32_t clearance) {
    for (int32_t d = 0; d < 4; d++) {
        const int32_t to_row = row + row_steps[d];
        const int32_t to_col = col + col_steps[d];
        if (to_row < 1 || to_row > at->n_rows - 2 || to_col < 1 || to_col > at->n_cols - 2) {
            continue;
        }
        const int32_t point = point_at(at, to_row, to_col);
        const int32_t own = counted(at, to_row, to_col);
        if (own == 0 || (at->way->marks[point] & SEEN) != 0) {
            continue;
        }
        at->way->marks[point] |= (uint8_t)(SEEN | d);
        put(at, point, own < clearance ? own : clearance);
    }
}

/* The goal first reached, -1 for none; *out_clearance is that of the way to it. */
static int32_t run(search *at, int32_t start, int32_t *out_clearance) {
    kw_way *way = at->way;
    way->marks[start] |= SEEN;
    put(at, start, at->cap);
    for (int32_t clearance = at->cap; clearance > 0;) {
        const int32_t point = way->heads.items[clearance];
        if (point < 0) {
            clearance--;
            continue;
        }
        way->heads.items[clearance] = way->next[point];
        if (way->next[point] < 0) {
            way->tails.items[clearance] = -1;
        }
        if ((way->marks[point] & GOAL) != 0) {
            *out_clearance = clearance;
            return point;
        }
        spread(at, point / at->n_cols, point % at->n_cols, clearance);
    }
    return -1;
}

/* The way from the start, with the clearance that each point has. */
static kw_status trace(search *at, int32_t start, int32_t point) {
    kw_list *points = &at->way->points;
    for (;;) {
        const int32_t row = point / at->n_cols;
        const int32_t col = point % at->n_cols;
        if (!kw_list_add(points, at->way->clearance[point]) || !kw_list_add(points, col) ||
            !kw_list_add(points, row)) {
            return KW_NO_MEMORY;
        }
        if (point == start) {
            break;
        }
        const int32_t d = at->way->marks[point] & 3;
        point -= point_at(at, row_steps[d], col_steps[d]);
    }
    for (int32_t low = 0, high = points->n - 1; low < high; low++, high--) {
        const int32_t item = points->items[low];
        points->items[low] = points->items[high];
        points->items[high] = item;
    }
    return KW_OK;
}

/* The nearest occupied cell to a point; with across, of those on the other side of it. */
static void find_beside(const search *at, int32_t row, int32_t col, const int32_t *across,
                        int32_t *out_cell) {
    const kw_way_query *query = at->query;
    const int32_t reach = kw_distance_reach(KW_BETWEEN_POINTS, at->cap) / 2 + 1;
    int32_t least = INT32_MAX;
    for (int32_t i = row / 2 - reach; i <= row / 2 + reach; i++) {
        for (int32_t j = col / 2 - reach; j <= col / 2 + reach; j++) {
            if (i < 0 || i >= query->n_rows || j < 0 || j >= query->n_cols ||
                !is_solid(query, i, j)) {
                continue;
            }
            const int32_t up = 2 * i + 1 - row;
            const int32_t right = 2 * j + 1 - col;
            const int32_t gap_up = abs(up) > 1 ? abs(up) - 1 : 0;
            const int32_t gap_right = abs(right) > 1 ? abs(right) - 1 : 0;
            const int32_t distance = gap_up * gap_up + gap_right * gap_right;
            if (distance >= least ||
                (across != NULL &&
                 up * (2 * across[0] + 1 - row) + right * (2 * across[1] + 1 - col) >= 0)) {
                continue;
            }
            least = distance;
            out_cell[0] = i;
            out_cell[1] = j;
        }
    }
}

/* The distance between the edges of two cells, squared, in cells. */
static int32_t gap_between(const int32_t *cell, const int32_t *other) {
    const int32_t rows = abs(cell[0] - other[0]);
    const int32_t cols = abs(cell[1] - other[1]);
    const int32_t up = rows > 1 ? rows - 1 : 0;
    const int32_t right = cols > 1 ? cols - 1 : 0;
    return up * up + right * right;
}

/* Of the points with the way's clearance the first at which what stands to both sides is
 * the least apart; without two sides anywhere, the first. */
static void find_narrowest(const search *at, kw_widest_way *found) {
    int32_t least = INT32_MAX;
    found->narrowest = -1;
    for (int32_t i = 0; i < found->n_points; i++) {
        const int32_t *point = at->way->points.items + 3 * (int64_t)i;
        if (counted(at, point[0], point[1]) != found->clearance) {
            continue;
        }
        found->narrowest = found->narrowest < 0 ? i : found->narrowest;
        int32_t sides[2][2] = {{-1, -1}, {-1, -1}};
        if (found->clearance < at->cap) {
            find_beside(at, point[0], point[1], NULL, sides[0]);
            find_beside(at, point[0], point[1], sides[0], sides[1]);
        }
        if (sides[1][0] >= 0 && gap_between(sides[0], sides[1]) < least) {
            least = gap_between(sides[0], sides[1]);
            found->narrowest = i;
            memcpy(found->between, sides, sizeof sides);
        }
    }
}

kw_status kw_way_widest(kw_way *way, const kw_way_query *query, int32_t most, int32_t exempt,
                        kw_widest_way *out_found) {
    if (kw_way_check(query) != KW_OK || most < 1 || most > KW_WAY_CLEARANCE_MOST || exempt < 0 ||
        exempt > KW_GRID_SIDE_MOST ||
        (int64_t)query->n_rows * query->n_cols > KW_GRID_CELLS_MOST / 4) {
        return KW_BAD_ARGUMENT;
    }
    search at = {way,         query,          2 * query->n_rows + 1, 2 * query->n_cols + 1,
                 most * most, exempt * exempt};
    kw_status status = size(&at);
    status = status == KW_OK ? find_clearances(&at) : status;
    if (status != KW_OK) {
        return status;
    }
    kw_widest_way found = {.between = {{-1, -1}, {-1, -1}}};
    way->points.n = 0;
    for (int32_t i = 0; i < query->n_goals; i++) {
        way->marks[point_at(&at, 2 * query->goal_rows[i] + 1, 2 * query->goal_cols[i] + 1)] |= GOAL;
    }
    const int32_t start = point_at(&at, 2 * query->start_row + 1, 2 * query->start_col + 1);
    const int32_t goal = run(&at, start, &found.clearance);
    if (goal >= 0) {
        found.found = 1;
        status = trace(&at, start, goal);
        found.n_points = way->points.n / 3;
    }
    if (status == KW_OK && goal >= 0) {
        find_narrowest(&at, &found);
    }
    if (status == KW_OK) {
        *out_found = found;
    }
    return status;
}

void kw_way_points(const kw_way *way, int32_t *out_points) {
    for (int32_t i = 0; i < way->points.n; i++) {
        out_points[i] = way->points.items[i];
    }
}
