/* The belief map: what the senses have said of every cell they have looked at.
 *
 * Cells lie on the lattice that every grid of an agent shares: anchored at the origin of
 * `map`, cell (row, col) covers y from row * KW_BELIEF_CELL_UM and x from col *
 * KW_BELIEF_CELL_UM on. The planner's copy has cells of twice the side: its cell is a
 * belief's cell >> 1. A belief is the map of the scanner's plane: what is lower is carved
 * free.
 */
#ifndef KW_BELIEF_H
#define KW_BELIEF_H

#include "kw_types.h"

/* cffi: begin */
#define KW_BELIEF_CELL_UM 20000
#define KW_BELIEF_COPY_CELL_UM 40000
#define KW_BELIEF_SPAN_CELLS 16384  /* of one belief, to each side: 327.68 m */
#define KW_BELIEF_BEAMS 360         /* of a revolution */
#define KW_BELIEF_REACH_UM 20000000 /* the farthest that a ray carves or marks: 20 m */
#define KW_BELIEF_HIT 3             /* confidence that a hit adds, from 0 on a negative cell */
#define KW_BELIEF_MISS 1            /* and that a miss takes */
#define KW_BELIEF_OCCUPIED 9        /* from here on */
#define KW_BELIEF_FREE -9           /* from here down, the least there is */
#define KW_BELIEF_MOST 17
#define KW_BELIEF_VISITS 3           /* visits on which a cell was occupied make it permanent */
#define KW_BELIEF_VISIT_TICK 240     /* out of view for 2 s ends a visit */
#define KW_BELIEF_RELAX_TICK 600     /* out of view for 5 s a changeable cell relaxes ... */
#define KW_BELIEF_STEP_TICK 120      /* ... one step a second */
#define KW_BELIEF_CLEAR_UM 250000    /* a ray contradicts what stands this far before its end */
#define KW_BELIEF_REBUILD_PERCENT 20 /* of the permanent cells in view contradicted: rebuild */

typedef struct kw_belief kw_belief;

/* What a belief must know of the scanner: figures of its declaration. */
typedef struct {
    int32_t period_tick;   /* divides KW_BELIEF_BEAMS: as many beams on each of its ticks */
    int32_t ahead_um;      /* mount, ahead of `base_link` */
    int32_t range_max_um;  /* status 2 says that nothing stands nearer */
    int32_t tolerance_um;  /* of a reading: this and ... */
    int32_t tolerance_ppm; /* ... this share of it. Rays carve short of what they read by it */
} kw_belief_scanner;

/* What a scan did. */
typedef struct {
    int32_t hits;      /* beams that marked a cell */
    int32_t permanent; /* permanent cells in view: that a ray passed or ended in */
    int32_t
        contradicted; /* of these, passed by a ray that ends KW_BELIEF_CLEAR_UM or more behind */
    int32_t rebuild;  /* 1: more than KW_BELIEF_REBUILD_PERCENT of them */
} kw_belief_report;

/* Cells of a belief or of its copy: first row and column, and how many of each. */
typedef struct {
    int32_t row0;
    int32_t col0;
    int32_t n_rows;
    int32_t n_cols;
} kw_belief_box;

/* A belief's cell in detail. */
typedef enum {
    KW_BELIEF_CELL_NEVER_SEEN = 0,
    KW_BELIEF_CELL_UNDECIDED = 1,
    KW_BELIEF_CELL_FREE = 2,
    KW_BELIEF_CELL_OCCUPIED = 3,
    /* and further */
    KW_BELIEF_CELL_PERMANENT = 4,
    KW_BELIEF_CELL_CHANGEABLE = 8,
    KW_BELIEF_CELL_RELAXED = 16, /* changeable, undecided since it was last in view */
} kw_belief_detail;

/* A cell of the planner's copy; its two lowest bits are the kw_cell: unknown 0, free 1,
 * occupied 2. */
typedef enum {
    KW_COPY_OPEN = 0, /* unknown, a cell of it never seen */
    KW_COPY_FREE = 1,
    KW_COPY_OCCUPIED = 2,
    KW_COPY_FRINGE = 4,     /* unknown, all its cells seen and leaning to free */
    KW_COPY_RELAXED = 8,    /* unknown, all its cells seen and one of them relaxed */
    KW_COPY_UNDECIDED = 16, /* unknown otherwise */
} kw_copy_cell;

/* Cells of the copy whose kw_cell has changed since they were last taken. The arrays are the
 * belief's, and hold until its next call. */
typedef struct {
    int32_t n;
    const int32_t *rows;
    const int32_t *cols;
    const uint8_t *states; /* kw_cell */
} kw_belief_changes;

/* A cluster of frontier cells: n cells from index `first` on, the box around them, and the
 * one nearest to their middle (lowest row, then column, on a tie). */
typedef struct {
    int32_t first;
    int32_t n;
    kw_belief_box box;
    int32_t row;
    int32_t col;
} kw_belief_cluster;

/* Clusters by their lowest cell (row, then column). As kw_belief_changes, they hold until the
 * belief's next call. */
typedef struct {
    int32_t n_clusters;
    int32_t n_cells;
    const kw_belief_cluster *clusters;
    const int32_t *rows;
    const int32_t *cols;
} kw_belief_frontiers;

/* Rooms of the copy, by their lowest cell: labels[row * n_cols + col] over the box is 0 outside
 * of rooms, else 1 + the room's index; cells[n_rooms] of free cells each. They hold until the
 * belief's next call. */
typedef struct {
    int32_t n_rooms;
    kw_belief_box box;
    const int32_t *labels;
    const int32_t *cells;
} kw_belief_rooms;

kw_status kw_belief_create(kw_belief **out_belief);
void kw_belief_destroy(kw_belief *belief);

/* Extends the box of what is observed to a place, um in `map`. KW_NO_ROOM where that would
 * pass KW_BELIEF_SPAN_CELLS. */
kw_status kw_belief_cover(kw_belief *belief, int32_t x_um, int32_t y_um);

/* Takes one revolution. tick is that of its last beam, and later than the last scan's;
 * poses[period_tick * 3] (x um, y um, heading urad) are those of `base_link` on the ticks up
 * to it. KW_BAD_ARGUMENT also for a heading beyond 4e6, a range below 0 or a status that is
 * none; KW_NO_ROOM as kw_belief_cover. On KW_NO_MEMORY a part of the scan may have been taken. */
kw_status kw_belief_scan(kw_belief *belief, const kw_belief_scanner *scanner, int32_t tick,
                         const int32_t *poses, const int32_t *ranges_mm, const int32_t *statuses,
                         kw_belief_report *out_report);

/* Marks places at offsets_um[n * 2] (x, y in `base_link`) from a pose, each cell once. certain
 * 0: a hit; 1: to the greatest confidence. n up to 64. */
kw_status kw_belief_mark(kw_belief *belief, const int32_t *pose, int32_t n,
                         const int32_t *offsets_um, int32_t certain);

/* Lets time pass up to a tick: changeable cells out of view relax on each whole second. An
 * earlier tick than before does nothing. */
void kw_belief_relax(kw_belief *belief, int32_t tick);

/* Forgets all but permanent cells whose centre lies within a radius (up to 100 m) of a place. */
kw_status kw_belief_clear(kw_belief *belief, int32_t x_um, int32_t y_um, int32_t radius_um);

kw_status kw_belief_take_changes(kw_belief *belief, kw_belief_changes *out_changes);

/* Around all that was observed and covered, in the belief's own cells; empty before. */
void kw_belief_observed(const kw_belief *belief, kw_belief_box *out_box);

/* Cells of any box of up to 2^26 cells, row by row: out_cells[n_rows * n_cols]. Of the belief
 * as kw_cell (detail 0) or kw_belief_detail (1), or of the copy as kw_copy_cell. */
kw_status kw_belief_window(const kw_belief *belief, kw_belief_box box, int32_t detail,
                           uint8_t *out_cells);
kw_status kw_belief_copy_window(kw_belief *belief, kw_belief_box box, uint8_t *out_cells);

/* A confidence, 0 for a cell never seen. */
int32_t kw_belief_confidence(const kw_belief *belief, int32_t row, int32_t col);

/* Frontier cells of the copy: free, and beside (to the left or right, above or below) an open
 * one or a fringe that leads to an open one. A relaxed one counts as open unless one of its
 * eight neighbours is occupied. Clusters hang together over eight neighbours;
 * those whose box has a diagonal below narrowest_um are left out. */
kw_status kw_belief_find_frontiers(kw_belief *belief, int32_t narrowest_um,
                                   kw_belief_frontiers *out_frontiers);

/* Rooms: free space of the copy cut at necks narrower than neck_um (up to 4 m), of at least
 * least_cells free cells. What stands free and is smaller than a neck cuts nothing. */
kw_status kw_belief_find_rooms(kw_belief *belief, int32_t neck_um, int32_t least_cells,
                               kw_belief_rooms *out_rooms);

/* A hash of all that a belief holds of its cells, the same on every machine and whatever was
 * read in between. */
uint64_t kw_belief_digest(const kw_belief *belief);

/* Bytes that cells take, and how many cells there are room for. */
void kw_belief_size(const kw_belief *belief, int64_t *out_bytes, int64_t *out_cells);
/* Bytes of memory, all included. */
int64_t kw_belief_bytes(const kw_belief *belief);
/* cffi: end */

#endif
