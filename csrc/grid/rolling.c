/* Takes frames and ticks into the rolling map: what is refused, what leaves, what enters.
 *
 * A frame is read and tried before anything is changed, so that one that is refused leaves
 * all cells as they were. Then: cells leave by time, cells leave by radius, the frame's
 * cells enter, and what is there is published (rolling_publish.c).
 */
#include "rolling.h"

#include <stdlib.h>
#include <string.h>

#include "common/math.h"

#define STAMP_LIMIT_NS ((int64_t)1 << 62)
#define POINT_LIMIT ((int64_t)1 << 26)
#define TURN_URAD 6283185

const kw_rolling_bounds kw_rolling_declared = {
    .voxel_um = 450000,
    .radius_um = 12000000,
    .hold_ns = 750000000,
    .retention_ns = 3000000000,
    .jump_um = 1000000,
    .jump_urad = 500000,
    .low_um = -KW_ROLLING_FAR_UM, /* all points */
    .high_um = KW_ROLLING_FAR_UM,
    .cell_limit = 65536,
    .component_cell_limit = 4096,
    .component_limit = 1024,
    .point_minimum = 4,
};

static int32_t between(int64_t value, int64_t low, int64_t high) {
    return value >= low && value <= high;
}

static int32_t bounds_check(const kw_rolling_bounds *bounds) {
    return between(bounds->voxel_um, 10000, 10000000) && between(bounds->radius_um, 1, 100000000) &&
           bounds->radius_um / bounds->voxel_um < KW_ROLLING_REACH_CELLS &&
           between(bounds->hold_ns, 0, bounds->retention_ns) &&
           bounds->retention_ns <= STAMP_LIMIT_NS / 2 && between(bounds->jump_um, 0, 100000000) &&
           between(bounds->jump_urad, 0, TURN_URAD / 2 + 1) &&
           between(bounds->low_um, -KW_ROLLING_FAR_UM, bounds->high_um) &&
           bounds->high_um <= KW_ROLLING_FAR_UM && between(bounds->cell_limit, 1, 1 << 20) &&
           bounds->component_cell_limit >= 1 && between(bounds->component_limit, 1, 1 << 16) &&
           bounds->point_minimum >= 1;
}

static int32_t reach_of(const kw_rolling_bounds *bounds) {
    return (int32_t)(bounds->radius_um / bounds->voxel_um) + 1;
}

static kw_status create_parts(kw_rolling *map) {
    const int32_t limit = (int32_t)map->bounds.cell_limit;
    const int32_t reach = reach_of(&map->bounds);
    map->current = malloc((size_t)limit * sizeof *map->current);
    map->first_parts = malloc((size_t)limit * sizeof *map->first_parts);
    map->runs = malloc((size_t)limit * sizeof *map->runs);
    map->taken = malloc((size_t)map->bounds.component_limit * sizeof *map->taken);
    if (!map->current || !map->first_parts || !map->runs || !map->taken ||
        kw_voxels_create(limit, &map->voxels) != KW_OK ||
        kw_components_create(reach, limit, &map->window) != KW_OK ||
        kw_shadow_create(map->bounds.voxel_um, 2 * reach + 1, &map->corridor) != KW_OK ||
        kw_shadow_create(map->bounds.voxel_um, 2 * reach + 1, &map->occupied) != KW_OK) {
        return KW_NO_MEMORY;
    }
    return KW_OK;
}

kw_status kw_rolling_create(const kw_rolling_bounds *bounds, kw_rolling **out_map) {
    if (!bounds_check(bounds)) {
        return KW_BAD_ARGUMENT;
    }
    kw_rolling *map = calloc(1, sizeof *map);
    if (!map) {
        return KW_NO_MEMORY;
    }
    map->bounds = *bounds;
    if (create_parts(map) != KW_OK) {
        kw_rolling_destroy(map);
        return KW_NO_MEMORY;
    }
    *out_map = map;
    return KW_OK;
}

void kw_rolling_destroy(kw_rolling *map) {
    if (!map) {
        return;
    }
    kw_voxels_destroy(&map->voxels);
    kw_identities_destroy(&map->identities);
    kw_increment_destroy(&map->increment);
    kw_components_destroy(&map->window);
    kw_shadow_destroy(&map->corridor);
    kw_shadow_destroy(&map->occupied);
    free(map->hits);
    free(map->current);
    free(map->first_parts);
    free(map->taken);
    free(map->components);
    free(map->runs);
    free(map);
}

int64_t kw_rolling_clear(kw_rolling *map) {
    const int64_t n = map->voxels.n_active;
    kw_voxels_clear(&map->voxels);
    kw_identities_clear(&map->identities);
    map->first_hit = 0;
    map->n_hits = 0;
    map->n_current = 0;
    map->n_components = 0;
    map->n_runs = 0;
    return n;
}

/* ---- What is refused ---- */

static int32_t corridor_check(const kw_rolling_corridor *corridor) {
    return !corridor || (between(corridor->n_pieces, 0, KW_ROLLING_CORRIDOR_PIECES) &&
                         between(corridor->low_um, -KW_ROLLING_FAR_UM, corridor->high_um) &&
                         corridor->high_um <= KW_ROLLING_FAR_UM &&
                         kw_pieces_check(corridor->n_pieces, corridor->pieces));
}

static int32_t arguments_check(int64_t stamp_ns, const kw_rolling_corridor *corridor,
                               int64_t n_bearing_only) {
    return between(stamp_ns, -STAMP_LIMIT_NS, STAMP_LIMIT_NS) &&
           between(n_bearing_only, 0, POINT_LIMIT) && corridor_check(corridor);
}

static kw_rolling_status stamp_status(const kw_rolling *map, int64_t stamp_ns) {
    if (map->has_frame && stamp_ns == map->frame_ns) {
        return KW_ROLLING_REFUSED_REPEATED;
    }
    return map->has_time && stamp_ns < map->time_ns ? KW_ROLLING_REFUSED_BACKWARD
                                                    : KW_ROLLING_ACCEPTED;
}

static kw_rolling_result blank_result(const kw_rolling *map, kw_rolling_status status,
                                      kw_rolling_answer answer) {
    return (kw_rolling_result){
        .status = status,
        .answer = answer,
        .fault = map->fault,
        .time_ns = map->time_ns,
        .active_cells = map->voxels.n_active,
    };
}

static int32_t jumped(const kw_rolling *map, const kw_whole_pose *pose) {
    if (!map->has_frame) {
        return 0;
    }
    const int64_t limit = map->bounds.jump_um;
    const int64_t dx = pose->x_um - map->pose.x_um;
    const int64_t dy = pose->y_um - map->pose.y_um;
    const int64_t dz = pose->z_um - map->pose.z_um;
    if (!between(dx, -limit, limit) || !between(dy, -limit, limit) || !between(dz, -limit, limit) ||
        dx * dx + dy * dy + dz * dz > limit * limit) {
        return 1;
    }
    int64_t turn = pose->yaw_urad - map->pose.yaw_urad;
    turn = turn < 0 ? -turn : turn;
    turn = turn > TURN_URAD / 2 ? TURN_URAD - turn : turn;
    return turn > map->bounds.jump_urad;
}

/* ---- What leaves and what enters ---- */

static int32_t expired(const kw_rolling *map, const kw_voxel_cell *cell, int64_t now_ns) {
    return now_ns - cell->last_ns > map->bounds.retention_ns;
}

/* Finds the frame's cells in the map; returns how many are new, or would be by then. */
static int64_t find_cells(kw_rolling *map, int64_t now_ns) {
    int64_t n_new = 0;
    for (int32_t i = 0; i < map->increment.n_cells; i++) {
        kw_increment_cell *cell = &map->increment.cells[i];
        if (!cell->far) {
            cell->slot = kw_voxels_find(&map->voxels, cell->voxel);
            n_new +=
                cell->slot == KW_NO_SLOT || expired(map, &map->voxels.cells[cell->slot], now_ns);
        }
    }
    return n_new;
}

static int32_t fits(kw_rolling *map, const kw_whole_pose *pose, int64_t now_ns) {
    const int64_t n_new = find_cells(map, now_ns);
    if (map->voxels.n_active + n_new <= map->bounds.cell_limit) {
        return 1; /* whatever leaves */
    }
    int64_t n_staying = 0;
    for (int32_t slot = 0; slot < map->voxels.n_used; slot++) {
        const kw_voxel_cell *cell = &map->voxels.cells[slot];
        n_staying += cell->active && !expired(map, cell, now_ns) &&
                     kw_voxel_within(&map->bounds, pose, cell->voxel);
    }
    return n_staying + n_new <= map->bounds.cell_limit;
}

/* Takes the points out of cells that have been there for longer than the hold. */
static void let_go(kw_rolling *map, int64_t now_ns) {
    while (map->first_hit < map->n_hits) {
        const kw_hit *hit = &map->hits[map->first_hit];
        if (now_ns - hit->stamp_ns <= map->bounds.hold_ns) {
            break;
        }
        kw_voxel_cell *cell = &map->voxels.cells[hit->slot];
        if (cell->active && cell->born_ns <= hit->stamp_ns) { /* the same cell still */
            cell->held_points -= hit->n_points;
        }
        map->first_hit++;
    }
}

static void evict(kw_rolling *map, const kw_whole_pose *pose, int64_t now_ns,
                  kw_rolling_result *result) {
    for (int32_t slot = 0; slot < map->voxels.n_used; slot++) {
        const kw_voxel_cell *cell = &map->voxels.cells[slot];
        if (!cell->active) {
            continue;
        }
        const int32_t old = expired(map, cell, now_ns);
        if (old || (pose && !kw_voxel_within(&map->bounds, pose, cell->voxel))) {
            result->evicted_time_cells += old;
            result->evicted_radius_cells += !old;
            kw_voxels_remove(&map->voxels, slot);
        }
    }
}

static void enter(kw_rolling *map, int64_t now_ns, kw_rolling_result *result) {
    map->n_current = 0;
    for (int32_t i = 0; i < map->increment.n_cells; i++) {
        const kw_increment_cell *hit = &map->increment.cells[i];
        if (hit->far) {
            continue;
        }
        int32_t slot = hit->slot; /* found before cells left: it may be another's by now */
        if (slot == KW_NO_SLOT || !map->voxels.cells[slot].active ||
            !kw_voxel_equal(map->voxels.cells[slot].voxel, hit->voxel)) {
            slot = kw_voxels_add(&map->voxels, hit->voxel);
            map->voxels.cells[slot].born_ns = now_ns;
            result->new_cells++;
        }
        kw_voxel_cell *cell = &map->voxels.cells[slot];
        if (now_ns - cell->last_ns > map->bounds.hold_ns) {
            cell->identity = 0; /* this part of its component was let go */
        }
        cell->last_ns = now_ns;
        cell->held_points += hit->n_points;
        map->hits[map->n_hits++] = (kw_hit){now_ns, slot, hit->n_points};
        map->current[map->n_current++] = slot;
    }
}

static kw_status reserve_hits(kw_rolling *map, int64_t n) {
    if (map->first_hit > map->n_hits / 2) { /* what was let go makes room, at a move a hit */
        map->n_hits -= map->first_hit;
        memmove(map->hits, map->hits + map->first_hit, (size_t)map->n_hits * sizeof *map->hits);
        map->first_hit = 0;
    }
    if (map->n_hits + n > map->hit_room) {
        const int64_t room = 2 * (map->n_hits + n);
        kw_hit *hits = realloc(map->hits, (size_t)room * sizeof *hits);
        if (!hits) {
            return KW_NO_MEMORY;
        }
        map->hits = hits;
        map->hit_room = room;
    }
    return KW_OK;
}

/* ---- A frame, a tick ---- */

static void refuse_for_capacity(kw_rolling *map, int64_t n_near, int64_t n_bearing_only,
                                kw_rolling_result *result) {
    map->fault = 1;
    result->status = KW_ROLLING_REFUSED_CAPACITY;
    result->answer = KW_ROLLING_ANSWER_UNKNOWN;
    result->fault = 1;
    result->refused_capacity_cells = n_near;
    result->active_cells = map->voxels.n_active;
    kw_rolling_count_bearings(n_bearing_only, result);
}

static void accept(kw_rolling *map, const kw_whole_pose *pose, int64_t stamp_ns,
                   const kw_rolling_corridor *corridor, int64_t n_bearing_only,
                   kw_rolling_result *result) {
    map->fault = 0;
    result->fault = 0;
    map->is_frame = 1;
    map->middle = kw_voxel_at(&map->bounds, pose->x_um, pose->y_um, pose->z_um);
    let_go(map, stamp_ns);
    evict(map, pose, stamp_ns, result);
    enter(map, stamp_ns, result);
    kw_rolling_count_bearings(n_bearing_only, result);
    kw_rolling_publish(map, corridor, result);
}

static kw_status take_frame(kw_rolling *map, int64_t n, const double *points_m,
                            const kw_rolling_pose *pose, int64_t stamp_ns,
                            const kw_rolling_corridor *corridor, int64_t n_bearing_only,
                            kw_rolling_result *out_result) {
    kw_whole_pose whole;
    if (!between(n, 0, POINT_LIMIT) || !arguments_check(stamp_ns, corridor, n_bearing_only) ||
        (pose && !kw_whole_pose_from(pose, &whole))) {
        return KW_BAD_ARGUMENT;
    }
    kw_rolling_status status = stamp_status(map, stamp_ns);
    if (status == KW_ROLLING_ACCEPTED && !pose) {
        status = KW_ROLLING_REFUSED_POSE;
    }
    if (status != KW_ROLLING_ACCEPTED) {
        *out_result = blank_result(map, status, KW_ROLLING_ANSWER_REFUSED);
        out_result->points = n;
        return KW_OK;
    }
    kw_status read = kw_increment_read(&map->increment, &map->bounds, &whole, n, points_m);
    const int64_t n_near = map->increment.n_cells - map->increment.n_far;
    if (read == KW_OK) {
        read = reserve_hits(map, n_near);
    }
    if (read == KW_OK) {
        read = kw_rolling_reserve(map, n_near);
    }
    if (read != KW_OK) {
        return read;
    }

    kw_rolling_result result = blank_result(map, KW_ROLLING_ACCEPTED, KW_ROLLING_ANSWER_UNKNOWN);
    result.points = n;
    result.time_ns = stamp_ns;
    result.unqualified_points = map->increment.n_unqualified;
    result.refused_radius_cells = map->increment.n_far;
    if (jumped(map, &whole)) {
        result.jumps = 1;
        result.cleared_cells = kw_rolling_clear(map);
    }
    map->time_ns = stamp_ns;
    map->frame_ns = stamp_ns;
    map->pose = whole;
    map->has_time = 1;
    map->has_frame = 1;
    if (fits(map, &whole, stamp_ns)) {
        accept(map, &whole, stamp_ns, corridor, n_bearing_only, &result);
    } else {
        refuse_for_capacity(map, n_near, n_bearing_only, &result);
    }
    *out_result = result;
    return KW_OK;
}

kw_status kw_rolling_frame(kw_rolling *map, int64_t n, const double *points_m,
                           const kw_rolling_pose *pose, int64_t stamp_ns,
                           const kw_rolling_corridor *corridor, int64_t n_bearing_only,
                           kw_rolling_result *out_result) {
    const uint64_t before = kw_float_control_enter();
    const kw_status status =
        take_frame(map, n, points_m, pose, stamp_ns, corridor, n_bearing_only, out_result);
    kw_float_control_leave(before);
    return status;
}

kw_status kw_rolling_tick(kw_rolling *map, int64_t stamp_ns, const kw_rolling_corridor *corridor,
                          int64_t n_bearing_only, kw_rolling_result *out_result) {
    if (!arguments_check(stamp_ns, corridor, n_bearing_only)) {
        return KW_BAD_ARGUMENT;
    }
    if (map->has_time && stamp_ns < map->time_ns) {
        *out_result = blank_result(map, KW_ROLLING_REFUSED_BACKWARD, KW_ROLLING_ANSWER_REFUSED);
        return KW_OK;
    }
    const kw_status status = kw_rolling_reserve(map, 0);
    if (status != KW_OK) {
        return status;
    }
    map->time_ns = stamp_ns;
    map->has_time = 1;
    map->is_frame = 0;
    map->n_current = 0;
    kw_rolling_result result = blank_result(map, KW_ROLLING_TICKED, KW_ROLLING_ANSWER_STALE);
    let_go(map, stamp_ns);
    evict(map, NULL, stamp_ns, &result);
    kw_rolling_count_bearings(n_bearing_only, &result);
    kw_rolling_publish(map, corridor, &result);
    *out_result = result;
    return KW_OK;
}
