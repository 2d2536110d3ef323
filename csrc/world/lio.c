/* Registered increments: what a LiDAR-inertial map publishes of a turning 16-ring LiDAR.
 *
 * Ring j of column k looks k degrees counter-clockwise from the shell's x axis, and from the
 * half angle below the level to the half angle above it in 15 even steps. All rays of a
 * frame are cast from the pose of its tick: a snapshot, as if the turn had been de-skewed
 * without an error. Each return becomes a point in `map`, column by column from ring 0 up,
 * and is published where the map of points does not hold it yet (see point_map.h).
 */
#include "sensor.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "common/math.h"
#include "noise.h"
#include "rings.h"

enum { RINGS = KW_LIO_RINGS, COLUMNS = KW_LIO_COLUMNS, RAYS = RINGS * COLUMNS };

static const kw_sensor DECLARATION = {
    .model = KW_LIO,
    .period_tick = 12, /* 10 Hz */
    .latency_tick = 12,
    .range_min_m = 0.3,
    .range_max_m = 20.0,
    .ahead_m = 0.0,
    .height_m = 0.20,
    .half_angle_rad = 0.26179938779914943654, /* 15 degrees */
    .sigma_base = {20.0},
    .sigma_per_unit = {0.0},
};

static const kw_sensor_card CARD = {
    .key = "lio",
    .title = "registered increments of a 16-ring LiDAR, 360 degrees, 30 degrees high",
    .source = "class of 16-ring spinning LiDARs, public data sheets",
    .unit = "mm",
    .value_count = 3 * RAYS,
    .status_count = 1,
    .value_columns = 3,
    .channel_count = 1,
    .is_counted = 1,
    .on_request = 1,
};

static void prepare(const kw_sensor *sensor, kw_sensor_rays *out) {
    for (int32_t k = 0; k < COLUMNS; ++k) {
        kw_sincos_deg(k, &out->rings.sine[k], &out->rings.cosine[k]);
    }
    for (int32_t j = 0; j < RINGS; ++j) {
        double pitch_rad = sensor->half_angle_rad * (double)(2 * j - (RINGS - 1)) / (RINGS - 1);
        kw_sincos(pitch_rad, &out->rings.ring_sine[j], &out->rings.ring_cosine[j]);
        out->rings.slopes[j] = out->rings.ring_sine[j] / out->rings.ring_cosine[j];
    }
}

static void turned(const kw_view *view, int32_t column, double *ux, double *uy) {
    double c = view->rays->rings.cosine[column];
    double s = view->rays->rings.sine[column];
    *ux = view->cos_heading * c - view->sin_heading * s;
    *uy = view->sin_heading * c + view->cos_heading * s;
}

/* Ranges of all rays, in mm, with a status each. */
static void sample(const kw_sensor *sensor, const kw_view *view, int32_t part, int32_t *values,
                   int32_t *statuses) {
    (void)part;
    double x_m;
    double y_m;
    kw_mount_place(view, sensor->ahead_m, &x_m, &y_m);
    for (int32_t first = 0; first < COLUMNS; first += KW_RINGS_COLUMNS_MAX) {
        double ux[KW_RINGS_COLUMNS_MAX];
        double uy[KW_RINGS_COLUMNS_MAX];
        double range_m[KW_RINGS_COLUMNS_MAX * RINGS];
        for (int32_t i = 0; i < KW_RINGS_COLUMNS_MAX; ++i) {
            turned(view, first + i, &ux[i], &uy[i]);
        }
        kw_cast_rings(view->scene, view->present, x_m, y_m, sensor->height_m, KW_RINGS_COLUMNS_MAX,
                      ux, uy, RINGS, view->rays->rings.slopes, sensor->range_max_m, range_m);
        for (int32_t i = 0; i < KW_RINGS_COLUMNS_MAX * RINGS; ++i) {
            int32_t ray = first * RINGS + i;
            kw_read_range(sensor, range_m[i], &values[ray], &statuses[ray]);
        }
    }
}

_Static_assert(COLUMNS % KW_RINGS_COLUMNS_MAX == 0, "whole casts");
_Static_assert(RINGS <= KW_RINGS_MAX, "all rings in one cast");

static void publish(const kw_sensor *sensor, const kw_view *view, const int32_t *ranges_mm,
                    const int32_t *statuses, kw_point_map *map, int32_t *out_points_mm,
                    int32_t *out_count) {
    double x_m;
    double y_m;
    kw_mount_place(view, sensor->ahead_m, &x_m, &y_m);
    double z_mm = sensor->height_m * 1e3;
    int32_t n = 0;
    for (int32_t column = 0; column < COLUMNS; ++column) {
        double ux;
        double uy;
        turned(view, column, &ux, &uy);
        for (int32_t ring = 0; ring < RINGS; ++ring) {
            int32_t ray = column * RINGS + ring;
            if (statuses[ray] != KW_RETURN) {
                continue;
            }
            double level_mm = ranges_mm[ray] * view->rays->rings.ring_cosine[ring];
            int32_t *point = out_points_mm + (ptrdiff_t)3 * n;
            point[0] = kw_round_reading(x_m * 1e3 + level_mm * ux);
            point[1] = kw_round_reading(y_m * 1e3 + level_mm * uy);
            point[2] = kw_round_reading(z_mm + ranges_mm[ray] * view->rays->rings.ring_sine[ring]);
            n += kw_point_map_add(map, point) == KW_POINT_NEW;
        }
    }
    /* the point in making, if any, is among those that are not published */
    memset(out_points_mm + (ptrdiff_t)3 * n, 0, sizeof(int32_t) * 3 * (size_t)(RAYS - n));
    *out_count = n;
}

/* Places are bounded by how far a drive may go, heights by how far a ray may rise or noise
 * may push a return below the ground. */
static void bounds(const kw_sensor *sensor, int32_t *out_low, int32_t *out_high) {
    int32_t farthest_mm = kw_round_reading(ceil(sensor->range_max_m * 1e3));
    double noise_mm = (double)kw_noise_most(sensor, 0, farthest_mm);
    double sine = kw_sin(sensor->half_angle_rad);
    out_low[0] = out_low[1] = INT32_MIN;
    out_high[0] = out_high[1] = INT32_MAX;
    out_low[2] = kw_round_reading(-ceil(noise_mm * sine + 1.0));
    out_high[2] =
        kw_round_reading(ceil(sensor->height_m * 1e3 + (farthest_mm + noise_mm) * sine + 1.0));
}

const kw_model kw_lio_model = {
    .declaration = &DECLARATION,
    .card = &CARD,
    .prepare = prepare,
    .sample = sample,
    .sample_count = RAYS,
    .publish = publish,
    .reach = kw_range_reach,
    .bounds = bounds,
    .sweeps = false,
    .sees_solids = true,
};
