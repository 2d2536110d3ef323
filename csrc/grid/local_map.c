/* A dense list of live cells and a toroidal window of indices into it (a sparse set: P. Briggs,
 * L. Torczon, An efficient representation for sparse sets, 1993): marking, forgetting and
 * listing cost what they touch, and nothing is ever cleared.
 *
 * Two cells within the radius of one pivot never share a slot. An older cell may still hold a
 * slot that a new one needs, where the pose has jumped: it is then far off and gives way.
 */
#include "grid/local_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 1024, SIDE_MASK = KW_LOCAL_SIDE - 1 };

/* ---- Cells ---- */

static int32_t cell_of(double um) {
    return (int32_t)floor(um / KW_LOCAL_CELL_UM);
}

static size_t slot_at(int32_t row, int32_t col) {
    return (size_t)(row & SIDE_MASK) * KW_LOCAL_SIDE + (size_t)(col & SIDE_MASK);
}

static int is_within(const kw_local_map *map, int32_t row, int32_t col) {
    const kw_tick_pose here = kw_local_map_here(map);
    const int64_t x = (int64_t)col * KW_LOCAL_CELL_UM + KW_LOCAL_CELL_UM / 2 - here.x_um;
    const int64_t y = (int64_t)row * KW_LOCAL_CELL_UM + KW_LOCAL_CELL_UM / 2 - here.y_um;
    return x * x + y * y <= (int64_t)KW_LOCAL_RADIUS_UM * KW_LOCAL_RADIUS_UM;
}

static int is_remembered(const kw_local_map *map, int32_t tick) {
    return (int64_t)map->tick - tick <= KW_LOCAL_MEMORY_TICK;
}

static kw_status grow(kw_local_map *map) {
    const int32_t capacity = map->capacity * 2;
    kw_local_cell *cells = realloc(map->cells, (size_t)capacity * sizeof *cells);
    if (cells == NULL) {
        return KW_NO_MEMORY;
    }
    map->cells = cells;
    map->capacity = capacity;
    return KW_OK;
}

static kw_status mark(kw_local_map *map, kw_local_cell cell) {
    const size_t slot = slot_at(cell.row, cell.col);
    const int32_t index = map->slot_of[slot];
    if (index < map->n_cells) {
        kw_local_cell *held = &map->cells[index];
        if (held->row == cell.row && held->col == cell.col) {
            if (cell.tick >= held->tick) {
                *held = cell;
            }
            return KW_OK;
        }
        if (slot_at(held->row, held->col) == slot) {
            *held = cell; // left behind by a jump
            return KW_OK;
        }
    }
    if (map->n_cells == map->capacity && grow(map) != KW_OK) {
        return KW_NO_MEMORY;
    }
    map->slot_of[slot] = map->n_cells;
    map->cells[map->n_cells++] = cell;
    return KW_OK;
}

kw_status kw_local_map_touch(kw_local_map *map, double x_um, double y_um, int32_t tick,
                             int32_t tolerance_um) {
    const kw_local_cell cell = {cell_of(y_um), cell_of(x_um), tick, tolerance_um};
    return is_within(map, cell.row, cell.col) ? mark(map, cell) : KW_OK;
}

/* The last cell takes the place of one that is forgotten. */
static void forget(kw_local_map *map) {
    int32_t i = 0;
    while (i < map->n_cells) {
        const kw_local_cell *cell = &map->cells[i];
        if (is_remembered(map, cell->tick) && is_within(map, cell->row, cell->col)) {
            i++;
            continue;
        }
        const kw_local_cell last = map->cells[--map->n_cells];
        map->cells[i] = last;
        map->slot_of[slot_at(last.row, last.col)] = i;
    }
}

kw_status kw_local_map_mark(kw_local_map *map, int32_t row, int32_t col, int32_t tick,
                            int32_t tolerance_um) {
    if (!map->has_begun) {
        return KW_BAD_STATE;
    }
    if (tolerance_um < 0 || tolerance_um > KW_LOCAL_RADIUS_UM || tick > map->tick) {
        return KW_BAD_ARGUMENT;
    }
    if (!is_within(map, row, col) || !is_remembered(map, tick)) {
        return KW_OK;
    }
    return mark(map, (kw_local_cell){row, col, tick, tolerance_um});
}

int32_t kw_local_map_count(const kw_local_map *map) {
    return map->n_cells;
}

void kw_local_map_cells(const kw_local_map *map, kw_local_cell *out_cells) {
    if (map->n_cells > 0) {
        memcpy(out_cells, map->cells, (size_t)map->n_cells * sizeof *out_cells);
    }
}

/* ---- Poses ---- */

kw_tick_pose kw_local_map_here(const kw_local_map *map) {
    return map->ring[map->tick & (map->n_ring - 1)];
}

int32_t kw_local_map_pose(const kw_local_map *map, int32_t tick, kw_tick_pose *out_pose) {
    if (tick < map->first_tick || tick > map->tick || map->tick - tick >= map->n_ring) {
        return 0;
    }
    *out_pose = map->ring[tick & (map->n_ring - 1)];
    return 1;
}

/* 1 where no tick of this shell leads from one pose to the next. */
static int is_jump(const kw_local_map *map, kw_tick_pose from, kw_tick_pose to) {
    const kw_shell *shell = &map->shell;
    const double forward = shell->forward_speed_limit_mps;
    const double reverse = shell->reverse_speed_limit_mps;
    const double fastest = forward > reverse ? forward : reverse;
    const double reach_um = fastest * (1e6 / KW_TICKS_PER_SECOND) + 2.0;
    const double x_um = (double)to.x_um - (double)from.x_um;
    const double y_um = (double)to.y_um - (double)from.y_um;
    return x_um * x_um + y_um * y_um > reach_um * reach_um;
}

static void stand_still(kw_local_map *map, int32_t tick) {
    map->still_tick = tick;
    map->n_known = 0;
    memset(map->is_known, 0, sizeof map->is_known);
}

/* Keeps the poses of the ticks since the last observation. */
static void keep_poses(kw_local_map *map, int32_t tick, const int32_t *poses) {
    const int32_t gap = map->has_begun ? tick - map->tick : 1;
    const int32_t n = gap < map->ticks_per_step ? gap : map->ticks_per_step;
    // a step that was cut short repeats its last pose in the rows behind
    kw_tick_pose before = map->has_begun ? kw_local_map_here(map) : (kw_tick_pose){0, 0, 0};
    if (!map->has_begun || gap > map->ticks_per_step) {
        map->first_tick = tick - n + 1;
        stand_still(map, map->first_tick);
    }
    const int32_t skipped = map->has_begun ? 0 : map->ticks_per_step - 1;
    for (int32_t i = 0; i < n; i++) {
        const int32_t *row = poses + 3 * (skipped + i);
        const kw_tick_pose pose = {row[0], row[1], row[2]};
        const int32_t at = tick - n + 1 + i;
        map->ring[at & (map->n_ring - 1)] = pose;
        if (at > map->first_tick && is_jump(map, before, pose)) {
            stand_still(map, at);
        }
        before = pose;
    }
    map->tick = tick;
    map->has_begun = 1;
}

/* ---- Life ---- */

static int is_sound(const kw_sense *sense, int32_t kind) {
    if (!sense->is_present) {
        return 1;
    }
    const double figures[][3] = {
        {sense->range_min_m, 0.0, 100.0}, {sense->range_max_m, 0.0, 100.0},
        {sense->ahead_m, -1.0, 1.0},      {sense->half_angle_rad, 0.0, 1.5},
        {sense->sigma_base_mm, 0.0, 1e3}, {sense->sigma_per_mm, 0.0, 1.0},
    };
    int good = sense->period_tick >= 1 && sense->period_tick <= 12000 && sense->latency_tick >= 0 &&
               sense->latency_tick <= 12000;
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        good = good && figures[i][0] >= figures[i][1] && figures[i][0] <= figures[i][2];
    }
    return good && (kind != KW_SENSE_SCAN || KW_SCAN_BEAMS % sense->period_tick == 0);
}

/* The ring reaches back to the first beam of the oldest frame that a step can bring. */
static int32_t ring_size(const kw_sense *senses, int32_t ticks_per_step) {
    int32_t longest = 0;
    for (int32_t kind = 0; kind < KW_SENSE_COUNT; kind++) {
        const int32_t age = senses[kind].period_tick + senses[kind].latency_tick;
        longest = senses[kind].is_present && age > longest ? age : longest;
    }
    int32_t size = 16;
    while (size < longest + ticks_per_step + 1) {
        size *= 2;
    }
    return size;
}

static int has_memory(kw_local_map *map) {
    map->n_ring = ring_size(map->senses, map->ticks_per_step);
    map->capacity = FIRST_CAPACITY;
    map->ring = calloc((size_t)map->n_ring, sizeof *map->ring);
    map->cells = calloc((size_t)map->capacity, sizeof *map->cells);
    map->slot_of = calloc((size_t)KW_LOCAL_SIDE * KW_LOCAL_SIDE, sizeof *map->slot_of);
    return map->ring != NULL && map->cells != NULL && map->slot_of != NULL;
}

kw_status kw_local_map_create(const kw_shell *shell, const kw_sense *senses, int32_t ticks_per_step,
                              kw_local_map **out_map) {
    int good = kw_shell_check(shell) == KW_OK && ticks_per_step >= 1 && ticks_per_step <= 12000;
    for (int32_t kind = 0; good && kind < KW_SENSE_COUNT; kind++) {
        good = is_sound(&senses[kind], kind);
    }
    if (!good) {
        return KW_BAD_ARGUMENT;
    }
    kw_local_map *map = calloc(1, sizeof *map);
    if (map == NULL) {
        return KW_NO_MEMORY;
    }
    map->shell = *shell;
    map->shell.name = NULL; // the caller's; never read here
    memcpy(map->senses, senses, sizeof map->senses);
    map->ticks_per_step = ticks_per_step;
    if (!has_memory(map)) {
        kw_local_map_destroy(map);
        return KW_NO_MEMORY;
    }
    const uint64_t before = kw_float_control_enter();
    kw_marks_prepare(map);
    kw_float_control_leave(before);
    *out_map = map;
    return KW_OK;
}

void kw_local_map_destroy(kw_local_map *map) {
    if (map != NULL) {
        free(map->ring);
        free(map->cells);
        free(map->slot_of);
        free(map);
    }
}

void kw_local_map_clear(kw_local_map *map) {
    map->has_begun = 0;
    map->n_cells = 0;
    map->n_known = 0;
}

kw_status kw_local_map_observe(kw_local_map *map, int32_t tick, const int32_t *poses,
                               const kw_frames *frames) {
    if (tick < 0 || (map->has_begun && tick <= map->tick) || !kw_marks_check(map, tick, frames)) {
        return KW_BAD_ARGUMENT;
    }
    const uint64_t before = kw_float_control_enter();
    keep_poses(map, tick, poses);
    const kw_status status = kw_marks_take(map, frames);
    forget(map);
    kw_float_control_leave(before);
    return status;
}

int32_t kw_local_map_is_known(const kw_local_map *map) {
    int32_t n = 0;
    for (int32_t kind = 0; kind < KW_SENSE_BUMPERS; kind++) {
        n += map->senses[kind].is_present != 0;
    }
    return map->has_begun && n > 0 && map->n_known == n;
}
