/* Identities of current components, held for a while after they were last seen.
 *
 * A component takes the identity that it shares most cells with, each identity goes to one
 * component, and ties end with the least key. What is left over is new.
 */
#ifndef KW_GRID_IDENTITIES_H
#define KW_GRID_IDENTITIES_H

#include "grid/voxels.h"

typedef struct {
    int64_t number; /* from 1, never used again */
    int64_t first_ns;
    int64_t last_ns;
    kw_voxel least; /* of its component when last seen */
    kw_voxel low;   /* and the box of its cells */
    kw_voxel high;
    int32_t inside;    /* met the corridor when last seen */
    int32_t component; /* that has it in this frame, or KW_NO_SLOT */
} kw_identity;

typedef struct {
    int32_t component;
    int32_t identity; /* index, not number */
    int32_t n_cells;  /* that they share */
} kw_shared_cells;

/* Memory grows as needed and is kept. */
typedef struct {
    kw_identity *held; /* by rising number */
    int64_t n_held;
    int64_t room;
    int64_t last_number;
    kw_shared_cells *shared;
    int32_t *table; /* of `shared`, open addressing */
    int64_t shared_room;
    uint32_t mask;
    int64_t n_shared;
} kw_identities;

void kw_identities_destroy(kw_identities *identities);
void kw_identities_clear(kw_identities *identities);

/* Room for so many more identities, and for so many pairs. */
kw_status kw_identities_reserve(kw_identities *identities, int64_t n_components, int64_t n_cells);

/* Drops those last seen before a time, and marks the others as not seen yet. */
void kw_identities_expire(kw_identities *identities, int64_t oldest_ns);

/* The index of a number, or KW_NO_SLOT. */
int32_t kw_identities_find(const kw_identities *identities, int64_t number);

/* Begins the matching of a frame; then one call for each cell that has both. */
void kw_identities_begin(kw_identities *identities);
void kw_identities_share(kw_identities *identities, int32_t component, int32_t identity);

/* Gives identities to components: their `component` is set. `leasts` are the first cells of
 * the components, in rising order. */
void kw_identities_match(kw_identities *identities, int64_t n_components, int32_t *out_taken);

/* Adds a new one; returns its index. */
int32_t kw_identities_add(kw_identities *identities, int64_t now_ns);

#endif
