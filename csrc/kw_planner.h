/* Public header of the planner: least-cost routes on a priced grid, and what proves that
 * there is none.
 *
 * Cells are squares; a row is a step in y, a column a step in x. The planner's are cells of
 * the lattice anchored at the origin of `map`; the functions on plain arrays count from the
 * array's first cell. All is integer: the same route on every machine.
 */
#ifndef KW_PLANNER_H
#define KW_PLANNER_H

#include "kw_types.h"

/* cffi: begin */

/* Length of a step to one of the eight neighbours, in 1/70 of a cell: 99 / 70 is within
 * 0.005 % of the square root of 2. A step costs its length times the price of the cell
 * that it enters. */
#define KW_STEP_STRAIGHT 70
#define KW_STEP_DIAGONAL 99

#define KW_GRID_SIDE_MOST 32000     /* rows or columns of a grid */
#define KW_GRID_CELLS_MOST 67108864 /* cells of a grid */
#define KW_LATTICE_MOST 16777216    /* rows and columns of the lattice, to either side */
#define KW_REACH_SQUARED_MOST 1000000
#define KW_COST_MOST 2147483647 /* of a route; a search that would pass it stops */
#define KW_DISTANCES_MOST 16129 /* entries of a row of prices */

/* What is known of a cell. */
typedef enum {
    KW_CELL_UNKNOWN = 0, /* never seen, or undecided */
    KW_CELL_FREE = 1,
    KW_CELL_OCCUPIED = 2,
} kw_cell;

/* What unknown cells cost. */
typedef enum {
    KW_UNKNOWN_LOW = 0,
    KW_UNKNOWN_NORMAL = 1,
    KW_UNKNOWN_HIGH = 2,
} kw_unknown;

typedef enum {
    KW_FOUND = 0,     /* a route of least cost, to a goal as asked */
    KW_EXHAUSTED = 1, /* proved: no route leads from the start to any goal */
    KW_LIMIT = 2,     /* the limit of nodes or of cost came first: nothing is proved */
} kw_outcome;

typedef enum {
    KW_SIDE_NONE = 0,
    KW_SIDE_START = 1,
    KW_SIDE_GOAL = 2,
} kw_side;

/* What a search came to. Lengths are in 1/70 of a cell. */
typedef struct {
    int32_t outcome;        /* a kw_outcome */
    int32_t closed_side;    /* a kw_side: from where all was searched, when exhausted */
    int32_t goal;           /* index of the goal reached, -1 for none */
    int32_t n_cells;        /* of the route, start and goal included */
    int32_t n_leaving;      /* of these, the first ones that are lethal */
    int32_t expanded;       /* cells whose neighbours were looked at */
    int64_t cost;           /* of the route */
    int64_t known_length;   /* of the steps into free cells */
    int64_t unknown_length; /* of the steps into unknown cells */
} kw_route;

/* ---- Plain priced grids ---- */

typedef struct kw_search kw_search;

/* A grid of prices[n_rows * n_cols], row by row; 0 closes a cell. The border is closed. */
kw_status kw_search_create(int32_t n_rows, int32_t n_cols, const uint8_t *prices,
                           kw_search **out_search);
void kw_search_destroy(kw_search *search);

/* New prices for the same grid. */
void kw_search_set_prices(kw_search *search, const uint8_t *prices);

/* The route of least cost from a cell to the cheapest to reach of n_goals cells. Of equally
 * cheap routes the declared one (see docs/planner.md). node_limit 1 or more. */
kw_status kw_search_plan(kw_search *search, int32_t start_row, int32_t start_col, int32_t n_goals,
                         const int32_t *goal_rows, const int32_t *goal_cols, int32_t node_limit,
                         kw_route *out_route);

/* The cost from a cell to every cell, -1 where none leads: out_costs[n_rows * n_cols]. */
kw_status kw_search_reach(kw_search *search, int32_t start_row, int32_t start_col,
                          int32_t node_limit, kw_route *out_route, int32_t *out_costs);

/* The cells of the last route found, row and column of each: out_cells[2 * n_cells]. */
void kw_search_cells(const kw_search *search, int32_t *out_cells);

/* ---- The planner ---- */

/* The declared prices. distance is the squared distance from a cell's centre to the nearest
 * edge of an occupied cell, in half cells squared, no more than n_distances - 1. */
typedef struct {
    int32_t n_distances;    /* 2 to KW_DISTANCES_MOST */
    const uint8_t *free;    /* [n_distances] by distance; 0 is lethal; [0] must be 0 */
    const uint8_t *unknown; /* [3 * n_distances], by kw_unknown and distance */
    int32_t leaving;        /* price of each step from a lethal cell, 1 to 255 */
} kw_prices;

typedef struct kw_planner kw_planner;

/* A planner with an empty world. The prices are copied. */
kw_status kw_planner_create(const kw_prices *prices, kw_planner **out_planner);
void kw_planner_destroy(kw_planner *planner);

/* The world becomes the least box that holds both it and this window; what is new is
 * unknown. Beyond the world's edge all is closed. */
kw_status kw_planner_cover(kw_planner *planner, int32_t row, int32_t col, int32_t n_rows,
                           int32_t n_cols);

/* The world: first row and column, number of rows and columns. out_box[4]. */
void kw_planner_box(const kw_planner *planner, int32_t *out_box);

/* New states, of single cells or of a window, all of which lie in the world. */
kw_status kw_planner_set_cells(kw_planner *planner, int32_t n, const int32_t *rows,
                               const int32_t *cols, const uint8_t *states);
kw_status kw_planner_set_window(kw_planner *planner, int32_t row, int32_t col, int32_t n_rows,
                                int32_t n_cols, const uint8_t *states);

/* What a window in the world holds, each out_…[n_rows * n_cols], or NULL if not wanted:
 * states, distances as in kw_prices, and prices with unknown at this price. */
kw_status kw_planner_read(kw_planner *planner, int32_t row, int32_t col, int32_t n_rows,
                          int32_t n_cols, int32_t unknown, uint8_t *out_states,
                          uint16_t *out_distances, uint8_t *out_prices);

/* As kw_search_plan. A shell that stands in a lethal cell leaves by the shortest way
 * through lethal cells that are not occupied; its own cell may be. */
kw_status kw_planner_plan(kw_planner *planner, int32_t start_row, int32_t start_col,
                          int32_t n_goals, const int32_t *goal_rows, const int32_t *goal_cols,
                          int32_t unknown, int32_t node_limit, kw_route *out_route);

/* The cost from a cell to every cell of the world, -1 where no route leads:
 * out_costs[n_rows * n_cols] of the world's box. */
kw_status kw_planner_reach(kw_planner *planner, int32_t start_row, int32_t start_col,
                           int32_t unknown, int32_t node_limit, kw_route *out_route,
                           int32_t *out_costs);

/* The route to one of the cells reached, while nothing has changed since: KW_BAD_STATE
 * otherwise. out_route->outcome is KW_EXHAUSTED for a cell that was not reached. */
kw_status kw_planner_reached(kw_planner *planner, int32_t row, int32_t col, kw_route *out_route);

/* The cells of the last route found: out_cells[2 * n_cells], row and column of each. */
void kw_planner_cells(const kw_planner *planner, int32_t *out_cells);

/* What a route of n cells costs now; KW_EXHAUSTED with the first cell that cannot be
 * entered as goal, counted from 0, where it is closed. Each cell must lie in the world and
 * beside the one before. */
kw_status kw_planner_price(kw_planner *planner, int32_t n, const int32_t *cells, int32_t unknown,
                           kw_route *out_route);

/* 1 where one of n_others cells lies near one of the n cells of a route, each of which is beside
 * the one before: the squared distance of their centres, in cells, is at most reach_squared, 0
 * to KW_REACH_SQUARED_MOST. All within KW_LATTICE_MOST. */
int32_t kw_route_is_near(int32_t n, const int32_t *cells, int32_t n_others, const int32_t *rows,
                         const int32_t *cols, int32_t reach_squared);

/* Bytes held, all included. */
int64_t kw_planner_bytes(const kw_planner *planner);
/* cffi: end */

#endif
