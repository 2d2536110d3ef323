/* A grid of prices to search: the lattice as it is. */
#include <stdlib.h>

#include "grid/lattice.h"

struct kw_search {
    kw_lattice lattice;
};

kw_status kw_search_create(int32_t n_rows, int32_t n_cols, const uint8_t *prices,
                           kw_search **out_search) {
    if (n_rows < 1 || n_cols < 1 || n_rows > KW_GRID_SIDE_MOST || n_cols > KW_GRID_SIDE_MOST ||
        (int64_t)n_rows * n_cols > KW_GRID_CELLS_MOST) {
        return KW_BAD_ARGUMENT;
    }
    kw_search *search = calloc(1, sizeof *search);
    if (search == NULL || kw_lattice_size(&search->lattice, n_rows, n_cols) != KW_OK) {
        free(search);
        return KW_NO_MEMORY;
    }
    kw_search_set_prices(search, prices);
    *out_search = search;
    return KW_OK;
}

void kw_search_destroy(kw_search *search) {
    if (search != NULL) {
        kw_lattice_free(&search->lattice);
        free(search);
    }
}

void kw_search_set_prices(kw_search *search, const uint8_t *prices) {
    kw_lattice *lattice = &search->lattice;
    lattice->least_price = 255;
    lattice->most_price = 1;
    for (int32_t row = 1; row <= lattice->n_rows; row++) {
        kw_node *nodes = lattice->nodes + kw_lattice_at(lattice, row, 1);
        for (int32_t col = 0; col < lattice->n_cols; col++) {
            const uint8_t price = *prices++;
            nodes[col].price = price;
            if (price != 0) {
                lattice->least_price = price < lattice->least_price ? price : lattice->least_price;
                lattice->most_price = price > lattice->most_price ? price : lattice->most_price;
            }
        }
    }
    kw_lattice_connect(lattice, (kw_box){1, lattice->n_rows, 1, lattice->n_cols});
}

static bool is_inside(const kw_lattice *lattice, int32_t row, int32_t col) {
    return row >= 0 && row < lattice->n_rows && col >= 0 && col < lattice->n_cols;
}

kw_status kw_search_plan(kw_search *search, int32_t start_row, int32_t start_col, int32_t n_goals,
                         const int32_t *goal_rows, const int32_t *goal_cols, int32_t node_limit,
                         kw_route *out_route) {
    const kw_lattice *lattice = &search->lattice;
    bool good = is_inside(lattice, start_row, start_col) && n_goals > 0 && node_limit > 0;
    for (int32_t i = 0; good && i < n_goals; i++) {
        good = is_inside(lattice, goal_rows[i], goal_cols[i]);
    }
    if (!good) {
        return KW_BAD_ARGUMENT;
    }
    const kw_query query = {start_row + 1, start_col + 1, n_goals, goal_rows, goal_cols, 1, 1,
                            node_limit};
    return kw_lattice_plan(&search->lattice, &query, out_route);
}

kw_status kw_search_reach(kw_search *search, int32_t start_row, int32_t start_col,
                          int32_t node_limit, kw_route *out_route, int32_t *out_costs) {
    kw_lattice *lattice = &search->lattice;
    if (!is_inside(lattice, start_row, start_col) || node_limit < 1) {
        return KW_BAD_ARGUMENT;
    }
    const kw_query query = {
        .start_row = start_row + 1, .start_col = start_col + 1, .node_limit = node_limit};
    const kw_status status = kw_lattice_plan(lattice, &query, out_route);
    if (status == KW_OK) {
        kw_lattice_costs(lattice, (kw_box){1, lattice->n_rows, 1, lattice->n_cols}, out_costs);
    }
    return status;
}

void kw_search_cells(const kw_search *search, int32_t *out_cells) {
    const kw_list *route = &search->lattice.route;
    for (int32_t i = 0; i < route->n; i++) {
        out_cells[i] = route->items[i] - 1;
    }
}
