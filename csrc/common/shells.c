/* The declared shells and steerings: the one place where their figures are written.
 *
 * Source: Kinewright's specification. The body is of the size of a small indoor rover on
 * four wheels of 64 mm; a figure with a class beside it is estimated from that class.
 */
#include "kw_types.h"

#define KW_LOCK_24_DEG_RAD 0x1.acee9f37bebd6p-2 /* 24 degrees, to the nearest double */

/* What both shells share: one body on one set of wheels. */
#define KW_BODY                                                                                    \
    .length_m = 0.36,                   /* m */                                                    \
        .width_m = 0.212,               /* m: track and one wheel's breadth */                     \
        .height_m = 0.16,               /* m */                                                    \
        .wheelbase_m = 0.24,            /* m */                                                    \
        .track_m = 0.18,                /* m, between the wheels' middles */                       \
        .wheel_radius_m = 0.032,        /* m */                                                    \
        .mass_height_m = 0.08,          /* m, half the body's height */                            \
        .lock_rad = KW_LOCK_24_DEG_RAD, /* rad */                                                  \
        .forward_speed_limit_mps = 2.0, /* m/s */                                                  \
        .reverse_speed_limit_mps = 0.5, /* m/s */                                                  \
        .cruise_speed_mps = 0.5,        /* m/s */                                                  \
        .acceleration_mps2 = 1.6,       /* m/s^2 */                                                \
        .braking_mps2 = 3.0             /* m/s^2, well under what tyres hold at 0.8 g */

const kw_shell kw_shells[] = {
    {
        .name = "four_wheel_steer",
        .rear_steered = 1,
        .body_ahead_m = 0.0,        /* m: the pivot is midway between the axles */
        .curvature_length_m = 0.12, /* m: half the wheelbase */
        KW_BODY,
    },
    {
        .name = "front_steer",
        .rear_steered = 0,
        .body_ahead_m = 0.12,       /* m: the pivot is on the rear axle */
        .curvature_length_m = 0.24, /* m: the wheelbase */
        KW_BODY,
    },
};
_Static_assert(sizeof kw_shells / sizeof kw_shells[0] == KW_SHELL_COUNT, "one row a shell");

const kw_steering kw_steerings[] = {
    {
        .name = "servo",              /* class: hobby servo, 0.17 s per 60 degrees */
        .rate_cap_radps = 6.28,       /* rad/s */
        .acceleration_radps2 = 188.4, /* rad/s^2: the cap within a thirtieth of a second */
    },
    {
        .name = "rack",              /* class: a car's rack, at the road wheel */
        .rate_cap_radps = 0.35,      /* rad/s */
        .acceleration_radps2 = 1.33, /* rad/s^2 */
    },
};
_Static_assert(sizeof kw_steerings / sizeof kw_steerings[0] == KW_STEERING_COUNT,
               "one row a steering");
