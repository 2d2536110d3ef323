/* Records of a step as little-endian bytes.
 *
 * A record is u32 length of the payload, u8 kind, the payload, u32 CRC-32 of all before.
 * The ask comes first, then events in order, frames sensor by sensor, digests of state,
 * and what else was observed. The observation holds every frame of the step, so that
 * nothing is kept for the record but digests.
 */
#include "record.h"

#include <string.h>

#include "world.h"

/* A digest each second, the whole state each ten, for seeking. */
enum { HASH_TICKS = KW_TICKS_PER_SECOND, KEY_TICKS = 10 * KW_TICKS_PER_SECOND };

/* ---- Bytes ---- */

static const uint32_t CRC_NIBBLES[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

void kw_crc_table(uint32_t *out_table) {
    for (uint32_t byte = 0; byte < 256; ++byte) {
        uint32_t crc = byte;
        crc = (crc >> 4) ^ CRC_NIBBLES[crc & 15];
        crc = (crc >> 4) ^ CRC_NIBBLES[crc & 15];
        out_table[byte] = crc;
    }
    for (uint32_t slice = 1; slice < 8; ++slice) {
        for (uint32_t byte = 0; byte < 256; ++byte) {
            uint32_t before = out_table[256 * (slice - 1) + byte];
            out_table[256 * slice + byte] = (before >> 8) ^ out_table[before & 255];
        }
    }
}

static uint32_t read_u32(const uint8_t *bytes) {
    return bytes[0] | ((uint32_t)bytes[1] << 8) | ((uint32_t)bytes[2] << 16) |
           ((uint32_t)bytes[3] << 24);
}

/* Eight bytes at a time (Kounavis and Berry, A Systematic Approach to Building High
 * Performance Software-Based CRC Generators, 2005). */
static uint32_t crc32_of(const uint32_t *table, const uint8_t *bytes, int32_t n) {
    uint32_t crc = 0xffffffff;
    int32_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint32_t low = crc ^ read_u32(bytes + i);
        uint32_t high = read_u32(bytes + i + 4);
        crc = table[256 * 7 + (low & 255)] ^ table[256 * 6 + ((low >> 8) & 255)] ^
              table[256 * 5 + ((low >> 16) & 255)] ^ table[256 * 4 + (low >> 24)] ^
              table[256 * 3 + (high & 255)] ^ table[256 * 2 + ((high >> 8) & 255)] ^
              table[256 + ((high >> 16) & 255)] ^ table[high >> 24];
    }
    for (; i < n; ++i) {
        crc = (crc >> 8) ^ table[(crc ^ bytes[i]) & 255];
    }
    return crc ^ 0xffffffff;
}

typedef struct {
    const uint32_t *crc_table;
    uint8_t *out;
    int32_t n;
    int32_t start; /* of the record in making */
} writer;

static void put_u8(writer *to, uint32_t value) {
    to->out[to->n++] = (uint8_t)value;
}

static void put_u16(writer *to, uint32_t value) {
    put_u8(to, value);
    put_u8(to, value >> 8);
}

static void put_i32(writer *to, int32_t value) {
    uint32_t bits = (uint32_t)value;
    put_u16(to, bits);
    put_u16(to, bits >> 16);
}

static void begin_record(writer *to, kw_record_kind kind) {
    to->start = to->n;
    to->n += 4;
    put_u8(to, (uint32_t)kind);
}

static void end_record(writer *to) {
    int32_t end = to->n;
    to->n = to->start;
    put_i32(to, end - to->start - 5);
    to->n = end;
    put_i32(to, (int32_t)crc32_of(to->crc_table, to->out + to->start, end - to->start));
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

static void put_value(writer *to, int32_t width, int32_t value) {
    if (width == 1) {
        put_u8(to, (uint32_t)value);
    } else if (width == 2) {
        put_u16(to, (uint32_t)value);
    } else {
        put_i32(to, value);
    }
}

/* All frames of one sensor that the step brought. */
static void put_frames(writer *to, const kw_world *world, int32_t sensor,
                       const int32_t *observation) {
    const kw_sensor_run *run = &world->sensors[sensor];
    const kw_sensor_card *card = run->model->card;
    begin_record(to, KW_RECORD_FRAME);
    put_u8(to, (uint32_t)run->declaration.model);
    put_u8(to, (uint32_t)run->record_width);
    put_u16(to, (uint32_t)world->emitted[sensor]);
    for (int32_t row = 0; row < world->emitted[sensor]; ++row) {
        int32_t sampled_tick = observation[run->ticks_offset + row];
        const int32_t *statuses = observation + run->statuses_offset + row * card->status_count;
        const int32_t *values = observation + run->values_offset + row * card->value_count;
        put_i32(to, sampled_tick);
        put_i32(to, sampled_tick + run->declaration.latency_tick);
        for (int32_t i = 0; i < card->status_count; i += 2) {
            int32_t second = i + 1 < card->status_count ? statuses[i + 1] : 0;
            put_u8(to, (uint32_t)(statuses[i] | (second << 4)));
        }
        for (int32_t i = 0; i < card->value_count; ++i) {
            put_value(to, run->record_width, values[i]);
        }
    }
    end_record(to);
}

static void put_event(writer *to, const kw_event *event) {
    begin_record(to, KW_RECORD_EVENT);
    put_i32(to, event->tick);
    put_u8(to, (uint32_t)event->name);
    put_i32(to, event->detail);
    end_record(to);
}

static void put_digest(writer *to, const kw_digest *digest) {
    begin_record(to, KW_RECORD_HASH);
    put_i32(to, digest->tick);
    put_i32(to, (int32_t)(uint32_t)digest->bits);
    put_i32(to, (int32_t)(uint32_t)(digest->bits >> 32));
    end_record(to);
}

static void put_state(writer *to, const kw_world *world, const int32_t *observation,
                      int32_t n_ticks) {
    int32_t ticks_per_step = world->options.ticks_per_step;
    const int32_t *poses = observation + world->pose_offset;
    const int32_t *scalars = poses + 3 * ticks_per_step;
    begin_record(to, KW_RECORD_STATE);
    put_i32(to, world->state.tick);
    put_i32(to, n_ticks);
    for (int32_t i = 0; i < 3 * (n_ticks > 0 ? n_ticks : 1); ++i) {
        put_i32(to, poses[i]);
    }
    for (int32_t i = 0; i < KW_OBSERVATION_SCALARS; ++i) {
        put_i32(to, scalars[i]);
    }
    end_record(to);
}

static void put_key(writer *to, kw_world *world) {
    int32_t size = kw_world_state_size(world);
    begin_record(to, KW_RECORD_KEY);
    put_i32(to, world->state.tick);
    kw_world_save(world, to->out + to->n);
    to->n += size;
    end_record(to);
}

int32_t kw_world_records_size(const kw_world *world) {
    enum { FRAMING = 9 };
    int64_t size = kw_state_most_size(world) + 4 + FRAMING; /* a key */
    size += FRAMING + 13;                                   /* the ask */
    size += FRAMING + 4 * (2 + 3 * (int64_t)world->options.ticks_per_step + 8);
    size += (int64_t)world->events_max * (FRAMING + 9);
    size += ((int64_t)world->options.ticks_per_step / HASH_TICKS + 1) * (FRAMING + 12);
    for (int32_t i = 0; i < world->n_sensors; ++i) {
        const kw_sensor_run *run = &world->sensors[i];
        const kw_sensor_card *card = run->model->card;
        int64_t frame = 8 + card->status_count + 4 * (int64_t)card->value_count;
        size += FRAMING + 4 + run->step_frames * frame;
    }
    return size > INT32_MAX ? -1 : (int32_t)size;
}

int32_t kw_world_records(kw_world *world, int32_t claim, int32_t step_ticks,
                         const int32_t *observation, uint8_t *out_bytes) {
    const kw_state *state = &world->state;
    int32_t before = state->tick - step_ticks;
    writer to = {.crc_table = world->crc_table, .out = out_bytes};
    if (state->tick > 0 || claim != 0) {
        begin_record(&to, KW_RECORD_ASK);
        put_i32(&to, before);
        put_i32(&to, state->ask.speed_dmmps);
        put_i32(&to, state->ask.steer_urad);
        put_u8(&to, (uint32_t)claim);
        end_record(&to);
    }
    for (int32_t i = 0; i < world->n_events; ++i) {
        put_event(&to, &world->events[i]);
    }
    for (int32_t i = 0; i < world->n_sensors; ++i) {
        if (world->emitted[i] > 0) {
            put_frames(&to, world, i, observation);
        }
    }
    for (int32_t i = 0; i < world->n_digests; ++i) {
        put_digest(&to, &world->digests[i]);
    }
    put_state(&to, world, observation, step_ticks);
    if (state->tick == 0 || state->tick / KEY_TICKS != before / KEY_TICKS) {
        put_key(&to, world);
    }
    return to.n;
}
