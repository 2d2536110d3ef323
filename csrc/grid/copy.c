/* The planner's copy of a belief: cells of twice the side, and what of it has changed. */
#include "belief.h"

#include <string.h>

void kw_tile_stale(kw_belief *belief, kw_tile *tile, int32_t row, int32_t col) {
    tile->stale[row / 2] |= (uint32_t)1 << (col / 2);
    if (!tile->is_dirty) {
        tile->is_dirty = true;
        belief->dirty[belief->n_dirty++] = tile;
    }
}

static uint8_t copied(const kw_tile *tile, int32_t row, int32_t col) {
    const int32_t first = 2 * row * KW_TILE_SIDE + 2 * col;
    const int32_t cells[4] = {first, first + 1, first + KW_TILE_SIDE, first + KW_TILE_SIDE + 1};
    bool any_occupied = false;
    uint8_t any = 0;
    uint8_t all = KW_SEEN;
    bool all_free = true;
    bool all_leaning = true;
    for (int32_t i = 0; i < 4; ++i) {
        const uint8_t confidence = tile->confidence[cells[i]];
        any_occupied = any_occupied || confidence >= KW_BIASED_OCCUPIED;
        any |= tile->flags[cells[i]];
        all &= tile->flags[cells[i]];
        all_free = all_free && confidence == 0;
        all_leaning = all_leaning && confidence < KW_BIASED_ZERO;
    }
    return any_occupied              ? KW_COPY_OCCUPIED
           : all_free                ? KW_COPY_FREE
           : (all & KW_SEEN) == 0    ? KW_COPY_OPEN
           : (any & KW_RELAXED) != 0 ? KW_COPY_RELAXED
           : all_leaning             ? KW_COPY_FRINGE
                                     : KW_COPY_UNDECIDED;
}

void kw_belief_refresh(kw_belief *belief) {
    for (int32_t i = 0; i < belief->n_dirty; ++i) {
        kw_tile *tile = belief->dirty[i];
        for (int32_t row = 0; row < KW_COPY_SIDE; ++row) {
            for (uint32_t bits = tile->stale[row], col = 0; bits != 0; bits >>= 1, ++col) {
                if ((bits & 1) != 0) {
                    tile->copy[row * KW_COPY_SIDE + (int32_t)col] = copied(tile, row, (int32_t)col);
                }
            }
            tile->pending[row] |= tile->stale[row];
            tile->stale[row] = 0;
        }
    }
}

/* Appends what has changed in a row of a tile's copy. */
static int32_t take_row(kw_belief *belief, kw_tile *tile, int32_t row, int32_t n) {
    int32_t *rows = belief->rows.bytes;
    int32_t *cols = belief->cols.bytes;
    uint8_t *states = belief->states.bytes;
    for (uint32_t bits = tile->pending[row], col = 0; bits != 0; bits >>= 1, ++col) {
        const int32_t index = row * KW_COPY_SIDE + (int32_t)col;
        const uint8_t state = tile->copy[index] & 3;
        if ((bits & 1) != 0 && state != tile->taken[index]) {
            tile->taken[index] = state;
            rows[n] = tile->row * KW_COPY_SIDE + row;
            cols[n] = tile->col * KW_COPY_SIDE + (int32_t)col;
            states[n] = state;
            n += 1;
        }
    }
    tile->pending[row] = 0;
    return n;
}

kw_status kw_belief_take_changes(kw_belief *belief, kw_belief_changes *out_changes) {
    const int64_t most = (int64_t)belief->n_dirty * KW_COPY_SIDE * KW_COPY_SIDE;
    if (most > INT32_MAX || kw_buffer_grow(&belief->rows, most * 4) != KW_OK ||
        kw_buffer_grow(&belief->cols, most * 4) != KW_OK ||
        kw_buffer_grow(&belief->states, most) != KW_OK) {
        return KW_NO_MEMORY;
    }
    kw_belief_refresh(belief);
    int32_t n = 0;
    for (int32_t i = 0; i < belief->n_dirty; ++i) {
        kw_tile *tile = belief->dirty[i];
        for (int32_t row = 0; row < KW_COPY_SIDE; ++row) {
            n = take_row(belief, tile, row, n);
        }
        tile->is_dirty = false;
    }
    belief->n_dirty = 0;
    *out_changes =
        (kw_belief_changes){n, belief->rows.bytes, belief->cols.bytes, belief->states.bytes};
    return KW_OK;
}

kw_belief_box kw_copy_observed(const kw_belief *belief) {
    if (belief->is_empty) {
        return (kw_belief_box){0, 0, 0, 0};
    }
    const int32_t row0 = kw_halved(belief->row0, 1);
    const int32_t col0 = kw_halved(belief->col0, 1);
    return (kw_belief_box){row0, col0, kw_halved(belief->row1, 1) - row0 + 1,
                           kw_halved(belief->col1, 1) - col0 + 1};
}

kw_belief_box kw_copy_made(const kw_belief *belief) {
    const kw_belief_box *made = &belief->made_box;
    return (kw_belief_box){made->row0 * KW_COPY_SIDE, made->col0 * KW_COPY_SIDE,
                           made->n_rows * KW_COPY_SIDE, made->n_cols * KW_COPY_SIDE};
}

kw_status kw_belief_flatten(kw_belief *belief, kw_belief_box box, uint8_t **out_cells,
                            int32_t *out_stride) {
    const int32_t stride = box.n_cols + 2;
    const int64_t size = (int64_t)(box.n_rows + 2) * stride;
    if (kw_buffer_grow(&belief->flat, size) != KW_OK) {
        return KW_NO_MEMORY;
    }
    kw_belief_refresh(belief);
    uint8_t *cells = belief->flat.bytes;
    memset(cells, KW_COPY_OPEN, (size_t)size);
    for (int32_t row = 0; row < box.n_rows; ++row) {
        const kw_belief_box line = {box.row0 + row, box.col0, 1, box.n_cols};
        (void)kw_belief_copy_window(belief, line, cells + (int64_t)(row + 1) * stride + 1);
    }
    *out_cells = cells;
    *out_stride = stride;
    return KW_OK;
}
