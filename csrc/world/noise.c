/* Gaussian noise in exact integer arithmetic.
 *
 * Philox4x32-10 under key = seed, counter = (sample number, channel pair, sensor,
 * purpose): each block gives two 64-bit draws, so a pair of channels shares one. A draw
 * becomes a standard normal variate z in Q16.16 by table (common/rng.c), and a reading is
 * value + round(z * sigma). Sigma grows with the rounded true value, in Q16.16 too.
 */
#include "noise.h"

#include "common/rng.h"
#include "sensor.h"

enum { PURPOSE_READING = 0 };

/* The standard deviation of one channel in fixed point. */
typedef struct {
    uint64_t base_q16;
    uint64_t per_unit_q32;
} sigma;

static sigma sigma_of(const kw_sensor *sensor, int32_t channel) {
    return (sigma){
        .base_q16 = (uint64_t)(sensor->sigma_base[channel] * 65536.0 + 0.5),
        .per_unit_q32 = (uint64_t)(sensor->sigma_per_unit[channel] * 4294967296.0 + 0.5),
    };
}

/* The product takes up to 67 bits where sigma is a share of a counter, so it is made in two
 * parts. */
static int64_t scaled(int32_t normal_q16, sigma deviation, int32_t value) {
    uint64_t magnitude = (uint64_t)(value < 0 ? -(int64_t)value : value);
    uint64_t normal = (uint64_t)(normal_q16 < 0 ? -normal_q16 : normal_q16);
    uint64_t sigma_q16 = deviation.base_q16 + ((deviation.per_unit_q32 * magnitude) >> 16);
    uint64_t high = normal * (sigma_q16 >> 16);
    uint64_t low = normal * (sigma_q16 & 0xffff) + ((uint64_t)1 << 31);
    int64_t noise = (int64_t)((high + (low >> 16)) >> 16);
    return normal_q16 < 0 ? -noise : noise;
}

/* Counters wrap, so their noise does; no other reading comes near the ends. */
static int32_t wrapped_sum(int32_t value, int64_t noise) {
    uint32_t sum = (uint32_t)value + (uint32_t)(uint64_t)noise;
    return sum <= (uint32_t)INT32_MAX ? (int32_t)sum : -(int32_t)(UINT32_MAX - sum) - 1;
}

/* Makes n draws, rounded up to two a block, from the block of a channel pair on. Few are
 * cheaper alone. */
static void draw(const uint32_t key[2], uint32_t sample_number, uint32_t model, uint32_t pair,
                 int32_t n, uint64_t *out) {
    const uint32_t counter[4] = {sample_number, pair, model, PURPOSE_READING};
    uint32_t words[4][KW_PHILOX_BLOCKS];
    int32_t n_blocks = (n + 1) / 2;
    if (n_blocks > 4) {
        kw_philox_blocks(counter, key, words);
    }
    int32_t block = 0;
    do {
        if (n_blocks <= 4) {
            uint32_t alone[4];
            const uint32_t own[4] = {counter[0], pair + (uint32_t)block, model, PURPOSE_READING};
            kw_philox(own, key, alone);
            for (int32_t word = 0; word < 4; ++word) {
                words[word][block] = alone[word];
            }
        }
        out[2 * block] = words[0][block] | ((uint64_t)words[1][block] << 32);
        out[2 * block + 1] = words[2][block] | ((uint64_t)words[3][block] << 32);
    } while (++block < n_blocks);
}

void kw_noise_add(uint64_t seed, const kw_sensor *sensor, int32_t sample_number, int32_t *values,
                  const int32_t *statuses) {
    const kw_sensor_card *card = kw_model_of(sensor)->card;
    const kw_sample_size size = kw_sample_size_of(kw_model_of(sensor));
    sigma deviations[3];
    bool silent = true;
    for (int32_t c = 0; c < card->channel_count; ++c) {
        deviations[c] = sigma_of(sensor, c);
        silent = silent && deviations[c].base_q16 == 0 && deviations[c].per_unit_q32 == 0;
    }
    if (silent) {
        return; /* switches make no noise, and noise of none is costly */
    }
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const int32_t per_status = size.n_values / size.n_statuses;
    /* counted along: a division for each reading would cost more than its noise */
    int32_t channel = 0;
    int32_t status = 0;
    int32_t left_of_status = per_status;
    const int32_t most = 2 * KW_PHILOX_BLOCKS;
    for (int32_t first = 0; first < size.n_values; first += most) {
        int32_t n = size.n_values - first < most ? size.n_values - first : most;
        uint64_t draws[2 * KW_PHILOX_BLOCKS];
        draw(key, (uint32_t)sample_number, (uint32_t)sensor->model, (uint32_t)first / 2, n, draws);
        for (int32_t i = 0; i < n; ++i) {
            int32_t *value = &values[first + i];
            if (statuses[status] == KW_RETURN) {
                int64_t noise = scaled(kw_normal_q16(draws[i]), deviations[channel], *value);
                *value = wrapped_sum(*value, noise);
            }
            channel = channel + 1 < card->channel_count ? channel + 1 : 0;
            if (--left_of_status == 0) {
                left_of_status = per_status;
                status += 1;
            }
        }
    }
}

int64_t kw_noise_most(const kw_sensor *sensor, int32_t channel, int32_t value) {
    const uint64_t rarest = 0; /* the draw of the least tail probability */
    return scaled(kw_normal_q16(rarest), sigma_of(sensor, channel), value);
}

void kw_philox_many(int32_t n, const uint32_t *counters, const uint32_t key[2],
                    uint32_t *out_words) {
    for (int32_t i = 0; i < n; i++) {
        kw_philox(&counters[4 * (int64_t)i], key, &out_words[4 * (int64_t)i]);
    }
}

void kw_normal_many(int32_t n, const uint64_t *bits, int32_t *out_q16) {
    for (int32_t i = 0; i < n; i++) {
        out_q16[i] = kw_normal_q16(bits[i]);
    }
}
