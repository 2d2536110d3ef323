/* Samples under way: from the tick they are taken to the tick they are emitted.
 *
 * Sample s of a sensor of period p is whole on tick p * (s + 1), and emitted its latency
 * later, so a frame's place in its ring follows from the tick alone: no queue to keep.
 */
#include <string.h>

#include "noise.h"
#include "world.h"

static int32_t record_width(const kw_sensor *sensor, const kw_shell *shell) {
    int32_t low[3];
    int32_t high[3];
    kw_sensor_bounds(sensor, shell, low, high);
    int32_t width = 1;
    const kw_model *model = kw_model_of(sensor);
    int32_t n = model->bounds != NULL ? model->card->value_columns : model->card->channel_count;
    for (int32_t c = 0; c < n; ++c) {
        int32_t least = low[c] < INT8_MIN || high[c] > INT8_MAX ? 2 : 1;
        least = low[c] < INT16_MIN || high[c] > INT16_MAX ? 4 : least;
        width = least > width ? least : width;
    }
    return width;
}

bool kw_frames_lay_out(kw_world *world) {
    int64_t ring = 0;
    int64_t offset = 0;
    int32_t ticks = world->options.ticks_per_step;
    for (int32_t i = 0; i < world->n_sensors; ++i) {
        kw_sensor_run *run = &world->sensors[i];
        const kw_sensor_card *card = run->model->card;
        int32_t period = run->declaration.period_tick;
        run->parts = kw_sensor_parts(&run->declaration);
        run->ring_frames = run->declaration.latency_tick / period + 2;
        run->frame_length = card->value_count + card->status_count;
        kw_sample_size sample = kw_sample_size_of(run->model);
        run->sample_length = sample.n_values + sample.n_statuses;
        run->step_frames = (ticks + period - 1) / period;
        run->record_width = record_width(&run->declaration, &world->shell);
        run->ring_offset = (int32_t)ring;
        if (run->model->publish != NULL) {
            world->published = run; /* there is one such model, the last */
        }
        run->values_offset = (int32_t)offset;
        offset += (int64_t)run->step_frames * card->value_count;
        run->statuses_offset = (int32_t)offset;
        offset += (int64_t)run->step_frames * card->status_count;
        run->ticks_offset = (int32_t)offset;
        offset += run->step_frames;
        ring += (int64_t)run->ring_frames * run->frame_length;
        if (offset > INT32_MAX / 4 || ring > INT32_MAX / 4) {
            return false;
        }
    }
    world->pose_offset = (int32_t)offset;
    world->observation_length = (int32_t)offset + 3 * ticks + KW_OBSERVATION_SCALARS;
    world->frames_length = (int32_t)ring;
    world->whole_frames_length =
        world->published != NULL ? world->published->ring_offset : world->frames_length;
    return true;
}

void kw_frames_clear(kw_world *world, int32_t *observation) {
    memset(observation, 0, sizeof(int32_t) * (size_t)world->pose_offset);
    for (int32_t i = 0; i < world->n_sensors; ++i) {
        const kw_sensor_run *run = &world->sensors[i];
        world->emitted[i] = 0;
        for (int32_t frame = 0; frame < run->step_frames; ++frame) {
            observation[run->ticks_offset + frame] = -1;
        }
    }
}

static int32_t *ring_frame(kw_world *world, const kw_sensor_run *run, int32_t sample_number) {
    int32_t slot = sample_number % run->ring_frames;
    return world->state.frames + run->ring_offset + slot * run->frame_length;
}

/* Takes a whole sample that is not the frame itself, and publishes what is new in it. */
static void sample_and_publish(kw_world *world, const kw_sensor_run *run, const kw_view *view,
                               int32_t sample_number) {
    const kw_sensor *sensor = &run->declaration;
    int32_t *readings = world->scratch_frames;
    int32_t *statuses = readings + kw_sample_size_of(run->model).n_values;
    run->model->sample(sensor, view, 0, readings, statuses);
    if (world->options.noise) {
        kw_noise_add(world->state.seed, sensor, sample_number, readings, statuses);
    }
    kw_point_map *map = &world->state.point_map;
    int32_t refused = map->refused;
    int32_t *points = ring_frame(world, run, sample_number);
    run->model->publish(sensor, view, readings, statuses, map, points,
                        points + run->model->card->value_count);
    if (refused == 0 && map->refused > 0) {
        kw_world_note(world, KW_EVENT_MAP_FULL, map->refused);
    }
}

void kw_frames_sample(kw_world *world) {
    kw_view view = kw_world_view(world);
    int32_t tick = world->state.tick;
    for (int32_t i = 0; i < world->n_sensors; ++i) {
        const kw_sensor_run *run = &world->sensors[i];
        int32_t period = run->declaration.period_tick;
        int32_t part = (tick - 1) % period;
        bool whole = part == period - 1;
        if (!whole && run->parts == 1) {
            continue;
        }
        int32_t sample_number = (tick - 1) / period;
        view.rays = run->rays;
        if (run->model->publish != NULL) {
            sample_and_publish(world, run, &view, sample_number);
            continue;
        }
        int32_t *values = ring_frame(world, run, sample_number);
        int32_t *statuses = values + run->model->card->value_count;
        run->model->sample(&run->declaration, &view, run->parts == 1 ? 0 : part, values, statuses);
        if (whole && world->options.noise) {
            kw_noise_add(world->state.seed, &run->declaration, sample_number, values, statuses);
        }
    }
}

void kw_frames_emit(kw_world *world, int32_t *observation) {
    for (int32_t i = 0; i < world->n_sensors; ++i) {
        const kw_sensor_run *run = &world->sensors[i];
        int32_t sampled_tick = world->state.tick - run->declaration.latency_tick;
        if (sampled_tick < 1 || sampled_tick % run->declaration.period_tick != 0) {
            continue;
        }
        const kw_sensor_card *card = run->model->card;
        const int32_t *frame =
            ring_frame(world, run, sampled_tick / run->declaration.period_tick - 1);
        int32_t row = world->emitted[i]++;
        memcpy(observation + run->values_offset + row * card->value_count, frame,
               sizeof(int32_t) * (size_t)card->value_count);
        memcpy(observation + run->statuses_offset + row * card->status_count,
               frame + card->value_count, sizeof(int32_t) * (size_t)card->status_count);
        observation[run->ticks_offset + row] = sampled_tick;
    }
}
