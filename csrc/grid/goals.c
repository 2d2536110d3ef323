#include "grid/goals.h"

static int32_t goal_cell(const kw_lattice *lattice, const kw_query *query, int32_t goal) {
    return kw_lattice_at(lattice, query->goal_rows[goal] + query->row_shift,
                         query->goal_cols[goal] + query->col_shift);
}

int32_t kw_goals_mark(kw_lattice *lattice, const kw_query *query, kw_box *out_box) {
    int32_t n = 0;
    *out_box = KW_NO_BOX;
    for (int32_t i = 0; i < query->n_goals; i++) {
        const int32_t cell = goal_cell(lattice, query, i);
        if (lattice->nodes[cell].price != 0) {
            lattice->marks[cell] |= KW_MARK_GOAL;
            *out_box = kw_box_add(*out_box, query->goal_rows[i] + query->row_shift,
                                  query->goal_cols[i] + query->col_shift);
            n++;
        }
    }
    return n;
}

void kw_goals_unmark(kw_lattice *lattice, const kw_query *query) {
    for (int32_t i = 0; i < query->n_goals; i++) {
        lattice->marks[goal_cell(lattice, query, i)] &= (uint8_t)~KW_MARK_GOAL;
    }
    for (int32_t i = 0; i < lattice->flood.n; i++) {
        lattice->marks[lattice->flood.items[i]] &= (uint8_t)~KW_MARK_FLOODED;
    }
    lattice->flood.n = 0;
}

int32_t kw_goals_find(const kw_query *query, int32_t row, int32_t col) {
    for (int32_t i = 0; i < query->n_goals; i++) {
        if (query->goal_rows[i] + query->row_shift == row &&
            query->goal_cols[i] + query->col_shift == col) {
            return i;
        }
    }
    return -1;
}

static bool flood_cell(kw_lattice *lattice, int32_t cell) {
    if ((lattice->marks[cell] & KW_MARK_FLOODED) != 0) {
        return true;
    }
    lattice->marks[cell] |= KW_MARK_FLOODED;
    return kw_list_add(&lattice->flood, cell);
}

kw_status kw_goals_start_flood(kw_lattice *lattice, const kw_query *query, kw_goal_flood *flood) {
    for (int32_t i = 0; i < query->n_goals; i++) {
        const int32_t cell = goal_cell(lattice, query, i);
        if (lattice->nodes[cell].price != 0 && !flood_cell(lattice, cell)) {
            return KW_NO_MEMORY;
        }
    }
    *flood = (kw_goal_flood){.is_running = true};
    return KW_OK;
}

/* Straight steps will do: a diagonal one that cuts no corner joins nothing else. */
kw_status kw_goals_flood(kw_lattice *lattice, kw_goal_flood *flood, int32_t n, bool *out_closed) {
    *out_closed = false;
    for (int32_t i = 0; i < n; i++) {
        if (flood->n_done == lattice->flood.n) {
            *out_closed = true;
            return KW_OK;
        }
        const int32_t cell = lattice->flood.items[flood->n_done++];
        if (kw_lattice_reached(lattice, cell)) {
            flood->is_running = false;
            return KW_OK;
        }
        for (int32_t d = 0; d < 4; d++) {
            if ((lattice->nodes[cell].moves & 1 << d) != 0 &&
                !flood_cell(lattice, cell + lattice->offsets[d])) {
                return KW_NO_MEMORY;
            }
        }
    }
    return KW_OK;
}
