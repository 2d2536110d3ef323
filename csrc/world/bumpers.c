/* Two switches at the body's front corners, left and right: closed where the corner is in a
 * solid. */
#include "sensor.h"

#include <math.h>

#include "visit.h"

enum { SWITCHES = 2 };

static const kw_sensor DECLARATION = {
    .model = KW_BUMPERS,
    .period_tick = 1, /* 120 Hz */
    .latency_tick = 0,
};

static const kw_sensor_card CARD = {
    .key = "bumpers",
    .title = "two switches, front left and right",
    .source = "class of lever micro switches, public data sheets",
    .unit = "0 or 1",
    .value_count = SWITCHES,
    .status_count = 1,
    .channel_count = 1,
};

typedef struct {
    double x_m;
    double y_m;
    bool is_in_solid;
} corner;

static void press(void *context, const kw_solid *solid) {
    corner *at = context;
    double x_m;
    double y_m;
    kw_solid_local(solid, at->x_m, at->y_m, &x_m, &y_m);
    bool inside = solid->is_post ? x_m * x_m + y_m * y_m <= solid->half_x_m * solid->half_x_m
                                 : fabs(x_m) <= solid->half_x_m && fabs(y_m) <= solid->half_y_m;
    at->is_in_solid = at->is_in_solid || inside;
}

static void sample(const kw_sensor *sensor, const kw_view *view, int32_t part, int32_t *values,
                   int32_t *statuses) {
    (void)sensor;
    (void)part;
    double front_x_m;
    double front_y_m;
    kw_mount_place(view, 0.5 * view->shell->length_m, &front_x_m, &front_y_m);
    for (int32_t side = 0; side < SWITCHES; ++side) {
        double left_m = (side == 0 ? 0.5 : -0.5) * view->shell->width_m;
        corner at = {.x_m = front_x_m - left_m * view->sin_heading,
                     .y_m = front_y_m + left_m * view->cos_heading};
        kw_scene_visit(view->scene, view->present, at.x_m, at.y_m, at.x_m, at.y_m, press, &at);
        values[side] = at.is_in_solid;
    }
    statuses[0] = KW_RETURN;
}

static kw_reach reach(const kw_sensor *sensor, const kw_shell *shell) {
    (void)sensor;
    (void)shell;
    return (kw_reach){.magnitude = {1.0}};
}

const kw_model kw_bumpers_model = {
    .declaration = &DECLARATION,
    .card = &CARD,
    .sample = sample,
    .reach = reach,
    .sweeps = false,
    .sees_solids = true,
};
