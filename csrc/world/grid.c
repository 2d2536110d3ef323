/* 8 x 8 time of flight: each zone the nearest of four rays.
 *
 * Zones are even steps of azimuth (columns, left to right) and of elevation (rows, top to
 * bottom); the whole is pitched up by half its angle, so that the lowest row begins at the
 * level and the ground is never read. The rays of a zone stand a quarter of its angle from
 * its borders.
 */
#include "sensor.h"

#include "common/math.h"

enum { ZONES = 8, RAYS = 2 * ZONES };

static const kw_sensor DECLARATION = {
    .model = KW_GRID,
    .period_tick = 8, /* 15 Hz */
    .latency_tick = 8,
    .range_min_m = 0.02,
    .range_max_m = 4.0,
    .ahead_m = 0.18,
    .height_m = 0.10,
    .half_angle_rad = 0.39269908169872415481, /* 22.5 degrees */
    .sigma_base = {3.0},
    .sigma_per_unit = {0.005},
};

static const kw_sensor_card CARD = {
    .key = "grid",
    .title = "8 x 8 time of flight, 45 x 45 degrees",
    .source = "class of multi-zone time-of-flight rangers, public data sheets",
    .unit = "mm",
    .value_count = ZONES * ZONES,
    .status_count = ZONES * ZONES,
    .value_columns = ZONES,
    .status_columns = ZONES,
    .channel_count = 1,
};

/* Columns from left to right; slopes of a column from top to bottom. */
static void prepare(const kw_sensor *sensor, kw_sensor_rays *out) {
    kw_rising_rays *rays = &out->rising;
    rays->n_columns = RAYS;
    rays->n_slopes = RAYS;
    double step_rad = 2.0 * sensor->half_angle_rad / RAYS;
    for (int32_t i = 0; i < RAYS; ++i) {
        /* from the axis, so that left and right mirror each other to the last bit */
        double off_rad = step_rad * (ZONES - 0.5 - i);
        kw_sincos(off_rad, &rays->uy[i], &rays->ux[i]);
        for (int32_t c = 0; c < RAYS; ++c) {
            rays->slopes[c * RAYS + i] = kw_tan(sensor->half_angle_rad + off_rad);
        }
    }
}

static void sample(const kw_sensor *sensor, const kw_view *view, int32_t part, int32_t *values,
                   int32_t *statuses) {
    (void)part;
    double range_m[RAYS * RAYS];
    double x_m;
    double y_m;
    kw_mount_place(view, sensor->ahead_m, &x_m, &y_m);
    kw_cast_rising(view->scene, view->present, x_m, y_m, sensor->height_m, view->cos_heading,
                   view->sin_heading, &view->rays->rising, sensor->range_max_m, range_m);
    for (int32_t zone = 0; zone < ZONES * ZONES; ++zone) {
        int32_t row = zone / ZONES;
        int32_t column = zone % ZONES;
        const double *corner = range_m + 2 * column * RAYS + 2 * row;
        double left_m = corner[0] < corner[1] ? corner[0] : corner[1];
        double right_m = corner[RAYS] < corner[RAYS + 1] ? corner[RAYS] : corner[RAYS + 1];
        kw_read_range(sensor, left_m < right_m ? left_m : right_m, &values[zone], &statuses[zone]);
    }
}

const kw_model kw_grid_model = {
    .declaration = &DECLARATION,
    .card = &CARD,
    .prepare = prepare,
    .sample = sample,
    .reach = kw_range_reach,
    .sweeps = false,
    .sees_solids = true,
};
