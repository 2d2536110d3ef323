/* Public header of the agents' library: what an agent may call.
 *
 * Nothing here holds or reaches a scene, a sensor model or any truth of the world.
 */
#ifndef KW_GRID_H
#define KW_GRID_H

#include "kw_planner.h"
#include "kw_belief.h"
#include "kw_candidates.h"
#include "kw_local_map.h"
#include "kw_rolling.h"
#include "kw_types.h"
#include "kw_way.h"

/* cffi: begin */

/* Runs n_ticks of the motion law under one ask, as the world does. Writes the motion
 * after each tick to out_motions[n_ticks]. */
kw_status kw_predict(const kw_shell *shell, const kw_steering *steering, const kw_motion *start,
                     kw_ask ask, int32_t n_ticks, kw_motion *out_motions);

/* The motion after n_ticks of one ask, told by an observation's pose (x um, y um, heading urad),
 * speed and steer angle: what these round away comes from the law where they agree with it, and
 * the steer rate, which is not observed, too. Where they do not, as after a jump or another's
 * asks, the motion is as observed, its steer at rest. `motion` is changed in place. */
kw_status kw_motion_observe(const kw_shell *shell, const kw_steering *steering, kw_ask ask,
                            int32_t n_ticks, const int32_t pose[3], int32_t speed_mmps,
                            int32_t steer_urad, kw_motion *motion);
/* cffi: end */

#endif
