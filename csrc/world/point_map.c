#include "point_map.h"

#include <stdlib.h>
#include <string.h>

/* The index has at least two slots a voxel, so that a search always ends, and soon. */
static uint32_t slots_for(int32_t capacity) {
    uint32_t n = 2;
    while (n < 2 * (uint32_t)capacity) {
        n *= 2;
    }
    return n;
}

bool kw_point_map_create(kw_point_map *map, int32_t capacity) {
    uint32_t n_slots = slots_for(capacity);
    *map = (kw_point_map){.capacity = capacity, .slot_mask = n_slots - 1};
    map->voxels = calloc((size_t)capacity, sizeof *map->voxels);
    map->slots = calloc(n_slots, sizeof *map->slots);
    return map->voxels != NULL && map->slots != NULL;
}

void kw_point_map_destroy(kw_point_map *map) {
    free(map->voxels);
    free(map->slots);
    *map = (kw_point_map){0};
}

void kw_point_map_clear(kw_point_map *map) {
    if (map->n > 0) {
        memset(map->slots, 0, ((size_t)map->slot_mask + 1) * sizeof *map->slots);
    }
    map->n = 0;
    map->refused = 0;
}

/* Rounded down, so that voxels about 0 are as large as the others. */
static int32_t voxel_of(int32_t mm) {
    return mm >= 0 ? mm / KW_VOXEL_MM : -((-(mm + 1)) / KW_VOXEL_MM) - 1;
}

/* Columns and rows take 26 bits each, which holds every int32 of millimetres. */
static uint64_t key_of(const int32_t voxel[3]) {
    const uint64_t across = ((uint64_t)1 << 26) - 1;
    const uint64_t up = ((uint64_t)1 << 12) - 1;
    return ((uint64_t)(uint32_t)voxel[0] & across) << 38 |
           ((uint64_t)(uint32_t)voxel[1] & across) << 12 | ((uint64_t)(uint32_t)voxel[2] & up);
}

static uint32_t slot_of(uint64_t key) {
    return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32); /* Fibonacci hashing */
}

/* The slot that holds a key, or the free one where it would go. */
static uint32_t find(const kw_point_map *map, uint64_t key) {
    uint32_t slot = slot_of(key) & map->slot_mask;
    while (map->slots[slot] != 0 && map->voxels[map->slots[slot] - 1].key != key) {
        slot = (slot + 1) & map->slot_mask;
    }
    return slot;
}

static kw_point_fate put_in(kw_voxel *voxel, uint32_t place) {
    for (int32_t i = 0; i < KW_VOXEL_POINTS; ++i) {
        if (voxel->points[i] == 0) {
            voxel->points[i] = place;
            return KW_POINT_NEW;
        }
        if (voxel->points[i] == place) {
            return KW_POINT_HELD;
        }
    }
    return KW_POINT_HELD;
}

kw_point_fate kw_point_map_add(kw_point_map *map, const int32_t point_mm[3]) {
    int32_t voxel[3];
    int32_t place = 0;
    for (int32_t axis = 0; axis < 3; ++axis) {
        voxel[axis] = voxel_of(point_mm[axis]);
        place = place * KW_VOXEL_MM +
                (int32_t)((int64_t)point_mm[axis] - (int64_t)voxel[axis] * KW_VOXEL_MM);
    }
    uint64_t key = key_of(voxel);
    uint32_t slot = find(map, key);
    if (map->slots[slot] == 0) {
        if (map->n == map->capacity) {
            map->refused += map->refused < INT32_MAX;
            return KW_POINT_REFUSED;
        }
        map->voxels[map->n] = (kw_voxel){.key = key};
        map->slots[slot] = ++map->n;
    }
    return put_in(&map->voxels[map->slots[slot] - 1], (uint32_t)place + 1);
}

void kw_point_map_index(kw_point_map *map) {
    memset(map->slots, 0, ((size_t)map->slot_mask + 1) * sizeof *map->slots);
    for (int32_t i = 0; i < map->n; ++i) {
        map->slots[find(map, map->voxels[i].key)] = i + 1;
    }
}
