/* Noise of a frame: a pure function of (seed, sensor, sample number, channel). */
#ifndef KW_NOISE_H
#define KW_NOISE_H

#include "kw_world.h"

/* Adds noise to the returns among a sample's readings, in place. A status never changes. */
void kw_noise_add(uint64_t seed, const kw_sensor *sensor, int32_t sample_number, int32_t *values,
                  const int32_t *statuses);

/* The most that noise can add to or take from a true reading of a channel. */
int64_t kw_noise_most(const kw_sensor *sensor, int32_t channel, int32_t value);

#endif
