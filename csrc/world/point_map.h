/* Which points a map holds: a voxel keeps its first four, and takes no more.
 *
 * Points are whole millimetres and voxels whole tenths of a metre, so that what is held is
 * decided in integers. Voxels stand in the order in which they were first met, which is
 * the order they are saved in; an open-addressed index finds them. The map never grows:
 * once it is full, a point of a voxel that it does not hold is refused.
 */
#ifndef KW_POINT_MAP_H
#define KW_POINT_MAP_H

#include <stdbool.h>

#include "kw_world.h"

#define KW_VOXEL_MM 100
#define KW_VOXEL_POINTS 4
#define KW_VOXEL_BYTES (8 + 4 * KW_VOXEL_POINTS) /* of a voxel in a saved state */

typedef struct {
    uint64_t key;                     /* the voxel's column, row and layer */
    uint32_t points[KW_VOXEL_POINTS]; /* place within the voxel, from 1; 0 for none yet */
} kw_voxel;

typedef struct {
    int32_t capacity; /* voxels */
    int32_t n;
    int32_t refused; /* points for want of room, as far as an int32 counts */
    kw_voxel *voxels;
    int32_t *slots; /* of the index: a voxel's number from 1, 0 where it is free */
    uint32_t slot_mask;
} kw_point_map;

typedef enum {
    KW_POINT_NEW = 0,
    KW_POINT_HELD = 1,    /* this very point, or four others of its voxel */
    KW_POINT_REFUSED = 2, /* the map is full */
} kw_point_fate;

/* Whether memory for so many voxels, at most 2^28, could be had. */
bool kw_point_map_create(kw_point_map *map, int32_t capacity);
void kw_point_map_destroy(kw_point_map *map);
void kw_point_map_clear(kw_point_map *map);

/* Takes a point where it is new. Heights are within 200 m. */
kw_point_fate kw_point_map_add(kw_point_map *map, const int32_t point_mm[3]);

/* Makes the index anew, for voxels that were put in from elsewhere. */
void kw_point_map_index(kw_point_map *map);

#endif
