/* The goals of a search, and the flood of the cells from which they can be reached. */
#ifndef KW_GRID_GOALS_H
#define KW_GRID_GOALS_H

#include "grid/lattice.h"

/* Where the flood of lattice->flood has come to. */
typedef struct {
    bool is_running; /* neither met by the search nor ended */
    int32_t n_done;  /* flooded cells whose neighbours were looked at */
} kw_goal_flood;

/* Marks the goals that may be entered, and returns how many entries of the query they are;
 * *out_box is theirs. */
int32_t kw_goals_mark(kw_lattice *lattice, const kw_query *query, kw_box *out_box);

/* Unmarks goals and flood. */
void kw_goals_unmark(kw_lattice *lattice, const kw_query *query);

/* The index of the first goal at a cell, -1 for none. */
int32_t kw_goals_find(const kw_query *query, int32_t row, int32_t col);

kw_status kw_goals_start_flood(kw_lattice *lattice, const kw_query *query, kw_goal_flood *flood);

/* Goes on by n cells. *out_closed when there are no more and the search has met none. */
kw_status kw_goals_flood(kw_lattice *lattice, kw_goal_flood *flood, int32_t n, bool *out_closed);

#endif
