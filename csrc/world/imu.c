/* Yaw rate and two accelerations at `base_link`: means over the tick sampled. */
#include "sensor.h"

#include "common/math.h"

static const double COUNTS_PER_DEGREE_PER_SECOND = 16.0;
static const double COUNTS_PER_G = 2048.0;
static const double DEGREES_PER_RADIAN = 57.295779513082320877;

static const kw_sensor DECLARATION = {
    .model = KW_IMU,
    .period_tick = 1, /* 120 Hz */
    .latency_tick = 1,
    .sigma_base = {1.6, 2.0884342, 2.0884342}, /* 0.1 deg/s; 0.01 m/s^2 of 9.80665 / 2048 */
    .sigma_per_unit = {0.0, 0.0, 0.0},
};

static const kw_sensor_card CARD = {
    .key = "imu",
    .title = "yaw rate, forward and left acceleration",
    .source = "class of consumer six-axis inertial units, public data sheets",
    .unit = "1/16 degree/s, 1/2048 g",
    .value_count = 3,
    .status_count = 1,
    .channel_count = 3,
};

static void sample(const kw_sensor *sensor, const kw_view *view, int32_t part, int32_t *values,
                   int32_t *statuses) {
    (void)sensor;
    (void)part;
    double degrees_per_second = view->arc->turn_rad * KW_TICKS_PER_SECOND * DEGREES_PER_RADIAN;
    double g_mps2 = KW_STANDARD_GRAVITY_MPS2;
    values[0] = kw_round_reading(degrees_per_second * COUNTS_PER_DEGREE_PER_SECOND);
    values[1] = kw_round_reading(view->arc->acceleration_mps2 / g_mps2 * COUNTS_PER_G);
    values[2] = kw_round_reading(view->arc->lateral_mps2 / g_mps2 * COUNTS_PER_G);
    statuses[0] = KW_RETURN;
}

static kw_reach reach(const kw_sensor *sensor, const kw_shell *shell) {
    (void)sensor;
    double forward_mps = shell->forward_speed_limit_mps;
    double reverse_mps = shell->reverse_speed_limit_mps;
    double speed_mps = forward_mps > reverse_mps ? forward_mps : reverse_mps;
    double gain_mps2 = shell->acceleration_mps2 > shell->braking_mps2 ? shell->acceleration_mps2
                                                                      : shell->braking_mps2;
    double curvature = kw_tan(shell->lock_rad) / shell->curvature_length_m;
    double yaw_radps = speed_mps * curvature;
    double counts_per_mps2 = COUNTS_PER_G / KW_STANDARD_GRAVITY_MPS2;
    return (kw_reach){
        .magnitude = {yaw_radps * DEGREES_PER_RADIAN * COUNTS_PER_DEGREE_PER_SECOND,
                      gain_mps2 * counts_per_mps2, speed_mps * yaw_radps * counts_per_mps2},
        .is_signed = {true, true, true},
    };
}

const kw_model kw_imu_model = {
    .declaration = &DECLARATION,
    .card = &CARD,
    .sample = sample,
    .reach = reach,
    .sweeps = false,
    .sees_solids = false,
};
