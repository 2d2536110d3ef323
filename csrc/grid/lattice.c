#include "grid/lattice.h"

#include <stdlib.h>
#include <string.h>

#include "common/machine.h"

const int32_t kw_row_steps[KW_DIRECTIONS] = {0, 1, 0, -1, 1, 1, -1, -1};
const int32_t kw_col_steps[KW_DIRECTIONS] = {1, 0, -1, 0, 1, -1, -1, 1};

_Static_assert(KW_GRID_CELLS_MOST + 4 * KW_GRID_SIDE_MOST + 4 < 1 << 28,
               "an entry's index and direction share 32 bits");

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

/* Columns whose moves are found at a time, beside the two that border them. */
enum { CHUNK = 126 };

/* 1 for each cell that may be entered, from a chunk's border to its other border. */
static void find_open(const kw_node *nodes, int32_t n, uint8_t *out_open) {
    for (int32_t i = 0; i < n + 2; i++) {
        out_open[i] = nodes[i].price != 0;
    }
}

/* A diagonal step may be taken where both straight ones beside it may: none cuts a corner. */
KW_CLONES static void find_moves(int32_t n, const uint8_t *restrict north,
                                 const uint8_t *restrict here, const uint8_t *restrict south,
                                 uint8_t *restrict out_moves) {
    for (int32_t i = 1; i <= n; i++) {
        const int east = here[i + 1];
        const int west = here[i - 1];
        const int straight = east | north[i] << 1 | west << 2 | south[i] << 3;
        const int diagonal =
            (north[i] & east & north[i + 1]) << 4 | (north[i] & west & north[i - 1]) << 5 |
            (south[i] & west & south[i - 1]) << 6 | (south[i] & east & south[i + 1]) << 7;
        out_moves[i] = (uint8_t)(-here[i] & (straight | diagonal));
    }
}

void kw_lattice_connect(kw_lattice *lattice, kw_box box) {
    uint8_t rows[3][CHUNK + 2];
    uint8_t moves[CHUNK + 2];
    for (int32_t first = box.col_low; first <= box.col_high; first += CHUNK) {
        const int32_t left = box.col_high - first + 1;
        const int32_t n = left < CHUNK ? left : CHUNK;
        kw_node *nodes = lattice->nodes + kw_lattice_at(lattice, box.row_low, first - 1);
        find_open(nodes - lattice->stride, n, rows[0]);
        find_open(nodes, n, rows[1]);
        for (int32_t i = 0; i <= box.row_high - box.row_low; i++) {
            find_open(nodes + lattice->stride, n, rows[(i + 2) % 3]);
            find_moves(n, rows[(i + 2) % 3], rows[(i + 1) % 3], rows[i % 3], moves);
            for (int32_t k = 1; k <= n; k++) {
                nodes[k].moves = moves[k];
            }
            nodes += lattice->stride;
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
