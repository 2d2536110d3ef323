/* The candidates of one shell and steering: what is found once, and the doors to each decision.
 * What a decision does stands in choice.c.
 */
#include "grid/candidates.h"

#include <math.h>
#include <stdlib.h>

#include "common/motion.h"

const kw_avoidance kw_avoidance_declared = {
    .speeds_mps = {0.15, 0.30, 0.50}, /* m/s */
    .clearance_m = 0.05,              /* m */
    .margin_most_m = 0.30,            /* m */
    .nearer_m = 0.002,                /* m */
    .goal_share = 0.6,
    .margin_weight_permille = 1000, /* of 500 to 1000, the more robust: docs/decisions.md */
    .horizon_tick = 180,           /* 1.5 s */
    .after_lock_tick = 34,         /* 1.75 s in all for the declared rack */
};

enum {
    HORIZON_MOST = KW_SAMPLES_MAX * KW_SAMPLE_TICK,
    REACTION_MOST = 36000,
};
_Static_assert((int)KW_CURVATURE_COUNT <= (int)KW_LANES, "the ways of one speed run side by side");

/* ---- Creation ---- */

int32_t kw_steer_for(double curvature_radpm, const kw_shell *shell) {
    kw_ask ask = {0, 0};
    (void)kw_quantise_ask(shell, 0.0, kw_atan(curvature_radpm * shell->curvature_length_m), &ask);
    return ask.steer_urad;
}

int64_t kw_whole_curvature(double curvature_radpm) {
    return kw_round_i64(curvature_radpm * 1e6);
}

/* How long the steering takes from lock to straight, at rest. */
static int32_t lock_ticks(const kw_shell *shell, const kw_steering *steering) {
    kw_motion motion = {.steer_rad = shell->lock_rad};
    int32_t tick = 0;
    while (tick < HORIZON_MOST && (motion.steer_rad != 0.0 || motion.steer_rate_radps != 0.0)) {
        kw_arc arc;
        kw_motion_step(shell, steering, (kw_ask){0, 0}, &motion, &arc);
        tick++;
    }
    return tick;
}

static int32_t horizon_of(const kw_shell *shell, const kw_steering *steering) {
    const kw_avoidance *declared = &kw_avoidance_declared;
    const int32_t slow = lock_ticks(shell, steering) + declared->after_lock_tick;
    const int32_t longest = slow > declared->horizon_tick ? slow : declared->horizon_tick;
    return longest < HORIZON_MOST ? longest : HORIZON_MOST;
}

static void prepare(kw_candidates *all, int32_t reaction_tick) {
    const kw_shell *shell = &all->shell;
    all->stop = kw_stop_law_of(shell, &all->steering, reaction_tick);
    all->ways.shell = shell;
    all->ways.steering = &all->steering;
    all->ways.horizon_tick = horizon_of(shell, &all->steering);
    all->lock_radpm = kw_tan(shell->lock_rad) / shell->curvature_length_m;
    const double swing = all->lock_radpm * shell->body_ahead_m;
    all->stretch = sqrt(1.0 + swing * swing);
    for (int32_t i = 0; i < KW_CURVATURES; i++) {
        const double curvature = all->lock_radpm * (2.0 * i / (KW_CURVATURES - 1) - 1.0);
        all->asks_urad[i] = kw_steer_for(curvature, shell);
        all->curvatures[i] = kw_whole_curvature(curvature);
    }
    kw_corridor_create(shell, &all->corridor);
}

kw_status kw_candidates_create(const kw_shell *shell, const kw_steering *steering,
                               int32_t reaction_tick, kw_candidates **out_candidates) {
    if (kw_shell_check(shell) != KW_OK || kw_steering_check(steering) != KW_OK ||
        reaction_tick < 1 || reaction_tick > REACTION_MOST) {
        return KW_BAD_ARGUMENT;
    }
    kw_candidates *all = calloc(1, sizeof *all);
    if (all == NULL) {
        return KW_NO_MEMORY;
    }
    all->shell = *shell;
    all->steering = *steering;
    all->shell.name = all->steering.name = NULL; // the caller's; never read here
    const uint64_t before = kw_float_control_enter();
    prepare(all, reaction_tick);
    kw_float_control_leave(before);
    *out_candidates = all;
    return KW_OK;
}

void kw_candidates_destroy(kw_candidates *candidates) {
    if (candidates != NULL) {
        kw_corridor_destroy(&candidates->corridor);
        free(candidates);
    }
}

int32_t kw_candidates_horizon(const kw_candidates *candidates) {
    return candidates->ways.horizon_tick;
}

/* ---- Doors ---- */

/* What the law can be run from; see kw_predict. */
static int can_start(const kw_candidates *all, const kw_motion *motion) {
    const double rate = motion->steer_rate_radps;
    const double stopping = 0.5 * rate * rate / all->steering.acceleration_radps2;
    return fabs(motion->pose.x_m) <= DBL_MAX && fabs(motion->pose.y_m) <= DBL_MAX &&
           fabs(motion->pose.heading_rad) <= 4.0 && fabs(motion->speed_mps) <= 1000.0 &&
           fabs(motion->steer_rad) + stopping <= 1.56;
}

static kw_status check(const kw_candidates *all, const kw_local_map *map, const kw_motion *motion) {
    if (!map->has_begun) {
        return KW_BAD_STATE;
    }
    return can_start(all, motion) ? KW_OK : KW_BAD_ARGUMENT;
}

static kw_status begin(kw_candidates *all, const kw_local_map *map, const kw_motion *motion,
                       kw_aim aim, kw_decision *out) {
    const kw_avoidance *declared = &kw_avoidance_declared;
    const kw_status status = check(all, map, motion);
    if (status != KW_OK) {
        return status;
    }
    *out = (kw_decision){.all = all, .motion = motion, .aim = aim};
    kw_decision_aim(out);
    const double now = fabs(motion->speed_mps);
    const double cruise = declared->speeds_mps[KW_SPEED_COUNT - 1];
    const double way_m = kw_decision_reach_m(out, now, cruise, all->ways.horizon_tick);
    const double stop_m = kw_stop_reach_m(&all->stop, now > cruise ? now : cruise);
    const double spare_m = kw_stop_spare_m();
    return kw_corridor_gather(&all->corridor, map, motion->pose, declared->clearance_m,
                              declared->nearer_m, way_m > stop_m ? way_m : stop_m,
                              spare_m > declared->margin_most_m ? spare_m
                                                                : declared->margin_most_m);
}

kw_status kw_candidates_choose(kw_candidates *candidates, const kw_local_map *map,
                               const kw_motion *motion, kw_aim aim, int32_t rest_steer_urad,
                               kw_candidate *out_choice) {
    const uint64_t before = kw_float_control_enter();
    kw_decision at;
    const kw_status status = begin(candidates, map, motion, aim, &at);
    if (status == KW_OK) {
        *out_choice = kw_decision_choose(&at, rest_steer_urad);
    }
    kw_float_control_leave(before);
    return status;
}

kw_status kw_candidates_survey(kw_candidates *candidates, const kw_local_map *map,
                               const kw_motion *motion, kw_aim aim, kw_candidate *out_all,
                               kw_pose *out_poses) {
    const uint64_t before = kw_float_control_enter();
    kw_decision at;
    const kw_status status = begin(candidates, map, motion, aim, &at);
    if (status == KW_OK) {
        kw_decision_survey(&at, out_all, out_poses);
    }
    kw_float_control_leave(before);
    return status;
}

kw_status kw_candidates_test(kw_candidates *candidates, const kw_local_map *map,
                             const kw_motion *motion, kw_ask ask, kw_candidate *out_test) {
    const uint64_t before = kw_float_control_enter();
    const kw_avoidance *declared = &kw_avoidance_declared;
    kw_status status = check(candidates, map, motion);
    if (status == KW_OK && !kw_ask_inside(&candidates->shell, ask)) {
        status = KW_BAD_ARGUMENT;
    }
    if (status == KW_OK) {
        const double now = fabs(motion->speed_mps);
        const double asked = fabs(ask.speed_dmmps / 1e4);
        status = kw_corridor_gather(
            &candidates->corridor, map, motion->pose, declared->clearance_m, declared->nearer_m,
            kw_stop_reach_m(&candidates->stop, now > asked ? now : asked), kw_stop_spare_m());
    }
    if (status == KW_OK) {
        kw_candidate test = {.candidate = KW_CANDIDATE_REST, .ask = ask};
        int32_t cell;
        test.is_admissible =
            kw_stop_is_free(&candidates->stop, &candidates->corridor, motion, ask, &cell);
        kw_candidate_limit(&test, &candidates->corridor, cell);
        *out_test = test;
    }
    kw_float_control_leave(before);
    return status;
}
