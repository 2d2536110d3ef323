/* Single-zone time of flight: a bundle of 19 rays in a cone, the nearest reported.
 *
 * One ray along the axis, six at half of the cone's half angle from it, twelve at the
 * whole. The axis is pitched up by half the cone's angle, so that the lowest ray is level
 * and the ground is never read.
 */
#include "sensor.h"

#include <math.h>

#include "common/math.h"

static const kw_sensor DECLARATION = {
    .model = KW_CONE,
    .period_tick = 4, /* 30 Hz */
    .latency_tick = 4,
    .range_min_m = 0.04,
    .range_max_m = 4.0,
    .ahead_m = 0.18,
    .height_m = 0.10,
    .half_angle_rad = 0.21816615649929118943, /* 12.5 degrees */
    .sigma_base = {2.0},
    .sigma_per_unit = {0.004},
};

static const kw_sensor_card CARD = {
    .key = "cone",
    .title = "single-zone time of flight, 25 degrees",
    .source = "class of single-zone time-of-flight rangers, public data sheets",
    .unit = "mm",
    .value_count = 1,
    .status_count = 1,
    .channel_count = 1,
};

/* Adds the ray `off_rad` from the axis, `around_deg` about it, counted from the level. */
static void add_ray(kw_rising_rays *rays, double pitch_rad, double off_rad, double around_deg) {
    double sin_pitch;
    double cos_pitch;
    double sin_off;
    double cos_off;
    double sin_around;
    double cos_around;
    kw_sincos(pitch_rad, &sin_pitch, &cos_pitch);
    kw_sincos(off_rad, &sin_off, &cos_off);
    kw_sincos_deg(around_deg, &sin_around, &cos_around);
    double ahead = cos_off * cos_pitch - sin_off * sin_around * sin_pitch;
    double left = sin_off * cos_around;
    double up = cos_off * sin_pitch + sin_off * sin_around * cos_pitch;
    double level = sqrt(ahead * ahead + left * left);
    int32_t c = rays->n_columns++;
    rays->ux[c] = ahead / level;
    rays->uy[c] = left / level;
    rays->slopes[c] = up > 1e-12 ? up / level : 0.0; /* the lowest is level to the last bit */
}

static void prepare(const kw_sensor *sensor, kw_sensor_rays *out) {
    kw_rising_rays *rays = &out->rising;
    rays->n_slopes = 1;
    add_ray(rays, sensor->half_angle_rad, 0.0, 0.0);
    for (int32_t i = 0; i < 6; ++i) {
        add_ray(rays, sensor->half_angle_rad, 0.5 * sensor->half_angle_rad, 60.0 * i + 30.0);
    }
    for (int32_t i = 0; i < 12; ++i) {
        add_ray(rays, sensor->half_angle_rad, sensor->half_angle_rad, 30.0 * i);
    }
}

static void sample(const kw_sensor *sensor, const kw_view *view, int32_t part, int32_t *values,
                   int32_t *statuses) {
    (void)part;
    const kw_rising_rays *rays = &view->rays->rising;
    double range_m[KW_RISING_COLUMNS_MAX];
    double x_m;
    double y_m;
    kw_mount_place(view, sensor->ahead_m, &x_m, &y_m);
    kw_cast_rising(view->scene, view->present, x_m, y_m, sensor->height_m, view->cos_heading,
                   view->sin_heading, rays, sensor->range_max_m, range_m);
    double nearest_m = range_m[0];
    for (int32_t c = 1; c < rays->n_columns; ++c) {
        nearest_m = range_m[c] < nearest_m ? range_m[c] : nearest_m;
    }
    kw_read_range(sensor, nearest_m, &values[0], &statuses[0]);
}

const kw_model kw_cone_model = {
    .declaration = &DECLARATION,
    .card = &CARD,
    .prepare = prepare,
    .sample = sample,
    .reach = kw_range_reach,
    .sweeps = false,
    .sees_solids = true,
};
