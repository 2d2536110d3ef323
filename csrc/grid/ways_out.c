/* The ways out of lethal cells for a shell that stands in one: Dijkstra by length through
 * cells that are lethal and not occupied, until the first that may be entered otherwise.
 *
 * Lethal cells hold the length to them where others hold a cost: no other search enters
 * them. An entry that leads to an exit waits for its turn like any other, so exits come out
 * nearest first, and the search can go on later where it stopped.
 */
#include "grid/lattice.h"

kw_status kw_ways_out_start(kw_lattice *lattice, int32_t row, int32_t col) {
    if (kw_buckets_span(&lattice->ways_out, KW_STEP_DIAGONAL + 1) != KW_OK ||
        kw_buckets_reserve(&lattice->ways_out, 1) != KW_OK) {
        return KW_NO_MEMORY;
    }
    lattice->nodes[kw_lattice_at(lattice, row, col)].cost = lattice->base;
    const kw_entry start = {.row = (uint16_t)row, .col = (uint16_t)col, .from = KW_NO_DIRECTION};
    kw_buckets_put(&lattice->ways_out, 0, start);
    return KW_OK;
}

static kw_status expand(kw_lattice *lattice, const kw_entry *entry, int32_t cell) {
    if (kw_buckets_reserve(&lattice->ways_out, KW_DIRECTIONS) != KW_OK) {
        return KW_NO_MEMORY;
    }
    for (int32_t d = 0; d < KW_DIRECTIONS; d++) {
        const int32_t to = cell + lattice->offsets[d];
        kw_node *node = &lattice->nodes[to];
        const uint32_t length = entry->cost + kw_step_length(d);
        if ((lattice->marks[to] & KW_MARK_SOLID) != 0 || kw_lattice_cuts(lattice, cell, d) ||
            length >= node->cost - lattice->base) {
            continue;
        }
        if (node->price == 0) {
            node->cost = lattice->base + length;
        }
        kw_buckets_put(&lattice->ways_out, length,
                       (kw_entry){.cost = length,
                                  .row = (uint16_t)(entry->row + kw_row_steps[d]),
                                  .col = (uint16_t)(entry->col + kw_col_steps[d]),
                                  .from = d});
    }
    return KW_OK;
}

kw_status kw_ways_out_next(kw_lattice *lattice, uint32_t *length, int32_t *expanded) {
    const int32_t n_before = lattice->n_sources;
    kw_entry entry;
    while (kw_buckets_take(&lattice->ways_out, length, &entry)) {
        if (lattice->n_sources > n_before && entry.cost > lattice->sources[n_before].length) {
            kw_buckets_put(&lattice->ways_out, entry.cost, entry); /* the next set begins */
            break;
        }
        const int32_t cell = kw_lattice_at(lattice, entry.row, entry.col);
        kw_node *node = &lattice->nodes[cell];
        if (node->price == 0) {
            if (node->cost - lattice->base == entry.cost) {
                ++*expanded;
                if (expand(lattice, &entry, cell) != KW_OK) {
                    return KW_NO_MEMORY;
                }
            }
        } else if (!kw_lattice_reached(lattice, cell)) {
            const kw_source source = {entry.row, entry.col, entry.cost, entry.from};
            node->cost = lattice->base; /* taken; its cost follows */
            if (!kw_lattice_add_source(lattice, source)) {
                return KW_NO_MEMORY;
            }
        }
    }
    return KW_OK;
}
