/* Whether a motion can be held for the reaction time and then stopped without meeting a cell. */
#ifndef KW_GRID_STOP_H
#define KW_GRID_STOP_H

#include "grid/corridor.h"

typedef struct {
    const kw_shell *shell;
    const kw_steering *steering;
    int32_t reaction_tick;
    double arm_m; /* from the pivot to the body's farthest corner */
} kw_stop_law;

/* Figures that follow from a shell. */
kw_stop_law kw_stop_law_of(const kw_shell *shell, const kw_steering *steering,
                           int32_t reaction_tick);

/* The farthest that the pivot comes at a speed before it stands, at most. */
double kw_stop_reach_m(const kw_stop_law *law, double speed_mps);

/* How far beyond the corridor a stop looks, which its cells must be gathered for. */
double kw_stop_spare_m(void);

/* 1 where each tick of holding the ask, and of the rest after it, is free, and within what the
 * map remembers. Else 0 and the index of the cell in the way, -1 where it is none. */
int32_t kw_stop_is_free(const kw_stop_law *law, const kw_corridor *corridor, const kw_motion *start,
                        kw_ask ask, int32_t *out_cell);

#endif
