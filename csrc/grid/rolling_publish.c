/* Publishes what the map holds, as evidence that is assessed exactly once.
 *
 * Every active cell belongs to exactly one component: current where this frame hit it, else
 * retained. A component larger than the bound is cut in the order of its cells; components
 * beyond their greatest number are kept together as one. Each is assessed by the one table
 * below.
 */
#include <stdlib.h>

#include "rolling.h"

/* By kind and by whether the corridor is met. Retained evidence is never no threat. */
static const kw_rolling_decision RULES[KW_ROLLING_BEARING_ONLY][2] = {
    [KW_ROLLING_CURRENT] = {KW_ROLLING_NOT_THREAT, KW_ROLLING_THREAT},
    [KW_ROLLING_RETAINED] = {KW_ROLLING_UNKNOWN, KW_ROLLING_THREAT},
    [KW_ROLLING_STALE] = {KW_ROLLING_UNKNOWN, KW_ROLLING_THREAT},
};
/* What is no geometry may be anything beyond its cells. */
static const int64_t NO_GEOMETRY = KW_ROLLING_SPARSE | KW_ROLLING_OVERFLOW;

typedef struct {
    const kw_rolling_corridor *corridor;
    int64_t first_z;
    int64_t last_z;
} layers;

kw_status kw_rolling_reserve(kw_rolling *map, int64_t n_frame_cells) {
    const int64_t limit = map->bounds.component_limit;
    const kw_status status = kw_identities_reserve(&map->identities, limit, n_frame_cells);
    if (status != KW_OK) {
        return status;
    }
    const int64_t wanted = 3 * limit + map->identities.n_held;
    if (wanted > map->component_room) {
        const int64_t room = 2 * wanted;
        kw_rolling_component *grown = realloc(map->components, (size_t)room * sizeof *grown);
        if (!grown) {
            return KW_NO_MEMORY;
        }
        map->components = grown;
        map->component_room = room;
    }
    return KW_OK;
}

void kw_rolling_count_bearings(int64_t n_bearing_only, kw_rolling_result *result) {
    result->evidence[KW_ROLLING_BEARING_ONLY] += n_bearing_only;
    result->decisions[KW_ROLLING_UNKNOWN] += n_bearing_only;
}

static int32_t is_current(const kw_rolling *map, const kw_voxel_cell *cell) {
    return map->is_frame && cell->last_ns == map->time_ns;
}

static void to_whole(int64_t out[3], kw_voxel voxel) {
    out[0] = voxel.x;
    out[1] = voxel.y;
    out[2] = voxel.z;
}

static kw_voxel to_voxel(const int64_t whole[3]) {
    return (kw_voxel){(int32_t)whole[0], (int32_t)whole[1], (int32_t)whole[2]};
}

/* ---- Components as rows ---- */

/* Begins a row for each part of each component, and for the overflow; returns how many. */
static int64_t begin_rows(kw_rolling *map, kw_rolling_kind kind, kw_rolling_result *result) {
    const int64_t bound = map->bounds.component_cell_limit;
    const int64_t limit = map->bounds.component_limit;
    kw_rolling_component *rows = &map->components[map->n_components];
    int64_t n = 0;
    for (int32_t i = 0; i < map->window.n_components; i++) {
        map->first_parts[i] = (int32_t)n;
        const int64_t n_parts = (map->window.sizes[i] + bound - 1) / bound;
        result->split_components += n_parts > 1;
        for (int64_t part = 0; part < n_parts; part++, n++) {
            if (n < limit) {
                rows[n] = (kw_rolling_component){
                    .kind = kind,
                    .flags = n_parts > 1 ? KW_ROLLING_SPLIT : 0,
                    .age_ns = INT64_MAX,
                };
            }
        }
    }
    if (n > limit) {
        rows[limit - 1].flags = KW_ROLLING_OVERFLOW;
    }
    return n < limit ? n : limit;
}

/* 1 where a run, which stands in one column, has a cell whose box meets the corridor. */
static int32_t run_meets(const kw_rolling *map, const kw_rolling_run *run, const layers *layers) {
    return layers->corridor && run->z_low <= layers->last_z && run->z_high >= layers->first_z &&
           kw_shadow_has(&map->corridor, (kw_voxel){run->x, run->y, run->z_low});
}

/* Counts a run into its row. Runs come in the order of cells, so the first has the least. */
static void count_run(kw_rolling *map, const kw_rolling_run *run, const layers *layers) {
    kw_rolling_component *row = &map->components[run->component];
    const int64_t low[3] = {run->x, run->y, run->z_low};
    const int64_t high[3] = {run->x, run->y, run->z_high};
    const int32_t is_first = row->n_cells == 0;
    for (int32_t i = 0; i < 3; i++) {
        row->least[i] = is_first ? low[i] : row->least[i];
        row->low[i] = is_first || low[i] < row->low[i] ? low[i] : row->low[i];
        row->high[i] = is_first || high[i] > row->high[i] ? high[i] : row->high[i];
    }
    row->n_cells += run->z_high - run->z_low + 1;
    row->flags |= run_meets(map, run, layers) ? KW_ROLLING_INSIDE : 0;
}

/* The row of a part, counted from the first part of all. */
static int32_t row_of_part(const kw_rolling *map, int64_t part, int64_t n_rows) {
    return (int32_t)(map->n_components + (part < n_rows ? part : n_rows - 1));
}

/* Publishes the runs, cut where a part ends, and counts them. */
static void publish_runs(kw_rolling *map, int64_t n_rows, const layers *layers) {
    const int64_t bound = map->bounds.component_cell_limit;
    for (int32_t i = 0; i < map->window.n_all_runs; i++) {
        kw_component_run *from = &map->window.runs[i];
        const int64_t first_part = map->first_parts[from->component];
        const int32_t is_whole = map->window.sizes[from->component] <= bound;
        from->row = is_whole ? row_of_part(map, first_part, n_rows) : KW_NO_SLOT;
        for (int32_t done = 0; done < from->length;) {
            const int64_t rank = from->rank + done;
            const int64_t left = is_whole ? from->length : bound - rank % bound;
            const int32_t n = left < from->length - done ? (int32_t)left : from->length - done;
            kw_rolling_run *run = &map->runs[map->n_runs++];
            *run = (kw_rolling_run){
                .x = from->low.x,
                .y = from->low.y,
                .z_low = from->low.z + done,
                .z_high = from->low.z + done + n - 1,
                .component =
                    is_whole ? from->row : row_of_part(map, first_part + rank / bound, n_rows),
            };
            count_run(map, run, layers);
            done += n;
        }
    }
}

/* The row that a cell is counted in. */
static int32_t row_of(const kw_rolling *map, kw_voxel voxel, int64_t n_rows) {
    const kw_component_run *run = kw_components_run_of(&map->window, voxel);
    if (run->row != KW_NO_SLOT) {
        return run->row;
    }
    const int64_t rank = run->rank + (voxel.z - run->low.z);
    const int64_t part = rank / map->bounds.component_cell_limit;
    return row_of_part(map, map->first_parts[run->component] + part, n_rows);
}

static void count_age(const kw_rolling *map, const kw_voxel_cell *cell, kw_rolling_component *row) {
    const int64_t age_ns = map->time_ns - cell->last_ns;
    row->n_points += cell->held_points;
    row->age_ns = age_ns < row->age_ns ? age_ns : row->age_ns;
    row->oldest_ns = age_ns > row->oldest_ns ? age_ns : row->oldest_ns;
}

static void finish_rows(kw_rolling *map, kw_rolling_kind kind, int64_t n_rows,
                        kw_rolling_result *result) {
    for (int64_t i = 0; i < n_rows; i++) {
        kw_rolling_component *row = &map->components[map->n_components + i];
        if (row->oldest_ns > result->greatest_age_ns) {
            result->greatest_age_ns = row->oldest_ns;
        }
        if (row->flags & KW_ROLLING_OVERFLOW) {
            result->overflow_cells += row->n_cells;
        } else if (kind == KW_ROLLING_CURRENT && row->n_points < map->bounds.point_minimum) {
            row->flags |= KW_ROLLING_SPARSE;
            result->sparse_components++;
        }
        if (kind == KW_ROLLING_RETAINED) {
            row->identity = i + 1;
        }
    }
    map->n_components += n_rows;
}

static void publish_current(kw_rolling *map, const layers *layers, kw_rolling_result *result) {
    kw_components_begin(&map->window, map->middle);
    for (int32_t i = 0; i < map->n_current; i++) {
        kw_components_add(&map->window, map->voxels.cells[map->current[i]].voxel);
    }
    kw_components_label(&map->window);
    const int64_t n_rows = begin_rows(map, KW_ROLLING_CURRENT, result);
    publish_runs(map, n_rows, layers);
    for (int32_t i = 0; i < map->n_current; i++) {
        kw_voxel_cell *cell = &map->voxels.cells[map->current[i]];
        cell->component = row_of(map, cell->voxel, n_rows);
        count_age(map, cell, &map->components[cell->component]);
    }
    result->current_cells = map->n_current;
    finish_rows(map, KW_ROLLING_CURRENT, n_rows, result);
}

static void publish_retained(kw_rolling *map, const layers *layers, kw_rolling_result *result) {
    kw_voxels *voxels = &map->voxels;
    kw_components_begin(&map->window, map->middle);
    for (int32_t slot = 0; slot < voxels->n_used; slot++) {
        const kw_voxel_cell *cell = &voxels->cells[slot];
        if (cell->active && !is_current(map, cell)) {
            kw_components_add(&map->window, cell->voxel);
        }
    }
    kw_components_label(&map->window);
    const int64_t n_rows = begin_rows(map, KW_ROLLING_RETAINED, result);
    publish_runs(map, n_rows, layers);
    for (int32_t slot = 0; slot < voxels->n_used; slot++) {
        const kw_voxel_cell *cell = &voxels->cells[slot];
        if (cell->active && !is_current(map, cell)) {
            count_age(map, cell, &map->components[row_of(map, cell->voxel, n_rows)]);
            result->retained_cells++;
        }
    }
    finish_rows(map, KW_ROLLING_RETAINED, n_rows, result);
}

/* ---- Identities ---- */

static void share_cells(kw_rolling *map) {
    kw_identities_begin(&map->identities);
    int64_t number = 0; /* neighbours in the frame mostly have the same one */
    int32_t identity = KW_NO_SLOT;
    for (int32_t i = 0; i < map->n_current; i++) {
        const kw_voxel_cell *cell = &map->voxels.cells[map->current[i]];
        if (cell->identity == 0 || map->components[cell->component].flags & NO_GEOMETRY) {
            continue;
        }
        if (cell->identity != number) {
            number = cell->identity;
            identity = kw_identities_find(&map->identities, number);
        }
        if (identity != KW_NO_SLOT) {
            kw_identities_share(&map->identities, cell->component, identity);
        }
    }
}

static void see_again(kw_rolling *map, int32_t index, int32_t row_index,
                      const kw_rolling_corridor *corridor) {
    kw_identity *identity = &map->identities.held[index];
    kw_rolling_component *row = &map->components[row_index];
    identity->component = row_index;
    identity->last_ns = map->time_ns;
    identity->least = to_voxel(row->least);
    identity->low = to_voxel(row->low);
    identity->high = to_voxel(row->high);
    if (corridor) { /* where nobody asked, what was known last stands */
        identity->inside = (row->flags & KW_ROLLING_INSIDE) != 0;
    }
    row->identity = identity->number;
    row->known_ns = map->time_ns - identity->first_ns;
    if (row->known_ns > 0 && row->known_ns >= map->bounds.hold_ns) {
        row->flags |= KW_ROLLING_MOTION;
    }
}

/* Names the current components, which are all rows so far. */
static void name_current(kw_rolling *map, const kw_rolling_corridor *corridor,
                         kw_rolling_result *result) {
    share_cells(map);
    kw_identities_match(&map->identities, map->n_components, map->taken);
    for (int32_t i = 0; i < map->n_components; i++) {
        if (map->components[i].flags & NO_GEOMETRY) {
            continue;
        }
        int32_t index = map->taken[i];
        if (index == KW_NO_SLOT) {
            index = kw_identities_add(&map->identities, map->time_ns);
            result->new_identities++;
        }
        see_again(map, index, i, corridor);
    }
    for (int32_t i = 0; i < map->n_current; i++) {
        kw_voxel_cell *cell = &map->voxels.cells[map->current[i]];
        const int64_t number = map->components[cell->component].identity;
        cell->identity = number != 0 ? number : cell->identity;
    }
}

static void publish_stale(kw_rolling *map) {
    for (int64_t i = 0; i < map->identities.n_held; i++) {
        const kw_identity *identity = &map->identities.held[i];
        if (identity->component != KW_NO_SLOT) {
            continue;
        }
        kw_rolling_component *row = &map->components[map->n_components++];
        *row = (kw_rolling_component){
            .kind = KW_ROLLING_STALE,
            .flags = identity->inside ? KW_ROLLING_INSIDE : 0,
            .identity = identity->number,
            .age_ns = map->time_ns - identity->last_ns,
            .oldest_ns = map->time_ns - identity->last_ns,
            .known_ns = map->time_ns - identity->first_ns,
        };
        to_whole(row->least, identity->least);
        to_whole(row->low, identity->low);
        to_whole(row->high, identity->high);
    }
}

/* ---- Assessment ---- */

static kw_rolling_decision decide(const kw_rolling *map, const kw_rolling_component *row,
                                  const kw_rolling_corridor *corridor) {
    const int inside = (row->flags & KW_ROLLING_INSIDE) != 0;
    if (!corridor || map->fault || (!inside && row->flags & NO_GEOMETRY)) {
        return KW_ROLLING_UNKNOWN;
    }
    return RULES[row->kind][inside];
}

/* The gravest decision; without evidence, and after a clearing, nothing is known. */
static kw_rolling_answer answer_of(const kw_rolling *map, const kw_rolling_result *result) {
    if (map->fault) {
        return KW_ROLLING_ANSWER_UNKNOWN;
    }
    if (!map->is_frame) {
        return KW_ROLLING_ANSWER_STALE;
    }
    if (result->decisions[KW_ROLLING_THREAT] > 0) {
        return KW_ROLLING_ANSWER_THREAT;
    }
    const int known = result->decisions[KW_ROLLING_NOT_THREAT] > 0 && !result->jumps;
    return known && result->decisions[KW_ROLLING_UNKNOWN] == 0 ? KW_ROLLING_ANSWER_NOT_THREAT
                                                               : KW_ROLLING_ANSWER_UNKNOWN;
}

void kw_rolling_publish(kw_rolling *map, const kw_rolling_corridor *corridor,
                        kw_rolling_result *result) {
    const int32_t reach = map->window.side / 2;
    layers layers = {.corridor = corridor};
    if (corridor) {
        kw_shadow_begin(&map->corridor,
                        (kw_voxel){map->middle.x - reach, map->middle.y - reach, 0});
        for (int64_t i = 0; i < corridor->n_pieces; i++) {
            kw_shadow_cover(&map->corridor, &corridor->pieces[i]);
        }
        kw_layers_between(map->bounds.voxel_um, corridor->low_um, corridor->high_um,
                          &layers.first_z, &layers.last_z);
    }
    map->n_components = 0;
    map->n_runs = 0;
    kw_identities_expire(&map->identities, map->time_ns - map->bounds.hold_ns);
    publish_current(map, &layers, result);
    name_current(map, corridor, result);
    publish_retained(map, &layers, result);
    publish_stale(map);
    for (int64_t i = 0; i < map->n_components; i++) {
        kw_rolling_component *row = &map->components[i];
        row->decision = decide(map, row, corridor);
        result->evidence[row->kind]++;
        result->decisions[row->decision]++;
    }
    result->active_cells = map->voxels.n_active;
    result->answer = answer_of(map, result);
}

const kw_rolling_component *kw_rolling_components(const kw_rolling *map, int64_t *out_n) {
    *out_n = map->n_components;
    return map->components;
}

const kw_rolling_run *kw_rolling_runs(const kw_rolling *map, int64_t *out_n) {
    *out_n = map->n_runs;
    return map->runs;
}
