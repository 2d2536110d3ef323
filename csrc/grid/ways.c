#include "grid/ways.h"

#include <math.h>

#include "common/sincos.h"

void kw_ways_start(kw_ways *ways, const kw_motion *motion, int32_t n, const int32_t *curvatures,
                   const kw_ask *asks) {
    kw_lanes_start(motion, n, asks, &ways->lanes);
    ways->tick = 0;
    for (int32_t i = 0; i < n; i++) {
        ways->curvature_of[i] = curvatures[i];
        ways->n_samples[curvatures[i]] = 0;
    }
}

void kw_ways_drop(kw_ways *ways, int32_t i) {
    kw_lanes_drop(&ways->lanes, i);
    ways->curvature_of[i] = ways->curvature_of[ways->lanes.n];
}

KW_CLONES static void directions(const kw_lanes *lanes, double *restrict out_sine,
                                 double *restrict out_cosine) {
    for (int32_t i = 0; i < KW_LANES; i++) {
        kw_sincos_inline(lanes->heading_rad[i], KW_SIDE_BY_SIDE, &out_sine[i], &out_cosine[i]);
    }
}

static void take_samples(kw_ways *ways) {
    const kw_lanes *lanes = &ways->lanes;
    const double ahead_m = ways->shell->body_ahead_m;
    double sine[KW_LANES];
    double cosine[KW_LANES];
    directions(lanes, sine, cosine);
    for (int32_t i = 0; i < lanes->n; i++) {
        const int32_t curvature = ways->curvature_of[i];
        const double dx = lanes->x_m[i] + ahead_m * cosine[i] - ways->goal_x_m;
        const double dy = lanes->y_m[i] + ahead_m * sine[i] - ways->goal_y_m;
        ways->samples[curvature][ways->n_samples[curvature]++] = (kw_way_sample){
            .pose = {lanes->x_m[i], lanes->y_m[i], lanes->heading_rad[i]},
            .cosine = cosine[i],
            .sine = sine[i],
            .away_m = sqrt(dx * dx + dy * dy),
        };
    }
}

void kw_ways_advance(kw_ways *ways) {
    do {
        kw_lanes_step(ways->shell, ways->steering, &ways->lanes);
        ways->tick++;
    } while (ways->tick % KW_SAMPLE_TICK != 0 && ways->tick < ways->horizon_tick);
    take_samples(ways);
}
