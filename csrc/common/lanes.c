/* A tick in three passes: steering and speed lane by lane, where they are not settled; the arcs,
 * where any lane's has changed; the poses.
 */
#include "common/lanes.h"

#include "common/pose_step.h"

enum { WIDTH = 4 }; /* doubles of a wide vector */
_Static_assert(KW_LANES % WIDTH == 0, "the spare lanes of a vector must be there");

void kw_lanes_start(const kw_motion *motion, int32_t n, const kw_ask *asks, kw_lanes *out_lanes) {
    *out_lanes = (kw_lanes){.n = n};
    for (int32_t i = 0; i < n; i++) {
        out_lanes->x_m[i] = motion->pose.x_m;
        out_lanes->y_m[i] = motion->pose.y_m;
        out_lanes->heading_rad[i] = motion->pose.heading_rad;
        out_lanes->heading_rest_rad[i] = motion->heading_rest_rad;
        out_lanes->speed_mps[i] = motion->speed_mps;
        out_lanes->steer_rad[i] = motion->steer_rad;
        out_lanes->steer_rate_radps[i] = motion->steer_rate_radps;
        out_lanes->asked_mps[i] = (double)asks[i].speed_dmmps / 1e4;
        out_lanes->asked_rad[i] = (double)asks[i].steer_urad / 1e6;
    }
}

void kw_lanes_drop(kw_lanes *lanes, int32_t i) {
    double *const columns[] = {
        lanes->x_m,       lanes->y_m,       lanes->heading_rad,      lanes->heading_rest_rad,
        lanes->speed_mps, lanes->steer_rad, lanes->steer_rate_radps, lanes->asked_mps,
        lanes->asked_rad, lanes->turn_rad,  lanes->mean_steer_rad,   lanes->mean_speed_mps,
        lanes->chord_m,
    };
    const int32_t last = --lanes->n;
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
        columns[c][i] = columns[c][last];
    }
}

static int is_settled(const kw_lanes *lanes, int32_t i) {
    return lanes->speed_mps[i] == lanes->asked_mps[i] &&
           lanes->steer_rad[i] == lanes->asked_rad[i] && lanes->steer_rate_radps[i] == 0.0;
}

/* Steering and speed of a lane; 1 where its arc is another than on the last tick. */
static int step_controls(const kw_shell *shell, const kw_steering *steering, kw_lanes *lanes,
                         int32_t i) {
    double steer = lanes->steer_rad[i];
    double speed = lanes->speed_mps[i];
    if (!is_settled(lanes, i)) {
        kw_motion motion = {
            .speed_mps = speed, .steer_rad = steer, .steer_rate_radps = lanes->steer_rate_radps[i]};
        kw_motion_controls(shell, steering, lanes->asked_mps[i], lanes->asked_rad[i], &motion,
                           &steer, &speed);
        lanes->speed_mps[i] = motion.speed_mps;
        lanes->steer_rad[i] = motion.steer_rad;
        lanes->steer_rate_radps[i] = motion.steer_rate_radps;
    }
    const int is_other = steer != lanes->mean_steer_rad[i] || speed != lanes->mean_speed_mps[i];
    lanes->mean_steer_rad[i] = steer;
    lanes->mean_speed_mps[i] = speed;
    return is_other;
}

KW_CLONES static void find_arcs(double curvature_length_m, int32_t n, kw_lanes *lanes) {
    for (int32_t i = 0; i < n; i++) {
        const kw_tick_arc arc = kw_arc_of(curvature_length_m, lanes->mean_steer_rad[i],
                                          lanes->mean_speed_mps[i], KW_SIDE_BY_SIDE);
        lanes->turn_rad[i] = arc.turn_rad;
        lanes->chord_m[i] = arc.chord_m;
    }
}

KW_CLONES static void run_arcs(int32_t n, kw_lanes *lanes) {
    for (int32_t i = 0; i < n; i++) {
        const kw_arc_end from = {lanes->x_m[i], lanes->y_m[i], lanes->heading_rad[i],
                                 lanes->heading_rest_rad[i]};
        const kw_arc_end to =
            kw_arc_run(from, lanes->turn_rad[i], lanes->chord_m[i], KW_SIDE_BY_SIDE);
        lanes->x_m[i] = to.x_m;
        lanes->y_m[i] = to.y_m;
        lanes->heading_rad[i] = to.heading_rad;
        lanes->heading_rest_rad[i] = to.heading_rest_rad;
    }
}

void kw_lanes_step(const kw_shell *shell, const kw_steering *steering, kw_lanes *lanes) {
    const int32_t n_padded = (lanes->n + WIDTH - 1) / WIDTH * WIDTH;
    int is_other = 0;
    for (int32_t i = 0; i < lanes->n; i++) {
        is_other |= step_controls(shell, steering, lanes, i);
    }
    if (is_other) {
        find_arcs(shell->curvature_length_m, n_padded, lanes);
    }
    run_arcs(n_padded, lanes);
    for (int32_t i = 0; i < n_padded; i++) {
        const double heading = lanes->heading_rad[i];
        if (!(heading > -KW_PI && heading <= KW_PI)) {
            lanes->heading_rad[i] = kw_wrap_rad(heading);
        }
    }
}
