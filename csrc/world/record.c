/* Records of a step as little-endian bytes.
 *
 * A record is u32 length of the payload, u8 kind, the payload, u32 CRC-32 of all before.
 * The ask comes first, then events in order, all frames sensor by sensor, digests of state,
 * and what else was observed. The observation holds every frame of the step, so that
 * nothing is kept for the record but digests.
 */
#include "record.h"

#include <stddef.h>

#include "world.h"

/* A digest each second, the whole state each ten, for seeking. */
enum { HASH_TICKS = KW_TICKS_PER_SECOND, KEY_TICKS = 10 * KW_TICKS_PER_SECOND };

/* ---- Bytes ---- */

typedef struct {
    const kw_crc *crc;
    uint8_t *at;
    uint8_t *start; /* of the record in making */
} writer;

static uint8_t *put_u8(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)value;
    return at + 1;
}

/* Compilers make one store of these where bytes lie so in memory. */
static uint8_t *put_u16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    return at + 2;
}

static uint8_t *put_i32(uint8_t *at, int32_t value) {
    uint32_t bits = (uint32_t)value;
    at[0] = (uint8_t)bits;
    at[1] = (uint8_t)(bits >> 8);
    at[2] = (uint8_t)(bits >> 16);
    at[3] = (uint8_t)(bits >> 24);
    return at + 4;
}

static uint8_t *put_values(uint8_t *at, int32_t width, const int32_t *values, int32_t n) {
    if (width == 1) {
        for (int32_t i = 0; i < n; ++i) {
            at = put_u8(at, (uint32_t)values[i]);
        }
    } else if (width == 2) {
        for (int32_t i = 0; i < n; ++i) {
            at = put_u16(at, (uint32_t)values[i]);
        }
    } else {
        for (int32_t i = 0; i < n; ++i) {
            at = put_i32(at, values[i]);
        }
    }
    return at;
}

static uint8_t *begin_record(writer *to, kw_record_kind kind) {
    enum { LENGTH_SIZE = 4 };
    to->start = to->at;
    return put_u8(to->at + LENGTH_SIZE, (uint32_t)kind);
}

static void end_record(writer *to, uint8_t *end) {
    enum { HEAD_SIZE = 5 };
    int32_t size = (int32_t)(end - to->start);
    put_i32(to->start, size - HEAD_SIZE);
    to->at = put_i32(end, (int32_t)kw_crc32(to->crc, to->start, (size_t)size));
}

/* ---- Digests ---- */

void kw_record_begin(kw_world *world) {
    world->n_digests = 0;
}

void kw_record_tick(kw_world *world) {
    if (!world->options.record || world->state.tick % HASH_TICKS != 0) {
        return;
    }
    kw_digest *digest = &world->digests[world->n_digests++];
    digest->tick = world->state.tick;
    digest->bits = kw_state_digest(world);
}

/* ---- Records of a step ---- */

/* A byte for all statuses where they are the same, else a mark and half a byte for each. */
static uint8_t *put_statuses(uint8_t *at, const int32_t *statuses, int32_t n) {
    enum { EACH = 0xff };
    int32_t others = 0;
    for (int32_t i = 1; i < n; ++i) {
        others |= statuses[i] ^ statuses[0];
    }
    if (others == 0) {
        return put_u8(at, (uint32_t)statuses[0]);
    }
    at = put_u8(at, EACH);
    int32_t i = 0;
    for (; i + 2 <= n; i += 2) {
        at = put_u8(at, (uint32_t)(statuses[i] | (statuses[i + 1] << 4)));
    }
    return i < n ? put_u8(at, (uint32_t)statuses[i]) : at;
}

/* Of each frame the count of its rows, and those alone. */
static uint8_t *put_counted(uint8_t *at, const kw_sensor_run *run, const int32_t *observation,
                            int32_t n) {
    const kw_sensor_card *card = run->model->card;
    for (int32_t frame = 0; frame < n; ++frame) {
        int32_t count = observation[run->statuses_offset + frame];
        at = put_i32(at, count);
        at = put_values(at, run->record_width,
                        observation + run->values_offset + (ptrdiff_t)frame * card->value_count,
                        count * card->value_columns);
    }
    return at;
}

/* All frames of one sensor that the step brought: samples that follow one another. */
static uint8_t *put_frames_of(uint8_t *at, const kw_world *world, int32_t sensor,
                              const int32_t *observation) {
    const kw_sensor_run *run = &world->sensors[sensor];
    const kw_sensor_card *card = run->model->card;
    int32_t n = world->emitted[sensor];
    int32_t sampled_tick = observation[run->ticks_offset];
    at = put_u8(at, (uint32_t)run->declaration.model);
    at = put_u8(at, (uint32_t)run->record_width);
    at = put_u16(at, (uint32_t)n);
    at = put_i32(at, sampled_tick);
    at = put_u16(at, (uint32_t)run->declaration.latency_tick);
    at = put_u16(at, (uint32_t)run->declaration.period_tick);
    if (card->is_counted) {
        return put_counted(at, run, observation, n);
    }
    at = put_statuses(at, observation + run->statuses_offset, n * card->status_count);
    return put_values(at, run->record_width, observation + run->values_offset,
                      n * card->value_count);
}

static void put_frames(writer *to, const kw_world *world, const int32_t *observation) {
    uint8_t *begin = begin_record(to, KW_RECORD_FRAME);
    uint8_t *at = begin;
    for (int32_t i = 0; i < world->n_sensors; ++i) {
        if (world->emitted[i] > 0) {
            at = put_frames_of(at, world, i, observation);
        }
    }
    if (at > begin) {
        end_record(to, at);
    }
}

static void put_ask(writer *to, int32_t tick, kw_ask ask, int32_t claim) {
    uint8_t *at = begin_record(to, KW_RECORD_ASK);
    at = put_i32(at, tick);
    at = put_i32(at, ask.speed_dmmps);
    at = put_i32(at, ask.steer_urad);
    end_record(to, put_u8(at, (uint32_t)claim));
}

static void put_event(writer *to, const kw_event *event) {
    uint8_t *at = begin_record(to, KW_RECORD_EVENT);
    at = put_i32(at, event->tick);
    at = put_u8(at, (uint32_t)event->name);
    end_record(to, put_i32(at, event->detail));
}

static void put_digest(writer *to, const kw_digest *digest) {
    uint8_t *at = begin_record(to, KW_RECORD_HASH);
    at = put_i32(at, digest->tick);
    at = put_i32(at, (int32_t)(uint32_t)digest->bits);
    end_record(to, put_i32(at, (int32_t)(uint32_t)(digest->bits >> 32)));
}

static void put_state(writer *to, const kw_world *world, const int32_t *observation,
                      int32_t n_ticks) {
    enum { WIDTH = 4 };
    const int32_t *poses = observation + world->pose_offset;
    const int32_t *scalars = poses + 3 * world->options.ticks_per_step;
    uint8_t *at = begin_record(to, KW_RECORD_STATE);
    at = put_i32(at, world->state.tick);
    at = put_i32(at, n_ticks);
    at = put_values(at, WIDTH, poses, 3 * (n_ticks > 0 ? n_ticks : 1));
    end_record(to, put_values(at, WIDTH, scalars, KW_OBSERVATION_SCALARS));
}

static void put_key(writer *to, kw_world *world) {
    uint8_t *at = put_i32(begin_record(to, KW_RECORD_KEY), world->state.tick);
    end_record(to, at + kw_world_save(world, at));
}

int32_t kw_world_record_size(const kw_world *world) {
    enum { FRAMING = 9, FRAME_HEAD = 13 };
    int64_t size = kw_state_most_size(world) + 4 + FRAMING; /* a key */
    size += FRAMING + 13;                                   /* the ask */
    size += FRAMING + 4 * (2 + 3 * (int64_t)world->options.ticks_per_step + 8);
    size += (int64_t)world->events_max * (FRAMING + 9);
    size += ((int64_t)world->options.ticks_per_step / HASH_TICKS + 1) * (FRAMING + 12);
    for (int32_t i = 0; i < world->n_sensors; ++i) {
        const kw_sensor_run *run = &world->sensors[i];
        const kw_sensor_card *card = run->model->card;
        int64_t frame = 4 * ((int64_t)card->status_count + card->value_count);
        size += FRAME_HEAD + run->step_frames * frame;
    }
    size += FRAMING; /* of all frames */
    return size > INT32_MAX ? -1 : (int32_t)size;
}

void kw_world_record(kw_world *world, int32_t claim, int32_t step_ticks, const int32_t *observation,
                     kw_records *records) {
    const kw_state *state = &world->state;
    int32_t before = state->tick - step_ticks;
    writer to = {.crc = &world->crc, .at = records->bytes + records->n_bytes};
    if (state->tick > 0 || claim != 0) {
        put_ask(&to, before, state->ask, claim);
    }
    for (int32_t i = 0; i < world->n_events; ++i) {
        put_event(&to, &world->events[i]);
    }
    put_frames(&to, world, observation);
    for (int32_t i = 0; i < world->n_digests; ++i) {
        put_digest(&to, &world->digests[i]);
    }
    put_state(&to, world, observation, step_ticks);
    if (state->tick == 0 || state->tick / KEY_TICKS != before / KEY_TICKS) {
        put_key(&to, world);
    }
    records->n_bytes = to.at - records->bytes;
}
