/* One drive, tick by tick.
 *
 * Order inside a tick: scene changes that are due, the ask in force, steering, speed and
 * pose, contact and announcements, samples, emissions. Motion never depends on the scene,
 * so a tick's pose is found before it is asked whether a change may be applied unseen.
 */
#include <math.h>
#include <string.h>

#include "common/machine.h"
#include "common/math.h"
#include "common/motion.h"
#include "record.h"
#include "world.h"

/* Lateral acceleration up to which a kinematic bicycle model is held consistent: half of
 * mu times g, mu = 0.8 (Polack et al. 2017). */
static const double HONESTY_BOUND_MPS2 = 0.5 * 0.8 * KW_STANDARD_GRAVITY_MPS2;

void kw_world_note(kw_world *world, kw_event_name name, int32_t detail) {
    if (world->n_events < world->events_max) {
        world->events[world->n_events++] =
            (kw_event){.tick = world->state.tick, .name = (int32_t)name, .detail = detail};
    }
}

kw_view kw_world_view(const kw_world *world) {
    kw_view view = {
        .scene = world->scene,
        .present = world->state.present,
        .shell = &world->shell,
        .motion = &world->state.motion,
        .arc = &world->arc,
        .wheel_distances_m = world->state.wheel_distances_m,
    };
    kw_sincos(world->state.motion.pose.heading_rad, &view.sin_heading, &view.cos_heading);
    return view;
}

static void move(kw_world *world) {
    kw_state *state = &world->state;
    kw_motion_step(&world->shell, &world->steering, state->ask, &state->motion, &world->arc);
    double wheels_m[KW_WHEEL_COUNT];
    kw_wheel_distances(&world->shell, &world->arc, wheels_m);
    for (int32_t i = 0; i < KW_WHEEL_COUNT; ++i) {
        state->wheel_distances_m[i] += wheels_m[i];
    }
    state->length_m += fabs(world->arc.distance_m);
}

static void announce(kw_world *world, int32_t *crossed, double bound_mps2, kw_event_name name) {
    int32_t now = fabs(world->arc.lateral_mps2) > bound_mps2;
    if (now != *crossed) {
        kw_world_note(world, name, now);
        *crossed = now;
    }
}

static bool holds(const int32_t *solids, int32_t n, int32_t solid) {
    for (int32_t i = 0; i < n; ++i) {
        if (solids[i] == solid) {
            return true;
        }
    }
    return false;
}

/* Compares the outline with every solid; notes which contacts began and which ended. */
static void feel(kw_world *world, kw_report *report) {
    kw_state *state = &world->state;
    kw_view view = kw_world_view(world);
    double x_m;
    double y_m;
    kw_mount_place(&view, 0.0, &x_m, &y_m);
    kw_touch touch;
    kw_scene_touch(world->scene, state->present, x_m, y_m, view.cos_heading, view.sin_heading,
                   0.5 * world->shell.length_m, 0.5 * world->shell.width_m, world->nearest_hint,
                   &touch);
    for (int32_t i = 0; i < state->n_contacts; ++i) {
        if (!holds(touch.solids, touch.n, state->contacts[i])) {
            kw_world_note(world, KW_EVENT_CONTACT_END, state->contacts[i]);
        }
    }
    for (int32_t i = 0; i < touch.n; ++i) {
        if (!holds(state->contacts, state->n_contacts, touch.solids[i])) {
            kw_world_note(world, KW_EVENT_CONTACT_BEGIN, touch.solids[i]);
        }
    }
    state->n_contacts = touch.n;
    memcpy(state->contacts, touch.solids, sizeof(int32_t) * (size_t)touch.n);
    world->nearest_hint = touch.nearest;
    if (touch.n > 0) {
        report->contact = 1;
        report->step_contact_ticks += 1;
        if (report->contact_solid == KW_SOLID_NONE || touch.depth_m > report->contact_depth_m) {
            report->contact_solid = touch.deepest;
            report->contact_depth_m = touch.depth_m;
        }
    }
    if (touch.clearance_m < report->clearance_m) {
        report->clearance_m = touch.clearance_m;
    }
}

static bool is_at_goal(const kw_world *world) {
    const kw_state *state = &world->state;
    if (state->goal_index >= state->n_goals || state->motion.speed_mps != 0.0) {
        return false;
    }
    kw_view view = kw_world_view(world);
    double x_m;
    double y_m;
    kw_mount_place(&view, 0.0, &x_m, &y_m);
    const kw_goal *goal = &state->goals[state->goal_index];
    double dx_m = x_m - goal->x_m;
    double dy_m = y_m - goal->y_m;
    return dx_m * dx_m + dy_m * dy_m <= goal->radius_m * goal->radius_m;
}

static void judge_end(kw_world *world, const kw_report *report) {
    kw_state *state = &world->state;
    if (is_at_goal(world)) {
        kw_world_note(world, KW_EVENT_GOAL_REACHED, state->goal_index);
        state->goal_index += 1;
        if (state->goal_index == state->n_goals && world->options.end_at_goal) {
            state->ending = KW_ENDED_AT_GOAL;
        }
    }
    if (report->contact && world->options.end_on_contact) {
        state->ending = KW_ENDED_ON_CONTACT;
    }
    if (state->ending == KW_RUNNING && state->tick >= world->options.time_limit_tick) {
        state->ending = KW_ENDED_OUT_OF_TIME;
    }
}

static void run_tick(kw_world *world, int32_t *observation, kw_report *report) {
    kw_state *state = &world->state;
    state->tick += 1;
    kw_changes_arm(world);
    kw_goal_changes_apply(world);
    move(world);
    kw_changes_apply(world);
    feel(world, report);
    announce(world, &state->honesty_crossed, HONESTY_BOUND_MPS2, KW_EVENT_HONESTY_BOUND);
    double tip_mps2 =
        KW_STANDARD_GRAVITY_MPS2 * 0.5 * world->shell.track_m / world->shell.mass_height_m;
    announce(world, &state->tip_crossed, tip_mps2, KW_EVENT_TIP_THRESHOLD);
    kw_frames_sample(world);
    kw_frames_emit(world, observation);
    judge_end(world, report);
    kw_record_tick(world);
}

static void write_pose(const kw_world *world, int32_t *observation, int32_t row) {
    kw_pose pose = world->state.motion.pose;
    int32_t *out = observation + world->pose_offset + 3 * row;
    out[0] = kw_round_reading(pose.x_m * 1e6);
    out[1] = kw_round_reading(pose.y_m * 1e6);
    out[2] = kw_round_reading(pose.heading_rad * 1e6);
}

static kw_goal current_goal(const kw_state *state) {
    if (state->n_goals == 0) {
        return (kw_goal){0};
    }
    return state
        ->goals[state->goal_index < state->n_goals ? state->goal_index : state->n_goals - 1];
}

static void write_scalars(const kw_world *world, int32_t *observation) {
    const kw_state *state = &world->state;
    kw_goal goal = current_goal(state);
    int32_t left = state->n_goals - 1 - state->goal_index;
    int32_t *out = observation + world->pose_offset + 3 * world->options.ticks_per_step;
    out[0] = kw_round_reading(state->motion.speed_mps * 1e3);
    out[1] = kw_round_reading(state->motion.steer_rad * 1e6);
    out[2] = state->tick;
    out[3] = kw_round_reading(goal.x_m * 1e6);
    out[4] = kw_round_reading(goal.y_m * 1e6);
    out[5] = kw_round_reading(goal.radius_m * 1e6);
    out[6] = state->n_goals > 0;
    out[7] = left > 0 ? left : 0;
}

static void begin_report(kw_world *world, kw_report *report) {
    world->n_events = 0;
    kw_record_begin(world);
    *report = (kw_report){.contact_solid = KW_SOLID_NONE, .clearance_m = HUGE_VAL};
}

/* Completes the report, and the totals of the drive that it carries. */
static void end_report(kw_world *world, int32_t ticks, kw_report *report) {
    kw_state *state = &world->state;
    state->contact_ticks += report->step_contact_ticks;
    if (report->clearance_m < state->min_clearance_m) {
        state->min_clearance_m = report->clearance_m;
    }
    int32_t left = state->n_goals - 1 - state->goal_index;
    report->motion = state->motion;
    report->ask = state->ask;
    report->tick = state->tick;
    report->ending = state->ending;
    report->step_ticks = ticks;
    report->goal_index = state->goal_index;
    report->goals_left = left > 0 ? left : 0;
    report->goal = current_goal(state);
    report->contact_ticks = state->contact_ticks;
    report->min_clearance_m = state->min_clearance_m;
    report->length_m = state->length_m;
    report->n_events = world->n_events;
    kw_view view = kw_world_view(world);
    kw_mount_place(&view, 0.0, &report->centre_x_m, &report->centre_y_m);
}

static bool is_pose_good(kw_pose pose) {
    return fabs(pose.x_m) <= 2000.0 && fabs(pose.y_m) <= 2000.0 &&
           fabs(pose.heading_rad) <= 1000.0; /* false for NaN */
}

static bool are_goals_good(int32_t n_goals, const kw_goal *goals, int32_t n_goal_changes,
                           const kw_goal_change *goal_changes) {
    bool good = n_goals >= 0 && n_goals <= KW_GOALS_MAX && n_goal_changes >= 0 &&
                n_goal_changes <= KW_GOAL_CHANGES_MAX;
    for (int32_t i = 0; good && i < n_goals; ++i) {
        good = fabs(goals[i].x_m) <= 2000.0 && fabs(goals[i].y_m) <= 2000.0 &&
               goals[i].radius_m >= 0.0 && goals[i].radius_m <= 2000.0;
    }
    for (int32_t i = 0; good && i < n_goal_changes; ++i) {
        good = fabs(goal_changes[i].x_m) <= 2000.0 && fabs(goal_changes[i].y_m) <= 2000.0;
    }
    return good;
}

static void place_at_start(kw_world *world, uint64_t seed, kw_pose start) {
    kw_state_clear(world);
    kw_state *state = &world->state;
    state->seed = seed;
    state->motion.pose = start;
    state->motion.pose.heading_rad = kw_wrap_rad(start.heading_rad);
    state->min_clearance_m = HUGE_VAL;
    state->is_reset = 1;
    world->arc = (kw_arc){0};
    world->nearest_hint = KW_SOLID_NONE;
}

/* The present, without a tick run. */
static void observe(kw_world *world, int32_t *observation, kw_report *report) {
    begin_report(world, report);
    kw_frames_clear(world, observation);
    feel(world, report);
    report->step_contact_ticks = 0; /* a tick counts once, when it runs */
    for (int32_t row = 0; row < world->options.ticks_per_step; ++row) {
        write_pose(world, observation, row);
    }
    write_scalars(world, observation);
    end_report(world, 0, report);
}

kw_status kw_world_reset(kw_world *world, uint64_t seed, kw_pose start, int32_t n_goals,
                         const kw_goal *goals, int32_t n_goal_changes,
                         const kw_goal_change *goal_changes, int32_t *out_observation,
                         kw_report *out_report) {
    if (!is_pose_good(start) || !are_goals_good(n_goals, goals, n_goal_changes, goal_changes)) {
        return KW_BAD_ARGUMENT;
    }
    const uint64_t control = kw_float_control_enter();
    place_at_start(world, seed, start);
    world->state.n_goals = n_goals;
    world->state.n_goal_changes = n_goal_changes;
    for (int32_t i = 0; i < n_goals; ++i) {
        world->state.goals[i] = goals[i];
    }
    for (int32_t i = 0; i < n_goal_changes; ++i) {
        world->state.goal_changes[i] = goal_changes[i];
    }
    observe(world, out_observation, out_report);
    kw_float_control_leave(control);
    return KW_OK;
}

kw_status kw_world_place(kw_world *world, kw_pose pose) {
    if (!is_pose_good(pose)) {
        return KW_BAD_ARGUMENT;
    }
    if (!world->state.is_reset || world->state.ending != KW_RUNNING) {
        return KW_BAD_STATE;
    }
    const uint64_t control = kw_float_control_enter();
    world->state.motion.pose = pose;
    world->state.motion.pose.heading_rad = kw_wrap_rad(pose.heading_rad);
    kw_float_control_leave(control);
    return KW_OK;
}

kw_status kw_world_observe(kw_world *world, int32_t *out_observation, kw_report *out_report) {
    if (!world->state.is_reset) {
        return KW_BAD_STATE;
    }
    const uint64_t control = kw_float_control_enter();
    observe(world, out_observation, out_report);
    kw_float_control_leave(control);
    return KW_OK;
}

kw_status kw_world_step(kw_world *world, int32_t n_ticks, kw_ask ask, int32_t *out_observation,
                        kw_report *out_report, kw_records *records) {
    if (n_ticks < 1 || n_ticks > world->options.ticks_per_step ||
        !kw_ask_inside(&world->shell, ask)) {
        return KW_BAD_ARGUMENT;
    }
    if (!world->state.is_reset || world->state.ending != KW_RUNNING) {
        return KW_BAD_STATE;
    }
    const uint64_t control = kw_float_control_enter();
    world->state.ask = ask;
    begin_report(world, out_report);
    kw_frames_clear(world, out_observation);
    int32_t ticks = 0;
    while (ticks < n_ticks && world->state.ending == KW_RUNNING) {
        run_tick(world, out_observation, out_report);
        write_pose(world, out_observation, ticks);
        ticks += 1;
    }
    for (int32_t row = ticks; row < world->options.ticks_per_step; ++row) {
        write_pose(world, out_observation, row);
    }
    write_scalars(world, out_observation);
    end_report(world, ticks, out_report);
    kw_float_control_leave(control);
    if (records != NULL) {
        kw_world_record(world, 0, ticks, out_observation, records);
    }
    return KW_OK;
}

void kw_world_events(const kw_world *world, kw_event *out_events) {
    memcpy(out_events, world->events, sizeof(kw_event) * (size_t)world->n_events);
}

void kw_world_present(const kw_world *world, uint8_t *out_present) {
    int32_t n = kw_scene_solid_count(world->scene);
    for (int32_t i = 0; i < n; ++i) {
        int32_t changeable = kw_scene_changeable_of(world->scene, i);
        out_present[i] = changeable < 0 || world->state.present[changeable];
    }
}
