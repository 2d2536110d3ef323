#include <math.h>

#include "common/motion.h"
#include "kw_grid.h"

static int is_finite(double x) {
    return fabs(x) <= DBL_MAX;
}

/* 1 for finite figures, of which the steer angle comes to rest short of a right angle. */
static int can_start(const kw_motion *motion, const kw_steering *steering) {
    const double rate = motion->steer_rate_radps;
    const double stopping = 0.5 * rate * rate / steering->acceleration_radps2;
    return is_finite(motion->pose.x_m) && is_finite(motion->pose.y_m) &&
           fabs(motion->pose.heading_rad) <= 4.0 && fabs(motion->speed_mps) <= 1000.0 &&
           fabs(motion->steer_rad) + stopping <= 1.56;
}

kw_status kw_predict(const kw_shell *shell, const kw_steering *steering, const kw_motion *start,
                     kw_ask ask, int32_t n_ticks, kw_motion *out_motions) {
    const uint64_t before = kw_float_control_enter();
    const int good = n_ticks >= 0 && kw_shell_check(shell) == KW_OK &&
                     kw_steering_check(steering) == KW_OK && kw_ask_inside(shell, ask) &&
                     can_start(start, steering);
    if (good) {
        kw_motion motion = *start;
        motion.pose.heading_rad = kw_wrap_rad(motion.pose.heading_rad); /* a rounded half turn */
        for (int32_t i = 0; i < n_ticks; i++) {
            kw_arc arc;
            kw_motion_step(shell, steering, ask, &motion, &arc);
            out_motions[i] = motion;
        }
    }
    kw_float_control_leave(before);
    return good ? KW_OK : KW_BAD_ARGUMENT;
}

/* Half the unit of an observation, and a hair. */
static const double SPEED_ROUNDING_MPS = 0.000501;
static const double STEER_ROUNDING_RAD = 0.000000501;

kw_status kw_motion_observe(const kw_shell *shell, const kw_steering *steering, kw_ask ask,
                            int32_t n_ticks, const int32_t pose[3], int32_t speed_mmps,
                            int32_t steer_urad, kw_motion *motion) {
    const uint64_t before = kw_float_control_enter();
    const int good = n_ticks >= 0 && kw_shell_check(shell) == KW_OK &&
                     kw_steering_check(steering) == KW_OK && kw_ask_inside(shell, ask) &&
                     can_start(motion, steering);
    if (good) {
        const double speed = (double)speed_mmps / 1e3;
        const double steer = (double)steer_urad / 1e6;
        for (int32_t i = 0; i < n_ticks; i++) {
            kw_arc arc;
            kw_motion_step(shell, steering, ask, motion, &arc);
        }
        if (fabs(motion->speed_mps - speed) > SPEED_ROUNDING_MPS ||
            fabs(motion->steer_rad - steer) > STEER_ROUNDING_RAD) {
            motion->speed_mps = speed;
            motion->steer_rad = steer;
            motion->steer_rate_radps = 0.0;
        }
        motion->pose = (kw_pose){(double)pose[0] / 1e6, (double)pose[1] / 1e6,
                                 kw_wrap_rad((double)pose[2] / 1e6)};
        motion->heading_rest_rad = 0.0;
    }
    kw_float_control_leave(before);
    return good ? KW_OK : KW_BAD_ARGUMENT;
}
