/* The law of motion: one tick of steering, speed and pose, for the world and for whoever
 * predicts it. Inside, nobody asks for NaN: kw_shell_check, kw_steering_check and
 * kw_quantise_ask stand at the doors.
 */
#ifndef KW_COMMON_MOTION_H
#define KW_COMMON_MOTION_H

#include "common/math.h"
#include "kw_types.h"

/* 1 where the ask lies within the shell's limits. */
int32_t kw_ask_inside(const kw_shell *shell, kw_ask ask);

/* Runs one tick: steering, then speed, then pose. `motion` is changed in place. */
void kw_motion_step(const kw_shell *shell, const kw_steering *steering, kw_ask ask,
                    kw_motion *motion, kw_arc *out_arc);

/* The tick's steering and speed alone, for an ask in SI: changes these of `motion`, and gives the
 * means that its arc is run with. */
void kw_motion_controls(const kw_shell *shell, const kw_steering *steering, double asked_mps,
                        double asked_rad, kw_motion *motion, double *out_steer_rad,
                        double *out_speed_mps);

/* The body's centre in `map`, for a pose of the pivot. */
void kw_body_centre(const kw_shell *shell, kw_pose pose, double *out_x_m, double *out_y_m);

/* How far each wheel rolls along an arc, m, with its sign. */
void kw_wheel_distances(const kw_shell *shell, const kw_arc *arc, double out_m[KW_WHEEL_COUNT]);

#endif
