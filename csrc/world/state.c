/* The state of a drive as bytes: little-endian, no padding, no pointers.
 *
 * One function lists every field; measuring, saving and loading all walk that list, so a
 * field can't be in one and missing from another.
 */
#include <stdlib.h>
#include <string.h>

#include "world.h"

typedef enum { MEASURE, SAVE, LOAD } archive_mode;

typedef struct {
    archive_mode mode;
    int64_t size;
    uint8_t *out;
    const uint8_t *in;
} archive;

static void visit_u64(archive *at, uint64_t *value, int32_t n_bytes) {
    if (at->mode == SAVE) {
        for (int32_t i = 0; i < n_bytes; ++i) {
            at->out[at->size + i] = (uint8_t)(*value >> (8 * i));
        }
    } else if (at->mode == LOAD) {
        *value = 0;
        for (int32_t i = 0; i < n_bytes; ++i) {
            *value |= (uint64_t)at->in[at->size + i] << (8 * i);
        }
    }
    at->size += n_bytes;
}

static void visit_i32(archive *at, int32_t *value) {
    uint64_t bits = (uint32_t)*value;
    visit_u64(at, &bits, 4);
    if (at->mode == LOAD) {
        *value = bits <= INT32_MAX ? (int32_t)bits : -(int32_t)(UINT32_MAX - bits) - 1;
    }
}

static void visit_f64(archive *at, double *value) {
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    visit_u64(at, &bits, 8);
    memcpy(value, &bits, sizeof bits);
}

static void visit_pose(archive *at, kw_pose *pose) {
    visit_f64(at, &pose->x_m);
    visit_f64(at, &pose->y_m);
    visit_f64(at, &pose->heading_rad);
}

static void visit_goals(archive *at, kw_state *state) {
    visit_i32(at, &state->goal_index);
    visit_i32(at, &state->n_goals);
    for (int32_t i = 0; i < KW_GOALS_MAX; ++i) {
        visit_f64(at, &state->goals[i].x_m);
        visit_f64(at, &state->goals[i].y_m);
        visit_f64(at, &state->goals[i].radius_m);
    }
    for (int32_t i = 0; i < state->n_goal_changes; ++i) {
        visit_i32(at, &state->goal_changes[i].tick);
        visit_f64(at, &state->goal_changes[i].x_m);
        visit_f64(at, &state->goal_changes[i].y_m);
    }
}

static void visit_scene(archive *at, kw_world *world) {
    kw_state *state = &world->state;
    for (int32_t i = 0; i < kw_scene_changeable_count(world->scene); ++i) {
        uint64_t present = state->present[i];
        visit_u64(at, &present, 1);
        state->present[i] = present != 0;
    }
    for (int32_t i = 0; i < kw_scene_change_count(world->scene); ++i) {
        visit_i32(at, &state->changes[i].armed);
        visit_i32(at, &state->changes[i].applied_tick);
        for (int32_t sensor = 0; sensor < world->n_sensors; ++sensor) {
            visit_i32(at, &state->changes[i].seen_in_sweep[sensor]);
        }
    }
}

static void visit_state(archive *at, kw_world *world) {
    kw_state *state = &world->state;
    visit_i32(at, &state->n_goal_changes); /* first: the only count that the size depends on */
    visit_u64(at, &state->seed, 8);
    visit_pose(at, &state->motion.pose);
    visit_f64(at, &state->motion.speed_mps);
    visit_f64(at, &state->motion.steer_rad);
    visit_f64(at, &state->motion.steer_rate_radps);
    visit_f64(at, &state->motion.heading_rest_rad);
    visit_i32(at, &state->ask.speed_dmmps);
    visit_i32(at, &state->ask.steer_urad);
    visit_i32(at, &state->is_reset);
    visit_i32(at, &state->tick);
    visit_i32(at, &state->ending);
    visit_i32(at, &state->honesty_crossed);
    visit_i32(at, &state->tip_crossed);
    visit_i32(at, &state->contact_ticks);
    visit_i32(at, &state->n_contacts);
    for (int32_t i = 0; i < KW_CONTACTS_MAX; ++i) {
        visit_i32(at, &state->contacts[i]);
    }
    for (int32_t i = 0; i < KW_WHEEL_COUNT; ++i) {
        visit_f64(at, &state->wheel_distances_m[i]);
    }
    visit_f64(at, &state->length_m);
    visit_f64(at, &state->min_clearance_m);
    visit_goals(at, state);
    visit_scene(at, world);
    for (int32_t i = 0; i < world->frames_length; ++i) {
        visit_i32(at, &state->frames[i]);
    }
}

void kw_state_clear(kw_world *world) {
    kw_state *state = &world->state;
    kw_state blank = {
        .goal_changes = state->goal_changes,
        .present = state->present,
        .changes = state->changes,
        .frames = state->frames,
    };
    *state = blank;
    kw_scene_initial_present(world->scene, state->present);
    for (int32_t i = 0; i < kw_scene_change_count(world->scene); ++i) {
        state->changes[i] = (kw_change_state){.applied_tick = -1};
    }
    memset(state->frames, 0, sizeof(int32_t) * (size_t)world->frames_length);
}

int32_t kw_world_state_size(const kw_world *world) {
    archive at = {.mode = MEASURE};
    visit_state(&at, (kw_world *)world); /* measuring reads only */
    return (int32_t)at.size;
}

void kw_world_save(const kw_world *world, uint8_t *out_bytes) {
    archive at = {.mode = SAVE, .out = out_bytes};
    visit_state(&at, (kw_world *)world); /* saving reads only */
}

/* Whether what was loaded can be a state of this world: every index within its array. */
static bool is_sound(const kw_state *state) {
    return state->n_goals >= 0 && state->n_goals <= KW_GOALS_MAX && state->goal_index >= 0 &&
           state->goal_index <= state->n_goals && state->n_contacts >= 0 &&
           state->n_contacts <= KW_CONTACTS_MAX && state->tick >= 0 &&
           state->motion.pose.x_m - state->motion.pose.x_m == 0.0 &&
           state->motion.pose.y_m - state->motion.pose.y_m == 0.0 &&
           state->motion.pose.heading_rad >= -4.0 && state->motion.pose.heading_rad <= 4.0;
}

kw_status kw_world_load(kw_world *world, int32_t size, const uint8_t *bytes) {
    int32_t n_goal_changes = 0;
    archive first = {.mode = LOAD, .in = bytes};
    if (size < 4) {
        return KW_BAD_STATE;
    }
    visit_i32(&first, &n_goal_changes);
    if (n_goal_changes < 0 || n_goal_changes > KW_GOAL_CHANGES_MAX) {
        return KW_BAD_STATE;
    }
    int32_t kept = world->state.n_goal_changes;
    world->state.n_goal_changes = n_goal_changes;
    if (kw_world_state_size(world) != size) {
        world->state.n_goal_changes = kept;
        return KW_BAD_STATE;
    }
    archive at = {.mode = LOAD, .in = bytes};
    visit_state(&at, world);
    world->nearest_hint = KW_SOLID_NONE;
    world->n_events = 0;
    if (!is_sound(&world->state)) {
        kw_state_clear(world);
        return KW_BAD_STATE;
    }
    return KW_OK;
}
