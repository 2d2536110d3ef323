#include "grid/estimate.h"

/* Rings of cells around the goals that are looked at, at most: 2.6 m in the planner's cells. */
enum { RINGS_MOST = 64 };

/* The least octile distance from the goals to a cell of a box that costs less than this price. */
static int32_t nearest_in(const kw_lattice *lattice, const kw_box *goals, kw_box box, int32_t price,
                          int32_t least) {
    const kw_box grid = {1, lattice->n_rows, 1, lattice->n_cols};
    const kw_box inside = kw_box_grow(box, 0, grid);
    for (int32_t row = inside.row_low; row <= inside.row_high; row++) {
        const kw_node *nodes = lattice->nodes + kw_lattice_at(lattice, row, 0);
        for (int32_t col = inside.col_low; col <= inside.col_high; col++) {
            if (nodes[col].price != 0 && nodes[col].price < price) {
                const int32_t length = kw_octile_to(goals, row, col);
                least = length < least ? length : least;
            }
        }
    }
    return least;
}

/* The same of all cells, as far as they are looked at: ring by ring from the goals outward. */
static int32_t nearest(const kw_lattice *lattice, const kw_box *goals, int32_t price) {
    int32_t least = KW_STEP_STRAIGHT * (RINGS_MOST + 1);
    least = nearest_in(lattice, goals, *goals, price, least);
    for (int32_t ring = 1; ring <= RINGS_MOST && KW_STEP_STRAIGHT * ring < least; ring++) {
        const kw_box around = {goals->row_low - ring, goals->row_high + ring, goals->col_low - ring,
                               goals->col_high + ring};
        const kw_box sides[4] = {
            {around.row_low, around.row_low, around.col_low, around.col_high},
            {around.row_high, around.row_high, around.col_low, around.col_high},
            {around.row_low + 1, around.row_high - 1, around.col_low, around.col_low},
            {around.row_low + 1, around.row_high - 1, around.col_high, around.col_high},
        };
        for (int32_t i = 0; i < 4; i++) {
            least = nearest_in(lattice, goals, sides[i], price, least);
        }
    }
    return least;
}

kw_estimate kw_estimate_of(const kw_lattice *lattice, kw_box goals) {
    kw_estimate made = {.goals = goals, .least_price = lattice->least_price};
    if (lattice->unseen_price > lattice->least_price && !kw_box_is_empty(goals)) {
        made.more = lattice->unseen_price - lattice->least_price;
        made.near = nearest(lattice, &goals, lattice->unseen_price);
    }
    return made;
}
