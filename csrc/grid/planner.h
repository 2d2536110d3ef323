/* The planner's world, and what keeps it up to date. */
#ifndef KW_GRID_PLANNER_H
#define KW_GRID_PLANNER_H

#include "grid/boxes.h"
#include "grid/distance.h"

#define KW_UNKNOWN_PRICES 3

struct kw_planner {
    kw_lattice lattice;
    kw_distance_scratch scratch;
    int32_t n_distances;
    int32_t reach;           /* in cells: farther from an occupied one no distance changes */
    uint8_t *free_prices;    /* [n_distances] */
    uint8_t *unknown_prices; /* [KW_UNKNOWN_PRICES * n_distances] */
    int32_t unknown;         /* the price that the nodes hold, a kw_unknown */
    int32_t row;             /* of the lattice's first padding cell, likewise col */
    int32_t col;
    kw_box world;     /* in the lattice's own count; row_low > row_high: none yet */
    kw_boxes changed; /* cells that became occupied or ceased to be, or are new */
    bool all_reached; /* the last search was for all, and nothing has changed since */
};

/* True where a window lies in the world. */
bool kw_planner_holds(const kw_planner *planner, int32_t row, int32_t col, int32_t n_rows,
                      int32_t n_cols);

/* Brings distances, prices and moves up to date, with unknown cells at this price. */
kw_status kw_planner_refresh(kw_planner *planner, int32_t unknown);

#endif
