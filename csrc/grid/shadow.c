#include "shadow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_LIMIT_UM 1000000000

kw_status kw_shadow_create(int64_t voxel_um, int32_t side, kw_shadow *out_shadow) {
    const int32_t row_words = (side + 63) / 64;
    *out_shadow = (kw_shadow){
        .voxel_um = voxel_um,
        .side = side,
        .row_words = row_words,
        .bits = calloc((size_t)side * (size_t)row_words, sizeof(uint64_t)),
    };
    return out_shadow->bits ? KW_OK : KW_NO_MEMORY;
}

void kw_shadow_destroy(kw_shadow *shadow) {
    free(shadow->bits);
    *shadow = (kw_shadow){0};
}

void kw_shadow_begin(kw_shadow *shadow, kw_voxel corner) {
    shadow->corner_x = corner.x;
    shadow->corner_y = corner.y;
    memset(shadow->bits, 0, (size_t)shadow->side * (size_t)shadow->row_words * sizeof(uint64_t));
}

void kw_shadow_set(kw_shadow *shadow, kw_voxel voxel) {
    const int32_t row = voxel.x - shadow->corner_x;
    const int32_t col = voxel.y - shadow->corner_y;
    assert(row >= 0 && row < shadow->side && col >= 0 && col < shadow->side);
    shadow->bits[row * shadow->row_words + col / 64] |= (uint64_t)1 << (col % 64);
}

int32_t kw_shadow_has(const kw_shadow *shadow, kw_voxel voxel) {
    const int32_t row = voxel.x - shadow->corner_x;
    const int32_t col = voxel.y - shadow->corner_y;
    assert(row >= 0 && row < shadow->side && col >= 0 && col < shadow->side);
    return (int32_t)(shadow->bits[row * shadow->row_words + col / 64] >> (col % 64) & 1);
}

static int64_t divide_down(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* The cells along one axis whose boxes meet [low, high]: a box that ends on low meets it. */
static void cells_between(int64_t size, int64_t low, int64_t high, int64_t *out_first,
                          int64_t *out_last) {
    *out_first = divide_down(low - 1, size);
    *out_last = divide_down(high, size);
}

void kw_layers_between(int64_t voxel_um, int64_t low_um, int64_t high_um, int64_t *out_first,
                       int64_t *out_last) {
    cells_between(voxel_um, low_um, high_um, out_first, out_last);
}

/* Twice the signed area of the side from corner i to the next and a point: >= 0 on its left. */
static int64_t left_of(const kw_rolling_piece *piece, int32_t i, int64_t x_um, int64_t y_um) {
    const int32_t next = (i + 1) % KW_ROLLING_CORNERS;
    const int64_t along_x = piece->x_um[next] - piece->x_um[i];
    const int64_t along_y = piece->y_um[next] - piece->y_um[i];
    return along_x * (y_um - piece->y_um[i]) - along_y * (x_um - piece->x_um[i]);
}

/* 1 where no side of the piece parts it from a square whose bounds overlap its bounds. */
static int32_t meets(const kw_rolling_piece *piece, int64_t x_um, int64_t y_um, int64_t size_um) {
    for (int32_t i = 0; i < KW_ROLLING_CORNERS; i++) {
        const int32_t next = (i + 1) % KW_ROLLING_CORNERS;
        /* the corner of the square that lies farthest to the left of the side */
        const int64_t far_x = piece->y_um[next] > piece->y_um[i] ? x_um : x_um + size_um;
        const int64_t far_y = piece->x_um[next] > piece->x_um[i] ? y_um + size_um : y_um;
        if (left_of(piece, i, far_x, far_y) < 0) {
            return 0;
        }
    }
    return 1;
}

/* The columns of the window that the piece's bounds meet; rows are empty where none. */
typedef struct {
    int32_t row_first;
    int32_t row_last;
    int32_t col_first;
    int32_t col_last;
} column_range;

static int32_t clipped(int64_t index, int64_t corner, int32_t low, int32_t high) {
    const int64_t place = index - corner;
    return place < low ? low : place > high ? high : (int32_t)place;
}

static column_range range_of(const kw_shadow *shadow, const kw_rolling_piece *piece) {
    int64_t low_x = piece->x_um[0];
    int64_t high_x = piece->x_um[0];
    int64_t low_y = piece->y_um[0];
    int64_t high_y = piece->y_um[0];
    for (int32_t i = 1; i < KW_ROLLING_CORNERS; i++) {
        low_x = piece->x_um[i] < low_x ? piece->x_um[i] : low_x;
        high_x = piece->x_um[i] > high_x ? piece->x_um[i] : high_x;
        low_y = piece->y_um[i] < low_y ? piece->y_um[i] : low_y;
        high_y = piece->y_um[i] > high_y ? piece->y_um[i] : high_y;
    }
    int64_t first;
    int64_t last;
    column_range range;
    cells_between(shadow->voxel_um, low_x, high_x, &first, &last);
    range.row_first = clipped(first, shadow->corner_x, 0, shadow->side);
    range.row_last = clipped(last, shadow->corner_x, -1, shadow->side - 1);
    cells_between(shadow->voxel_um, low_y, high_y, &first, &last);
    range.col_first = clipped(first, shadow->corner_y, 0, shadow->side);
    range.col_last = clipped(last, shadow->corner_y, -1, shadow->side - 1);
    return range;
}

static int32_t column_meets(const kw_shadow *shadow, const kw_rolling_piece *piece, int32_t row,
                            int32_t col) {
    return meets(piece, ((int64_t)shadow->corner_x + row) * shadow->voxel_um,
                 ((int64_t)shadow->corner_y + col) * shadow->voxel_um, shadow->voxel_um);
}

void kw_shadow_cover(kw_shadow *shadow, const kw_rolling_piece *piece) {
    const column_range range = range_of(shadow, piece);
    for (int32_t row = range.row_first; row <= range.row_last; row++) {
        for (int32_t col = range.col_first; col <= range.col_last; col++) {
            uint64_t *word = &shadow->bits[row * shadow->row_words + col / 64];
            const uint64_t bit = (uint64_t)1 << (col % 64);
            if (!(*word & bit) && column_meets(shadow, piece, row, col)) {
                *word |= bit;
            }
        }
    }
}

int32_t kw_shadow_meets(const kw_shadow *shadow, const kw_rolling_piece *piece) {
    const column_range range = range_of(shadow, piece);
    for (int32_t row = range.row_first; row <= range.row_last; row++) {
        const uint64_t *words = &shadow->bits[row * shadow->row_words];
        for (int32_t col = range.col_first; col <= range.col_last; col++) {
            if (words[col / 64] >> (col % 64) & 1 && column_meets(shadow, piece, row, col)) {
                return 1;
            }
        }
    }
    return 0;
}

static int32_t piece_check(const kw_rolling_piece *piece) {
    for (int32_t i = 0; i < KW_ROLLING_CORNERS; i++) {
        const int64_t x = piece->x_um[i];
        const int64_t y = piece->y_um[i];
        if (x < -KW_ROLLING_FAR_UM || x > KW_ROLLING_FAR_UM || y < -KW_ROLLING_FAR_UM ||
            y > KW_ROLLING_FAR_UM || x - piece->x_um[0] > PIECE_LIMIT_UM / 2 ||
            piece->x_um[0] - x > PIECE_LIMIT_UM / 2 || y - piece->y_um[0] > PIECE_LIMIT_UM / 2 ||
            piece->y_um[0] - y > PIECE_LIMIT_UM / 2) {
            return 0;
        }
    }
    for (int32_t i = 0; i < KW_ROLLING_CORNERS; i++) {
        for (int32_t j = 0; j < KW_ROLLING_CORNERS; j++) {
            if (left_of(piece, i, piece->x_um[j], piece->y_um[j]) < 0) {
                return 0;
            }
        }
    }
    return 1;
}

int32_t kw_pieces_check(int64_t n_pieces, const kw_rolling_piece *pieces) {
    for (int64_t i = 0; i < n_pieces; i++) {
        if (!piece_check(&pieces[i])) {
            return 0;
        }
    }
    return 1;
}
