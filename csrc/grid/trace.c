/* The route of a search, found backward from what each cell cost: a cell's predecessor is
 * one whose cost and step add up to its own. Of several the one straight behind is taken,
 * then the first in the order of directions.
 */
#include "grid/lattice.h"

static bool add(kw_lattice *lattice, int32_t row, int32_t col) {
    return kw_list_add(&lattice->route, row) && kw_list_add(&lattice->route, col);
}

/* True if the cheapest way to a cell may come by this direction. */
static bool came_by(const kw_lattice *lattice, int32_t cell, int32_t direction) {
    const kw_node *node = &lattice->nodes[cell];
    const kw_node *before = node - lattice->offsets[direction];
    return (node->moves & 1 << (direction ^ KW_OPPOSITE)) != 0 && before->cost >= lattice->base &&
           before->cost + kw_step_length(direction) * node->price == node->cost;
}

/* The same among lethal cells, where lengths count. */
static bool left_by(const kw_lattice *lattice, int32_t cell, int32_t direction) {
    const int32_t before = cell - lattice->offsets[direction];
    const kw_node *node = &lattice->nodes[before];
    return node->price == 0 && node->cost >= lattice->base &&
           node->cost + kw_step_length(direction) == lattice->nodes[cell].cost &&
           !kw_lattice_cuts(lattice, before, direction);
}

static int32_t direction_to(const kw_lattice *lattice, int32_t cell, int32_t ahead,
                            bool (*is_by)(const kw_lattice *, int32_t, int32_t)) {
    if (ahead != KW_NO_DIRECTION && is_by(lattice, cell, ahead)) {
        return ahead;
    }
    int32_t direction = 0;
    while (direction < KW_NO_DIRECTION && !is_by(lattice, cell, direction)) {
        direction++;
    }
    return direction;
}

static const kw_source *source_at(const kw_lattice *lattice, int32_t row, int32_t col) {
    const kw_source *source = lattice->sources;
    while (source->row != row || source->col != col) {
        source++;
    }
    return source;
}

static void turn_round(kw_list *route) {
    for (int32_t low = 0, high = route->n - 2; low < high; low += 2, high -= 2) {
        for (int32_t i = 0; i < 2; i++) {
            const int32_t item = route->items[low + i];
            route->items[low + i] = route->items[high + i];
            route->items[high + i] = item;
        }
    }
}

kw_status kw_lattice_trace(kw_lattice *lattice, int32_t row, int32_t col, kw_route *out_route) {
    kw_list *route = &lattice->route;
    int32_t cell = kw_lattice_at(lattice, row, col);
    int32_t direction = KW_NO_DIRECTION;
    route->n = 0;
    out_route->cost = lattice->nodes[cell].cost - lattice->base;
    if (!add(lattice, row, col)) {
        return KW_NO_MEMORY;
    }
    while ((lattice->marks[cell] & KW_MARK_SOURCE) == 0) {
        direction = direction_to(lattice, cell, direction, came_by);
        if (direction == KW_NO_DIRECTION) {
            return KW_BAD_STATE;
        }
        row -= kw_row_steps[direction];
        col -= kw_col_steps[direction];
        cell -= lattice->offsets[direction];
        if (!add(lattice, row, col)) {
            return KW_NO_MEMORY;
        }
    }
    const int32_t n_entered = route->n;
    direction = source_at(lattice, row, col)->from;
    while (direction != KW_NO_DIRECTION) {
        row -= kw_row_steps[direction];
        col -= kw_col_steps[direction];
        cell -= lattice->offsets[direction];
        if (!add(lattice, row, col)) {
            return KW_NO_MEMORY;
        }
        direction = lattice->nodes[cell].cost == lattice->base
                        ? KW_NO_DIRECTION
                        : direction_to(lattice, cell, direction, left_by);
    }
    out_route->n_cells = route->n / 2;
    out_route->n_leaving = (route->n - n_entered) / 2;
    turn_round(route);
    return KW_OK;
}
