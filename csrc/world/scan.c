/* A rotating range-finder: 360 level beams over one turn, cast as the turn goes on.
 *
 * Beam k points k degrees counter-clockwise from the shell's x axis. A period of p ticks
 * casts 360 / p beams on each tick, from that tick's pose; the frame is whole on the last.
 */
#include "sensor.h"

#include <stddef.h>

#include "common/math.h"
#include "rays.h"

static const kw_sensor DECLARATION = {
    .model = KW_SCAN,
    .period_tick = 20, /* 6 Hz */
    .latency_tick = 9,
    .range_min_m = 0.15,
    .range_max_m = 8.0,
    .ahead_m = 0.0,
    .height_m = 0.15,
    .half_angle_rad = 0.0,
    .sigma_base = {0.0},
    .sigma_per_unit = {0.01},
};

static const kw_sensor_card CARD = {
    .key = "scan",
    .title = "rotating range-finder, 360 beams, 360 degrees",
    .source = "class of hobby triangulation scanners, public data sheets",
    .unit = "mm",
    .value_count = KW_SCAN_BEAMS,
    .status_count = KW_SCAN_BEAMS,
    .channel_count = 1,
};

static void prepare(const kw_sensor *sensor, kw_sensor_rays *out) {
    (void)sensor;
    for (int32_t k = 0; k < KW_SCAN_BEAMS; ++k) {
        kw_sincos_deg(k, &out->turn.sine[k], &out->turn.cosine[k]);
    }
}

static void sample(const kw_sensor *sensor, const kw_view *view, int32_t part, int32_t *values,
                   int32_t *statuses) {
    double ux[KW_SCAN_BEAMS];
    double uy[KW_SCAN_BEAMS];
    double range_m[KW_SCAN_BEAMS];
    int32_t n = KW_SCAN_BEAMS / sensor->period_tick;
    int32_t first = part * n;
    for (int32_t i = 0; i < n; ++i) {
        double c = view->rays->turn.cosine[first + i];
        double s = view->rays->turn.sine[first + i];
        ux[i] = view->cos_heading * c - view->sin_heading * s;
        uy[i] = view->sin_heading * c + view->cos_heading * s;
    }
    double x_m;
    double y_m;
    kw_mount_place(view, sensor->ahead_m, &x_m, &y_m);
    kw_cast_fan(view->scene, view->present, x_m, y_m, sensor->height_m, n, ux, uy,
                sensor->range_max_m, range_m, NULL);
    for (int32_t i = 0; i < n; ++i) {
        kw_read_range(sensor, range_m[i], &values[first + i], &statuses[first + i]);
    }
}

const kw_model kw_scan_model = {
    .declaration = &DECLARATION,
    .card = &CARD,
    .prepare = prepare,
    .sample = sample,
    .reach = kw_range_reach,
    .sweeps = true,
    .sees_solids = true,
};
