/* The tiles of a belief: their making, their box, what is read from them. */
#include "belief.h"

#include <stdlib.h>
#include <string.h>

#include "common/math.h"

kw_status kw_buffer_grow(kw_buffer *buffer, int64_t size) {
    if (size <= buffer->size) {
        return KW_OK;
    }
    int64_t grown = size + size / 2;
    uint8_t *bytes = realloc(buffer->bytes, (size_t)grown);
    if (bytes == NULL) {
        return KW_NO_MEMORY;
    }
    memset(bytes + buffer->size, 0, (size_t)(grown - buffer->size));
    buffer->bytes = bytes;
    buffer->size = grown;
    return KW_OK;
}

kw_status kw_belief_create(kw_belief **out_belief) {
    kw_belief *belief = calloc(1, sizeof *belief);
    if (belief == NULL) {
        return KW_NO_MEMORY;
    }
    belief->is_empty = true;
    const uint64_t before = kw_float_control_enter();
    for (int32_t k = 0; k < KW_BELIEF_BEAMS; ++k) {
        kw_sincos_deg(k * (360.0 / KW_BELIEF_BEAMS), &belief->beam_y[k], &belief->beam_x[k]);
    }
    kw_float_control_leave(before);
    *out_belief = belief;
    return KW_OK;
}

void kw_belief_destroy(kw_belief *belief) {
    if (belief == NULL) {
        return;
    }
    for (int32_t i = 0; i < belief->n_made; ++i) {
        free(belief->made[i]);
    }
    const kw_buffer *buffers[] = {KW_BELIEF_BUFFERS(belief)};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        free(buffers[i]->bytes);
    }
    free(belief->made);
    free(belief->dirty);
    free(belief->directory);
    free(belief);
}

static int32_t lesser(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static int32_t greater(int32_t a, int32_t b) {
    return a > b ? a : b;
}

/* The rectangle of tiles, with an eighth to spare on the sides that grow. */
static kw_status grow_directory(kw_belief *belief, int32_t row0, int32_t col0, int32_t row1,
                                int32_t col1) {
    const kw_belief_box old = belief->tiles;
    if (old.n_rows > 0 && row0 >= old.row0 && col0 >= old.col0 && row1 < old.row0 + old.n_rows &&
        col1 < old.col0 + old.n_cols) {
        return KW_OK;
    }
    const int32_t spare = 2;
    row0 -= spare;
    col0 -= spare;
    row1 += spare;
    col1 += spare;
    if (old.n_rows > 0) {
        row0 = lesser(row0, old.row0);
        col0 = lesser(col0, old.col0);
        row1 = greater(row1, old.row0 + old.n_rows - 1);
        col1 = greater(col1, old.col0 + old.n_cols - 1);
    }
    const kw_belief_box grown = {row0, col0, row1 - row0 + 1, col1 - col0 + 1};
    kw_tile **directory = calloc((size_t)grown.n_rows * (size_t)grown.n_cols, sizeof(kw_tile *));
    if (directory == NULL) {
        return KW_NO_MEMORY;
    }
    for (int32_t i = 0; i < belief->n_made; ++i) {
        kw_tile *tile = belief->made[i];
        directory[(tile->row - row0) * grown.n_cols + tile->col - col0] = tile;
    }
    free(belief->directory);
    belief->directory = directory;
    belief->tiles = grown;
    return KW_OK;
}

kw_status kw_belief_reach(kw_belief *belief, int32_t row0, int32_t col0, int32_t row1,
                          int32_t col1) {
    if (!belief->is_empty) {
        row0 = lesser(row0, belief->row0);
        col0 = lesser(col0, belief->col0);
        row1 = greater(row1, belief->row1);
        col1 = greater(col1, belief->col1);
    }
    if (row1 - row0 >= KW_BELIEF_SPAN_CELLS || col1 - col0 >= KW_BELIEF_SPAN_CELLS) {
        return KW_NO_ROOM;
    }
    const kw_status status =
        grow_directory(belief, kw_halved(row0, KW_TILE_SHIFT), kw_halved(col0, KW_TILE_SHIFT),
                       kw_halved(row1, KW_TILE_SHIFT), kw_halved(col1, KW_TILE_SHIFT));
    if (status == KW_OK) {
        belief->row0 = row0;
        belief->col0 = col0;
        belief->row1 = row1;
        belief->col1 = col1;
        belief->is_empty = false;
    }
    return status;
}

static kw_belief_box widened(kw_belief_box box, int32_t row, int32_t col) {
    if (box.n_rows == 0) {
        return (kw_belief_box){row, col, 1, 1};
    }
    const int32_t row0 = lesser(row, box.row0);
    const int32_t col0 = lesser(col, box.col0);
    return (kw_belief_box){row0, col0, greater(row + 1, box.row0 + box.n_rows) - row0,
                           greater(col + 1, box.col0 + box.n_cols) - col0};
}

/* Room for one more tile in both lists. */
static bool make_room(kw_belief *belief) {
    if (belief->n_made < belief->room) {
        return true;
    }
    const int32_t room = belief->room < 32 ? 64 : 2 * belief->room;
    kw_tile **made = realloc(belief->made, (size_t)room * sizeof(kw_tile *));
    if (made == NULL) {
        return false;
    }
    belief->made = made;
    kw_tile **dirty = realloc(belief->dirty, (size_t)room * sizeof(kw_tile *));
    if (dirty == NULL) {
        return false;
    }
    belief->dirty = dirty;
    belief->room = room;
    return true;
}

kw_tile *kw_belief_make_tile(kw_belief *belief, int32_t row, int32_t col) {
    kw_tile *tile = kw_belief_tile(belief, row, col);
    if (tile != NULL) {
        return tile;
    }
    tile = make_room(belief) ? calloc(1, sizeof *tile) : NULL;
    if (tile == NULL) {
        return NULL;
    }
    memset(tile->confidence, KW_BIASED_ZERO, sizeof tile->confidence);
    tile->row = row;
    tile->col = col;
    belief->made[belief->n_made++] = tile;
    belief->made_box = widened(belief->made_box, row, col);
    const kw_belief_box *at = &belief->tiles;
    belief->directory[(row - at->row0) * at->n_cols + col - at->col0] = tile;
    return tile;
}

kw_status kw_belief_cover(kw_belief *belief, int32_t x_um, int32_t y_um) {
    const int32_t row = kw_cell_of(y_um);
    const int32_t col = kw_cell_of(x_um);
    return kw_belief_reach(belief, row, col, row, col);
}

void kw_belief_observed(const kw_belief *belief, kw_belief_box *out_box) {
    *out_box = belief->is_empty
                   ? (kw_belief_box){0, 0, 0, 0}
                   : (kw_belief_box){belief->row0, belief->col0, belief->row1 - belief->row0 + 1,
                                     belief->col1 - belief->col0 + 1};
}

kw_status kw_belief_clear(kw_belief *belief, int32_t x_um, int32_t y_um, int32_t radius_um) {
    if (radius_um < 0 || radius_um > 100000000) {
        return KW_BAD_ARGUMENT;
    }
    const int64_t reach = radius_um;
    for (int32_t i = 0; i < belief->n_made; ++i) {
        kw_tile *tile = belief->made[i];
        const int64_t side = KW_TILE_SIDE * KW_BELIEF_CELL_UM;
        const int64_t y0 = tile->row * side - y_um;
        const int64_t x0 = tile->col * side - x_um;
        if (y0 > reach || x0 > reach || y0 + side < -reach || x0 + side < -reach) {
            continue;
        }
        for (int32_t k = 0; k < KW_TILE_CELLS; ++k) {
            const int32_t row = k / KW_TILE_SIDE;
            const int32_t col = k % KW_TILE_SIDE;
            const int64_t dy = y0 + row * KW_BELIEF_CELL_UM + KW_BELIEF_CELL_UM / 2;
            const int64_t dx = x0 + col * KW_BELIEF_CELL_UM + KW_BELIEF_CELL_UM / 2;
            const uint8_t flags = tile->flags[k];
            if (dx * dx + dy * dy > reach * reach || (flags & KW_SEEN) == 0 ||
                (flags & KW_ALL_VISITS) == KW_ALL_VISITS) {
                continue;
            }
            tile->n_changeable -= (flags & KW_CHANGEABLE) != 0;
            tile->flags[k] = 0;
            tile->confidence[k] = KW_BIASED_ZERO;
            tile->scan[k] = 0;
            kw_tile_stale(belief, tile, row, col);
        }
    }
    return KW_OK;
}

static uint8_t plain(uint8_t confidence) {
    return confidence >= KW_BIASED_OCCUPIED ? 2 : confidence == 0;
}

static uint8_t detailed(uint8_t confidence, uint8_t flags) {
    if ((flags & KW_SEEN) == 0) {
        return KW_BELIEF_CELL_NEVER_SEEN;
    }
    int32_t value = confidence >= KW_BIASED_OCCUPIED ? KW_BELIEF_CELL_OCCUPIED
                    : confidence == 0                ? KW_BELIEF_CELL_FREE
                                                     : KW_BELIEF_CELL_UNDECIDED;
    value |= (flags & KW_ALL_VISITS) == KW_ALL_VISITS ? KW_BELIEF_CELL_PERMANENT : 0;
    value |= (flags & KW_CHANGEABLE) != 0 ? KW_BELIEF_CELL_CHANGEABLE : 0;
    value |= (flags & KW_RELAXED) != 0 ? KW_BELIEF_CELL_RELAXED : 0;
    return (uint8_t)value;
}

static bool is_sound(kw_belief_box box) {
    const int32_t far = 1 << 20;
    return box.row0 >= -far && box.col0 >= -far && box.row0 <= far && box.col0 <= far &&
           box.n_rows >= 0 && box.n_cols >= 0 && box.n_rows <= far && box.n_cols <= far &&
           (int64_t)box.n_rows * box.n_cols <= 1 << 26;
}

kw_status kw_belief_window(const kw_belief *belief, kw_belief_box box, int32_t detail,
                           uint8_t *out_cells) {
    if (!is_sound(box)) {
        return KW_BAD_ARGUMENT;
    }
    memset(out_cells, 0, (size_t)box.n_rows * (size_t)box.n_cols);
    for (int32_t r = 0; r < box.n_rows; ++r) {
        const int32_t row = box.row0 + r;
        uint8_t *out = out_cells + (int64_t)r * box.n_cols;
        for (int32_t c = 0; c < box.n_cols;) {
            const int32_t col = box.col0 + c;
            const int32_t within = col & (KW_TILE_SIDE - 1);
            const int32_t n = lesser(KW_TILE_SIDE - within, box.n_cols - c);
            const kw_tile *tile = kw_belief_tile(belief, kw_halved(row, KW_TILE_SHIFT),
                                                 kw_halved(col, KW_TILE_SHIFT));
            if (tile != NULL) {
                const int32_t first = (row & (KW_TILE_SIDE - 1)) * KW_TILE_SIDE + within;
                for (int32_t i = 0; i < n; ++i) {
                    out[c + i] = detail != 0
                                     ? detailed(tile->confidence[first + i], tile->flags[first + i])
                                     : plain(tile->confidence[first + i]);
                }
            }
            c += n;
        }
    }
    return KW_OK;
}

kw_status kw_belief_copy_window(kw_belief *belief, kw_belief_box box, uint8_t *out_cells) {
    if (!is_sound(box)) {
        return KW_BAD_ARGUMENT;
    }
    kw_belief_refresh(belief);
    memset(out_cells, KW_COPY_OPEN, (size_t)box.n_rows * (size_t)box.n_cols);
    for (int32_t r = 0; r < box.n_rows; ++r) {
        const int32_t row = box.row0 + r;
        for (int32_t c = 0; c < box.n_cols;) {
            const int32_t col = box.col0 + c;
            const int32_t within = col & (KW_COPY_SIDE - 1);
            const int32_t n = lesser(KW_COPY_SIDE - within, box.n_cols - c);
            const kw_tile *tile = kw_belief_tile(belief, kw_halved(row, KW_TILE_SHIFT - 1),
                                                 kw_halved(col, KW_TILE_SHIFT - 1));
            if (tile != NULL) {
                memcpy(out_cells + (int64_t)r * box.n_cols + c,
                       &tile->copy[(row & (KW_COPY_SIDE - 1)) * KW_COPY_SIDE + within], (size_t)n);
            }
            c += n;
        }
    }
    return KW_OK;
}

int32_t kw_belief_confidence(const kw_belief *belief, int32_t row, int32_t col) {
    const kw_tile *tile =
        kw_belief_tile(belief, kw_halved(row, KW_TILE_SHIFT), kw_halved(col, KW_TILE_SHIFT));
    const int32_t index = (row & (KW_TILE_SIDE - 1)) * KW_TILE_SIDE + (col & (KW_TILE_SIDE - 1));
    return tile == NULL ? 0 : tile->confidence[index] - KW_BIASED_ZERO;
}

static uint64_t mixed(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
    return hash ^ (hash >> 29);
}

/* Cells, by their place alone: neither addresses nor the order of making come in. Empty tiles
 * are left out, since a tile may be there before anything of it is seen. */
static uint64_t mixed_tile(const kw_tile *tile, uint16_t now) {
    uint64_t hash = 0;
    bool is_seen = false;
    for (int32_t i = 0; i < KW_TILE_CELLS; ++i) {
        const uint64_t flags = tile->flags[i];
        const uint64_t age = (flags & KW_SEEN) != 0 ? (uint16_t)(now - tile->scan[i]) : 0U;
        is_seen = is_seen || flags != 0;
        hash = mixed(hash, tile->confidence[i] | flags << 8 | age << 16);
    }
    return is_seen ? hash : 0;
}

uint64_t kw_belief_digest(const kw_belief *belief) {
    const kw_belief_box *at = &belief->tiles;
    uint64_t hash = mixed(0, (uint64_t)belief->n_scans);
    for (int32_t i = 0; i < at->n_rows * at->n_cols; ++i) {
        const kw_tile *tile = belief->directory[i];
        const uint64_t cells = tile == NULL ? 0 : mixed_tile(tile, (uint16_t)belief->n_scans);
        if (cells != 0) {
            hash = mixed(hash, (uint64_t)(uint32_t)tile->row << 32 | (uint32_t)tile->col);
            hash = mixed(hash, cells);
        }
    }
    return hash;
}

void kw_belief_size(const kw_belief *belief, int64_t *out_bytes, int64_t *out_cells) {
    *out_bytes = (int64_t)belief->n_made * (int64_t)sizeof(kw_tile);
    *out_cells = (int64_t)belief->n_made * KW_TILE_CELLS;
}

int64_t kw_belief_bytes(const kw_belief *belief) {
    const kw_buffer *buffers[] = {KW_BELIEF_BUFFERS(belief)};
    int64_t n = (int64_t)sizeof *belief + (int64_t)belief->n_made * (int64_t)sizeof(kw_tile);
    n += (2 * (int64_t)belief->room + (int64_t)belief->tiles.n_rows * belief->tiles.n_cols) *
         (int64_t)sizeof(kw_tile *);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        n += buffers[i]->size;
    }
    return n;
}
