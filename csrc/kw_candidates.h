/* Candidates: short motions of the shell, predicted by its own law and held against a local map.
 *
 * A candidate is a speed and a curvature, held over a horizon; the last one is rest. It is
 * admissible where the shell, holding it for the reaction time and then asking for rest, meets no
 * cell before it stands: no cell enters the corridor, which is the body's outline plus the
 * clearance plus the cell's own tolerance. Motions are tested on every tick.
 */
#ifndef KW_CANDIDATES_H
#define KW_CANDIDATES_H

#include "kw_local_map.h"
#include "kw_types.h"

/* cffi: begin */
#define KW_SPEED_COUNT 3
#define KW_CURVATURE_COUNT 10 /* nine from right lock to left lock, then the goal's own */
#define KW_CURVATURE_OF_GOAL 9
#define KW_CANDIDATE_COUNT 31 /* speed * KW_CURVATURE_COUNT + curvature, then rest */
#define KW_CANDIDATE_REST 30
#define KW_DECISION_TICK 12 /* from one decision to the next: 0.1 s */
#define KW_HOLD_TICK 24     /* a decision's ask holds this long, then lapses to rest */
#define KW_SAMPLE_TICK 6    /* from one of a candidate's poses to the next */
#define KW_SAMPLES_MAX 60   /* poses of the longest horizon */

/* The declared figures of avoidance. */
typedef struct {
    double speeds_mps[KW_SPEED_COUNT]; /* slowest first; the last is the cruise speed */
    double clearance_m;                /* kept all round, beside each cell's tolerance */
    double margin_most_m;              /* margin beyond this earns nothing more */
    double nearer_m;                   /* how far a cell already in the corridor may come nearer */
    double goal_share; /* of the goal's radius: a candidate ends this near to the goal */
    int32_t margin_weight_permille; /* w: millimetres of way that a thousand of margin are worth */
    int32_t horizon_tick;           /* 1.5 s */
    int32_t
        after_lock_tick; /* a steering slower than that: its way from lock to straight, and this */
} kw_avoidance;

extern const kw_avoidance kw_avoidance_declared;

/* What the candidates are for. */
typedef struct {
    int32_t has_goal; /* 0: straight ahead; x, y and radius are then ignored */
    int32_t x_um;
    int32_t y_um;
    int32_t radius_um;
    int32_t toward_only; /* 1: only the goal's own curvature and rest, never around */
    uint32_t vetoed;     /* bit i: candidate i must not be taken */
} kw_aim;

/* One candidate held against the map. Where it is not admissible only the ask and the cell are
 * meant. */
typedef struct {
    int32_t candidate;
    kw_ask ask;
    int32_t is_admissible;
    int32_t is_cut;    /* a cell enters its corridor within the horizon: it ends there */
    int32_t margin_mm; /* least slack beyond the corridor up to its end, 0 to margin_most_m */
    int32_t end_mm;    /* from the body's centre at its end to the goal */
    int64_t score;     /* thousandths of a millimetre; the least is the best */
    int32_t has_cell;  /* whether a cell limits it: bars it, cuts it, or sets its margin */
    int32_t row;
    int32_t col;
    int32_t n_poses;    /* up to its end, KW_SAMPLE_TICK apart */
    int32_t is_at_goal; /* the body's centre is within the goal's radius: rest, whatever is free */
    int64_t away_um;    /* from the body's centre now to the goal */
} kw_candidate;

typedef struct kw_candidates kw_candidates;

/* reaction_tick, 1 to 36000: how long a candidate must be held before rest can be asked for. */
kw_status kw_candidates_create(const kw_shell *shell, const kw_steering *steering,
                               int32_t reaction_tick, kw_candidates **out_candidates);
void kw_candidates_destroy(kw_candidates *candidates);

/* Ticks over which candidates are predicted under this steering. */
int32_t kw_candidates_horizon(const kw_candidates *candidates);

/* The best admissible candidate from a motion; rest where there is none, with the steer angle
 * rest_steer_urad and the cell that bars the slowest way toward the goal. The map must have been
 * observed: KW_BAD_STATE otherwise. */
kw_status kw_candidates_choose(kw_candidates *candidates, const kw_local_map *map,
                               const kw_motion *motion, kw_aim aim, int32_t rest_steer_urad,
                               kw_candidate *out_choice);

/* Each candidate in full: out_all[KW_CANDIDATE_COUNT], and where out_poses is not NULL the poses
 * of the shell over the whole horizon: out_poses[KW_CANDIDATE_REST * KW_SAMPLES_MAX]. The vetoed
 * are looked at like all others. */
kw_status kw_candidates_survey(kw_candidates *candidates, const kw_local_map *map,
                               const kw_motion *motion, kw_aim aim, kw_candidate *out_all,
                               kw_pose *out_poses);

/* Whether one ask, of either direction, is admissible from a motion, and the cell that bars it. */
kw_status kw_candidates_test(kw_candidates *candidates, const kw_local_map *map,
                             const kw_motion *motion, kw_ask ask, kw_candidate *out_test);
/* cffi: end */

#endif
