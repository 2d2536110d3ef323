/* Changes of the scene: armed by a condition, applied where nobody looks.
 *
 * A solid appears or vanishes only on a tick on which no sample would read anything else
 * with the solid than without it, and while no turn of the scanner in progress has passed
 * a beam that would have. So nothing moves in view, and no frame is half old, half new.
 */
#include <string.h>

#include "world.h"

static bool is_armed(const kw_world *world, const kw_change *change) {
    const kw_state *state = &world->state;
    kw_pose pose = state->motion.pose;
    switch ((kw_armed_by)change->armed_by) {
    case KW_ARMED_AT_TICK:
        return state->tick >= change->number;
    case KW_ARMED_X_ABOVE:
        return pose.x_m > change->value_m;
    case KW_ARMED_X_BELOW:
        return pose.x_m < change->value_m;
    case KW_ARMED_Y_ABOVE:
        return pose.y_m > change->value_m;
    case KW_ARMED_Y_BELOW:
        return pose.y_m < change->value_m;
    case KW_ARMED_AFTER_CHANGE:
        return state->changes[change->number].applied_tick >= 0;
    case KW_ARMED_AT_GOAL:
        return state->goal_index > change->number;
    }
    return false;
}

void kw_changes_arm(kw_world *world) {
    kw_state *state = &world->state;
    int32_t n = kw_scene_change_count(world->scene);
    for (int32_t i = 0; i < n; ++i) {
        const kw_change *change = kw_scene_change(world->scene, i);
        kw_change_state *now = &state->changes[i];
        if (now->applied_tick >= 0) {
            continue;
        }
        now->armed = now->armed || is_armed(world, change);
        if (now->armed && change->action == KW_CHANGE_KIDNAP) {
            state->motion.pose = change->pose;
            now->applied_tick = state->tick;
            kw_world_note(world, KW_EVENT_CHANGE, i);
        }
    }
}

/* Whether a sample of this tick would differ with and without a changeable solid. */
static bool sample_differs(kw_world *world, const kw_sensor_run *run, int32_t changeable,
                           int32_t part) {
    size_t length = (size_t)run->sample_length;
    int32_t n_values = kw_sample_size_of(run->model).n_values;
    uint8_t *here = &world->state.present[changeable];
    uint8_t before = *here;
    int32_t *frames[2] = {world->scratch_frames, world->scratch_frames + length};
    memset(world->scratch_frames, 0, 2 * length * sizeof(int32_t));
    kw_view view = kw_world_view(world);
    view.rays = run->rays;
    for (uint8_t present = 0; present < 2; ++present) {
        *here = present;
        run->model->sample(&run->declaration, &view, part, frames[present],
                           frames[present] + n_values);
    }
    *here = before;
    return memcmp(frames[0], frames[1], length * sizeof(int32_t)) != 0;
}

/* Whether any sample of this tick or turn touches a change's solid; keeps the turn's record. */
static bool is_touched(kw_world *world, kw_change_state *now, int32_t changeable) {
    bool touched = false;
    for (int32_t i = 0; i < world->n_sensors; ++i) {
        const kw_sensor_run *run = &world->sensors[i];
        int32_t part = (world->state.tick - 1) % run->declaration.period_tick;
        bool samples_now = run->parts > 1 || part == run->declaration.period_tick - 1;
        if (!run->model->sees_solids || !samples_now) {
            continue;
        }
        if (part == 0 || run->parts == 1) {
            now->seen_in_sweep[i] = 0;
        }
        bool differs = sample_differs(world, run, changeable, run->parts == 1 ? 0 : part);
        touched = touched || differs || now->seen_in_sweep[i];
        now->seen_in_sweep[i] = now->seen_in_sweep[i] || differs;
    }
    return touched;
}

void kw_changes_apply(kw_world *world) {
    kw_state *state = &world->state;
    int32_t n = kw_scene_change_count(world->scene);
    for (int32_t i = 0; i < n; ++i) {
        const kw_change *change = kw_scene_change(world->scene, i);
        kw_change_state *now = &state->changes[i];
        if (change->action == KW_CHANGE_KIDNAP || now->applied_tick >= 0) {
            continue;
        }
        int32_t changeable = kw_scene_changeable_of(world->scene, change->solid);
        if (is_touched(world, now, changeable) || !now->armed) {
            continue;
        }
        state->present[changeable] = change->action == KW_CHANGE_APPEAR;
        now->applied_tick = state->tick;
        kw_world_note(world, KW_EVENT_CHANGE, i);
    }
}

void kw_goal_changes_apply(kw_world *world) {
    kw_state *state = &world->state;
    for (int32_t i = 0; i < state->n_goal_changes && state->n_goals > 0; ++i) {
        const kw_goal_change *change = &state->goal_changes[i];
        if (change->tick == state->tick) {
            kw_goal *goal = &state->goals[state->goal_index < state->n_goals ? state->goal_index
                                                                             : state->n_goals - 1];
            goal->x_m = change->x_m;
            goal->y_m = change->y_m;
            kw_world_note(world, KW_EVENT_GOAL_CHANGE, i);
        }
    }
}
