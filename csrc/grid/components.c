#include "components.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

kw_status kw_components_create(int32_t reach, int32_t limit, kw_components *out_components) {
    const int32_t side = 2 * reach + 1;
    const int32_t stride = side + 2;
    const size_t n_columns = (size_t)stride * (size_t)stride;
    const int32_t words = (side + 63) / 64;
    const int32_t row_words = (stride + 63) / 64;
    *out_components = (kw_components){
        .side = side,
        .stride = stride,
        .words = words,
        .row_words = row_words,
        .bits = calloc(n_columns * (size_t)words, sizeof(uint64_t)),
        .columns = calloc((size_t)stride * (size_t)row_words, sizeof(uint64_t)),
        .first_run = malloc(n_columns * sizeof(int32_t)),
        .n_runs = calloc(n_columns, sizeof(int32_t)),
        .runs = malloc((size_t)limit * sizeof(kw_component_run)),
        .sizes = malloc((size_t)limit * sizeof(int32_t)),
    };
    if (!out_components->bits || !out_components->columns || !out_components->first_run ||
        !out_components->n_runs || !out_components->runs || !out_components->sizes) {
        kw_components_destroy(out_components);
        return KW_NO_MEMORY;
    }
    return KW_OK;
}

void kw_components_destroy(kw_components *components) {
    free(components->bits);
    free(components->columns);
    free(components->first_run);
    free(components->n_runs);
    free(components->runs);
    free(components->sizes);
    *components = (kw_components){0};
}

static int32_t lowest_bit(uint64_t word) {
#if defined(__GNUC__)
    return __builtin_ctzll(word);
#else
    int32_t bit = 0;
    while (!(word >> bit & 1)) {
        bit++;
    }
    return bit;
#endif
}

/* What is done with each column that is not empty, in the order of columns. */
typedef void column_action(kw_components *components, int32_t row, int32_t column);

static void each_column(kw_components *components, column_action *action) {
    for (int32_t row = 1; row <= components->side; row++) {
        for (int32_t word = 0; word < components->row_words; word++) {
            uint64_t rest = components->columns[row * components->row_words + word];
            while (rest) {
                action(components, row, row * components->stride + 64 * word + lowest_bit(rest));
                rest &= rest - 1;
            }
        }
    }
}

static void empty_column(kw_components *components, int32_t row, int32_t column) {
    (void)row;
    memset(&components->bits[(size_t)column * (size_t)components->words], 0,
           (size_t)components->words * sizeof(uint64_t));
    components->n_runs[column] = 0;
}

void kw_components_begin(kw_components *components, kw_voxel middle) {
    each_column(components, empty_column);
    memset(components->columns, 0,
           (size_t)components->stride * (size_t)components->row_words * sizeof(uint64_t));
    const int32_t reach = components->side / 2;
    components->corner = (kw_voxel){middle.x - reach, middle.y - reach, middle.z - reach};
    components->n_all_runs = 0;
    components->n_components = 0;
}

static int32_t column_of(const kw_components *components, kw_voxel voxel) {
    const int32_t row = voxel.x - components->corner.x + 1;
    return row * components->stride + (voxel.y - components->corner.y + 1);
}

void kw_components_add(kw_components *components, kw_voxel voxel) {
    const int32_t row = voxel.x - components->corner.x + 1;
    const int32_t col = voxel.y - components->corner.y + 1;
    const int32_t z = voxel.z - components->corner.z;
    assert(row >= 1 && row <= components->side && col >= 1 && col <= components->side);
    assert(z >= 0 && z < components->side);
    const size_t column = (size_t)row * (size_t)components->stride + (size_t)col;
    components->bits[column * (size_t)components->words + (size_t)(z / 64)] |= (uint64_t)1
                                                                               << (z % 64);
    components->columns[row * components->row_words + col / 64] |= (uint64_t)1 << (col % 64);
}

/* The first z at or after `from` whose bit is `set`, or the side. */
static int32_t next_z(const kw_components *components, const uint64_t *bits, int32_t from,
                      int32_t set) {
    int32_t word = from / 64;
    uint64_t mask = ~(uint64_t)0 << (from % 64);
    for (; word < components->words; word++, mask = ~(uint64_t)0) {
        const uint64_t found = (set ? bits[word] : ~bits[word]) & mask;
        if (found) {
            const int32_t z = 64 * word + lowest_bit(found);
            return z < components->side ? z : components->side;
        }
    }
    return components->side;
}

static int32_t root_of(kw_component_run *runs, int32_t run) {
    while (runs[run].parent != run) {
        runs[run].parent = runs[runs[run].parent].parent;
        run = runs[run].parent;
    }
    return run;
}

/* Joins two components; the earlier root stays. */
static void join(kw_component_run *runs, int32_t a, int32_t b) {
    const int32_t root_a = root_of(runs, a);
    const int32_t root_b = root_of(runs, b);
    if (root_a < root_b) {
        runs[root_b].parent = root_a;
    } else {
        runs[root_a].parent = root_b;
    }
}

/* Joins the runs of two neighbouring columns that touch, corners included. */
static void join_columns(kw_components *components, int32_t column, int32_t other) {
    kw_component_run *runs = components->runs;
    int32_t a = components->first_run[column];
    int32_t b = components->first_run[other];
    const int32_t end_a = a + components->n_runs[column];
    const int32_t end_b = b + components->n_runs[other];
    while (a < end_a && b < end_b) {
        const int32_t after_a = runs[a].low.z + runs[a].length; /* one past its last cell */
        const int32_t after_b = runs[b].low.z + runs[b].length;
        if (after_a < runs[b].low.z) {
            a++;
        } else if (after_b < runs[a].low.z) {
            b++;
        } else {
            join(runs, a, b);
            if (after_a < after_b) {
                a++;
            } else {
                b++;
            }
        }
    }
}

static void find_runs(kw_components *components, int32_t row, int32_t column) {
    const uint64_t *bits = &components->bits[(size_t)column * (size_t)components->words];
    const int32_t col = column - row * components->stride;
    components->first_run[column] = components->n_all_runs;
    int32_t z = next_z(components, bits, 0, 1);
    while (z < components->side) {
        const int32_t end = next_z(components, bits, z, 0);
        const int32_t run = components->n_all_runs++;
        components->runs[run] = (kw_component_run){
            .low = {components->corner.x + row - 1, components->corner.y + col - 1,
                    components->corner.z + z},
            .length = end - z,
            .parent = run,
        };
        z = next_z(components, bits, end, 1);
    }
    components->n_runs[column] = components->n_all_runs - components->first_run[column];
    const int32_t before = column - components->stride;
    const int32_t others[4] = {before - 1, before, before + 1, column - 1};
    for (int32_t i = 0; i < 4; i++) {
        if (components->n_runs[others[i]] > 0) {
            join_columns(components, column, others[i]);
        }
    }
}

void kw_components_label(kw_components *components) {
    each_column(components, find_runs);
    for (int32_t i = 0; i < components->n_all_runs; i++) {
        kw_component_run *run = &components->runs[i];
        const int32_t root = root_of(components->runs, i);
        if (root == i) {
            run->component = components->n_components++;
            components->sizes[run->component] = 0;
        } else {
            run->component = components->runs[root].component;
        }
        run->rank = components->sizes[run->component];
        components->sizes[run->component] += run->length;
    }
}

/* How many bits are set (the well-known sum by halves). */
static int32_t count_bits(uint64_t word) {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int32_t)(word * 0x0101010101010101u >> 56);
}

const kw_component_run *kw_components_run_of(const kw_components *components, kw_voxel voxel) {
    const int32_t column = column_of(components, voxel);
    const uint64_t *bits = &components->bits[(size_t)column * (size_t)components->words];
    const int32_t z = voxel.z - components->corner.z;
    /* runs begin at bits whose lower neighbour is not set: as many up to z, the last is its own */
    int32_t n_begun = 0;
    uint64_t below = 0;
    for (int32_t word = 0; word < z / 64; word++) {
        n_begun += count_bits(bits[word] & ~(bits[word] << 1 | below));
        below = bits[word] >> 63;
    }
    const uint64_t last = bits[z / 64];
    const uint64_t up_to_z = ~(uint64_t)0 >> (63 - z % 64);
    n_begun += count_bits(last & ~(last << 1 | below) & up_to_z);
    return &components->runs[components->first_run[column] + n_begun - 1];
}
