/* An ultrasonic beam in closed form: it hears a surface that faces it.
 *
 * An echo comes from the foot of the perpendicular on a flat face, or from the nearest
 * point of a post, that lies within half the beam's angle of its axis and is not hidden;
 * edges give none. So a flat face turned further than half the angle is silent. The beam
 * is level: what is lower than its mount is below it.
 *
 * Per solid, in its own frame: the echo's place, and the least distance of any of its
 * surface within the sector, which tells too near and no echo from out of range. That
 * least distance is at a foot, at a corner within the sector, or on the sector's borders.
 */
#include <math.h>

#include "sector.h"

static const kw_sensor DECLARATION = {
    .model = KW_BEAM,
    .period_tick = 8, /* 15 Hz */
    .latency_tick = 4,
    .range_min_m = 0.02,
    .range_max_m = 4.0,
    .ahead_m = 0.18,
    .height_m = 0.06,
    .half_angle_rad = 0.13089969389957471827, /* 7.5 degrees */
    .sigma_base = {2.0},
    .sigma_per_unit = {0.002},
};

static const kw_sensor_card CARD = {
    .key = "beam",
    .title = "ultrasonic, 15 degrees",
    .source = "class of 40 kHz ultrasonic rangers, public data sheets",
    .unit = "mm",
    .value_count = 1,
    .status_count = 1,
    .channel_count = 1,
};

typedef struct {
    const kw_view *view;
    kw_sector sector;
    double least_m; /* of any surface within the sector */
    double echo_m;  /* of the nearest audible place that is not hidden */
} listening;

static void listen(void *context, const kw_solid *solid) {
    listening *at = context;
    kw_place places[KW_PLACES_MAX];
    int32_t n = kw_sector_places(&at->sector, solid, places);
    for (int32_t i = 0; i < n; ++i) {
        double distance_m = places[i].distance_m;
        at->least_m = distance_m < at->least_m ? distance_m : at->least_m;
        if (places[i].faces && distance_m < at->echo_m && distance_m <= at->sector.range_m &&
            kw_sector_sees(&at->sector, at->view, &places[i])) {
            at->echo_m = distance_m;
        }
    }
}

static void sample(const kw_sensor *sensor, const kw_view *view, int32_t part, int32_t *values,
                   int32_t *statuses) {
    (void)part;
    listening at = {
        .view = view,
        .sector = kw_sector_of(sensor, view),
        .least_m = HUGE_VAL,
        .echo_m = HUGE_VAL,
    };
    kw_sector_visit(&at.sector, view, listen, &at);
    bool near = at.least_m < sensor->range_min_m;
    bool heard = !near && at.echo_m <= sensor->range_max_m;
    bool silent = !near && !heard && at.least_m <= sensor->range_max_m;
    statuses[0] = near ? KW_TOO_NEAR : heard ? KW_RETURN : silent ? KW_NO_ECHO : KW_OUT_OF_RANGE;
    values[0] = heard ? kw_round_reading(at.echo_m * 1000.0) : 0;
}

const kw_model kw_beam_model = {
    .declaration = &DECLARATION,
    .card = &CARD,
    .prepare = kw_prepare_sector,
    .sample = sample,
    .reach = kw_range_reach,
    .sweeps = false,
    .sees_solids = true,
};
