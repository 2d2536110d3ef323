/* The state of a drive as bytes: little-endian, no padding, no pointers.
 *
 * One function lists every field; measuring, saving, loading, the digest and the names all
 * walk that list, so a field can't be in one and missing from another.
 */
#include <stddef.h>
#include <string.h>

#include "world.h"

typedef enum { MEASURE, SAVE, LOAD, DIGEST, FIND } archive_mode;

typedef struct {
    archive_mode mode;
    int64_t size;
    uint8_t *out;
    const uint8_t *in;
    uint64_t digest;
    int64_t wanted; /* byte that FIND looks for */
    kw_state_field *found;
    int32_t index; /* in the array being walked */
} archive;

/* One word into a digest: multiply and fold. */
static uint64_t folded(uint64_t digest, uint64_t word) {
    digest = (digest ^ word) * 0xff51afd7ed558ccdu;
    return digest ^ (digest >> 32);
}

static uint64_t pair_of(int32_t low, int32_t high) {
    return (uint32_t)low | (uint64_t)(uint32_t)high << 32;
}

static void visit_u64(archive *at, const char *name, uint64_t *value, int32_t n_bytes) {
    switch (at->mode) {
    case SAVE:
        for (int32_t i = 0; i < n_bytes; ++i) {
            at->out[at->size + i] = (uint8_t)(*value >> (8 * i));
        }
        break;
    case LOAD:
        *value = 0;
        for (int32_t i = 0; i < n_bytes; ++i) {
            *value |= (uint64_t)at->in[at->size + i] << (8 * i);
        }
        break;
    case DIGEST:
        at->digest = folded(at->digest, *value);
        break;
    case FIND:
        if (at->wanted >= at->size && at->wanted < at->size + n_bytes) {
            *at->found = (kw_state_field){name, at->index, (int32_t)at->size, n_bytes, 0};
        }
        break;
    case MEASURE:
        break;
    }
    at->size += n_bytes;
}

static void visit_i32(archive *at, const char *name, int32_t *value) {
    uint64_t bits = (uint32_t)*value;
    visit_u64(at, name, &bits, 4);
    if (at->mode == LOAD) {
        *value = bits <= INT32_MAX ? (int32_t)bits : -(int32_t)(UINT32_MAX - bits) - 1;
    }
}

static void visit_f64(archive *at, const char *name, double *value) {
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    visit_u64(at, name, &bits, 8);
    memcpy(value, &bits, sizeof bits);
    if (at->mode == FIND && at->found->name == name) {
        at->found->is_real = 1;
    }
}

static void visit_pose(archive *at, kw_pose *pose) {
    visit_f64(at, "pose.x_m", &pose->x_m);
    visit_f64(at, "pose.y_m", &pose->y_m);
    visit_f64(at, "pose.heading_rad", &pose->heading_rad);
}

static void visit_goals(archive *at, kw_state *state) {
    visit_i32(at, "goal_index", &state->goal_index);
    visit_i32(at, "n_goals", &state->n_goals);
    for (int32_t i = 0; i < KW_GOALS_MAX; ++i) {
        at->index = i;
        visit_f64(at, "goals.x_m", &state->goals[i].x_m);
        visit_f64(at, "goals.y_m", &state->goals[i].y_m);
        visit_f64(at, "goals.radius_m", &state->goals[i].radius_m);
    }
    for (int32_t i = 0; i < state->n_goal_changes; ++i) {
        at->index = i;
        visit_i32(at, "goal_changes.tick", &state->goal_changes[i].tick);
        visit_f64(at, "goal_changes.x_m", &state->goal_changes[i].x_m);
        visit_f64(at, "goal_changes.y_m", &state->goal_changes[i].y_m);
    }
    at->index = -1;
}

static void visit_scene(archive *at, kw_world *world) {
    kw_state *state = &world->state;
    for (int32_t i = 0; i < kw_scene_changeable_count(world->scene); ++i) {
        uint64_t present = state->present[i];
        at->index = i;
        visit_u64(at, "present", &present, 1);
        state->present[i] = present != 0;
    }
    for (int32_t i = 0; i < kw_scene_change_count(world->scene); ++i) {
        at->index = i;
        visit_i32(at, "changes.armed", &state->changes[i].armed);
        visit_i32(at, "changes.applied_tick", &state->changes[i].applied_tick);
        for (int32_t sensor = 0; sensor < world->n_sensors; ++sensor) {
            visit_i32(at, "changes.seen_in_sweep", &state->changes[i].seen_in_sweep[sensor]);
        }
    }
    at->index = -1;
}

enum { DIGEST_LANES = 4 };

/* Frames, but for those of points, which have a part of their own. They are most of the
 * state, so their digest takes two numbers at a time, in lanes that wait for no other. */
static int32_t digest_frames(archive *at, const kw_world *world) {
    const int32_t *frames = world->state.frames;
    uint64_t lanes[DIGEST_LANES];
    int32_t i = 0;
    for (int32_t lane = 0; lane < DIGEST_LANES; ++lane) {
        lanes[lane] = (uint64_t)lane;
    }
    for (; i + 2 * DIGEST_LANES <= world->whole_frames_length; i += 2 * DIGEST_LANES) {
        for (int32_t lane = 0; lane < DIGEST_LANES; ++lane) {
            const int32_t *pair = frames + i + 2 * lane;
            lanes[lane] = folded(lanes[lane], pair_of(pair[0], pair[1]));
        }
    }
    for (int32_t lane = 0; lane < DIGEST_LANES; ++lane) {
        at->digest = folded(at->digest, lanes[lane]);
    }
    at->size += (int64_t)i * (int64_t)sizeof(int32_t);
    return i;
}

/* The same frames as bytes: compilers copy many at once where numbers lie so in memory. */
static int32_t save_frames(archive *at, const kw_world *world) {
    uint8_t *out = at->out + at->size;
    for (int32_t i = 0; i < world->whole_frames_length; ++i) {
        uint32_t bits = (uint32_t)world->state.frames[i];
        out[4 * i] = (uint8_t)bits;
        out[4 * i + 1] = (uint8_t)(bits >> 8);
        out[4 * i + 2] = (uint8_t)(bits >> 16);
        out[4 * i + 3] = (uint8_t)(bits >> 24);
    }
    at->size += 4 * (int64_t)world->whole_frames_length;
    return world->whole_frames_length;
}

static void visit_frames(archive *at, kw_world *world) {
    int32_t first = 0;
    if (at->mode == DIGEST) {
        first = digest_frames(at, world);
    } else if (at->mode == SAVE) {
        first = save_frames(at, world);
    }
    for (int32_t i = first; i < world->whole_frames_length; ++i) {
        at->index = i;
        visit_i32(at, "frames", &world->state.frames[i]);
    }
}

/* Rows of points and their count, of the nth frame in the ring of what is published. */
static int32_t *published_frame(const kw_world *world, int32_t nth, int32_t **out_count) {
    const kw_sensor_run *run = world->published;
    int32_t *rows = world->state.frames + run->ring_offset + (ptrdiff_t)nth * run->frame_length;
    *out_count = rows + run->model->card->value_count;
    return rows;
}

/* Only the rows that are counted: what follows them is zero. */
static void visit_published_frame(archive *at, const kw_world *world, int32_t nth) {
    const kw_sensor_card *card = world->published->model->card;
    int32_t *count;
    int32_t *rows = published_frame(world, nth, &count);
    if (at->mode == LOAD) {
        memset(rows, 0, sizeof(int32_t) * (size_t)card->value_count);
    }
    for (int32_t i = 0; i < *count * card->value_columns; ++i) {
        at->index = i;
        visit_i32(at, "points", &rows[i]);
    }
    at->index = -1;
}

/* Voxels, as frames, are many: their digest takes two numbers at a time. */
static void visit_voxel(archive *at, kw_voxel *voxel) {
    if (at->mode == DIGEST) {
        at->digest = folded(at->digest, voxel->key);
        at->digest = folded(at->digest, voxel->points[0] | (uint64_t)voxel->points[1] << 32);
        at->digest = folded(at->digest, voxel->points[2] | (uint64_t)voxel->points[3] << 32);
        at->size += KW_VOXEL_BYTES;
        return;
    }
    visit_u64(at, "voxels.key", &voxel->key, 8);
    for (int32_t i = 0; i < KW_VOXEL_POINTS; ++i) {
        uint64_t place = voxel->points[i];
        visit_u64(at, "voxels.points", &place, 4);
        voxel->points[i] = (uint32_t)place;
    }
}

/* What was published: the frames under way, and the map, its index left out. */
static void visit_published(archive *at, kw_world *world) {
    kw_point_map *map = &world->state.point_map;
    for (int32_t nth = 0; nth < world->published->ring_frames; ++nth) {
        visit_published_frame(at, world, nth);
    }
    visit_i32(at, "voxels_refused", &map->refused);
    for (int32_t i = 0; i < map->n; ++i) {
        at->index = i;
        visit_voxel(at, &map->voxels[i]);
    }
    at->index = -1;
}

/* The counts that the size depends on, first of all. */
static void visit_counts(archive *at, kw_world *world) {
    visit_i32(at, "n_goal_changes", &world->state.n_goal_changes);
    if (world->published == NULL) {
        return;
    }
    visit_i32(at, "n_voxels", &world->state.point_map.n);
    for (int32_t nth = 0; nth < world->published->ring_frames; ++nth) {
        int32_t *count;
        (void)published_frame(world, nth, &count);
        at->index = nth;
        visit_i32(at, "points_counts", count);
    }
    at->index = -1;
}

static void visit_state(archive *at, kw_world *world) {
    kw_state *state = &world->state;
    at->index = -1;
    visit_counts(at, world);
    visit_u64(at, "seed", &state->seed, 8);
    visit_pose(at, &state->motion.pose);
    visit_f64(at, "speed_mps", &state->motion.speed_mps);
    visit_f64(at, "steer_rad", &state->motion.steer_rad);
    visit_f64(at, "steer_rate_radps", &state->motion.steer_rate_radps);
    visit_f64(at, "heading_rest_rad", &state->motion.heading_rest_rad);
    visit_i32(at, "ask.speed_dmmps", &state->ask.speed_dmmps);
    visit_i32(at, "ask.steer_urad", &state->ask.steer_urad);
    visit_i32(at, "is_reset", &state->is_reset);
    visit_i32(at, "tick", &state->tick);
    visit_i32(at, "ending", &state->ending);
    visit_i32(at, "honesty_crossed", &state->honesty_crossed);
    visit_i32(at, "tip_crossed", &state->tip_crossed);
    visit_i32(at, "contact_ticks", &state->contact_ticks);
    visit_i32(at, "n_contacts", &state->n_contacts);
    for (int32_t i = 0; i < KW_CONTACTS_MAX; ++i) {
        at->index = i;
        visit_i32(at, "contacts", &state->contacts[i]);
    }
    for (int32_t i = 0; i < KW_WHEEL_COUNT; ++i) {
        at->index = i;
        visit_f64(at, "wheel_distances_m", &state->wheel_distances_m[i]);
    }
    at->index = -1;
    visit_f64(at, "length_m", &state->length_m);
    visit_f64(at, "min_clearance_m", &state->min_clearance_m);
    visit_goals(at, state);
    visit_scene(at, world);
    visit_frames(at, world);
    if (world->published != NULL) {
        visit_published(at, world);
    }
}

void kw_state_clear(kw_world *world) {
    kw_state *state = &world->state;
    kw_state blank = {
        .goal_changes = state->goal_changes,
        .present = state->present,
        .changes = state->changes,
        .frames = state->frames,
        .point_map = state->point_map,
    };
    *state = blank;
    kw_scene_initial_present(world->scene, state->present);
    for (int32_t i = 0; i < kw_scene_change_count(world->scene); ++i) {
        state->changes[i] = (kw_change_state){.applied_tick = -1};
    }
    memset(state->frames, 0, sizeof(int32_t) * (size_t)world->frames_length);
    if (world->published != NULL) {
        kw_point_map_clear(&state->point_map);
    }
}

int32_t kw_world_state_size(const kw_world *world) {
    archive at = {.mode = MEASURE};
    visit_state(&at, (kw_world *)world); /* measuring reads only */
    return (int32_t)at.size;
}

/* Bytes of the state that go by its counts. */
static int64_t counted_size(const kw_world *world, int32_t n_goal_changes, int32_t n_voxels,
                            int64_t n_rows) {
    enum { GOAL_CHANGE_SIZE = 4 + 8 + 8 };
    int64_t row_size = 0;
    if (world->published != NULL) {
        row_size = (int64_t)sizeof(int32_t) * world->published->model->card->value_columns;
    }
    return (int64_t)n_goal_changes * GOAL_CHANGE_SIZE + (int64_t)n_voxels * KW_VOXEL_BYTES +
           n_rows * row_size;
}

/* The same, of the state as it is. */
static int64_t counted_size_now(const kw_world *world) {
    int64_t n_rows = 0;
    for (int32_t nth = 0; world->published != NULL && nth < world->published->ring_frames; ++nth) {
        int32_t *count;
        (void)published_frame(world, nth, &count);
        n_rows += *count;
    }
    return counted_size(world, world->state.n_goal_changes, world->state.point_map.n, n_rows);
}

int64_t kw_state_most_size(const kw_world *world) {
    int64_t n_rows = 0;
    if (world->published != NULL) {
        const kw_sensor_card *card = world->published->model->card;
        n_rows = (int64_t)world->published->ring_frames * card->value_count / card->value_columns;
    }
    return kw_world_state_size(world) - counted_size_now(world) +
           counted_size(world, KW_GOAL_CHANGES_MAX, world->state.point_map.capacity, n_rows);
}

int32_t kw_world_save(const kw_world *world, uint8_t *out_bytes) {
    archive at = {.mode = SAVE, .out = out_bytes};
    visit_state(&at, (kw_world *)world); /* saving reads only */
    return (int32_t)at.size;
}

/* With the finish of MurmurHash3. Against accidents, not attackers: the
 * root of a drive is a SHA-256. */
uint64_t kw_state_digest(const kw_world *world) {
    archive at = {.mode = DIGEST, .digest = 0x9e3779b97f4a7c15u};
    visit_state(&at, (kw_world *)world); /* a digest reads only */
    uint64_t digest = (at.digest ^ (uint64_t)at.size) * 0xc4ceb9fe1a85ec53u;
    return digest ^ (digest >> 33);
}

kw_status kw_world_state_field(const kw_world *world, int32_t at_byte, kw_state_field *out_field) {
    archive at = {.mode = FIND, .wanted = at_byte, .found = out_field};
    *out_field = (kw_state_field){0};
    visit_state(&at, (kw_world *)world); /* finding reads only */
    return out_field->name != NULL ? KW_OK : KW_BAD_ARGUMENT;
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

/* Bytes that a state has which begins so; -1 where its counts are none of this world's. */
static int64_t size_by_counts(const kw_world *world, int32_t size, const uint8_t *bytes) {
    archive at = {.mode = LOAD, .in = bytes};
    int32_t n_counts = world->published == NULL ? 1 : 2 + world->published->ring_frames;
    int32_t n_goal_changes = 0;
    int32_t n_voxels = 0;
    int64_t n_rows = 0;
    if (size / (int32_t)sizeof(int32_t) < n_counts) {
        return -1;
    }
    visit_i32(&at, "n_goal_changes", &n_goal_changes);
    if (world->published != NULL) {
        visit_i32(&at, "n_voxels", &n_voxels);
    }
    for (int32_t nth = 2; nth < n_counts; ++nth) {
        const kw_sensor_card *card = world->published->model->card;
        int32_t count = 0;
        visit_i32(&at, "points_counts", &count);
        if (count < 0 || count > card->value_count / card->value_columns) {
            return -1;
        }
        n_rows += count;
    }
    if (n_goal_changes < 0 || n_goal_changes > KW_GOAL_CHANGES_MAX || n_voxels < 0 ||
        n_voxels > world->state.point_map.capacity) {
        return -1;
    }
    return kw_world_state_size(world) - counted_size_now(world) +
           counted_size(world, n_goal_changes, n_voxels, n_rows);
}

kw_status kw_world_load(kw_world *world, int32_t size, const uint8_t *bytes) {
    if (size_by_counts(world, size, bytes) != size) {
        return KW_BAD_STATE;
    }
    archive at = {.mode = LOAD, .in = bytes};
    visit_state(&at, world);
    world->nearest_hint = KW_SOLID_NONE;
    world->n_events = 0;
    if (world->published != NULL) {
        kw_point_map_index(&world->state.point_map);
    }
    if (!is_sound(&world->state)) {
        kw_state_clear(world);
        return KW_BAD_STATE;
    }
    return KW_OK;
}
