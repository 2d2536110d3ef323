#include "setup.h"

#include <stdlib.h>

/* Fields in the order of the structs in the public headers, names left out: as
 * `World.setup` in the environment writes them. */

static kw_shell read_shell(kw_reader *from) {
    kw_shell shell = {.rear_steered = kw_read_i32(from)};
    double *const fields[] = {
        &shell.length_m,
        &shell.width_m,
        &shell.height_m,
        &shell.wheelbase_m,
        &shell.track_m,
        &shell.wheel_radius_m,
        &shell.mass_height_m,
        &shell.lock_rad,
        &shell.body_ahead_m,
        &shell.curvature_length_m,
        &shell.forward_speed_limit_mps,
        &shell.reverse_speed_limit_mps,
        &shell.cruise_speed_mps,
        &shell.acceleration_mps2,
        &shell.braking_mps2,
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i) {
        *fields[i] = kw_read_f64(from);
    }
    return shell;
}

static kw_steering read_steering(kw_reader *from) {
    kw_steering steering = {0};
    steering.rate_cap_radps = kw_read_f64(from);
    steering.acceleration_radps2 = kw_read_f64(from);
    return steering;
}

static kw_options read_options(kw_reader *from) {
    kw_options options = {0};
    options.ticks_per_step = kw_read_i32(from);
    options.noise = kw_read_i32(from);
    options.end_at_goal = kw_read_i32(from);
    options.end_on_contact = kw_read_i32(from);
    options.time_limit_tick = kw_read_i32(from);
    options.record = kw_read_i32(from);
    return options;
}

static kw_sensor read_sensor(kw_reader *from) {
    kw_sensor sensor = {0};
    sensor.model = kw_read_i32(from);
    sensor.period_tick = kw_read_i32(from);
    sensor.latency_tick = kw_read_i32(from);
    sensor.range_min_m = kw_read_f64(from);
    sensor.range_max_m = kw_read_f64(from);
    sensor.ahead_m = kw_read_f64(from);
    sensor.height_m = kw_read_f64(from);
    sensor.half_angle_rad = kw_read_f64(from);
    for (int i = 0; i < 3; ++i) {
        sensor.sigma_base[i] = kw_read_f64(from);
    }
    for (int i = 0; i < 3; ++i) {
        sensor.sigma_per_unit[i] = kw_read_f64(from);
    }
    return sensor;
}

static kw_pose read_pose(kw_reader *from) {
    kw_pose pose = {0};
    pose.x_m = kw_read_f64(from);
    pose.y_m = kw_read_f64(from);
    pose.heading_rad = kw_read_f64(from);
    return pose;
}

static kw_change read_change(kw_reader *from) {
    kw_change change = {0};
    change.action = kw_read_i32(from);
    change.solid = kw_read_i32(from);
    change.armed_by = kw_read_i32(from);
    change.number = kw_read_i32(from);
    change.value_m = kw_read_f64(from);
    change.pose = read_pose(from);
    return change;
}

/* Solids and changes, in arrays that last until the scene has taken them over. */
static kw_status read_scene(kw_reader *from, kw_scene **out) {
    kw_status status = KW_BAD_ARGUMENT;
    double *figures = NULL;
    kw_change *changes = NULL;
    int32_t n_solids = kw_read_count(from, 4);
    int32_t *kinds = calloc((size_t)n_solids + 1, sizeof *kinds);
    for (int32_t i = 0; kinds != NULL && i < n_solids; ++i) {
        kinds[i] = kw_read_i32(from);
    }
    int32_t n_figures = kw_read_count(from, 8);
    if (kinds == NULL || (int64_t)n_figures != (int64_t)n_solids * KW_SOLID_FIGURES) {
        goto done;
    }
    figures = calloc((size_t)n_figures + 1, sizeof *figures);
    for (int32_t i = 0; figures != NULL && i < n_figures; ++i) {
        figures[i] = kw_read_f64(from);
    }
    int32_t n_changes = kw_read_count(from, 4 * 4 + 4 * 8);
    changes = calloc((size_t)n_changes + 1, sizeof *changes);
    for (int32_t i = 0; changes != NULL && i < n_changes; ++i) {
        changes[i] = read_change(from);
    }
    if (figures != NULL && changes != NULL && !from->short_of) {
        status = kw_scene_create(n_solids, kinds, figures, n_changes, changes, out);
    }
done:
    free(kinds);
    free(figures);
    free(changes);
    return status;
}

static void read_start(kw_reader *from, kw_setup *out) {
    out->seed = kw_read_u64(from);
    out->start = read_pose(from);
    out->n_goals = kw_read_count(from, 3 * 8);
    for (int32_t i = 0; i < out->n_goals && i < KW_GOALS_MAX; ++i) {
        kw_goal *goal = &out->goals[i];
        goal->x_m = kw_read_f64(from);
        goal->y_m = kw_read_f64(from);
        goal->radius_m = kw_read_f64(from);
    }
    out->n_goal_changes = kw_read_count(from, 4 + 2 * 8);
    for (int32_t i = 0; i < out->n_goal_changes && i < KW_GOAL_CHANGES_MAX; ++i) {
        kw_goal_change *change = &out->goal_changes[i];
        change->tick = kw_read_i32(from);
        change->x_m = kw_read_f64(from);
        change->y_m = kw_read_f64(from);
    }
}

kw_status kw_setup_make(const kw_record *record, kw_setup *out) {
    kw_reader from = {.bytes = record->payload, .size = record->length};
    kw_sensor sensors[KW_SENSOR_COUNT];
    *out = (kw_setup){0};
    kw_shell shell = read_shell(&from);
    kw_steering steering = read_steering(&from);
    out->options = read_options(&from);
    int32_t n_sensors = kw_read_count(&from, 3 * 4 + 11 * 8);
    if (n_sensors > KW_SENSOR_COUNT || out->options.record == 0) {
        return KW_BAD_ARGUMENT;
    }
    for (int32_t i = 0; i < n_sensors; ++i) {
        sensors[i] = read_sensor(&from);
    }
    kw_status status = read_scene(&from, &out->scene);
    if (status != KW_OK) {
        return status;
    }
    read_start(&from, out);
    if (from.short_of || from.at != from.size) {
        return KW_BAD_ARGUMENT;
    }
    return kw_world_create(out->scene, &shell, &steering, n_sensors, sensors, out->options,
                           &out->world);
}

void kw_setup_end(kw_setup *setup) {
    kw_world_destroy(setup->world);
    kw_scene_destroy(setup->scene);
}
