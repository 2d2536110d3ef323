/* Which of a few motions to take next: a dynamic window (D. Fox, W. Burgard, S. Thrun, The
 * dynamic window approach to collision avoidance, 1997) over the shell's own law of motion.
 *
 * Two passes over a candidate. The stop: every tick of holding it for the reaction time and of
 * the braking after, held against the cells; a tick is passed over while the body has not moved
 * by the room that the last one left, so nothing between is missed. The way: poses
 * KW_SAMPLE_TICK apart, up to the horizon, a cell's entry or the goal, for end, margin and score.
 *
 * A candidate is looked into only as far as it could still be the best: no way is shorter than
 * the straight line, and none earns more than the greatest margin. What is left out could not
 * have been chosen, so the choice is that of looking at all.
 */
#include "kw_candidates.h"

#include <math.h>
#include <stdlib.h>

#include "common/motion.h"
#include "grid/corridor.h"

const kw_avoidance kw_avoidance_declared = {
    .speeds_mps = {0.15, 0.30, 0.50}, /* m/s */
    .clearance_m = 0.05,              /* m */
    .margin_most_m = 0.30,            /* m */
    .nearer_m = 0.002,                /* m */
    .goal_share = 0.6,
    .margin_weight_permille = 500, /* of 0.5 to 1.0, the more robust */
    .horizon_tick = 180,           /* 1.5 s */
    .after_lock_tick = 34,         /* 1.75 s in all for the declared rack */
};

enum {
    CURVATURES = KW_CURVATURE_COUNT - 1, /* spread from lock to lock */
    HORIZON_MOST = KW_SAMPLES_MAX * KW_SAMPLE_TICK,
    AWAY_MOST_TICK = 12000, /* a motion that has not stopped by then never does */
};

static const double SPARE_M = 0.30; /* how far beyond its corridor a stop looks at once */
static const double M_TO_MM = 1000.0;

struct kw_candidates {
    kw_shell shell;
    kw_steering steering;
    int32_t reaction_tick;
    int32_t horizon_tick;
    double arm_m;      /* from the pivot to the body's farthest corner */
    double stretch;    /* way of the body's centre over the pivot's, at most */
    double lock_radpm; /* curvature at lock */
    int32_t asks_urad[CURVATURES];
    int64_t curvatures[CURVATURES]; /* 1e-6 rad/m */
    kw_corridor corridor;
};

/* One decision: where from, where to, by which asks. */
typedef struct {
    kw_candidates *all;
    const kw_motion *motion;
    kw_aim aim;
    double goal_x_m;
    double goal_y_m;
    double near_m; /* this near to the goal a candidate ends */
    int32_t asks_urad[KW_CURVATURE_COUNT];
    int64_t curvatures[KW_CURVATURE_COUNT];
} decision;

/* What predicting a candidate has found. */
typedef struct {
    int32_t n;
    kw_pose poses[KW_SAMPLES_MAX];
    double away_m[KW_SAMPLES_MAX]; /* of the body's centre, from the goal */
} way;

/* ---- Creation ---- */

static int32_t steer_for(double curvature_radpm, const kw_shell *shell) {
    kw_ask ask = {0, 0};
    (void)kw_quantise_ask(shell, 0.0, kw_atan(curvature_radpm * shell->curvature_length_m), &ask);
    return ask.steer_urad;
}

static int64_t whole_curvature(double curvature_radpm) {
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

static void prepare(kw_candidates *all) {
    const kw_shell *shell = &all->shell;
    all->horizon_tick = horizon_of(shell, &all->steering);
    const double half_y = 0.5 * shell->width_m;
    const double front = fabs(shell->body_ahead_m) + 0.5 * shell->length_m;
    all->arm_m = sqrt(front * front + half_y * half_y);
    all->lock_radpm = kw_tan(shell->lock_rad) / shell->curvature_length_m;
    const double swing = all->lock_radpm * shell->body_ahead_m;
    all->stretch = sqrt(1.0 + swing * swing);
    for (int32_t i = 0; i < CURVATURES; i++) {
        const double curvature = all->lock_radpm * (2.0 * i / (CURVATURES - 1) - 1.0);
        all->asks_urad[i] = steer_for(curvature, shell);
        all->curvatures[i] = whole_curvature(curvature);
    }
    kw_corridor_create(shell, &all->corridor);
}

kw_status kw_candidates_create(const kw_shell *shell, const kw_steering *steering,
                               int32_t reaction_tick, kw_candidates **out_candidates) {
    if (kw_shell_check(shell) != KW_OK || kw_steering_check(steering) != KW_OK ||
        reaction_tick < 1 || reaction_tick > AWAY_MOST_TICK) {
        return KW_BAD_ARGUMENT;
    }
    kw_candidates *all = calloc(1, sizeof *all);
    if (all == NULL) {
        return KW_NO_MEMORY;
    }
    all->shell = *shell;
    all->steering = *steering;
    all->shell.name = all->steering.name = NULL; // the caller's; never read here
    all->reaction_tick = reaction_tick;
    const uint64_t before = kw_float_control_enter();
    prepare(all);
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
    return candidates->horizon_tick;
}

/* ---- The stop ---- */

static void limit(kw_candidate *out, const kw_corridor *corridor, int32_t cell) {
    out->has_cell = cell >= 0;
    out->row = cell >= 0 ? corridor->cells[cell].row : 0;
    out->col = cell >= 0 ? corridor->cells[cell].col : 0;
}

/* 1 where every tick of holding the ask, and of the rest after it, is free; what is left of the
 * radius that the map remembers is not. out_held is the motion when rest is asked for. */
static int can_stop(const kw_candidates *all, const kw_motion *start, kw_ask ask,
                    kw_candidate *out) {
    const double farthest_m = KW_LOCAL_RADIUS_UM / 1e6 - all->arm_m;
    kw_motion motion = *start;
    double left_m = -1.0; // of the room that the last tick looked at had
    for (int32_t tick = 0; tick < AWAY_MOST_TICK; tick++) {
        kw_arc arc;
        kw_motion_step(&all->shell, &all->steering, ask, &motion, &arc);
        left_m -= fabs(arc.distance_m) + fabs(arc.turn_rad) * all->arm_m;
        if (left_m <= 0.0) {
            int32_t cell = -1;
            left_m = kw_corridor_room(&all->corridor, motion.pose, SPARE_M, &cell);
            const double x = motion.pose.x_m - start->pose.x_m;
            const double y = motion.pose.y_m - start->pose.y_m;
            if (left_m < 0.0 || x * x + y * y > farthest_m * farthest_m) {
                limit(out, &all->corridor, cell);
                return 0;
            }
        }
        if (tick >= all->reaction_tick - 1) {
            ask.speed_dmmps = 0;
            if (motion.speed_mps == 0.0) {
                return 1;
            }
        }
    }
    return 0;
}

/* The farthest that the pivot comes before it stands, at most. */
static double stop_reach_m(const kw_candidates *all, double speed_mps) {
    const double reaction_s = (all->reaction_tick + 1.0) / KW_TICKS_PER_SECOND;
    return speed_mps * reaction_s + 0.5 * speed_mps * speed_mps / all->shell.braking_mps2 +
           speed_mps / KW_TICKS_PER_SECOND;
}

/* ---- The way ---- */

static double away_m(const decision *at, kw_pose pose) {
    double x;
    double y;
    kw_body_centre(&at->all->shell, pose, &x, &y);
    const double dx = x - at->goal_x_m;
    const double dy = y - at->goal_y_m;
    return sqrt(dx * dx + dy * dy);
}

/* The best score of whatever ends this far from the goal or farther. */
static int64_t best_score(double away) {
    const kw_avoidance *declared = &kw_avoidance_declared;
    const double nearest_mm = away > 0.0 ? floor(away * M_TO_MM) : 0.0;
    const double most_mm = floor(declared->margin_most_m * M_TO_MM + 0.5);
    return 1000 * (int64_t)nearest_mm - declared->margin_weight_permille * (int64_t)most_mm;
}

/* The farthest that the body's centre runs in some ticks, at most. */
static double reach_m(const decision *at, double speed_mps, int32_t ticks) {
    return at->all->stretch * speed_mps * ticks / KW_TICKS_PER_SECOND;
}

static double fastest(double a, double b) {
    return fabs(a) > fabs(b) ? fabs(a) : fabs(b);
}

/* Predicts poses and their distances from the goal. 0 where it was given up, for it cannot
 * score as well as `enough`. */
static int predict(const decision *at, kw_ask ask, const int64_t *enough, way *out) {
    const kw_candidates *all = at->all;
    kw_motion motion = *at->motion;
    double least = HUGE_VAL;
    out->n = 0;
    for (int32_t tick = 1; tick <= all->horizon_tick; tick++) {
        kw_arc arc;
        kw_motion_step(&all->shell, &all->steering, ask, &motion, &arc);
        if (tick % KW_SAMPLE_TICK != 0 && tick != all->horizon_tick) {
            continue;
        }
        const double away = away_m(at, motion.pose);
        out->poses[out->n] = motion.pose;
        out->away_m[out->n++] = away;
        least = away < least ? away : least;
        const double speed = fastest(motion.speed_mps, ask.speed_dmmps / 1e4);
        const double ahead = away - reach_m(at, speed, all->horizon_tick - tick);
        if (enough != NULL && best_score(ahead < least ? ahead : least) > *enough) {
            return 0;
        }
        if (enough != NULL && away <= at->near_m) {
            return 1; // it ends here at the latest
        }
    }
    return 1;
}

static void judge(const decision *at, const way *on, kw_candidate *out) {
    const kw_avoidance *declared = &kw_avoidance_declared;
    const kw_corridor *corridor = &at->all->corridor;
    double margin = declared->margin_most_m;
    int32_t cell = -1;
    int32_t i = 0;
    for (;;) {
        margin = kw_corridor_room(corridor, on->poses[i], margin, &cell);
        out->is_cut = margin < 0.0;
        if (out->is_cut || on->away_m[i] <= at->near_m || i + 1 == on->n) {
            break;
        }
        i++;
    }
    out->n_poses = i + 1;
    out->margin_mm = out->is_cut ? 0 : (int32_t)floor(margin * M_TO_MM);
    out->end_mm = (int32_t)kw_round_i64(on->away_m[i] * M_TO_MM);
    out->score =
        1000 * (int64_t)out->end_mm - (int64_t)declared->margin_weight_permille * out->margin_mm;
    limit(out, corridor, cell);
}

/* ---- The choice ---- */

static int64_t off_goal(const decision *at, int32_t curvature) {
    const int64_t off = at->curvatures[curvature] - at->curvatures[KW_CURVATURE_OF_GOAL];
    return off < 0 ? -off : off;
}

/* A total order: score, curvature nearest to the goal's, greater speed, left, goal's own. */
static int is_better(const decision *at, const kw_candidate *a, const kw_candidate *b) {
    const int32_t a_curvature = a->candidate % KW_CURVATURE_COUNT;
    const int32_t b_curvature = b->candidate % KW_CURVATURE_COUNT;
    if (a->score != b->score) {
        return a->score < b->score;
    }
    if (off_goal(at, a_curvature) != off_goal(at, b_curvature)) {
        return off_goal(at, a_curvature) < off_goal(at, b_curvature);
    }
    if (a->candidate / KW_CURVATURE_COUNT != b->candidate / KW_CURVATURE_COUNT) {
        return a->candidate > b->candidate;
    }
    if (at->curvatures[a_curvature] != at->curvatures[b_curvature]) {
        return at->curvatures[a_curvature] > at->curvatures[b_curvature];
    }
    return a->candidate > b->candidate; // the goal's own, where one of the nine is the same
}

static kw_ask ask_of(const decision *at, int32_t candidate) {
    kw_ask ask = {0, 0};
    const double speed = kw_avoidance_declared.speeds_mps[candidate / KW_CURVATURE_COUNT];
    (void)kw_quantise_ask(&at->all->shell, speed, 0.0, &ask);
    ask.steer_urad = at->asks_urad[candidate % KW_CURVATURE_COUNT];
    return ask;
}

/* The curvature of the pivot's arc through the goal, within the lock; full lock where the goal
 * lies behind. */
static double goal_curvature(const decision *at) {
    const kw_pose pose = at->motion->pose;
    const double lock = at->all->lock_radpm;
    const double dx = at->goal_x_m - pose.x_m;
    const double dy = at->goal_y_m - pose.y_m;
    double sine;
    double cosine;
    kw_sincos(pose.heading_rad, &sine, &cosine);
    const double ahead = cosine * dx + sine * dy;
    const double left = cosine * dy - sine * dx;
    const double square = dx * dx + dy * dy;
    if (square == 0.0) {
        return 0.0;
    }
    const double curvature = 2.0 * left / square;
    if (ahead < 0.0 || fabs(curvature) > lock) {
        return left < 0.0 ? -lock : lock;
    }
    return curvature;
}

static void place_goal(decision *at) {
    const kw_pose pose = at->motion->pose;
    if (at->aim.has_goal) {
        at->goal_x_m = at->aim.x_um / 1e6;
        at->goal_y_m = at->aim.y_um / 1e6;
        at->near_m = kw_avoidance_declared.goal_share * (at->aim.radius_um / 1e6);
        return;
    }
    // as far ahead as no candidate comes
    double sine;
    double cosine;
    kw_sincos(pose.heading_rad, &sine, &cosine);
    at->goal_x_m = pose.x_m + 100.0 * cosine;
    at->goal_y_m = pose.y_m + 100.0 * sine;
    at->near_m = 0.0;
}

static kw_status begin(kw_candidates *all, const kw_local_map *map, const kw_motion *motion,
                       kw_aim aim, decision *out) {
    const kw_avoidance *declared = &kw_avoidance_declared;
    *out = (decision){.all = all, .motion = motion, .aim = aim};
    place_goal(out);
    const double curvature = aim.has_goal ? goal_curvature(out) : 0.0;
    for (int32_t i = 0; i < CURVATURES; i++) {
        out->asks_urad[i] = all->asks_urad[i];
        out->curvatures[i] = all->curvatures[i];
    }
    out->asks_urad[KW_CURVATURE_OF_GOAL] = steer_for(curvature, &all->shell);
    out->curvatures[KW_CURVATURE_OF_GOAL] = whole_curvature(curvature);
    const double speed = fastest(motion->speed_mps, declared->speeds_mps[KW_SPEED_COUNT - 1]);
    const double way_m = reach_m(out, speed, all->horizon_tick);
    const double stop_m = all->stretch * stop_reach_m(all, speed);
    return kw_corridor_gather(&all->corridor, map, motion->pose, declared->clearance_m,
                              declared->nearer_m, way_m > stop_m ? way_m : stop_m,
                              declared->margin_most_m);
}

/* Of the curvatures of one speed, the goal's own first and the others from there outwards: what
 * is looked at early rules out the more. */
static void order_curvatures(const decision *at, int32_t out_order[KW_CURVATURE_COUNT]) {
    for (int32_t i = 0; i < KW_CURVATURE_COUNT; i++) {
        int32_t place = i;
        const int32_t curvature = i == 0 ? KW_CURVATURE_OF_GOAL : i - 1;
        while (place > 0 && off_goal(at, out_order[place - 1]) > off_goal(at, curvature)) {
            out_order[place] = out_order[place - 1];
            place--;
        }
        out_order[place] = curvature;
    }
}

static int may_take(const decision *at, int32_t candidate) {
    const int toward = candidate % KW_CURVATURE_COUNT == KW_CURVATURE_OF_GOAL;
    return (at->aim.vetoed >> candidate & 1U) == 0 && (toward || !at->aim.toward_only);
}

/* Holds one candidate against the best so far, and takes its place where it is better. */
static void try_one(const decision *at, int32_t candidate, kw_candidate *best) {
    const int is_first = best->candidate == KW_CANDIDATE_REST;
    kw_candidate tried = {.candidate = candidate, .ask = ask_of(at, candidate)};
    way on;
    if (predict(at, tried.ask, is_first ? NULL : &best->score, &on) &&
        can_stop(at->all, at->motion, tried.ask, &tried)) {
        tried.is_admissible = 1;
        judge(at, &on, &tried);
        if (is_first || is_better(at, &tried, best)) {
            *best = tried;
        }
    }
}

/* Rest, and the cell that bars the slowest way toward the goal. */
static kw_candidate rest(const decision *at, int32_t steer_urad) {
    const int32_t slowest = KW_CURVATURE_OF_GOAL;
    kw_candidate tried = {0};
    kw_candidate choice = {.candidate = KW_CANDIDATE_REST, .ask = {0, steer_urad}};
    if (!can_stop(at->all, at->motion, ask_of(at, slowest), &tried)) {
        choice.has_cell = tried.has_cell;
        choice.row = tried.row;
        choice.col = tried.col;
    }
    choice.end_mm = (int32_t)kw_round_i64(away_m(at, at->motion->pose) * M_TO_MM);
    return choice;
}

static int is_finite(double x) {
    return fabs(x) <= DBL_MAX;
}

/* What the law can be run from: see kw_predict. */
static int can_start(const kw_candidates *all, const kw_motion *motion) {
    const double rate = motion->steer_rate_radps;
    const double stopping = 0.5 * rate * rate / all->steering.acceleration_radps2;
    return is_finite(motion->pose.x_m) && is_finite(motion->pose.y_m) &&
           fabs(motion->pose.heading_rad) <= 4.0 && fabs(motion->speed_mps) <= 1000.0 &&
           fabs(motion->steer_rad) + stopping <= 1.56;
}

static kw_status check(const kw_candidates *all, const kw_local_map *map, const kw_motion *motion) {
    if (!map->has_begun) {
        return KW_BAD_STATE;
    }
    return can_start(all, motion) ? KW_OK : KW_BAD_ARGUMENT;
}

static kw_candidate best_of(const decision *at, int32_t rest_steer_urad) {
    int32_t order[KW_CURVATURE_COUNT];
    order_curvatures(at, order);
    kw_candidate best = {.candidate = KW_CANDIDATE_REST};
    const double away = away_m(at, at->motion->pose);
    for (int32_t speed = KW_SPEED_COUNT - 1; speed >= 0; speed--) {
        const double asked = kw_avoidance_declared.speeds_mps[speed];
        const double reach =
            reach_m(at, fastest(at->motion->speed_mps, asked), at->all->horizon_tick);
        if (best.candidate != KW_CANDIDATE_REST && best_score(away - reach) > best.score) {
            continue;
        }
        for (int32_t i = 0; i < KW_CURVATURE_COUNT; i++) {
            const int32_t candidate = speed * KW_CURVATURE_COUNT + order[i];
            if (may_take(at, candidate)) {
                try_one(at, candidate, &best);
            }
        }
    }
    return best.candidate == KW_CANDIDATE_REST ? rest(at, rest_steer_urad) : best;
}

/* Rest within the goal's radius, where observations round by a micrometre; else the best. */
static kw_candidate choose(const decision *at, int32_t rest_steer_urad) {
    const double away = away_m(at, at->motion->pose);
    const int is_at_goal = at->aim.has_goal && away * 1e6 + 2.0 <= (double)at->aim.radius_um;
    kw_candidate choice = {
        .candidate = KW_CANDIDATE_REST,
        .ask = {0, rest_steer_urad},
        .end_mm = (int32_t)kw_round_i64(away * M_TO_MM),
    };
    if (!is_at_goal) {
        choice = best_of(at, rest_steer_urad);
    }
    choice.is_at_goal = is_at_goal;
    choice.away_um = kw_round_i64(away * 1e6);
    return choice;
}

kw_status kw_candidates_choose(kw_candidates *candidates, const kw_local_map *map,
                               const kw_motion *motion, kw_aim aim, int32_t rest_steer_urad,
                               kw_candidate *out_choice) {
    const uint64_t before = kw_float_control_enter();
    kw_status status = check(candidates, map, motion);
    if (status == KW_OK) {
        decision at;
        status = begin(candidates, map, motion, aim, &at);
        if (status == KW_OK) {
            *out_choice = choose(&at, rest_steer_urad);
        }
    }
    kw_float_control_leave(before);
    return status;
}

static void survey(const decision *at, kw_candidate *out_all, kw_pose *out_poses) {
    for (int32_t i = 0; i < KW_CANDIDATE_REST; i++) {
        kw_candidate tried = {.candidate = i, .ask = ask_of(at, i)};
        way on;
        (void)predict(at, tried.ask, NULL, &on);
        tried.is_admissible = can_stop(at->all, at->motion, tried.ask, &tried);
        if (tried.is_admissible) {
            judge(at, &on, &tried);
        }
        for (int32_t k = 0; out_poses != NULL && k < on.n; k++) {
            out_poses[i * KW_SAMPLES_MAX + k] = on.poses[k];
        }
        out_all[i] = tried;
    }
    out_all[KW_CANDIDATE_REST] = rest(at, 0);
}

kw_status kw_candidates_survey(kw_candidates *candidates, const kw_local_map *map,
                               const kw_motion *motion, kw_aim aim, kw_candidate *out_all,
                               kw_pose *out_poses) {
    const uint64_t before = kw_float_control_enter();
    kw_status status = check(candidates, map, motion);
    if (status == KW_OK) {
        decision at;
        status = begin(candidates, map, motion, aim, &at);
        if (status == KW_OK) {
            survey(&at, out_all, out_poses);
        }
    }
    kw_float_control_leave(before);
    return status;
}

kw_status kw_candidates_test(kw_candidates *candidates, const kw_local_map *map,
                             const kw_motion *motion, kw_ask ask, kw_candidate *out_test) {
    const uint64_t before = kw_float_control_enter();
    kw_status status = check(candidates, map, motion);
    if (status == KW_OK && !kw_ask_inside(&candidates->shell, ask)) {
        status = KW_BAD_ARGUMENT;
    }
    if (status == KW_OK) {
        const kw_avoidance *declared = &kw_avoidance_declared;
        const double speed = fastest(motion->speed_mps, ask.speed_dmmps / 1e4);
        status = kw_corridor_gather(&candidates->corridor, map, motion->pose, declared->clearance_m,
                                    declared->nearer_m, stop_reach_m(candidates, speed), SPARE_M);
        if (status == KW_OK) {
            kw_candidate test = {.candidate = KW_CANDIDATE_REST, .ask = ask};
            test.is_admissible = can_stop(candidates, motion, ask, &test);
            *out_test = test;
        }
    }
    kw_float_control_leave(before);
    return status;
}
