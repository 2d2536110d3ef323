/* Whether a point gets through: a flood from either side, a cell each in turn. The side that
 * ends first is closed in, and has at most as many cells as the other, so a small pocket is
 * proved in as many steps as it has cells, however large the world.
 */
#include "grid/way.h"

/* Bits of a cell. */
#define SOLID 1
#define BORDER 2
#define OF_START 4
#define OF_GOAL 8

typedef struct {
    kw_way *way;
    const kw_way_query *query;
    int32_t stride;
} flood;

static int32_t cell_at(const flood *at, int32_t row, int32_t col) {
    return (row + 1) * at->stride + col + 1;
}

static kw_status fill_marks(flood *at) {
    const kw_way_query *query = at->query;
    const int64_t n = (int64_t)(query->n_rows + 2) * at->stride;
    if (kw_way_size_marks(at->way, n) != KW_OK) {
        return KW_NO_MEMORY;
    }
    uint8_t *marks = at->way->marks;
    for (int32_t col = 0; col < at->stride; col++) {
        marks[col] = BORDER;
        marks[n - 1 - col] = BORDER;
    }
    for (int32_t row = 0; row < query->n_rows; row++) {
        uint8_t *line = marks + cell_at(at, row, 0);
        const uint8_t *states = query->states + (int64_t)row * query->n_cols;
        line[-1] = BORDER;
        line[query->n_cols] = BORDER;
        for (int32_t col = 0; col < query->n_cols; col++) {
            line[col] = states[col] == KW_CELL_OCCUPIED ? SOLID : 0;
        }
    }
    return KW_OK;
}

static bool mark(flood *at, int32_t side, int32_t cell) {
    at->way->marks[cell] |= side == 0 ? OF_START : OF_GOAL;
    return kw_list_add(&at->way->floods[side], cell);
}

static kw_status seed(flood *at) {
    const kw_way_query *query = at->query;
    at->way->floods[0].n = 0;
    at->way->floods[1].n = 0;
    bool good = mark(at, 0, cell_at(at, query->start_row, query->start_col));
    for (int32_t i = 0; good && i < query->n_goals; i++) {
        const int32_t cell = cell_at(at, query->goal_rows[i], query->goal_cols[i]);
        const uint8_t held = at->way->marks[cell];
        if ((held & OF_GOAL) == 0 && ((held & SOLID) == 0 || (held & OF_START) != 0)) {
            good = mark(at, 1, cell);
        }
    }
    return good ? KW_OK : KW_NO_MEMORY;
}

/* Marks the neighbours of a cell for its side. *out_met where one is the other side's. */
static kw_status spread(flood *at, int32_t side, int32_t cell, int32_t *out_met) {
    const uint8_t own = side == 0 ? OF_START : OF_GOAL;
    const uint8_t other = OF_START | OF_GOAL;
    const int32_t offsets[4] = {1, at->stride, -1, -at->stride};
    for (int32_t i = 0; i < 4; i++) {
        const int32_t next = cell + offsets[i];
        const uint8_t held = at->way->marks[next];
        if ((held & (other ^ own)) != 0) {
            *out_met = 1;
            return KW_OK;
        }
        if ((held & (SOLID | BORDER | own)) == 0 && !mark(at, side, next)) {
            return KW_NO_MEMORY;
        }
    }
    return KW_OK;
}

static kw_status run(flood *at, kw_point_way *found) {
    const kw_list *floods = at->way->floods;
    kw_status status = KW_OK;
    found->joined = (at->way->marks[floods[0].items[0]] & OF_GOAL) != 0;
    for (int32_t i = 0; status == KW_OK && found->joined == 0; i++) {
        for (int32_t side = 0; side < 2 && status == KW_OK && found->joined == 0; side++) {
            if (i == floods[side].n) {
                found->closed_side = side == 0 ? KW_SIDE_START : KW_SIDE_GOAL;
                return KW_OK;
            }
            status = spread(at, side, floods[side].items[i], &found->joined);
        }
    }
    return status;
}

static void put_box(kw_box box, int32_t *out) {
    const bool empty = kw_box_is_empty(box);
    out[0] = empty ? 0 : box.row_low;
    out[1] = empty ? 0 : box.col_low;
    out[2] = empty ? 0 : box.row_high - box.row_low + 1;
    out[3] = empty ? 0 : box.col_high - box.col_low + 1;
}

/* What closes a side: whichever cells beside it are occupied, row by row. */
static kw_status find_walls(flood *at, int32_t side, kw_box region, kw_point_way *found) {
    const uint8_t own = side == 0 ? OF_START : OF_GOAL;
    const uint8_t *marks = at->way->marks;
    kw_list *walls = &at->way->walls;
    kw_box box = KW_NO_BOX;
    for (int32_t row = region.row_low - 1; row <= region.row_high + 1; row++) {
        for (int32_t col = region.col_low - 1; col <= region.col_high + 1; col++) {
            const int32_t cell = cell_at(at, row, col);
            if ((marks[cell] & (SOLID | BORDER)) == 0 || (marks[cell] & own) != 0) {
                continue; /* not closed, or where the shell stands */
            }
            const bool inside = (marks[cell] & BORDER) == 0;
            const bool beside = (row > region.row_low && (marks[cell - at->stride] & own) != 0) ||
                                (row < region.row_high && (marks[cell + at->stride] & own) != 0) ||
                                (col > region.col_low && (marks[cell - 1] & own) != 0) ||
                                (col < region.col_high && (marks[cell + 1] & own) != 0);
            if (!beside) {
                continue;
            }
            if (!inside) {
                found->at_border = 1;
                continue;
            }
            box = kw_box_add(box, row, col);
            if (!kw_list_add(walls, row) || !kw_list_add(walls, col)) {
                return KW_NO_MEMORY;
            }
        }
    }
    put_box(box, found->wall_box);
    found->n_walls = walls->n / 2;
    return KW_OK;
}

/* Goals that are all occupied: they are what closes them. */
static kw_status find_covered_goals(flood *at, kw_point_way *found) {
    const kw_way_query *query = at->query;
    kw_box box = KW_NO_BOX;
    for (int32_t i = 0; i < query->n_goals; i++) {
        box = kw_box_add(box, query->goal_rows[i], query->goal_cols[i]);
        if (!kw_list_add(&at->way->walls, query->goal_rows[i]) ||
            !kw_list_add(&at->way->walls, query->goal_cols[i])) {
            return KW_NO_MEMORY;
        }
    }
    put_box(box, found->box);
    put_box(box, found->wall_box);
    found->n_walls = query->n_goals;
    return KW_OK;
}

static kw_status describe(flood *at, kw_point_way *found) {
    const int32_t side = found->closed_side == KW_SIDE_START ? 0 : 1;
    const kw_list *cells = &at->way->floods[side];
    at->way->walls.n = 0;
    if (found->joined != 0) {
        return KW_OK;
    }
    if (cells->n == 0) {
        return find_covered_goals(at, found);
    }
    kw_box region = KW_NO_BOX;
    for (int32_t i = 0; i < cells->n; i++) {
        region =
            kw_box_add(region, cells->items[i] / at->stride - 1, cells->items[i] % at->stride - 1);
    }
    put_box(region, found->box);
    return find_walls(at, side, region, found);
}

kw_status kw_way_point(kw_way *way, const kw_way_query *query, kw_point_way *out_found) {
    if (kw_way_check(query) != KW_OK) {
        return KW_BAD_ARGUMENT;
    }
    flood at = {way, query, query->n_cols + 2};
    kw_point_way found = {.closed_side = KW_SIDE_NONE};
    kw_status status = fill_marks(&at);
    status = status == KW_OK ? seed(&at) : status;
    status = status == KW_OK ? run(&at, &found) : status;
    status = status == KW_OK ? describe(&at, &found) : status;
    if (status == KW_OK) {
        found.n_start = way->floods[0].n;
        found.n_goal = way->floods[1].n;
        *out_found = found;
    }
    return status;
}

void kw_way_walls(const kw_way *way, int32_t *out_cells) {
    for (int32_t i = 0; i < way->walls.n; i++) {
        out_cells[i] = way->walls.items[i];
    }
}
