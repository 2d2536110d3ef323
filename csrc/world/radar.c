/* Up to three targets: the nearest place of each solid in the field, nearest solid first.
 *
 * A solid is a target where its nearest place within the field is not hidden by another.
 * The radial speed is the sensor's own toward that place, positive when closing: solids
 * stand still.
 */
#include "sector.h"

#include <math.h>

#include "common/math.h"

enum { TARGETS = 3, FIGURES = 3 };

static const double TENTHS_PER_RADIAN = 572.95779513082320877;

static const kw_sensor DECLARATION = {
    .model = KW_RADAR,
    .period_tick = 12, /* 10 Hz */
    .latency_tick = 6,
    .range_min_m = 0.2,
    .range_max_m = 6.0,
    .ahead_m = 0.18,
    .height_m = 0.08,
    .half_angle_rad = 1.0471975511965977462, /* 60 degrees */
    .sigma_base = {30.0, 15.0, 30.0},        /* 0.03 m, 1.5 degrees, 0.03 m/s */
};

static const kw_sensor_card CARD = {
    .key = "radar",
    .title = "up to three targets, 120 degrees",
    .source = "class of short-range millimetre-wave radars, public data sheets",
    .unit = "mm, 0.1 degree, mm/s",
    .value_count = TARGETS * FIGURES,
    .status_count = TARGETS,
    .value_columns = FIGURES,
    .channel_count = FIGURES,
};

typedef struct {
    kw_place place;
    const kw_solid *solid;
    int32_t range_mm; /* as it is read */
} target;

typedef struct {
    const kw_view *view;
    kw_sector sector;
    int32_t n;
    target targets[TARGETS];
} watching;

/* Nearer first; those of one reading by where their solids stand in the scene, so that the
 * order of equally near ones is not a matter of rounding. */
static bool comes_before(const target *one, const target *other) {
    return one->range_mm != other->range_mm ? one->range_mm < other->range_mm
                                            : one->solid < other->solid;
}

static void keep(watching *at, target found) {
    for (int32_t i = 0; i < at->n; ++i) {
        if (at->targets[i].solid == found.solid) {
            return;
        }
    }
    int32_t i = at->n < TARGETS ? at->n++ : TARGETS - 1;
    if (i == TARGETS - 1 && at->targets[i].solid != NULL &&
        !comes_before(&found, &at->targets[i])) {
        return;
    }
    for (; i > 0 && comes_before(&found, &at->targets[i - 1]); --i) {
        at->targets[i] = at->targets[i - 1];
    }
    at->targets[i] = found;
}

static void watch(void *context, const kw_solid *solid) {
    watching *at = context;
    kw_place places[KW_PLACES_MAX];
    int32_t n = kw_sector_places(&at->sector, solid, places);
    int32_t nearest = -1;
    for (int32_t i = 0; i < n; ++i) {
        if (nearest < 0 || places[i].distance_m < places[nearest].distance_m) {
            nearest = i;
        }
    }
    if (nearest >= 0 && places[nearest].distance_m <= at->sector.range_m &&
        kw_sector_sees(&at->sector, at->view, &places[nearest])) {
        int32_t range_mm = kw_round_reading(places[nearest].distance_m * 1000.0);
        keep(at, (target){places[nearest], solid, range_mm});
    }
}

static void read_target(const kw_sensor *sensor, const kw_view *view, const target *seen,
                        int32_t *values, int32_t *status) {
    const kw_place *place = &seen->place;
    if (place->distance_m < sensor->range_min_m || !(place->distance_m > 0.0)) {
        *status = KW_TOO_NEAR; /* inside a solid there is no direction to speak of */
        return;
    }
    double ahead_m = view->cos_heading * place->dx_m + view->sin_heading * place->dy_m;
    double left_m = view->cos_heading * place->dy_m - view->sin_heading * place->dx_m;
    double forward_mps = view->arc->distance_m * KW_TICKS_PER_SECOND;
    double yaw_radps = view->arc->turn_rad * KW_TICKS_PER_SECOND;
    double sideways_mps = yaw_radps * (view->shell->body_ahead_m + sensor->ahead_m);
    double closing_mps = (forward_mps * ahead_m + sideways_mps * left_m) / place->distance_m;
    *status = KW_RETURN;
    values[0] = seen->range_mm;
    values[1] = kw_round_reading(kw_atan2(left_m, ahead_m) * TENTHS_PER_RADIAN);
    values[2] = kw_round_reading(closing_mps * 1000.0);
}

static void sample(const kw_sensor *sensor, const kw_view *view, int32_t part, int32_t *values,
                   int32_t *statuses) {
    (void)part;
    watching at = {.view = view, .sector = kw_sector_of(sensor, view)};
    kw_sector_visit(&at.sector, view, watch, &at);
    for (int32_t i = 0; i < TARGETS; ++i) {
        int32_t *figures = values + FIGURES * i;
        figures[0] = figures[1] = figures[2] = 0;
        statuses[i] = KW_OUT_OF_RANGE;
        if (i < at.n) {
            read_target(sensor, view, &at.targets[i], figures, &statuses[i]);
        }
    }
}

static kw_reach reach(const kw_sensor *sensor, const kw_shell *shell) {
    double forward_mps = shell->forward_speed_limit_mps;
    double reverse_mps = shell->reverse_speed_limit_mps;
    double speed_mps = forward_mps > reverse_mps ? forward_mps : reverse_mps;
    double curvature = kw_tan(shell->lock_rad) / shell->curvature_length_m;
    double yaw_radps = speed_mps * curvature;
    double sideways_mps = yaw_radps * (shell->body_ahead_m + sensor->ahead_m);
    return (kw_reach){
        .magnitude = {sensor->range_max_m * 1000.0,
                      sensor->half_angle_rad * TENTHS_PER_RADIAN + 1.0,
                      (speed_mps + fabs(sideways_mps)) * 1000.0},
        .is_signed = {false, true, true},
    };
}

const kw_model kw_radar_model = {
    .declaration = &DECLARATION,
    .card = &CARD,
    .prepare = kw_prepare_sector,
    .sample = sample,
    .reach = reach,
    .sweeps = false,
    .sees_solids = true,
};
