/* Routes through the planner's world, and what a route that is there costs now. */
#include "grid/planner.h"

/* Adds up the lengths of the steps into free and into unknown cells. */
static void measure(const kw_planner *planner, kw_route *route) {
    const kw_lattice *lattice = &planner->lattice;
    const int32_t *cells = lattice->route.items;
    route->known_length = 0;
    route->unknown_length = 0;
    for (int32_t i = 2; i < 2 * route->n_cells; i += 2) {
        const bool straight = cells[i] == cells[i - 2] || cells[i + 1] == cells[i - 1];
        const int32_t length = straight ? KW_STEP_STRAIGHT : KW_STEP_DIAGONAL;
        const uint8_t mark = lattice->marks[kw_lattice_at(lattice, cells[i], cells[i + 1])];
        if ((mark & KW_MARK_FREE) != 0) {
            route->known_length += length;
        } else {
            route->unknown_length += length;
        }
    }
}

static kw_status search(kw_planner *planner, kw_query query, int32_t unknown, kw_route *out_route) {
    bool good = kw_planner_holds(planner, query.start_row, query.start_col, 1, 1) &&
                query.node_limit > 0 && unknown >= 0 && unknown < KW_UNKNOWN_PRICES;
    for (int32_t i = 0; good && i < query.n_goals; i++) {
        good = kw_planner_holds(planner, query.goal_rows[i], query.goal_cols[i], 1, 1);
    }
    if (!good) {
        return KW_BAD_ARGUMENT;
    }
    planner->all_reached = false;
    query.start_row -= planner->row;
    query.start_col -= planner->col;
    query.row_shift = -planner->row;
    query.col_shift = -planner->col;
    kw_status status = kw_planner_refresh(planner, unknown);
    if (status == KW_OK) {
        status = kw_lattice_plan(&planner->lattice, &query, out_route);
    }
    if (status == KW_OK && out_route->outcome == KW_FOUND) {
        measure(planner, out_route);
    }
    return status;
}

kw_status kw_planner_plan(kw_planner *planner, int32_t start_row, int32_t start_col,
                          int32_t n_goals, const int32_t *goal_rows, const int32_t *goal_cols,
                          int32_t unknown, int32_t node_limit, kw_route *out_route) {
    const kw_query query = {.start_row = start_row,
                            .start_col = start_col,
                            .n_goals = n_goals,
                            .goal_rows = goal_rows,
                            .goal_cols = goal_cols,
                            .node_limit = node_limit};
    return n_goals > 0 ? search(planner, query, unknown, out_route) : KW_BAD_ARGUMENT;
}

kw_status kw_planner_reach(kw_planner *planner, int32_t start_row, int32_t start_col,
                           int32_t unknown, int32_t node_limit, kw_route *out_route,
                           int32_t *out_costs) {
    const kw_query query = {
        .start_row = start_row, .start_col = start_col, .node_limit = node_limit};
    const kw_status status = search(planner, query, unknown, out_route);
    if (status == KW_OK) {
        planner->all_reached = out_route->outcome != KW_LIMIT;
        kw_lattice_costs(&planner->lattice, planner->world, out_costs);
    }
    return status;
}

kw_status kw_planner_reached(kw_planner *planner, int32_t row, int32_t col, kw_route *out_route) {
    if (!kw_planner_holds(planner, row, col, 1, 1)) {
        return KW_BAD_ARGUMENT;
    }
    if (!planner->all_reached) {
        return KW_BAD_STATE;
    }
    row -= planner->row;
    col -= planner->col;
    kw_lattice *lattice = &planner->lattice;
    const int32_t cell = kw_lattice_at(lattice, row, col);
    *out_route = (kw_route){.goal = -1, .outcome = KW_EXHAUSTED, .closed_side = KW_SIDE_START};
    const bool start = (lattice->marks[cell] & KW_MARK_SOURCE) != 0;
    if (!kw_lattice_reached(lattice, cell) || (lattice->nodes[cell].price == 0 && !start)) {
        return KW_OK;
    }
    *out_route = (kw_route){.goal = 0};
    const kw_status status = kw_lattice_trace(lattice, row, col, out_route);
    if (status == KW_OK) {
        measure(planner, out_route);
    }
    return status;
}

void kw_planner_cells(const kw_planner *planner, int32_t *out_cells) {
    const kw_list *route = &planner->lattice.route;
    for (int32_t i = 0; i < route->n; i += 2) {
        out_cells[i] = route->items[i] + planner->row;
        out_cells[i + 1] = route->items[i + 1] + planner->col;
    }
}

static int32_t direction_between(const int32_t *from, const int32_t *to) {
    int32_t direction = 0;
    while (direction < KW_DIRECTIONS && (kw_row_steps[direction] != to[0] - from[0] ||
                                         kw_col_steps[direction] != to[1] - from[1])) {
        direction++;
    }
    return direction;
}

/* The price of a step from a cell, 0 where it is closed. */
static int32_t step_price(const kw_lattice *lattice, int32_t cell, int32_t direction) {
    const int32_t to = cell + lattice->offsets[direction];
    if (lattice->nodes[cell].price != 0) {
        const bool open = (lattice->nodes[cell].moves & 1 << direction) != 0;
        return open ? lattice->nodes[to].price : 0;
    }
    const bool closed =
        (lattice->marks[to] & KW_MARK_SOLID) != 0 || kw_lattice_cuts(lattice, cell, direction);
    return closed ? 0 : lattice->leaving;
}

kw_status kw_planner_price(kw_planner *planner, int32_t n, const int32_t *cells, int32_t unknown,
                           kw_route *out_route) {
    bool good = n >= 1 && unknown >= 0 && unknown < KW_UNKNOWN_PRICES;
    for (int32_t i = 0; good && i < n; i++) {
        good = kw_planner_holds(planner, cells[2 * i], cells[2 * i + 1], 1, 1) &&
               (i == 0 || direction_between(cells + 2 * (i - 1), cells + 2 * i) < KW_DIRECTIONS);
    }
    if (!good) {
        return KW_BAD_ARGUMENT;
    }
    const kw_status status = kw_planner_refresh(planner, unknown);
    if (status != KW_OK) {
        return status;
    }
    const kw_lattice *lattice = &planner->lattice;
    kw_route route = {.outcome = KW_FOUND, .goal = -1, .n_cells = n};
    int32_t cell = kw_lattice_at(lattice, cells[0] - planner->row, cells[1] - planner->col);
    for (int32_t i = 1; i < n && route.outcome == KW_FOUND; i++) {
        const int32_t direction = direction_between(cells + 2 * (i - 1), cells + 2 * i);
        const int32_t price = step_price(lattice, cell, direction);
        const int64_t length = kw_step_length(direction);
        route.n_leaving += lattice->nodes[cell].price == 0;
        cell += lattice->offsets[direction];
        if (price == 0) {
            route.outcome = KW_EXHAUSTED;
            route.goal = i;
        }
        route.cost += length * price;
        if ((lattice->marks[cell] & KW_MARK_FREE) != 0) {
            route.known_length += length;
        } else {
            route.unknown_length += length;
        }
    }
    *out_route = route;
    return KW_OK;
}
