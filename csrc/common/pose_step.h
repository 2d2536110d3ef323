/* The arc of a tick and where it leads, inline, for one motion and for lanes of them. */
#ifndef KW_COMMON_POSE_STEP_H
#define KW_COMMON_POSE_STEP_H

#include "common/sincos.h"
#include "kw_types.h"

/* The exact arc of a tick's mean steer and mean speed. */
typedef struct {
    double curvature_radpm;
    double distance_m;
    double turn_rad;
    double chord_m;
} kw_tick_arc;

static inline kw_tick_arc kw_arc_of(double curvature_length_m, double steer_rad, double speed_mps,
                                    kw_manner manner) {
    double s;
    double c;
    kw_sincos_inline(steer_rad, manner, &s, &c);
    const double curvature = (s / c) / curvature_length_m;
    const double distance = speed_mps * (1.0 / KW_TICKS_PER_SECOND);
    const double turn = distance * curvature;
    const double half = 0.5 * turn;
    kw_sincos_inline(half, manner, &s, &c);
    const double bent = distance * (s / half);
    return (kw_tick_arc){curvature, distance, turn, half == 0.0 ? distance : bent};
}

/* Where a tick leads; the heading is not wrapped yet. */
typedef struct {
    double x_m;
    double y_m;
    double heading_rad;
    double heading_rest_rad;
} kw_arc_end;

/* The turn is added to the heading with what rounding leaves over kept (Knuth's two-sum): the
 * same turn is added thousands of times on a circle, and would be rounded the same way each
 * time. */
static inline kw_arc_end kw_arc_run(kw_arc_end from, double turn_rad, double chord_m,
                                    kw_manner manner) {
    double up;
    double along;
    kw_sincos_inline(from.heading_rad + (0.5 * turn_rad + from.heading_rest_rad), manner, &up,
                     &along);
    const kw_split sum = kw_sum_exactly(from.heading_rad, turn_rad + from.heading_rest_rad);
    return (kw_arc_end){from.x_m + chord_m * along, from.y_m + chord_m * up, sum.high, sum.low};
}

#endif
