/* Every tick is held against the cells, but for those that cannot matter: no point of the body
 * moves farther in a tick than the pivot's way and the turn times the body's arm, so a tick
 * that found room is good for as long as that has not been used up (conservative advancement:
 * B. Mirtich, Impulse-based dynamic simulation of rigid body systems, 1996).
 */
#include "grid/stop.h"

#include <math.h>

#include "common/motion.h"

enum { TICKS_MOST = 12000 }; /* a motion that has not stopped by then never does */

static const double SPARE_M = 0.30;

kw_stop_law kw_stop_law_of(const kw_shell *shell, const kw_steering *steering,
                           int32_t reaction_tick) {
    const double half_y = 0.5 * shell->width_m;
    const double front = fabs(shell->body_ahead_m) + 0.5 * shell->length_m;
    return (kw_stop_law){
        .shell = shell,
        .steering = steering,
        .reaction_tick = reaction_tick,
        .arm_m = sqrt(front * front + half_y * half_y),
    };
}

double kw_stop_reach_m(const kw_stop_law *law, double speed_mps) {
    const double reaction_s = (law->reaction_tick + 2.0) / KW_TICKS_PER_SECOND;
    return speed_mps * reaction_s + 0.5 * speed_mps * speed_mps / law->shell->braking_mps2;
}

double kw_stop_spare_m(void) {
    return SPARE_M;
}

/* What is beyond the map's radius nobody has seen. */
static int is_remembered(const kw_stop_law *law, const kw_motion *start, const kw_motion *now) {
    const double farthest = KW_LOCAL_RADIUS_UM / 1e6 - law->arm_m;
    const double x = now->pose.x_m - start->pose.x_m;
    const double y = now->pose.y_m - start->pose.y_m;
    return x * x + y * y <= farthest * farthest;
}

int32_t kw_stop_is_free(const kw_stop_law *law, const kw_corridor *corridor, const kw_motion *start,
                        kw_ask ask, int32_t *out_cell) {
    kw_motion motion = *start;
    double left_m = -1.0; // of the room that was found last
    *out_cell = -1;
    for (int32_t tick = 1; tick <= TICKS_MOST; tick++) {
        kw_arc arc;
        kw_motion_step(law->shell, law->steering, ask, &motion, &arc);
        left_m -= fabs(arc.distance_m) + fabs(arc.turn_rad) * law->arm_m;
        if (left_m <= 0.0) {
            const kw_body at = kw_corridor_body_at(corridor, motion.pose);
            left_m = kw_corridor_room(corridor, &at, SPARE_M, out_cell);
            if (left_m < 0.0 || !is_remembered(law, start, &motion)) {
                return 0;
            }
            *out_cell = -1;
        }
        if (tick >= law->reaction_tick) {
            if (motion.speed_mps == 0.0 && ask.speed_dmmps == 0) {
                return 1;
            }
            ask.speed_dmmps = 0;
        }
    }
    return 0;
}
