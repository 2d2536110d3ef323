/* A bounded set of voxels: open addressing over cells that keep their slots. */
#ifndef KW_GRID_VOXELS_H
#define KW_GRID_VOXELS_H

#include "kw_types.h"

#define KW_NO_SLOT (-1)

typedef struct {
    int32_t x;
    int32_t y;
    int32_t z;
} kw_voxel;

typedef struct {
    kw_voxel voxel;
    int32_t held_points; /* that hit it within the hold */
    int64_t born_ns;     /* its first hit since it entered */
    int64_t last_ns;     /* its last hit */
    int64_t identity;    /* of the last current component that it was part of, or 0 */
    int32_t active;
    int32_t component; /* scratch of one frame */
} kw_voxel_cell;

typedef struct {
    kw_voxel_cell *cells; /* by slot */
    int32_t *table;       /* slots by hash, KW_NO_SLOT where empty */
    int32_t *spare;       /* slots that were given back, the last one on top */
    int32_t n_spare;
    int32_t n_used; /* slots that were ever taken since the last clearing */
    int32_t n_active;
    int32_t limit;
    uint32_t mask; /* of the table's size, a power of two */
} kw_voxels;

/* -1, 0 or 1: the order of cells. */
static inline int32_t kw_voxel_compare(kw_voxel a, kw_voxel b) {
    if (a.x != b.x) {
        return a.x < b.x ? -1 : 1;
    }
    if (a.y != b.y) {
        return a.y < b.y ? -1 : 1;
    }
    return (a.z > b.z) - (a.z < b.z);
}

static inline int32_t kw_voxel_equal(kw_voxel a, kw_voxel b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* The three indices mixed by multiplication and shift (the finaliser of SplitMix64). */
static inline uint32_t kw_voxel_hash(kw_voxel voxel) {
    uint64_t mix = (uint64_t)(uint32_t)voxel.x * 0x9e3779b97f4a7c15u;
    mix ^= (uint64_t)(uint32_t)voxel.y * 0xc2b2ae3d27d4eb4fu;
    mix ^= (uint64_t)(uint32_t)voxel.z * 0x165667b19e3779f9u;
    mix = (mix ^ (mix >> 30)) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(mix >> 32);
}

/* The least power of two that is at least twice n, at least 16. */
uint32_t kw_voxel_table_size(int64_t n);

kw_status kw_voxels_create(int32_t limit, kw_voxels *out_voxels);
void kw_voxels_destroy(kw_voxels *voxels);
void kw_voxels_clear(kw_voxels *voxels);

/* The slot of a voxel, or KW_NO_SLOT. */
int32_t kw_voxels_find(const kw_voxels *voxels, kw_voxel voxel);

/* Adds a voxel that is not there yet, below the limit; all else in its cell is 0. */
int32_t kw_voxels_add(kw_voxels *voxels, kw_voxel voxel);

void kw_voxels_remove(kw_voxels *voxels, int32_t slot);

#endif
