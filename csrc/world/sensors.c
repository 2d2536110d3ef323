#include "sensor.h"

#include <math.h>
#include <stddef.h>

#include "common/math.h"
#include "common/motion.h"
#include "noise.h"

static const kw_model *const MODELS[KW_SENSOR_COUNT] = {
    [KW_CONE] = &kw_cone_model,         [KW_GRID] = &kw_grid_model,
    [KW_BEAM] = &kw_beam_model,         [KW_SCAN] = &kw_scan_model,
    [KW_RADAR] = &kw_radar_model,       [KW_BUMPERS] = &kw_bumpers_model,
    [KW_ENCODERS] = &kw_encoders_model, [KW_IMU] = &kw_imu_model,
    [KW_LIO] = &kw_lio_model,
};

const kw_model *kw_model_of(const kw_sensor *sensor) {
    return MODELS[sensor->model];
}

kw_sample_size kw_sample_size_of(const kw_model *model) {
    if (model->sample_count > 0) {
        return (kw_sample_size){model->sample_count, model->sample_count};
    }
    return (kw_sample_size){model->card->value_count, model->card->status_count};
}

kw_status kw_sensor_declared(int32_t model, kw_sensor *out_sensor, kw_sensor_card *out_card) {
    if (model < 0 || model >= KW_SENSOR_COUNT) {
        return KW_BAD_ARGUMENT;
    }
    *out_sensor = *MODELS[model]->declaration;
    *out_card = *MODELS[model]->card;
    return KW_OK;
}

static bool within(double value, double low, double high) {
    return value >= low && value <= high; /* false for NaN */
}

kw_status kw_sensor_check(const kw_sensor *sensor) {
    if (sensor->model < 0 || sensor->model >= KW_SENSOR_COUNT) {
        return KW_BAD_ARGUMENT;
    }
    const kw_model *model = kw_model_of(sensor);
    bool good = sensor->period_tick >= 1 && sensor->period_tick <= 12000 &&
                sensor->latency_tick >= 0 && sensor->latency_tick <= 12000 &&
                within(sensor->range_min_m, 0.0, 100.0) &&
                within(sensor->range_max_m, sensor->range_min_m, 100.0) &&
                within(sensor->ahead_m, -1.0, 1.0) && within(sensor->height_m, 0.0, 1.0) &&
                within(sensor->half_angle_rad, 0.0, 1.5);
    for (int32_t c = 0; c < model->card->channel_count; ++c) {
        good = good && within(sensor->sigma_base[c], 0.0, 1000.0) &&
               within(sensor->sigma_per_unit[c], 0.0, 1.0);
    }
    if (sensor->model == KW_CONE || sensor->model == KW_GRID || sensor->model == KW_LIO) {
        good = good && sensor->half_angle_rad <= 0.7; /* the uppermost ray short of upright */
    }
    if (sensor->model == KW_SCAN) {
        good = good && KW_SCAN_BEAMS % sensor->period_tick == 0;
    }
    return good ? KW_OK : KW_BAD_ARGUMENT;
}

kw_reach kw_range_reach(const kw_sensor *sensor, const kw_shell *shell) {
    (void)shell;
    return (kw_reach){.magnitude = {sensor->range_max_m * 1000.0}};
}

static int32_t clamped(int64_t value) {
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

void kw_sensor_bounds(const kw_sensor *sensor, const kw_shell *shell, int32_t *out_low,
                      int32_t *out_high) {
    const kw_model *model = kw_model_of(sensor);
    if (model->bounds != NULL) {
        model->bounds(sensor, out_low, out_high);
        return;
    }
    kw_reach reach = model->reach(sensor, shell);
    for (int32_t c = 0; c < model->card->channel_count; ++c) {
        int32_t farthest = kw_round_reading(ceil(reach.magnitude[c]));
        int32_t nearest = reach.is_signed[c] ? 0 : kw_round_reading(sensor->range_min_m * 1000.0);
        int64_t high = farthest + kw_noise_most(sensor, c, farthest);
        /* noise grows linearly with the reading, so an end of its range is the extreme */
        int64_t low = nearest - kw_noise_most(sensor, c, nearest);
        int64_t far_low = farthest - kw_noise_most(sensor, c, farthest);
        low = low < far_low ? low : far_low;
        low = low < 0 ? low : 0;
        out_low[c] = clamped(reach.is_signed[c] ? -high : low);
        out_high[c] = clamped(high);
    }
}

int32_t kw_sensor_parts(const kw_sensor *sensor) {
    return kw_model_of(sensor)->sweeps ? sensor->period_tick : 1;
}

void kw_read_range(const kw_sensor *sensor, double range_m, int32_t *value, int32_t *status) {
    bool far = range_m > sensor->range_max_m;
    bool near = range_m < sensor->range_min_m;
    *status = far ? KW_OUT_OF_RANGE : near ? KW_TOO_NEAR : KW_RETURN;
    *value = far || near ? 0 : kw_round_reading(range_m * 1000.0);
}

void kw_prepare_sector(const kw_sensor *sensor, kw_sensor_rays *out) {
    kw_sincos(sensor->half_angle_rad, &out->sector.sin_half, &out->sector.cos_half);
}

void kw_mount_place(const kw_view *view, double ahead_m, double *out_x_m, double *out_y_m) {
    double ahead_of_pivot_m = view->shell->body_ahead_m + ahead_m;
    *out_x_m = view->motion->pose.x_m + ahead_of_pivot_m * view->cos_heading;
    *out_y_m = view->motion->pose.y_m + ahead_of_pivot_m * view->sin_heading;
}
