/* Where candidates lead: their poses over the horizon, side by side, sample by sample. */
#ifndef KW_GRID_WAYS_H
#define KW_GRID_WAYS_H

#include "common/lanes.h"
#include "kw_candidates.h"

typedef struct {
    kw_pose pose; /* of the pivot, in `map` */
    double cosine;
    double sine;
    double away_m; /* of the body's centre, from the goal */
} kw_way_sample;

/* The ways of some curvatures at one speed; a lane stands for the curvature it runs. */
typedef struct {
    const kw_shell *shell;
    const kw_steering *steering;
    int32_t horizon_tick;

    double goal_x_m;
    double goal_y_m;
    int32_t tick; /* run so far */
    kw_lanes lanes;
    int32_t curvature_of[KW_LANES];
    int32_t n_samples[KW_CURVATURE_COUNT]; /* KW_SAMPLE_TICK apart, the last on the horizon */
    kw_way_sample samples[KW_CURVATURE_COUNT][KW_SAMPLES_MAX];
} kw_ways;

/* Starts n ways from one motion, curvatures[i] under asks[i], away from or toward the goal. */
void kw_ways_start(kw_ways *ways, const kw_motion *motion, int32_t n, const int32_t *curvatures,
                   const kw_ask *asks);

/* Runs on to the next sample. */
void kw_ways_advance(kw_ways *ways);

/* Leaves lane i: the last lane takes its number. */
void kw_ways_drop(kw_ways *ways, int32_t i);

#endif
