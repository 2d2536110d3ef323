/* Codes, value structs, declared figures and functions that both libraries share.
 *
 * The text between the two cffi markers is also what cffi parses, so it holds only
 * enums, integer #defines, plain structs, extern const tables and prototypes.
 *
 * Units are suffixes of names: _m, _um, _rad, _urad, _mps, _radps, _tick. Frames are
 * `map` (fixed, the scene's own) and `base_link` (on the ground under the shell's
 * pivot), right-handed, x forward, y left, z up. Headings are in (-pi, pi].
 */
#ifndef KW_TYPES_H
#define KW_TYPES_H

#include <stdint.h>

/* cffi: begin */
#define KW_TICKS_PER_SECOND 120
#define KW_SHELL_COUNT 2
#define KW_STEERING_COUNT 2
#define KW_WHEEL_COUNT 4

/* What every fallible function returns. Outputs are written only on KW_OK. */
typedef enum {
    KW_OK = 0,
    KW_BAD_ARGUMENT = 1, /* a value outside what the function's comment allows */
    KW_NO_MEMORY = 2,
    KW_BAD_STATE = 3,   /* the bytes are not a saved state of this very world */
    KW_NO_ROOM = 4,     /* the caller's array is too small */
    KW_BAD_MACHINE = 5, /* this machine or build does not compute IEEE doubles */
} kw_status;

/* A pose in `map`. */
typedef struct {
    double x_m;
    double y_m;
    double heading_rad;
} kw_pose;

/* One body on four wheels. Lengths in metres, angles in radians. */
typedef struct {
    const char *name;
    int32_t rear_steered; /* 1: both axles steer by opposite angles; 0: the front only */
    double length_m;
    double width_m;
    double height_m;
    double wheelbase_m;
    double track_m;
    double wheel_radius_m;
    double mass_height_m;      /* centre of mass above ground */
    double lock_rad;           /* greatest steer angle to either side */
    double body_ahead_m;       /* body's centre ahead of the pivot */
    double curvature_length_m; /* curvature = tan(steer) / this */
    double forward_speed_limit_mps;
    double reverse_speed_limit_mps; /* a magnitude */
    double cruise_speed_mps;
    double acceleration_mps2;
    double braking_mps2;
} kw_shell;

/* How fast the steer angle may move. */
typedef struct {
    const char *name;
    double rate_cap_radps; /* at rest; falls as 1 / (1 + |v| / 1 m/s) */
    double acceleration_radps2;
} kw_steering;

/* All that motion carries from one tick to the next. */
typedef struct {
    kw_pose pose; /* of `base_link` in `map` */
    double speed_mps;
    double steer_rad;
    double steer_rate_radps;
    double heading_rest_rad; /* what rounding left of the turns so far */
} kw_motion;

/* What a tick's motion was, beside where it led. */
typedef struct {
    double distance_m;        /* run along the arc by the pivot, signed */
    double turn_rad;          /* heading gained */
    double curvature_radpm;   /* of the arc */
    double acceleration_mps2; /* along x, mean over the tick */
    double lateral_mps2;      /* along y, mean speed times yaw rate */
} kw_arc;

extern const kw_shell kw_shells[KW_SHELL_COUNT];
extern const kw_steering kw_steerings[KW_STEERING_COUNT];

/* Asks as the core takes them and the record keeps them: 0.1 mm/s and 1 urad. */
typedef struct {
    int32_t speed_dmmps; /* tenths of a millimetre a second */
    int32_t steer_urad;
} kw_ask;
/* ---- Functions that both libraries hold ---- */

/* KW_OK, or KW_BAD_MACHINE when this build or process does not round as IEEE doubles
 * do (fused products, flushed subnormals, another rounding mode). */
kw_status kw_self_check(void);

/* KW_OK, or KW_BAD_ARGUMENT unless sizes and limits lie within [0.001, 1000] in their units
 * (a steering's acceleration up to 1e6), the body's centre within 1000 m of the pivot, the
 * lock keeps the turning centre outside the track, and the curvature length is the
 * wheelbase, or its half where the rear steers too. So every tick stays finite. */
kw_status kw_shell_check(const kw_shell *shell);
kw_status kw_steering_check(const kw_steering *steering);

/* The core's own functions over n values. Angles up to 5e5 rad. */
void kw_sin_many(int32_t n, const double *x_rad, double *out);
void kw_cos_many(int32_t n, const double *x_rad, double *out);
void kw_tan_many(int32_t n, const double *x_rad, double *out);
void kw_atan2_many(int32_t n, const double *y, const double *x, double *out_rad);

/* An ask in SI as the core takes it: rounded half away from zero, then clipped to the
 * shell. Returns how many of the two values were clipped, or -1 when one is NaN or
 * infinite (out_ask is then untouched). */
int32_t kw_quantise_ask(const kw_shell *shell, double speed_mps, double steer_rad, kw_ask *out_ask);

/* Where the four wheels touch the ground, in `base_link`: front left, front right, rear
 * left, rear right, as everywhere. out_x_m[KW_WHEEL_COUNT], out_y_m[KW_WHEEL_COUNT]. */
void kw_wheel_positions(const kw_shell *shell, double *out_x_m, double *out_y_m);

/* The four wheels' true angles, rad, for a steer angle: out_rad[KW_WHEEL_COUNT]; each stands square to the line to the turning centre. */
void kw_wheel_angles(const kw_shell *shell, double steer_rad, double *out_rad);
/* cffi: end */

#endif
