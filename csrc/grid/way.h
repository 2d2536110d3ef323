/* What the two searches of kw_way.h share. */
#ifndef KW_GRID_WAY_H
#define KW_GRID_WAY_H

#include "grid/distance.h"
#include "kw_way.h"

struct kw_way {
    uint8_t *marks; /* padded by one to all sides; of cells or of half cells */
    int64_t marks_capacity;
    kw_list floods[2]; /* cells in the order they were marked, from start and goals */
    kw_list walls;     /* row and column of each */
    kw_distance_scratch scratch;
    int32_t *next; /* per point, in its bucket */
    int64_t next_capacity;
    int16_t *clearance; /* per point, squared */
    int64_t clearance_capacity;
    kw_list heads; /* per squared clearance */
    kw_list tails;
    kw_list points; /* of the way: row, column, clearance */
};

/* KW_BAD_ARGUMENT unless sizes are allowed, states known, and start and goals inside. */
kw_status kw_way_check(const kw_way_query *query);

/* Marks for n cells or points, all 0. */
kw_status kw_way_size_marks(kw_way *way, int64_t n);

#endif
