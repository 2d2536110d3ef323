/* The local map: cells near the shell in which a sense has lately met something.
 *
 * Cells lie on the lattice that every grid of an agent shares: anchored at the origin of
 * `map`, cell (row, col) covers y from row * KW_LOCAL_CELL_UM and x from col *
 * KW_LOCAL_CELL_UM on. A cell holds the tick of its last return and the tolerance of that
 * return: the surface lies no nearer to the shell than the cell's centre less the tolerance.
 */
#ifndef KW_LOCAL_MAP_H
#define KW_LOCAL_MAP_H

#include "kw_types.h"

/* cffi: begin */
#define KW_LOCAL_CELL_UM 20000     /* a cell's side */
#define KW_LOCAL_RADIUS_UM 3000000 /* of the pivot: cells farther off are forgotten */
#define KW_LOCAL_MEMORY_TICK 240   /* after its last return a cell is forgotten: 2 s */
#define KW_SENSE_COUNT 4

/* The senses that mark. Cone and radar do not: their returns carry no direction fine enough. */
typedef enum {
    KW_SENSE_SCAN = 0,    /* 360 beams; beam k points k degrees counter-clockwise from x */
    KW_SENSE_GRID = 1,    /* 8 x 8 zones, each the nearest of 2 x 2 rays */
    KW_SENSE_BEAM = 2,    /* one echo from anywhere across its angle */
    KW_SENSE_BUMPERS = 3, /* front left, front right */
} kw_sense_kind;

/* What the local map must know of a sense: the rig's declaration of it. */
typedef struct {
    int32_t is_present; /* 0: not in the rig; all else is then ignored */
    int32_t period_tick;
    int32_t latency_tick; /* after the sample; of the scan: after its last beam */
    double range_min_m;
    double range_max_m;
    double ahead_m;        /* mount, ahead of the body's centre */
    double half_angle_rad; /* of the beam; of the grid, to each side and up and down */
    double sigma_base_mm;
    double sigma_per_mm; /* a ratio */
} kw_sense;

/* Frames of a sense as an observation holds them: oldest first, then ticks of -1. A step's
 * ceil(ticks_per_step / period) frames, whole. NULL for a sense that is not present. */
typedef struct {
    const int32_t *values;
    const int32_t *statuses;
    const int32_t *ticks; /* of the sample; of the scan: of its last beam */
} kw_frames;

typedef struct {
    int32_t row;
    int32_t col;
    int32_t tick; /* of the last return */
    int32_t tolerance_um;
} kw_local_cell;

typedef struct kw_local_map kw_local_map;

/* senses[KW_SENSE_COUNT] by kw_sense_kind. KW_BAD_ARGUMENT where a figure is out of what a
 * rig allows, or ticks_per_step is not 1 to 12000. */
kw_status kw_local_map_create(const kw_shell *shell, const kw_sense *senses, int32_t ticks_per_step,
                              kw_local_map **out_map);
void kw_local_map_destroy(kw_local_map *map);

/* Takes one observation: its tick, its poses[ticks_per_step * 3] (x um, y um, heading urad of
 * each tick of the step), and the frames that arrived. Marks what they met, then forgets what
 * is too old or too far. The first observation after creation or kw_local_map_clear begins at
 * its tick. KW_BAD_ARGUMENT, and nothing changed, where the tick is not later than the last or a
 * frame's is later than it. */
kw_status kw_local_map_observe(kw_local_map *map, int32_t tick, const int32_t *poses,
                               const kw_frames *frames);

/* Forgets all, as if newly created. */
void kw_local_map_clear(kw_local_map *map);

/* Marks one cell by hand, as a return on a tick. Beyond the radius, and where it is too old, it
 * is left out. KW_BAD_STATE before the first observation. */
kw_status kw_local_map_mark(kw_local_map *map, int32_t row, int32_t col, int32_t tick,
                            int32_t tolerance_um);

/* 1 once each ranging sense of the rig has told of the surroundings since the start, or since
 * the pose last jumped farther than the shell can move in a tick. An unseen way is no clear way. */
int32_t kw_local_map_is_known(const kw_local_map *map);

/* The cells remembered, in no order that means anything: out_cells[count]. */
int32_t kw_local_map_count(const kw_local_map *map);
void kw_local_map_cells(const kw_local_map *map, kw_local_cell *out_cells);
/* cffi: end */

#endif
