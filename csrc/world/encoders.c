/* One counter a wheel: what the wheel has rolled, pure rolling, no slip.
 *
 * Counts wrap like a 32-bit counter, so that differences stay right for ever.
 */
#include "sensor.h"

#include "common/math.h"

static const double COUNT_M = 0.0002; /* of rolling a count */

static const kw_sensor DECLARATION = {
    .model = KW_ENCODERS,
    .period_tick = 2, /* 60 Hz */
    .latency_tick = 0,
    .sigma_base = {1.0},
    .sigma_per_unit = {0.0},
};

static const kw_sensor_card CARD = {
    .key = "encoders",
    .title = "one encoder a wheel: front left, front right, rear left, rear right",
    .source = "class of quadrature encoders on small gear motors, public data sheets",
    .unit = "counts of 0.2 mm",
    .value_count = KW_WHEEL_COUNT,
    .status_count = 1,
    .channel_count = 1,
};

static void sample(const kw_sensor *sensor, const kw_view *view, int32_t part, int32_t *values,
                   int32_t *statuses) {
    (void)sensor;
    (void)part;
    for (int32_t wheel = 0; wheel < KW_WHEEL_COUNT; ++wheel) {
        int64_t count = kw_round_i64(view->wheel_distances_m[wheel] / COUNT_M);
        uint32_t wrapped = (uint32_t)(uint64_t)count;
        values[wheel] = wrapped <= (uint32_t)INT32_MAX ? (int32_t)wrapped
                                                       : -(int32_t)(UINT32_MAX - wrapped) - 1;
    }
    statuses[0] = KW_RETURN;
}

/* Counters wrap, so they take every value. */
static kw_reach reach(const kw_sensor *sensor, const kw_shell *shell) {
    (void)sensor;
    (void)shell;
    return (kw_reach){.magnitude = {2147483648.0}, .is_signed = {true}};
}

const kw_model kw_encoders_model = {
    .declaration = &DECLARATION,
    .card = &CARD,
    .sample = sample,
    .reach = reach,
    .sweeps = false,
    .sees_solids = false,
};
