/* Columns of a window as a picture seen from above, and which of them a corridor meets.
 *
 * All in whole micrometres: a column's square and a piece are closed, so that what only
 * touches meets. Two convex figures are apart when a side of one parts them.
 */
#ifndef KW_GRID_SHADOW_H
#define KW_GRID_SHADOW_H

#include "grid/voxels.h"
#include "kw_rolling.h"

typedef struct {
    int64_t voxel_um;
    int32_t corner_x; /* the least column */
    int32_t corner_y;
    int32_t side;
    int32_t row_words;
    uint64_t *bits;
} kw_shadow;

kw_status kw_shadow_create(int64_t voxel_um, int32_t side, kw_shadow *out_shadow);
void kw_shadow_destroy(kw_shadow *shadow);

/* Empties the picture and lays its least column on that of a voxel. */
void kw_shadow_begin(kw_shadow *shadow, kw_voxel corner);

/* Of a column of the window. */
void kw_shadow_set(kw_shadow *shadow, kw_voxel voxel);
int32_t kw_shadow_has(const kw_shadow *shadow, kw_voxel voxel);

/* Sets every column that a piece meets. */
void kw_shadow_cover(kw_shadow *shadow, const kw_rolling_piece *piece);

/* 1 where a piece meets a column that is set. */
int32_t kw_shadow_meets(const kw_shadow *shadow, const kw_rolling_piece *piece);

/* 1 where the pieces are as declared: convex, counter-clockwise, near enough, at most 1 km. */
int32_t kw_pieces_check(int64_t n_pieces, const kw_rolling_piece *pieces);

/* The least and greatest voxel index along z whose box meets [low_um, high_um]. */
void kw_layers_between(int64_t voxel_um, int64_t low_um, int64_t high_um, int64_t *out_first,
                       int64_t *out_last);

#endif
