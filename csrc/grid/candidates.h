/* The inside of kw_candidates: what stays from decision to decision, and one decision. */
#ifndef KW_GRID_CANDIDATES_H
#define KW_GRID_CANDIDATES_H

#include "grid/stop.h"
#include "grid/ways.h"

enum { KW_CURVATURES = KW_CURVATURE_COUNT - 1 }; /* spread from lock to lock */

struct kw_candidates {
    kw_shell shell;
    kw_steering steering;
    kw_stop_law stop;
    double stretch;    /* way of the body's centre over the pivot's, at most */
    double lock_radpm; /* curvature at lock */
    int32_t asks_urad[KW_CURVATURES];
    int64_t curvatures[KW_CURVATURES]; /* 1e-6 rad/m */
    kw_corridor corridor;
    kw_ways ways;
};

/* How far the way of a curvature has been judged. */
typedef struct {
    double margin_m; /* least room so far */
    int32_t cell;    /* that left it, -1 where none left less than the greatest margin */
    int32_t is_cut;
    int32_t is_complete; /* up to its end */
} kw_judgement;

/* One decision: where from, where to, by which asks. */
typedef struct {
    kw_candidates *all;
    const kw_motion *motion;
    kw_aim aim;
    double goal_x_m;
    double goal_y_m;
    double near_m; /* this near to the goal a candidate ends */
    double away_m; /* of the body's centre now */
    int32_t asks_urad[KW_CURVATURE_COUNT];
    int64_t curvatures[KW_CURVATURE_COUNT];
    int32_t order[KW_CURVATURE_COUNT]; /* from the goal's own outwards */
    kw_judgement judged[KW_CURVATURE_COUNT];
} kw_decision;

/* The steer angle of a curvature, as it is asked for. */
int32_t kw_steer_for(double curvature_radpm, const kw_shell *shell);

/* A curvature in whole 1e-6 rad/m. */
int64_t kw_whole_curvature(double curvature_radpm);

/* Of a decision whose `all`, `motion` and `aim` are set: goal, curvatures and their order. */
void kw_decision_aim(kw_decision *at);

/* The farthest that the body's centre runs from a speed in some ticks, at most. */
double kw_decision_reach_m(const kw_decision *at, double now_mps, double asked_mps, int32_t ticks);

/* The best of all, or rest (choice.c). The corridor has been gathered. */
kw_candidate kw_decision_choose(kw_decision *at, int32_t rest_steer_urad);

/* All candidates and their poses, as kw_candidates_survey gives them (choice.c). */
void kw_decision_survey(kw_decision *at, kw_candidate *out_all, kw_pose *out_poses);

/* Which cell of the corridor limits a candidate, -1 for none. */
void kw_candidate_limit(kw_candidate *out, const kw_corridor *corridor, int32_t cell);

#endif
