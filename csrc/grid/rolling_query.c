/* Answers about the rolling map between frames; no cell is changed. */
#include "rolling.h"

static int32_t between(int64_t value, int64_t low, int64_t high) {
    return value >= low && value <= high;
}

int32_t kw_rolling_fault(const kw_rolling *map) {
    return map->fault;
}

kw_status kw_rolling_cells(const kw_rolling *map, int64_t capacity, kw_rolling_cell *out_cells,
                           int64_t *out_n) {
    if (map->voxels.n_active > capacity) {
        return KW_NO_ROOM;
    }
    int64_t n = 0;
    for (int64_t i = 0; i < map->n_runs; i++) {
        const kw_rolling_run *run = &map->runs[i];
        for (int32_t z = run->z_low; z <= run->z_high; z++) {
            const int32_t slot = kw_voxels_find(&map->voxels, (kw_voxel){run->x, run->y, z});
            out_cells[n++] = (kw_rolling_cell){
                .x = run->x,
                .y = run->y,
                .z = z,
                .kind = (int32_t)map->components[run->component].kind,
                .age_ns = map->time_ns - map->voxels.cells[slot].last_ns,
            };
        }
    }
    *out_n = n;
    return KW_OK;
}

/* Draws the columns of active cells that lie between the heights. */
static void draw_occupied(kw_rolling *map, int64_t low_um, int64_t high_um) {
    const int32_t reach = map->window.side / 2;
    kw_shadow_begin(&map->occupied, (kw_voxel){map->middle.x - reach, map->middle.y - reach, 0});
    int64_t first;
    int64_t last;
    kw_layers_between(map->bounds.voxel_um, low_um, high_um, &first, &last);
    for (int32_t slot = 0; slot < map->voxels.n_used; slot++) {
        const kw_voxel_cell *cell = &map->voxels.cells[slot];
        if (cell->active && between(cell->voxel.z, first, last)) {
            kw_shadow_set(&map->occupied, cell->voxel);
        }
    }
}

kw_status kw_rolling_test(kw_rolling *map, int64_t low_um, int64_t high_um, int64_t n_corridors,
                          int64_t n_pieces, const kw_rolling_piece *pieces,
                          int32_t *out_decisions) {
    if (!between(n_corridors, 0, KW_ROLLING_CORRIDOR_PIECES) ||
        !between(n_pieces, 0, KW_ROLLING_CORRIDOR_PIECES) ||
        !between(low_um, -KW_ROLLING_FAR_UM, high_um) || high_um > KW_ROLLING_FAR_UM ||
        !kw_pieces_check(n_corridors * n_pieces, pieces)) {
        return KW_BAD_ARGUMENT;
    }
    draw_occupied(map, low_um, high_um);
    for (int64_t i = 0; i < n_corridors; i++) {
        out_decisions[i] = KW_ROLLING_UNKNOWN;
        for (int64_t k = 0; k < n_pieces && !map->fault; k++) {
            if (kw_shadow_meets(&map->occupied, &pieces[i * n_pieces + k])) {
                out_decisions[i] = KW_ROLLING_THREAT;
                break;
            }
        }
    }
    return KW_OK;
}
