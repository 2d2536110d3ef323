/* Squared distances to what is occupied, on one of two lattices. */
#ifndef KW_GRID_DISTANCE_H
#define KW_GRID_DISTANCE_H

#include "grid/lattice.h"

typedef struct {
    uint8_t *rows;  /* per cell, rows to the nearest occupied one in its column */
    int16_t *line;  /* of one row, the squares of these */
    int16_t *least; /* of one row, the squared distances */
    int64_t n_rows_capacity;
    int64_t line_capacity;
} kw_distance_scratch;

/* What distances are between. */
typedef enum {
    KW_FROM_CENTRES = 0,   /* from a cell's centre to the nearest edge, in half cells */
    KW_BETWEEN_POINTS = 1, /* from point to point, in their own spacing */
} kw_distance_kind;

/* The most cells or points apart at which the squared distance is below cap; cap is within
 * [1, KW_DISTANCES_MOST]. */
int32_t kw_distance_reach(kw_distance_kind kind, int32_t cap);

void kw_distance_free(kw_distance_scratch *scratch);
int64_t kw_distance_bytes(const kw_distance_scratch *scratch);

/* Takes a row's distances from the box's first column on. */
typedef void kw_distance_row(void *to, int32_t row, const int16_t *distances);

/* Finds the distances in a box anew and hands them over row by row: each is exact, or cap
 * where nothing is nearer. A cell is occupied where its mark has this bit; only cells of
 * bounds are read. */
kw_status kw_distance_find(kw_distance_scratch *scratch, kw_distance_kind kind,
                           const uint8_t *marks, int32_t stride, uint8_t occupied, kw_box bounds,
                           kw_box box, int32_t cap, kw_distance_row *take, void *to);

#endif
