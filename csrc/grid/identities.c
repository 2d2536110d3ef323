#include "identities.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void kw_identities_destroy(kw_identities *identities) {
    free(identities->held);
    free(identities->shared);
    free(identities->table);
    *identities = (kw_identities){0};
}

void kw_identities_clear(kw_identities *identities) {
    identities->n_held = 0;
}

static kw_status reserve_pairs(kw_identities *identities, int64_t n_cells) {
    if (n_cells <= identities->shared_room && identities->table) {
        return KW_OK;
    }
    const uint32_t size = kw_voxel_table_size(n_cells);
    kw_shared_cells *shared = malloc((size_t)(size / 2) * sizeof *shared);
    int32_t *table = malloc((size_t)size * sizeof *table);
    if (!shared || !table) {
        free(shared);
        free(table);
        return KW_NO_MEMORY;
    }
    free(identities->shared);
    free(identities->table);
    identities->shared = shared;
    identities->table = table;
    identities->shared_room = size / 2;
    identities->mask = size - 1;
    return KW_OK;
}

kw_status kw_identities_reserve(kw_identities *identities, int64_t n_components, int64_t n_cells) {
    const int64_t wanted = identities->n_held + n_components;
    if (wanted > identities->room) {
        const int64_t room = 2 * wanted;
        kw_identity *held = realloc(identities->held, (size_t)room * sizeof *held);
        if (!held) {
            return KW_NO_MEMORY;
        }
        identities->held = held;
        identities->room = room;
    }
    return reserve_pairs(identities, n_cells);
}

void kw_identities_expire(kw_identities *identities, int64_t oldest_ns) {
    int64_t n = 0;
    for (int64_t i = 0; i < identities->n_held; i++) {
        if (identities->held[i].last_ns >= oldest_ns) {
            identities->held[n] = identities->held[i];
            identities->held[n].component = KW_NO_SLOT;
            n++;
        }
    }
    identities->n_held = n;
}

int32_t kw_identities_find(const kw_identities *identities, int64_t number) {
    int64_t low = 0;
    int64_t high = identities->n_held;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (identities->held[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const int found = low < identities->n_held && identities->held[low].number == number;
    return found ? (int32_t)low : KW_NO_SLOT;
}

void kw_identities_begin(kw_identities *identities) {
    memset(identities->table, 0xff, ((size_t)identities->mask + 1) * sizeof(int32_t));
    identities->n_shared = 0;
}

void kw_identities_share(kw_identities *identities, int32_t component, int32_t identity) {
    const kw_voxel key = {component, identity, 0};
    uint32_t place = kw_voxel_hash(key) & identities->mask;
    while (identities->table[place] != KW_NO_SLOT) {
        kw_shared_cells *pair = &identities->shared[identities->table[place]];
        if (pair->component == component && pair->identity == identity) {
            pair->n_cells++;
            return;
        }
        place = (place + 1) & identities->mask;
    }
    assert(identities->n_shared < identities->shared_room);
    identities->table[place] = (int32_t)identities->n_shared;
    identities->shared[identities->n_shared++] = (kw_shared_cells){component, identity, 1};
}

/* The order in which pairs are heeded: more cells, then the component's least key, which is
 * the order of components, then the identity's, then the older identity. Never 0 for two
 * pairs. */
static int32_t comes_before(const kw_identities *identities, const kw_shared_cells *a,
                            const kw_shared_cells *b) {
    if (a->n_cells != b->n_cells) {
        return a->n_cells > b->n_cells;
    }
    if (a->component != b->component) {
        return a->component < b->component;
    }
    const int32_t order =
        kw_voxel_compare(identities->held[a->identity].least, identities->held[b->identity].least);
    return order != 0 ? order < 0 : a->identity < b->identity;
}

/* Lets the pair at the root of a heap sink to its place; the last in order is at the top. */
static void sink(kw_identities *identities, int64_t root, int64_t n) {
    kw_shared_cells *pairs = identities->shared;
    const kw_shared_cells moving = pairs[root];
    for (int64_t child = 2 * root + 1; child < n; child = 2 * root + 1) {
        if (child + 1 < n && comes_before(identities, &pairs[child], &pairs[child + 1])) {
            child++;
        }
        if (!comes_before(identities, &moving, &pairs[child])) {
            break;
        }
        pairs[root] = pairs[child];
        root = child;
    }
    pairs[root] = moving;
}

static void sort_pairs(kw_identities *identities) {
    kw_shared_cells *pairs = identities->shared;
    for (int64_t root = identities->n_shared / 2 - 1; root >= 0; root--) {
        sink(identities, root, identities->n_shared);
    }
    for (int64_t end = identities->n_shared - 1; end > 0; end--) {
        const kw_shared_cells last = pairs[0];
        pairs[0] = pairs[end];
        pairs[end] = last;
        sink(identities, 0, end);
    }
}

void kw_identities_match(kw_identities *identities, int64_t n_components, int32_t *out_taken) {
    for (int64_t i = 0; i < n_components; i++) {
        out_taken[i] = KW_NO_SLOT;
    }
    sort_pairs(identities);
    for (int64_t i = 0; i < identities->n_shared; i++) {
        const kw_shared_cells *pair = &identities->shared[i];
        kw_identity *identity = &identities->held[pair->identity];
        if (out_taken[pair->component] == KW_NO_SLOT && identity->component == KW_NO_SLOT) {
            out_taken[pair->component] = pair->identity;
            identity->component = pair->component;
        }
    }
}

int32_t kw_identities_add(kw_identities *identities, int64_t now_ns) {
    assert(identities->n_held < identities->room);
    const int64_t index = identities->n_held++;
    identities->held[index] = (kw_identity){
        .number = ++identities->last_number,
        .first_ns = now_ns,
        .last_ns = now_ns,
        .component = KW_NO_SLOT,
    };
    return (int32_t)index;
}
