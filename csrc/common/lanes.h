/* Several motions of one shell side by side: the law of motion.h over lanes, so that a compiler
 * may compute several at once. Each lane comes out as kw_motion_step leaves it, bit for bit.
 */
#ifndef KW_COMMON_LANES_H
#define KW_COMMON_LANES_H

#include "common/motion.h"

enum { KW_LANES = 12 };

/* Lane i of each array is one motion, its ask, and the arc of its last tick. The lanes up to
 * the next multiple of four run along unasked. */
typedef struct {
    int32_t n;
    double x_m[KW_LANES];
    double y_m[KW_LANES];
    double heading_rad[KW_LANES];
    double heading_rest_rad[KW_LANES];
    double speed_mps[KW_LANES];
    double steer_rad[KW_LANES];
    double steer_rate_radps[KW_LANES];

    double asked_mps[KW_LANES];
    double asked_rad[KW_LANES];

    double mean_steer_rad[KW_LANES]; /* what the arc is of */
    double mean_speed_mps[KW_LANES];
    double turn_rad[KW_LANES];
    double chord_m[KW_LANES];
} kw_lanes;

/* n lanes, up to KW_LANES, at one motion, each with its ask. */
void kw_lanes_start(const kw_motion *motion, int32_t n, const kw_ask *asks, kw_lanes *out_lanes);

/* Ends lane i: the last lane takes its number. */
void kw_lanes_drop(kw_lanes *lanes, int32_t i);

/* Runs one tick of each lane. */
void kw_lanes_step(const kw_shell *shell, const kw_steering *steering, kw_lanes *lanes);

#endif
