/* Which of a few motions to take next: a dynamic window (D. Fox, W. Burgard, S. Thrun, The
 * dynamic window approach to collision avoidance, 1997) over the shell's own law of motion.
 *
 * Order of work, the cells within reach having been gathered: from the greatest speed down, the
 * first curvature that can be stopped is judged; then the others of that speed are run side by
 * side, each as far as it could still be the best. No way is shorter than the straight line, and
 * a margin only falls, so what is left out could not have been chosen: the choice is that of
 * looking at all.
 */
#include <math.h>

#include "grid/candidates.h"

static const double M_TO_MM = 1000.0;
static const double HAIR_M = 1e-9; /* more than rounding adds up to on a way */

/* ---- The goal ---- */

/* The curvature of the pivot's arc through the goal, within the lock; full lock where the goal
 * lies behind. */
static double goal_curvature(const kw_decision *at, double cosine, double sine) {
    const double lock = at->all->lock_radpm;
    const double dx = at->goal_x_m - at->motion->pose.x_m;
    const double dy = at->goal_y_m - at->motion->pose.y_m;
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

/* Without a goal there is one straight ahead, as far as no candidate comes. Returns the
 * curvature toward it. */
static double place_goal(kw_decision *at) {
    const kw_pose pose = at->motion->pose;
    const double ahead_m = at->all->shell.body_ahead_m;
    double sine;
    double cosine;
    kw_sincos(pose.heading_rad, &sine, &cosine);
    if (at->aim.has_goal) {
        at->goal_x_m = at->aim.x_um / 1e6;
        at->goal_y_m = at->aim.y_um / 1e6;
        at->near_m = kw_avoidance_declared.goal_share * (at->aim.radius_um / 1e6);
    } else {
        at->goal_x_m = pose.x_m + 100.0 * cosine;
        at->goal_y_m = pose.y_m + 100.0 * sine;
    }
    const double dx = pose.x_m + ahead_m * cosine - at->goal_x_m;
    const double dy = pose.y_m + ahead_m * sine - at->goal_y_m;
    at->away_m = sqrt(dx * dx + dy * dy);
    at->all->ways.goal_x_m = at->goal_x_m;
    at->all->ways.goal_y_m = at->goal_y_m;
    return at->aim.has_goal ? goal_curvature(at, cosine, sine) : 0.0;
}

/* ---- Scores ---- */

static int64_t score_of(int64_t end_mm, int64_t margin_mm) {
    return 1000 * end_mm - kw_avoidance_declared.margin_weight_permille * margin_mm;
}

/* The best score of whatever ends this far from the goal or farther, with this margin or less. */
static int64_t best_score(double away_m, double margin_m) {
    const double least_m = away_m > HAIR_M ? away_m - HAIR_M : 0.0;
    return score_of(kw_round_i64(least_m * M_TO_MM), (int64_t)floor(margin_m * M_TO_MM));
}

static int64_t off_goal(const kw_decision *at, int32_t curvature) {
    const int64_t off = at->curvatures[curvature] - at->curvatures[KW_CURVATURE_OF_GOAL];
    return off < 0 ? -off : off;
}

/* The curvatures from the goal's own outwards: what is looked at early rules out the more. */
static void order_curvatures(kw_decision *at) {
    for (int32_t i = 0; i < KW_CURVATURE_COUNT; i++) {
        int32_t place = i;
        const int32_t curvature = i == 0 ? KW_CURVATURE_OF_GOAL : i - 1;
        while (place > 0 && off_goal(at, at->order[place - 1]) > off_goal(at, curvature)) {
            at->order[place] = at->order[place - 1];
            place--;
        }
        at->order[place] = curvature;
    }
}

void kw_decision_aim(kw_decision *at) {
    const double curvature = place_goal(at);
    for (int32_t i = 0; i < KW_CURVATURES; i++) {
        at->asks_urad[i] = at->all->asks_urad[i];
        at->curvatures[i] = at->all->curvatures[i];
    }
    at->asks_urad[KW_CURVATURE_OF_GOAL] = kw_steer_for(curvature, &at->all->shell);
    at->curvatures[KW_CURVATURE_OF_GOAL] = kw_whole_curvature(curvature);
    order_curvatures(at);
}

/* A total order: score, curvature nearest to the goal's, greater speed, left, goal's own. */
static int is_better(const kw_decision *at, const kw_candidate *a, const kw_candidate *b) {
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
    return a->candidate > b->candidate; // where one of the nine is the goal's own
}

/* ---- Candidates ---- */

static kw_ask ask_of(const kw_decision *at, int32_t candidate) {
    kw_ask ask = {0, 0};
    const double speed = kw_avoidance_declared.speeds_mps[candidate / KW_CURVATURE_COUNT];
    (void)kw_quantise_ask(&at->all->shell, speed, 0.0, &ask);
    ask.steer_urad = at->asks_urad[candidate % KW_CURVATURE_COUNT];
    return ask;
}

void kw_candidate_limit(kw_candidate *out, const kw_corridor *corridor, int32_t cell) {
    out->has_cell = cell >= 0;
    out->row = cell >= 0 ? corridor->cells.row[cell] : 0;
    out->col = cell >= 0 ? corridor->cells.col[cell] : 0;
}

/* A candidate as far as its stop tells: what bars it, if anything. */
static kw_candidate try_stop(const kw_decision *at, int32_t candidate) {
    const kw_candidates *all = at->all;
    kw_candidate out = {.candidate = candidate, .ask = ask_of(at, candidate)};
    int32_t cell;
    out.is_admissible = kw_stop_is_free(&all->stop, &all->corridor, at->motion, out.ask, &cell);
    kw_candidate_limit(&out, &all->corridor, cell);
    return out;
}

/* ---- Ways ---- */

static kw_way_sample last_sample(const kw_decision *at, int32_t curvature) {
    const kw_ways *ways = &at->all->ways;
    return ways->samples[curvature][ways->n_samples[curvature] - 1];
}

/* Judges a way by its last sample. */
static void judge(kw_decision *at, int32_t curvature) {
    const kw_corridor *corridor = &at->all->corridor;
    const kw_way_sample sample = last_sample(at, curvature);
    const kw_body body =
        kw_corridor_body(corridor, sample.pose.x_m, sample.pose.y_m, sample.cosine, sample.sine);
    kw_judgement *so_far = &at->judged[curvature];
    so_far->margin_m = kw_corridor_room(corridor, &body, so_far->margin_m, &so_far->cell);
    so_far->is_cut = so_far->margin_m < 0.0;
    so_far->is_complete = so_far->is_cut || sample.away_m <= at->near_m ||
                          at->all->ways.tick == at->all->ways.horizon_tick;
}

/* A candidate whose way is complete, as far as that tells. */
static kw_candidate score(const kw_decision *at, int32_t candidate) {
    const int32_t curvature = candidate % KW_CURVATURE_COUNT;
    const kw_judgement *judged = &at->judged[curvature];
    kw_candidate out = {
        .candidate = candidate,
        .ask = ask_of(at, candidate),
        .is_cut = judged->is_cut,
        .margin_mm = judged->is_cut ? 0 : (int32_t)floor(judged->margin_m * M_TO_MM),
        .end_mm = (int32_t)kw_round_i64(last_sample(at, curvature).away_m * M_TO_MM),
        .n_poses = at->all->ways.n_samples[curvature],
    };
    out.score = score_of(out.end_mm, out.margin_mm);
    kw_candidate_limit(&out, &at->all->corridor, judged->cell);
    return out;
}

/* Starts the ways of some candidates of one speed. */
static void start_ways(kw_decision *at, int32_t n, const int32_t *candidates) {
    int32_t curvatures[KW_CURVATURE_COUNT];
    kw_ask asks[KW_CURVATURE_COUNT];
    for (int32_t i = 0; i < n; i++) {
        curvatures[i] = candidates[i] % KW_CURVATURE_COUNT;
        asks[i] = ask_of(at, candidates[i]);
        at->judged[curvatures[i]] =
            (kw_judgement){.margin_m = kw_avoidance_declared.margin_most_m, .cell = -1};
    }
    kw_ways_start(&at->all->ways, at->motion, n, curvatures, asks);
}

/* The farthest that the body's centre runs from a speed in some ticks, at most: it brakes to
 * the speed asked for, or never runs faster. */
double kw_decision_reach_m(const kw_decision *at, double now_mps, double asked_mps, int32_t ticks) {
    const double more = now_mps > asked_mps ? now_mps - asked_mps : 0.0;
    const double braking_m =
        0.5 * more * more / at->all->shell.braking_mps2 + more / KW_TICKS_PER_SECOND;
    return at->all->stretch * (asked_mps * ticks / KW_TICKS_PER_SECOND + braking_m);
}

/* ---- The choice ---- */

static int may_take(const kw_decision *at, int32_t candidate) {
    const int is_toward = candidate % KW_CURVATURE_COUNT == KW_CURVATURE_OF_GOAL;
    return (at->aim.vetoed >> candidate & 1U) == 0 && (is_toward || !at->aim.toward_only);
}

/* 1 where what ends this far from the goal or farther, with this margin or less, cannot take the
 * best's place. */
static int is_beaten(const kw_decision *at, const kw_candidate *best, int32_t candidate,
                     double away_m, double margin_m) {
    const kw_candidate dream = {.candidate = candidate, .score = best_score(away_m, margin_m)};
    return best->is_admissible && !is_better(at, &dream, best);
}

/* Judges lane i by its last sample, unless it is beaten already; 1 where it need not run on. */
static int is_done(kw_decision *at, int32_t speed, int32_t i, const kw_candidate *best) {
    const kw_ways *ways = &at->all->ways;
    const int32_t curvature = ways->curvature_of[i];
    const int32_t candidate = speed * KW_CURVATURE_COUNT + curvature;
    const double away_m = last_sample(at, curvature).away_m;
    const double end_m = away_m - kw_decision_reach_m(at, fabs(ways->lanes.speed_mps[i]),
                                                      kw_avoidance_declared.speeds_mps[speed],
                                                      ways->horizon_tick - ways->tick);
    if (is_beaten(at, best, candidate, end_m, at->judged[curvature].margin_m)) {
        return 1;
    }
    judge(at, curvature);
    return at->judged[curvature].is_complete ||
           is_beaten(at, best, candidate, end_m, at->judged[curvature].margin_m);
}

/* Runs the ways of a speed to their ends, but those that cannot take the best's place. */
static void run_ways(kw_decision *at, int32_t speed, const kw_candidate *best) {
    kw_ways *ways = &at->all->ways;
    while (ways->lanes.n > 0) {
        kw_ways_advance(ways);
        for (int32_t i = ways->lanes.n - 1; i >= 0; i--) {
            if (is_done(at, speed, i, best)) {
                kw_ways_drop(ways, i);
            }
        }
    }
}

/* The first candidate of a speed that can be stopped, from the goal's own curvature outwards; it
 * may rule out the others before they are run. Returns how many of the order come after it. */
static int32_t try_first(kw_decision *at, int32_t speed, kw_candidate *best) {
    for (int32_t i = 0; i < KW_CURVATURE_COUNT; i++) {
        const int32_t candidate = speed * KW_CURVATURE_COUNT + at->order[i];
        if (!may_take(at, candidate) || !try_stop(at, candidate).is_admissible) {
            continue;
        }
        start_ways(at, 1, &candidate);
        run_ways(at, speed, best);
        if (at->judged[at->order[i]].is_complete) {
            const kw_candidate first = score(at, candidate);
            if (!best->is_admissible || is_better(at, &first, best)) {
                *best = first;
                best->is_admissible = 1;
            }
        }
        return KW_CURVATURE_COUNT - 1 - i;
    }
    return 0;
}

/* Holds the candidates of one speed against the best so far. */
static void try_speed(kw_decision *at, int32_t speed, kw_candidate *best) {
    const int32_t n_after = try_first(at, speed, best);
    int32_t candidates[KW_CURVATURE_COUNT];
    int32_t n = 0;
    for (int32_t i = KW_CURVATURE_COUNT - n_after; i < KW_CURVATURE_COUNT; i++) {
        const int32_t candidate = speed * KW_CURVATURE_COUNT + at->order[i];
        if (may_take(at, candidate)) {
            candidates[n++] = candidate;
        }
    }
    start_ways(at, n, candidates);
    run_ways(at, speed, best);
    for (int32_t i = 0; i < n; i++) {
        if (!at->judged[candidates[i] % KW_CURVATURE_COUNT].is_complete) {
            continue;
        }
        const kw_candidate tried = score(at, candidates[i]);
        if ((!best->is_admissible || is_better(at, &tried, best)) &&
            try_stop(at, candidates[i]).is_admissible) {
            *best = tried;
            best->is_admissible = 1;
        }
    }
}

/* Rest, with the cell that bars the slowest way toward the goal. */
static kw_candidate rest(const kw_decision *at, int32_t steer_urad) {
    const kw_candidate slowest = try_stop(at, KW_CURVATURE_OF_GOAL);
    return (kw_candidate){
        .candidate = KW_CANDIDATE_REST,
        .ask = {0, steer_urad},
        .end_mm = (int32_t)kw_round_i64(at->away_m * M_TO_MM),
        .has_cell = slowest.has_cell,
        .row = slowest.row,
        .col = slowest.col,
    };
}

kw_candidate kw_decision_choose(kw_decision *at, int32_t rest_steer_urad) {
    const kw_avoidance *declared = &kw_avoidance_declared;
    // observations round by a micrometre
    const int is_at_goal = at->aim.has_goal && at->away_m * 1e6 + 2.0 <= (double)at->aim.radius_um;
    kw_candidate best = {0};
    for (int32_t speed = KW_SPEED_COUNT - 1; speed >= 0 && !is_at_goal; speed--) {
        const double nearest_m = at->away_m - kw_decision_reach_m(at, fabs(at->motion->speed_mps),
                                                                  declared->speeds_mps[speed],
                                                                  at->all->ways.horizon_tick);
        if (!best.is_admissible || best_score(nearest_m, declared->margin_most_m) <= best.score) {
            try_speed(at, speed, &best);
        }
    }
    kw_candidate choice = best.is_admissible ? best : rest(at, rest_steer_urad);
    choice.is_at_goal = is_at_goal;
    choice.away_um = kw_round_i64(at->away_m * 1e6);
    return choice;
}

/* ---- The survey ---- */

/* All candidates of one speed, each to its end, and the poses of each to the horizon. */
static void survey(kw_decision *at, int32_t speed, kw_candidate *out_all, kw_pose *out_poses) {
    kw_ways *ways = &at->all->ways;
    int32_t candidates[KW_CURVATURE_COUNT];
    int32_t is_scored[KW_CURVATURE_COUNT] = {0};
    for (int32_t i = 0; i < KW_CURVATURE_COUNT; i++) {
        candidates[i] = speed * KW_CURVATURE_COUNT + i;
        out_all[i] = try_stop(at, candidates[i]);
    }
    start_ways(at, KW_CURVATURE_COUNT, candidates);
    while (ways->tick < ways->horizon_tick) {
        kw_ways_advance(ways);
        for (int32_t i = 0; i < KW_CURVATURE_COUNT; i++) {
            if (out_all[i].is_admissible && !is_scored[i]) {
                judge(at, i);
                is_scored[i] = at->judged[i].is_complete;
                out_all[i] = is_scored[i] ? score(at, candidates[i]) : out_all[i];
                out_all[i].is_admissible = 1;
            }
        }
    }
    for (int32_t i = 0; out_poses != NULL && i < KW_CURVATURE_COUNT; i++) {
        for (int32_t k = 0; k < ways->n_samples[i]; k++) {
            out_poses[i * KW_SAMPLES_MAX + k] = ways->samples[i][k].pose;
        }
    }
}

void kw_decision_survey(kw_decision *at, kw_candidate *out_all, kw_pose *out_poses) {
    for (int32_t speed = 0; speed < KW_SPEED_COUNT; speed++) {
        const int32_t first = speed * KW_CURVATURE_COUNT;
        survey(at, speed, out_all + first,
               out_poses == NULL ? NULL : out_poses + (size_t)first * KW_SAMPLES_MAX);
    }
    out_all[KW_CANDIDATE_REST] = rest(at, 0);
}
