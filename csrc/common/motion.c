/* The law of motion, one tick at a time.
 *
 * Steering: the quickest move to the target under a bounded rate and a bounded
 * acceleration, in continuous time (a trapezoid of rate; see e.g. L. Biagiotti and
 * C. Melchiorri, Trajectory Planning for Automatic Machines and Robots, 2008, ch. 3),
 * solved anew from (steer, rate) each tick and followed for exactly that tick. So a new
 * target may come on any tick, and the state is all there is to carry.
 * Speed: a ramp. Pose: the exact arc of the tick's mean steer and mean speed.
 */
#include "common/motion.h"

#include <math.h>
#include <stddef.h>

#include "common/pose_step.h"

static const double tick_s = 1.0 / KW_TICKS_PER_SECOND;

/* ---- Steering ---- */

/* A move as seen from the side that the target is on. */
typedef struct {
    double error_rad;  /* to go, towards the target */
    double rate_radps; /* towards the target */
    double left_s;     /* of the tick */
} ramp;

/* Lets `time_s` of the tick pass at one acceleration. */
static void ramp_run(ramp *move, double acceleration, double time_s) {
    const double rate = move->rate_radps + acceleration * time_s;
    move->error_rad -= 0.5 * (move->rate_radps + rate) * time_s;
    move->rate_radps = rate;
    move->left_s -= time_s;
}

/* Changes the rate to `rate` at `acceleration` (a magnitude), or as far as the tick goes. */
static void ramp_to_rate(ramp *move, double rate, double acceleration) {
    const double change = rate - move->rate_radps;
    const double time_s = fabs(change) / acceleration;
    const double signed_acceleration = change < 0.0 ? -acceleration : acceleration;
    if (time_s >= move->left_s) {
        ramp_run(move, signed_acceleration, move->left_s);
        move->left_s = 0.0;
        return;
    }
    ramp_run(move, signed_acceleration, time_s);
    move->rate_radps = rate;
}

/* Brakes along the curve that ends at the target, on it exactly. */
static void ramp_land(ramp *move) {
    const double time_s = 2.0 * move->error_rad / move->rate_radps;
    if (time_s <= move->left_s) {
        *move = (ramp){0.0, 0.0, 0.0};
        return;
    }
    ramp_run(move, -move->rate_radps / time_s, move->left_s);
    // within a rounding of the target, on its near side
    move->error_rad = move->error_rad < 0.0 ? 0.0 : move->error_rad;
}

/* The move of one that goes towards its target and can stop there. */
static void ramp_approach(ramp *move, double cap, double acceleration) {
    if (move->rate_radps > cap) {
        ramp_to_rate(move, cap, acceleration);
        if (move->left_s <= 0.0) {
            return;
        }
    }
    const double stop_at = 0.5 * move->rate_radps * move->rate_radps;
    const double highest = sqrt(acceleration * move->error_rad + stop_at);
    const double peak = highest < cap ? highest : cap;
    if (peak > move->rate_radps) {
        ramp_to_rate(move, peak, acceleration);
    }
    const double braking = 0.5 * move->rate_radps * move->rate_radps / acceleration;
    if (move->error_rad > braking && move->left_s > 0.0) {
        const double cruise_s = (move->error_rad - braking) / move->rate_radps;
        ramp_run(move, 0.0, cruise_s < move->left_s ? cruise_s : move->left_s);
    }
    if (move->left_s > 0.0) {
        ramp_land(move);
    }
}

/* 1 where the move must come to rest first: it leads away, or comes too fast to stop. The
 * guard is some ten times what rounding adds, and small enough that landing on the curve
 * keeps the acceleration within 1e-9 of the declared one. */
static int must_rest(const ramp *move, double acceleration) {
    const double braking = 0.5 * move->rate_radps * move->rate_radps / acceleration;
    const double guard = 1e-12 * move->error_rad + 1e-15;
    return move->rate_radps < 0.0 || braking > move->error_rad + guard;
}

static void step_steer(const kw_steering *steering, double cap, double target_rad,
                       kw_motion *motion) {
    const double acceleration = steering->acceleration_radps2;
    double side = target_rad < motion->steer_rad ? -1.0 : 1.0;
    ramp move = {side * (target_rad - motion->steer_rad), side * motion->steer_rate_radps, tick_s};
    if (must_rest(&move, acceleration)) {
        ramp_to_rate(&move, 0.0, acceleration);
        if (move.error_rad < 0.0) {
            side = -side;
            move.error_rad = -move.error_rad;
            move.rate_radps = -move.rate_radps;
        }
    }
    if (move.left_s > 0.0 && (move.error_rad > 0.0 || move.rate_radps > 0.0)) {
        ramp_approach(&move, cap, acceleration);
    }
    motion->steer_rad = target_rad - side * move.error_rad;
    motion->steer_rate_radps = side * move.rate_radps;
}

/* ---- Speed ---- */

static double step_speed(const kw_shell *shell, double speed, double asked) {
    // the other direction waits until a tick has ended at rest
    const double goal = speed * asked < 0.0 ? 0.0 : asked;
    const double gain = fabs(goal) > fabs(speed) ? shell->acceleration_mps2 : shell->braking_mps2;
    const double most = gain * tick_s;
    const double change = goal - speed;
    // what rounding has added up to must not cost a tick more
    if (fabs(change) <= most * (1.0 + 1e-10)) {
        return goal;
    }
    return change < 0.0 ? speed - most : speed + most;
}

/* ---- A tick ---- */

void kw_motion_controls(const kw_shell *shell, const kw_steering *steering, double asked_mps,
                        double asked_rad, kw_motion *motion, double *out_steer_rad,
                        double *out_speed_mps) {
    const double steer = motion->steer_rad;
    const double speed = motion->speed_mps;
    if (steer != asked_rad || motion->steer_rate_radps != 0.0) {
        step_steer(steering, steering->rate_cap_radps / (1.0 + fabs(speed)), asked_rad, motion);
    }
    motion->speed_mps = step_speed(shell, speed, asked_mps);
    *out_steer_rad = 0.5 * (steer + motion->steer_rad);
    *out_speed_mps = 0.5 * (speed + motion->speed_mps);
}

void kw_motion_step(const kw_shell *shell, const kw_steering *steering, kw_ask ask,
                    kw_motion *motion, kw_arc *out_arc) {
    const double before_mps = motion->speed_mps;
    double steer;
    double speed;
    kw_motion_controls(shell, steering, (double)ask.speed_dmmps / 1e4, (double)ask.steer_urad / 1e6,
                       motion, &steer, &speed);
    const kw_tick_arc arc = kw_arc_of(shell->curvature_length_m, steer, speed, KW_ONE);
    const kw_arc_end from = {motion->pose.x_m, motion->pose.y_m, motion->pose.heading_rad,
                             motion->heading_rest_rad};
    const kw_arc_end to = kw_arc_run(from, arc.turn_rad, arc.chord_m, KW_ONE);
    motion->pose = (kw_pose){to.x_m, to.y_m, kw_wrap_rad(to.heading_rad)};
    motion->heading_rest_rad = to.heading_rest_rad;
    *out_arc = (kw_arc){
        .distance_m = arc.distance_m,
        .turn_rad = arc.turn_rad,
        .curvature_radpm = arc.curvature_radpm,
        .acceleration_mps2 = (motion->speed_mps - before_mps) * KW_TICKS_PER_SECOND,
        .lateral_mps2 = speed * speed * arc.curvature_radpm,
    };
}

/* ---- Shells ---- */

void kw_body_centre(const kw_shell *shell, kw_pose pose, double *out_x_m, double *out_y_m) {
    double up;
    double along;
    kw_sincos(pose.heading_rad, &up, &along);
    *out_x_m = pose.x_m + shell->body_ahead_m * along;
    *out_y_m = pose.y_m + shell->body_ahead_m * up;
}

static void wheel_positions(const kw_shell *shell, double *out_x_m, double *out_y_m) {
    const double rear = shell->rear_steered != 0 ? -0.5 * shell->wheelbase_m : 0.0;
    for (int32_t i = 0; i < KW_WHEEL_COUNT; i++) {
        out_x_m[i] = i < 2 ? rear + shell->wheelbase_m : rear;
        out_y_m[i] = (i % 2 == 0 ? 0.5 : -0.5) * shell->track_m;
    }
}

void kw_wheel_positions(const kw_shell *shell, double *out_x_m, double *out_y_m) {
    const uint64_t before = kw_float_control_enter();
    wheel_positions(shell, out_x_m, out_y_m);
    kw_float_control_leave(before);
}

void kw_wheel_distances(const kw_shell *shell, const kw_arc *arc, double out_m[KW_WHEEL_COUNT]) {
    double x[KW_WHEEL_COUNT];
    double y[KW_WHEEL_COUNT];
    wheel_positions(shell, x, y);
    for (int32_t i = 0; i < KW_WHEEL_COUNT; i++) {
        const double ahead = arc->curvature_radpm * x[i];
        const double aside = 1.0 - arc->curvature_radpm * y[i];
        out_m[i] = arc->distance_m * sqrt(ahead * ahead + aside * aside);
    }
}

void kw_wheel_angles(const kw_shell *shell, double steer_rad, double *out_rad) {
    const uint64_t before = kw_float_control_enter();
    double x[KW_WHEEL_COUNT];
    double y[KW_WHEEL_COUNT];
    wheel_positions(shell, x, y);
    const double curvature = kw_tan(steer_rad) / shell->curvature_length_m;
    for (int32_t i = 0; i < KW_WHEEL_COUNT; i++) {
        // the turning centre is at (0, 1 / curvature)
        out_rad[i] = kw_atan(curvature * x[i] / (1.0 - curvature * y[i]));
    }
    kw_float_control_leave(before);
}

/* 1 within [0.001, 1000]; 0 for NaN too. */
static int is_size(double value) {
    return value >= 0.001 && value <= 1000.0;
}

static int can_move(const kw_shell *shell) {
    const double sizes[] = {
        shell->length_m,
        shell->width_m,
        shell->height_m,
        shell->wheelbase_m,
        shell->track_m,
        shell->wheel_radius_m,
        shell->mass_height_m,
        shell->lock_rad,
        shell->curvature_length_m,
        shell->forward_speed_limit_mps,
        shell->reverse_speed_limit_mps,
        shell->cruise_speed_mps,
        shell->acceleration_mps2,
        shell->braking_mps2,
    };
    int good = fabs(shell->body_ahead_m) <= 1000.0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        good = good && is_size(sizes[i]);
    }
    const double arm = shell->wheelbase_m * (shell->rear_steered != 0 ? 0.5 : 1.0);
    good = good && fabs(shell->curvature_length_m - arm) <= 1e-9 * arm;
    good = good && shell->lock_rad < 0.5 * KW_PI &&
           kw_tan(shell->lock_rad) * 0.5 * shell->track_m < 0.99 * arm;
    return good;
}

kw_status kw_shell_check(const kw_shell *shell) {
    const uint64_t before = kw_float_control_enter();
    const int good = can_move(shell);
    kw_float_control_leave(before);
    return good ? KW_OK : KW_BAD_ARGUMENT;
}

kw_status kw_steering_check(const kw_steering *steering) {
    const int good = is_size(steering->rate_cap_radps) && steering->acceleration_radps2 >= 0.001 &&
                     steering->acceleration_radps2 <= 1e6;
    return good ? KW_OK : KW_BAD_ARGUMENT;
}

/* ---- Asks ---- */

typedef struct {
    int64_t low;
    int64_t high;
} range;

/* The whole units within a limit; the millionth forgives a limit's own rounding. */
static int64_t whole_units(double limit, double units) {
    return (int64_t)floor(limit * units + 1e-6);
}

static range speed_range(const kw_shell *shell) {
    return (range){-whole_units(shell->reverse_speed_limit_mps, 1e4),
                   whole_units(shell->forward_speed_limit_mps, 1e4)};
}

static range steer_range(const kw_shell *shell) {
    const int64_t lock = whole_units(shell->lock_rad, 1e6);
    return (range){-lock, lock};
}

static int32_t clip(int64_t value, range within, int32_t *out) {
    const int64_t low = value < within.low ? within.low : value;
    const int64_t clipped = low > within.high ? within.high : low;
    *out = (int32_t)clipped;
    return clipped != value;
}

int32_t kw_ask_inside(const kw_shell *shell, kw_ask ask) {
    kw_ask inside;
    return clip(ask.speed_dmmps, speed_range(shell), &inside.speed_dmmps) +
               clip(ask.steer_urad, steer_range(shell), &inside.steer_urad) ==
           0;
}

int32_t kw_quantise_ask(const kw_shell *shell, double speed_mps, double steer_rad,
                        kw_ask *out_ask) {
    // a difference of NaN or infinity with itself is not zero
    if (!(speed_mps - speed_mps == 0.0) || !(steer_rad - steer_rad == 0.0)) {
        return -1;
    }
    const uint64_t before = kw_float_control_enter();
    const int32_t clipped =
        clip(kw_round_i64(speed_mps * 1e4), speed_range(shell), &out_ask->speed_dmmps) +
        clip(kw_round_i64(steer_rad * 1e6), steer_range(shell), &out_ask->steer_urad);
    kw_float_control_leave(before);
    return clipped;
}
