/* What a search runs over: a padded grid of nodes, each with its price and the moves that
 * lead from it, and with what the search under way found out.
 *
 * Padding closes the border, so no search checks bounds. Indices here count the padding:
 * the first cell is row 1, column 1.
 */
#ifndef KW_GRID_LATTICE_H
#define KW_GRID_LATTICE_H

#include "grid/box.h"
#include "grid/buckets.h"
#include "kw_planner.h"

#define KW_DIRECTIONS 8

#define KW_NO_DIRECTION 8
#define KW_OPPOSITE 2 /* exclusive or turns a direction round */

/* Counter-clockwise from east, where x grows; first the straight ones, then the diagonals
 * from north-east on. */
extern const int32_t kw_row_steps[KW_DIRECTIONS];
extern const int32_t kw_col_steps[KW_DIRECTIONS];

static inline uint32_t kw_step_length(int32_t direction) {
    return direction < 4 ? KW_STEP_STRAIGHT : KW_STEP_DIAGONAL;
}

typedef struct {
    uint32_t cost;  /* from the start plus the search's base; below the base: not reached */
    uint8_t price;  /* 0 is closed */
    uint8_t moves;  /* a bit for each direction that a route may take from here */
    uint16_t extra; /* the planner's distance */
} kw_node;

/* Bits of a mark. */
#define KW_MARK_GOAL 1
#define KW_MARK_FLOODED 2
#define KW_MARK_SOURCE 4
/* These are kept between searches, by the planner. */
#define KW_MARK_SOLID 8 /* occupied, or beyond the world; never entered */
#define KW_MARK_FREE 16
#define KW_MARK_OCCUPIED 32

typedef struct {
    int32_t *items;
    int32_t n;
    int32_t capacity;
} kw_list;

/* A cell from which a search starts: the start, or where a route may leave lethal cells. */
typedef struct {
    int32_t row;
    int32_t col;
    uint32_t length; /* of the way to it from the start, in 1/70 of a cell */
    int32_t from;    /* direction of the last step, KW_NO_DIRECTION at the start */
} kw_source;

typedef struct {
    int32_t n_rows; /* without the padding */
    int32_t n_cols;
    int32_t stride;
    kw_node *nodes; /* [(n_rows + 2) * stride] */
    uint8_t *marks; /* likewise */
    int32_t offsets[KW_DIRECTIONS];
    int32_t least_price;
    int32_t most_price;
    int32_t unseen_price; /* the least of a cell that was never seen, 0 where all were */
    int32_t leaving; /* price of lethal cells to a shell in one; 0: none may be left */
    uint32_t base;   /* of the last search's costs */
    uint32_t top;    /* no node holds as much, or more */
    kw_buckets queue;
    kw_buckets ways_out; /* the search through lethal cells */
    kw_list flood;       /* cells marked so */
    kw_list route;       /* row and column of each cell, from start to goal */
    kw_source *sources;
    int32_t n_sources;
    int32_t source_capacity;
} kw_lattice;

/* Cells all closed; what was allocated before is let go. */
kw_status kw_lattice_size(kw_lattice *lattice, int32_t n_rows, int32_t n_cols);
void kw_lattice_free(kw_lattice *lattice);
int64_t kw_lattice_bytes(const kw_lattice *lattice);

/* Finds the moves of the cells of a box within the grid anew, from the prices. */
void kw_lattice_connect(kw_lattice *lattice, kw_box box);

static inline int32_t kw_lattice_at(const kw_lattice *lattice, int32_t row, int32_t col) {
    return row * lattice->stride + col;
}

static inline bool kw_lattice_reached(const kw_lattice *lattice, int32_t cell) {
    return lattice->nodes[cell].cost >= lattice->base;
}

/* True where a step between two cells that may both be entered cuts the corner of a solid. */
static inline bool kw_lattice_cuts(const kw_lattice *lattice, int32_t cell, int32_t direction) {
    return direction >= 4 && ((lattice->marks[cell + kw_row_steps[direction] * lattice->stride] |
                               lattice->marks[cell + kw_col_steps[direction]]) &
                              KW_MARK_SOLID) != 0;
}

/* Adds to a list, which grows; false without memory. */
bool kw_list_add(kw_list *list, int32_t item);

/* Adds a source; false without memory. */
bool kw_lattice_add_source(kw_lattice *lattice, kw_source source);

/* Unmarks the sources of the last search, whose routes cannot be traced any more. */
void kw_lattice_forget(kw_lattice *lattice);

/* What to search for. */
typedef struct {
    int32_t start_row;
    int32_t start_col;
    int32_t n_goals; /* 0: reach all there is */
    const int32_t *goal_rows;
    const int32_t *goal_cols;
    int32_t row_shift; /* added to the goals' rows and columns to count the padding */
    int32_t col_shift;
    int32_t node_limit;
} kw_query;

/* Searches, and puts the route found into lattice->route. Start and goals lie in the grid.
 * Without goals all is reached, and the outcome KW_EXHAUSTED. */
kw_status kw_lattice_plan(kw_lattice *lattice, const kw_query *query, kw_route *out_route);

/* Puts the route by which the last search reached a cell into lattice->route; the cell was
 * reached. Fills n_cells, n_leaving and cost alone. */
kw_status kw_lattice_trace(kw_lattice *lattice, int32_t row, int32_t col, kw_route *out_route);

/* What the last search's routes to the cells of a box cost, -1 where none leads. */
void kw_lattice_costs(const kw_lattice *lattice, kw_box box, int32_t *out_costs);

/* ---- The ways out of lethal cells, shortest first ---- */

kw_status kw_ways_out_start(kw_lattice *lattice, int32_t row, int32_t col);

/* Adds the next nearest cells that are not lethal and that no search has reached as sources;
 * none when there are no more. *length is the last one's at first 0. Adds to *expanded. */
kw_status kw_ways_out_next(kw_lattice *lattice, uint32_t *length, int32_t *expanded);

#endif
