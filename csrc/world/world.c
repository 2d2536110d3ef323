/* Making, copying and ending a world: all its memory is sized here, none in a tick. */
#include <stdlib.h>

#include "common/machine.h"
#include "common/math.h"
#include "common/motion.h"
#include "record.h"
#include "world.h"

const char *kw_compiler(void) {
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "gcc " __VERSION__;
#else
    return "another compiler";
#endif
}

static bool are_options_good(const kw_options *options) {
    return options->ticks_per_step >= 1 && options->ticks_per_step <= 12000 &&
           options->time_limit_tick >= 1;
}

static kw_status declare_sensors(kw_world *world, int32_t n_sensors, const kw_sensor *sensors) {
    if (n_sensors < 0 || n_sensors > KW_SENSOR_COUNT) {
        return KW_BAD_ARGUMENT;
    }
    for (int32_t i = 0; i < n_sensors; ++i) {
        if (kw_sensor_check(&sensors[i]) != KW_OK ||
            (i > 0 && sensors[i].model <= sensors[i - 1].model)) {
            return KW_BAD_ARGUMENT;
        }
        world->sensors[i].declaration = sensors[i];
        world->sensors[i].model = kw_model_of(&sensors[i]);
    }
    world->n_sensors = n_sensors;
    return kw_frames_lay_out(world) ? KW_OK : KW_BAD_ARGUMENT;
}

/* The most events that one step can bring: nothing may be lost. */
static int64_t most_events(const kw_world *world) {
    int64_t per_tick = 2 + 1 + 2 * KW_CONTACTS_MAX;
    int64_t once = 1; /* a full map */
    return per_tick * world->options.ticks_per_step + kw_scene_change_count(world->scene) +
           KW_GOAL_CHANGES_MAX + once;
}

static void *zeroed(int64_t count, size_t size) {
    return calloc(count > 0 ? (size_t)count : 1, size);
}

static bool allocate(kw_world *world) {
    int32_t longest = 0;
    for (int32_t i = 0; i < world->n_sensors; ++i) {
        kw_sensor_run *run = &world->sensors[i];
        longest = run->sample_length > longest ? run->sample_length : longest;
        if (run->model->prepare != NULL) {
            run->rays = zeroed(1, sizeof *run->rays);
            if (run->rays == NULL) {
                return false;
            }
        }
    }
    world->events_max = (int32_t)most_events(world);
    world->events = zeroed(world->events_max, sizeof *world->events);
    world->scratch_frames = zeroed(2 * (int64_t)longest, sizeof(int32_t));
    kw_state *state = &world->state;
    state->goal_changes = zeroed(KW_GOAL_CHANGES_MAX, sizeof *state->goal_changes);
    state->present = zeroed(kw_scene_changeable_count(world->scene), 1);
    state->changes = zeroed(kw_scene_change_count(world->scene), sizeof *state->changes);
    state->frames = zeroed(world->frames_length, sizeof(int32_t));
    if (world->published != NULL && !kw_point_map_create(&state->point_map, KW_LIO_VOXELS_MAX)) {
        return false;
    }
    if (world->options.record && state->frames) {
        world->digests =
            zeroed(world->options.ticks_per_step / KW_TICKS_PER_SECOND + 1, sizeof *world->digests);
        if (!world->digests) {
            return false;
        }
        kw_crc_prepare(&world->crc);
    }
    return world->events && world->scratch_frames && state->goal_changes && state->present &&
           state->changes && state->frames;
}

kw_status kw_world_create(const kw_scene *scene, const kw_shell *shell, const kw_steering *steering,
                          int32_t n_sensors, const kw_sensor *sensors, kw_options options,
                          kw_world **out_world) {
    if (kw_shell_check(shell) != KW_OK || kw_steering_check(steering) != KW_OK ||
        !are_options_good(&options)) {
        return KW_BAD_ARGUMENT;
    }
    kw_world *world = calloc(1, sizeof *world);
    if (world == NULL) {
        return KW_NO_MEMORY;
    }
    world->scene = scene;
    world->shell = *shell;
    world->steering = *steering;
    world->options = options;
    kw_status status = declare_sensors(world, n_sensors, sensors);
    if (status == KW_OK && !allocate(world)) {
        status = KW_NO_MEMORY;
    }
    if (status != KW_OK) {
        kw_world_destroy(world);
        return status;
    }
    const uint64_t control = kw_float_control_enter();
    for (int32_t i = 0; i < n_sensors; ++i) {
        kw_sensor_run *run = &world->sensors[i];
        if (run->rays != NULL) {
            run->model->prepare(&run->declaration, run->rays);
        }
    }
    kw_float_control_leave(control);
    kw_state_clear(world);
    *out_world = world;
    return KW_OK;
}

void kw_world_destroy(kw_world *world) {
    if (world == NULL) {
        return;
    }
    for (int32_t i = 0; i < world->n_sensors; ++i) {
        free(world->sensors[i].rays);
    }
    free(world->digests);
    free(world->events);
    free(world->scratch_frames);
    free(world->state.goal_changes);
    free(world->state.present);
    free(world->state.changes);
    free(world->state.frames);
    kw_point_map_destroy(&world->state.point_map);
    free(world);
}

int32_t kw_world_observation_length(const kw_world *world) {
    return world->observation_length;
}

kw_status kw_world_copy(const kw_world *world, kw_world **out_world) {
    kw_sensor sensors[KW_SENSOR_COUNT];
    for (int32_t i = 0; i < world->n_sensors; ++i) {
        sensors[i] = world->sensors[i].declaration;
    }
    kw_world *copy = NULL;
    kw_status status = kw_world_create(world->scene, &world->shell, &world->steering,
                                       world->n_sensors, sensors, world->options, &copy);
    if (status != KW_OK) {
        return status;
    }
    int32_t size = kw_world_state_size(world);
    uint8_t *bytes = malloc((size_t)size);
    if (bytes == NULL) {
        kw_world_destroy(copy);
        return KW_NO_MEMORY;
    }
    (void)kw_world_save(world, bytes);
    status = kw_world_load(copy, size, bytes);
    free(bytes);
    if (status != KW_OK) {
        kw_world_destroy(copy);
        return status;
    }
    *out_world = copy;
    return KW_OK;
}
