/* Linear probing, at most half full. A removal shifts back what had probed past it (Knuth,
 * The Art of Computer Programming 3, 6.4, algorithm R), so no mark of it stays and cost
 * does not grow with the length of a run. Nothing found depends on the table's order.
 */
#include "voxels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

uint32_t kw_voxel_table_size(int64_t n) {
    uint32_t size = 16;
    while ((int64_t)size < 2 * n) {
        size *= 2;
    }
    return size;
}

kw_status kw_voxels_create(int32_t limit, kw_voxels *out_voxels) {
    const uint32_t size = kw_voxel_table_size(limit);
    *out_voxels = (kw_voxels){
        .cells = malloc((size_t)limit * sizeof(kw_voxel_cell)),
        .table = malloc((size_t)size * sizeof(int32_t)),
        .spare = malloc((size_t)limit * sizeof(int32_t)),
        .limit = limit,
        .mask = size - 1,
    };
    if (!out_voxels->cells || !out_voxels->table || !out_voxels->spare) {
        kw_voxels_destroy(out_voxels);
        return KW_NO_MEMORY;
    }
    kw_voxels_clear(out_voxels);
    return KW_OK;
}

void kw_voxels_destroy(kw_voxels *voxels) {
    free(voxels->cells);
    free(voxels->table);
    free(voxels->spare);
    *voxels = (kw_voxels){0};
}

void kw_voxels_clear(kw_voxels *voxels) {
    memset(voxels->table, 0xff, ((size_t)voxels->mask + 1) * sizeof(int32_t)); /* KW_NO_SLOT */
    voxels->n_spare = 0;
    voxels->n_used = 0;
    voxels->n_active = 0;
}

/* The place of the voxel in the table, or the empty one where it would go. */
static uint32_t place_of(const kw_voxels *voxels, kw_voxel voxel) {
    uint32_t place = kw_voxel_hash(voxel) & voxels->mask;
    while (voxels->table[place] != KW_NO_SLOT &&
           !kw_voxel_equal(voxels->cells[voxels->table[place]].voxel, voxel)) {
        place = (place + 1) & voxels->mask;
    }
    return place;
}

int32_t kw_voxels_find(const kw_voxels *voxels, kw_voxel voxel) {
    return voxels->table[place_of(voxels, voxel)];
}

int32_t kw_voxels_add(kw_voxels *voxels, kw_voxel voxel) {
    assert(voxels->n_active < voxels->limit);
    const uint32_t place = place_of(voxels, voxel);
    assert(voxels->table[place] == KW_NO_SLOT);
    const int32_t slot = voxels->n_spare > 0 ? voxels->spare[--voxels->n_spare] : voxels->n_used++;
    voxels->table[place] = slot;
    voxels->cells[slot] = (kw_voxel_cell){.voxel = voxel, .active = 1};
    voxels->n_active++;
    return slot;
}

void kw_voxels_remove(kw_voxels *voxels, int32_t slot) {
    uint32_t hole = place_of(voxels, voxels->cells[slot].voxel);
    assert(voxels->table[hole] == slot);
    uint32_t next = hole;
    for (;;) {
        next = (next + 1) & voxels->mask;
        const int32_t other = voxels->table[next];
        if (other == KW_NO_SLOT) {
            break;
        }
        /* it may move back only as far as where its own probing began */
        const uint32_t home = kw_voxel_hash(voxels->cells[other].voxel) & voxels->mask;
        if (((next - home) & voxels->mask) >= ((next - hole) & voxels->mask)) {
            voxels->table[hole] = other;
            hole = next;
        }
    }
    voxels->table[hole] = KW_NO_SLOT;
    voxels->cells[slot].active = 0;
    voxels->spare[voxels->n_spare++] = slot;
    voxels->n_active--;
}
