/* The ways out of lethal cells for a shell that stands in one: Dijkstra by length through
 * cells that are lethal and not occupied, until the first that may be entered otherwise.
 *
 * Lethal cells hold the length to them where others hold a cost: no other search enters
 * them. An entry that leads to an exit waits for its turn like any other, so exits come out
 * nearest first, and the search can go on later where it stopped.
 */
#include "grid/lattice.h"

kw_status kw_ways_out_start(kw_lattice *lattice, int32_t row, int32_t col) {
    kw_buckets *queue = &lattice->ways_out;
    if (kw_buckets_start(queue, 0, KW_STEP_DIAGONAL, 1) != KW_OK ||
        (!kw_buckets_has_room(queue, 1) && kw_buckets_grow(queue, 1) != KW_OK)) {
        return KW_NO_MEMORY;
    }
    lattice->nodes[kw_lattice_at(lattice, row, col)].cost = lattice->base;
    const kw_entry start = {.row = (uint16_t)row,
                            .col = (uint16_t)col,
                            .cell_from =
                                kw_cell_from(kw_lattice_at(lattice, row, col), KW_NO_DIRECTION)};
    kw_buckets_put(queue, 0, start);
    return KW_OK;
}

static kw_status expand(kw_lattice *lattice, const kw_entry *entry, int32_t cell) {
    if (!kw_buckets_has_room(&lattice->ways_out, KW_DIRECTIONS) &&
        kw_buckets_grow(&lattice->ways_out, KW_DIRECTIONS) != KW_OK) {
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
                                  .cell_from = kw_cell_from(to, d)});
    }
    return KW_OK;
}

/* Looks at an entry that came out: a lethal cell leads on, any other is a way out. */
static kw_status follow(kw_lattice *lattice, const kw_entry *entry, int32_t *expanded) {
    const int32_t cell = kw_cell_of(entry);
    kw_node *node = &lattice->nodes[cell];
    if (node->price == 0) {
        if (node->cost - lattice->base != entry->cost) {
            return KW_OK; /* reached by a shorter way since */
        }
        ++*expanded;
        return expand(lattice, entry, cell);
    }
    if (kw_lattice_reached(lattice, cell)) {
        return KW_OK;
    }
    node->cost = lattice->base; /* taken; what it costs follows */
    const kw_source source = {entry->row, entry->col, entry->cost, kw_from_of(entry)};
    return kw_lattice_add_source(lattice, source) ? KW_OK : KW_NO_MEMORY;
}

kw_status kw_ways_out_next(kw_lattice *lattice, uint32_t *length, int32_t *expanded) {
    const int32_t n_before = lattice->n_sources;
    kw_buckets *queue = &lattice->ways_out;
    while (lattice->n_sources == n_before && kw_buckets_turn(queue)) {
        kw_entry entry;
        *length = queue->turn; /* a bucket takes one length */
        while (kw_buckets_take(queue, &entry)) {
            const kw_status status = follow(lattice, &entry, expanded);
            if (status != KW_OK) {
                return status;
            }
        }
    }
    return KW_OK;
}
