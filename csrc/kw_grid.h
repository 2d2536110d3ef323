/* Public header of the agents' library: what an agent may call.
 *
 * Nothing here holds or reaches a scene, a sensor model or any truth of the world.
 */
#ifndef KW_GRID_H
#define KW_GRID_H

#include "kw_planner.h"
#include "kw_belief.h"
#include "kw_types.h"
#include "kw_way.h"

/* cffi: begin */

/* Runs n_ticks of the motion law under one ask, as the world does. Writes the motion
 * after each tick to out_motions[n_ticks]. */
kw_status kw_predict(const kw_shell *shell, const kw_steering *steering, const kw_motion *start,
                     kw_ask ask, int32_t n_ticks, kw_motion *out_motions);
/* cffi: end */

#endif
