/* Inside of a belief: square tiles of cells, made where something is first observed.
 *
 * A cell is 4 bytes in three arrays, so that a scan is applied to a row of a tile in vectors:
 * its confidence less the least, flags, and the number of the last scan that saw it. The
 * planner's copy and what its reader has taken of it lie beside them: 4.54 bytes a cell in all.
 */
#ifndef KW_GRID_BELIEF_H
#define KW_GRID_BELIEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kw_belief.h"

enum {
    KW_TILE_SIDE = 64,
    KW_TILE_SHIFT = 6,
    KW_TILE_CELLS = KW_TILE_SIDE * KW_TILE_SIDE,
    KW_COPY_SIDE = KW_TILE_SIDE / 2,
    KW_SPAN_TILES = KW_BELIEF_SPAN_CELLS / KW_TILE_SIDE,
    KW_RECENT_SCANS = 1024, /* more than can be taken within KW_BELIEF_RELAX_TICK */
};

/* Confidences as they are kept: counted from the least. */
enum {
    KW_BIASED_ZERO = -KW_BELIEF_FREE,
    KW_BIASED_OCCUPIED = KW_BELIEF_OCCUPIED - KW_BELIEF_FREE,
    KW_BIASED_MOST = KW_BELIEF_MOST - KW_BELIEF_FREE,
};

enum {
    KW_SEEN = 1,
    KW_CHANGEABLE = 2,
    KW_RELAXED = 4,    /* relaxed since it was last in view, and undecided */
    KW_COUNTED = 8,    /* this visit is among the visits */
    KW_ONE_VISIT = 16, /* visits on which it was occupied, two bits; all of them: permanent */
    KW_ALL_VISITS = 48,
    KW_LAST_FREE = 64, /* the last that it was decided to be */
    KW_LAST_OCCUPIED = 128,
};
_Static_assert(KW_BELIEF_VISITS *KW_ONE_VISIT == KW_ALL_VISITS, "two bits of visits");

/* What a scan says of a cell, bits that rays leave: passed shortly before a ray's end, passed
 * well before it, hit. The highest one counts. */
enum { KW_UNTOUCHED = 0, KW_SKIMMED = 1, KW_PASSED = 2, KW_HIT = 4, KW_CERTAIN = 8 };

typedef struct {
    uint8_t confidence[KW_TILE_CELLS];
    uint8_t flags[KW_TILE_CELLS];
    uint16_t scan[KW_TILE_CELLS];               /* the last that saw it, modulo 2^16 */
    uint8_t copy[KW_COPY_SIDE * KW_COPY_SIDE];  /* kw_copy_cell, where not stale */
    uint8_t taken[KW_COPY_SIDE * KW_COPY_SIDE]; /* kw_cell as its reader knows it */
    uint32_t stale[KW_COPY_SIDE];               /* of each row of the copy: to be made anew */
    uint32_t pending[KW_COPY_SIDE];             /* made anew since taken */
    int32_t row;                                /* of the tile: a cell's row >> KW_TILE_SHIFT */
    int32_t col;
    int32_t n_changeable;
    int32_t n_permanent;
    bool is_dirty;   /* among belief->dirty */
    bool is_relaxed; /* no cell relaxes before one of the tile is seen again */
} kw_tile;

/* A buffer that grows. */
typedef struct {
    void *bytes;
    int64_t size;
} kw_buffer;

struct kw_belief {
    kw_tile **directory; /* of a rectangle of tiles, NULL where nothing was observed */
    kw_belief_box tiles; /* that rectangle */
    kw_tile **made;      /* in the order in which they were made */
    kw_tile **dirty;     /* tiles with cells stale or pending, in the order they became so */
    int32_t n_made;
    int32_t n_dirty;
    int32_t room;           /* of made and dirty */
    kw_belief_box made_box; /* around all that are made, in tiles */

    int32_t row0; /* around all observed, in cells, the last ones included */
    int32_t col0;
    int32_t row1;
    int32_t col1;
    bool is_empty;

    int32_t tick;                       /* that time has passed up to */
    int32_t scan_tick[KW_RECENT_SCANS]; /* of scan s at s modulo this */
    int64_t n_scans;
    int64_t visit_first; /* the first scan within KW_BELIEF_VISIT_TICK */
    int64_t relax_first;

    double beam_x[KW_BELIEF_BEAMS]; /* direction of each beam in the shell's frame */
    double beam_y[KW_BELIEF_BEAMS];

    kw_buffer mask; /* what a scan says of each cell of its window; all 0 between scans */
    kw_buffer rows;
    kw_buffer cols;
    kw_buffer states;
    kw_buffer flat;
    kw_buffer marks;
    kw_buffer clusters;
    kw_buffer labels;
    kw_buffer queue;
    kw_buffer rooms;
};

#define KW_BELIEF_BUFFERS(belief)                                                                  \
    &(belief)->mask, &(belief)->rows, &(belief)->cols, &(belief)->states, &(belief)->flat,         \
        &(belief)->marks, &(belief)->clusters, &(belief)->labels, &(belief)->queue,                \
        &(belief)->rooms

static inline int32_t kw_cell_of(int64_t um) {
    return (int32_t)(um >= 0 ? um / KW_BELIEF_CELL_UM
                             : -((KW_BELIEF_CELL_UM - 1 - um) / KW_BELIEF_CELL_UM));
}

/* Of a cell's row and column, which may be negative: an arithmetic shift, written out. */
static inline int32_t kw_halved(int32_t cell, int32_t shift) {
    return cell >= 0 ? cell >> shift : ~(~cell >> shift);
}

static inline kw_tile *kw_belief_tile(const kw_belief *belief, int32_t row, int32_t col) {
    const kw_belief_box *at = &belief->tiles;
    const int32_t r = row - at->row0;
    const int32_t c = col - at->col0;
    return r < 0 || c < 0 || r >= at->n_rows || c >= at->n_cols
               ? NULL
               : belief->directory[r * at->n_cols + c];
}

/* Makes room for size bytes; what was there is kept, what is new is 0. */
kw_status kw_buffer_grow(kw_buffer *buffer, int64_t size);

/* Extends what is observed to the cells from (row0, col0) to (row1, col1). */
kw_status kw_belief_reach(kw_belief *belief, int32_t row0, int32_t col0, int32_t row1,
                          int32_t col1);
/* The tile there, made where it is not; NULL where there is no memory. It must lie within what
 * kw_belief_reach has reached. */
kw_tile *kw_belief_make_tile(kw_belief *belief, int32_t row, int32_t col);

/* A cell of the copy must be made anew. */
void kw_tile_stale(kw_belief *belief, kw_tile *tile, int32_t row, int32_t col);
/* Makes anew what is stale. */
void kw_belief_refresh(kw_belief *belief);

/* Counts a scan: which cells are out of view follows from it. */
void kw_belief_count_scan(kw_belief *belief, int32_t tick);
/* Applies a row of what a scan says, KW_TILE_SIDE cells, to a row of a tile; adds what it saw
 * of permanent cells. */
void kw_tile_apply_row(kw_belief *belief, kw_tile *tile, int32_t row, const uint8_t *said,
                       kw_belief_report *report);
/* Applies KW_HIT or KW_CERTAIN to one cell. */
void kw_tile_mark(kw_belief *belief, kw_tile *tile, int32_t index, int32_t said);

/* Boxes of the copy: around all observed and covered, and around the tiles that were made. */
kw_belief_box kw_copy_observed(const kw_belief *belief);
kw_belief_box kw_copy_made(const kw_belief *belief);
/* A box of the copy, with a border of open cells, in belief->flat. */
kw_status kw_belief_flatten(kw_belief *belief, kw_belief_box box, uint8_t **out_cells,
                            int32_t *out_stride);

#endif
