#include "grid/lattice.h"

#include <stdlib.h>
#include <string.h>

const int32_t kw_row_steps[KW_DIRECTIONS] = {0, 1, 0, -1, 1, 1, -1, -1};
const int32_t kw_col_steps[KW_DIRECTIONS] = {1, 0, -1, 0, 1, -1, -1, 1};

bool kw_list_add(kw_list *list, int32_t item) {
    if (list->n == list->capacity) {
        const int32_t capacity = 2 * list->capacity + 256;
        int32_t *items = realloc(list->items, (size_t)capacity * sizeof *items);
        if (items == NULL) {
            return false;
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->n++] = item;
    return true;
}

bool kw_lattice_add_source(kw_lattice *lattice, kw_source source) {
    if (lattice->n_sources == lattice->source_capacity) {
        const int32_t capacity = 2 * lattice->source_capacity + 16;
        kw_source *sources = realloc(lattice->sources, (size_t)capacity * sizeof *sources);
        if (sources == NULL) {
            return false;
        }
        lattice->sources = sources;
        lattice->source_capacity = capacity;
    }
    lattice->sources[lattice->n_sources++] = source;
    lattice->marks[kw_lattice_at(lattice, source.row, source.col)] |= KW_MARK_SOURCE;
    return true;
}

void kw_lattice_forget(kw_lattice *lattice) {
    for (int32_t i = 0; i < lattice->n_sources; i++) {
        const kw_source *source = &lattice->sources[i];
        lattice->marks[kw_lattice_at(lattice, source->row, source->col)] &=
            (uint8_t)~KW_MARK_SOURCE;
    }
    lattice->n_sources = 0;
}

kw_status kw_lattice_size(kw_lattice *lattice, int32_t n_rows, int32_t n_cols) {
    const size_t n = (size_t)(n_rows + 2) * (size_t)(n_cols + 2);
    kw_node *nodes = calloc(n, sizeof *nodes);
    uint8_t *marks = calloc(n, sizeof *marks);
    if (nodes == NULL || marks == NULL) {
        free(nodes);
        free(marks);
        return KW_NO_MEMORY;
    }
    free(lattice->nodes);
    free(lattice->marks);
    lattice->nodes = nodes;
    lattice->marks = marks;
    lattice->n_rows = n_rows;
    lattice->n_cols = n_cols;
    lattice->stride = n_cols + 2;
    for (int32_t i = 0; i < KW_DIRECTIONS; i++) {
        lattice->offsets[i] = kw_row_steps[i] * lattice->stride + kw_col_steps[i];
    }
    lattice->base = 1;
    lattice->top = 1;
    lattice->flood.n = 0;
    lattice->n_sources = 0;
    return KW_OK;
}

void kw_lattice_free(kw_lattice *lattice) {
    free(lattice->nodes);
    free(lattice->marks);
    free(lattice->flood.items);
    free(lattice->route.items);
    free(lattice->sources);
    kw_buckets_free(&lattice->queue);
    kw_buckets_free(&lattice->ways_out);
}

int64_t kw_lattice_bytes(const kw_lattice *lattice) {
    const int64_t n = (int64_t)(lattice->n_rows + 2) * lattice->stride;
    return n * (int64_t)(sizeof *lattice->nodes + sizeof *lattice->marks) +
           (lattice->flood.capacity + lattice->route.capacity) * (int64_t)sizeof(int32_t) +
           lattice->source_capacity * (int64_t)sizeof *lattice->sources +
           kw_buckets_bytes(&lattice->queue) + kw_buckets_bytes(&lattice->ways_out);
}

/* The moves from a node: no corner is cut, so a diagonal needs both cells beside it. */
static uint8_t moves_from(const kw_node *node, const int32_t *offsets) {
    const int east = node[offsets[0]].price != 0;
    const int north = node[offsets[1]].price != 0;
    const int west = node[offsets[2]].price != 0;
    const int south = node[offsets[3]].price != 0;
    const int north_east = north & east & (node[offsets[4]].price != 0);
    const int north_west = north & west & (node[offsets[5]].price != 0);
    const int south_west = south & west & (node[offsets[6]].price != 0);
    const int south_east = south & east & (node[offsets[7]].price != 0);
    return (uint8_t)(east | north << 1 | west << 2 | south << 3 | north_east << 4 |
                     north_west << 5 | south_west << 6 | south_east << 7);
}

void kw_lattice_connect(kw_lattice *lattice, kw_box box) {
    for (int32_t row = box.row_low; row <= box.row_high; row++) {
        kw_node *nodes = lattice->nodes + kw_lattice_at(lattice, row, 0);
        for (int32_t col = box.col_low; col <= box.col_high; col++) {
            kw_node *node = nodes + col;
            node->moves = node->price == 0 ? 0 : moves_from(node, lattice->offsets);
        }
    }
}

void kw_lattice_costs(const kw_lattice *lattice, kw_box box, int32_t *out_costs) {
    for (int32_t row = box.row_low; row <= box.row_high; row++) {
        const kw_node *nodes = lattice->nodes + kw_lattice_at(lattice, row, 0);
        for (int32_t col = box.col_low; col <= box.col_high; col++) {
            const bool reached = nodes[col].price != 0 && nodes[col].cost >= lattice->base;
            *out_costs++ = reached ? (int32_t)(nodes[col].cost - lattice->base) : -1;
        }
    }
}
