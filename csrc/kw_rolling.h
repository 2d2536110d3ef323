/* The rolling occupancy: which voxels near the pose were hit lately, and what of them lies
 * in a corridor.
 *
 * It is fed increments, the points that a mapper has newly added to its map. A structure
 * can stand where no increment repeats it, so absence never says free: a cell leaves by
 * time, by radius or with a jump of the pose, and then its place is unknown.
 *
 * All is counted in integers: micrometres in `map`, nanoseconds, voxels. A voxel (x, y, z)
 * of size s covers the points of [x s, (x + 1) s) and so on; its box, closed, is what a
 * corridor meets. Cells are ordered by x, then y, then z.
 */
#ifndef KW_ROLLING_H
#define KW_ROLLING_H

#include "kw_types.h"

/* cffi: begin */
#define KW_ROLLING_CORRIDOR_PIECES 4096 /* most pieces of a corridor */
#define KW_ROLLING_CORNERS 4
#define KW_ROLLING_REACH_CELLS 256       /* most voxels from the pose to the radius */
#define KW_ROLLING_FAR_UM 10000000000000 /* greatest coordinate, to either side: 10,000 km */

/* What a piece of evidence says of the corridor, the gravest last. */
typedef enum {
    KW_ROLLING_NOT_THREAT = 0,
    KW_ROLLING_UNKNOWN = 1,
    KW_ROLLING_THREAT = 2,
} kw_rolling_decision;

typedef enum {
    KW_ROLLING_CURRENT = 0,      /* cells of this very increment */
    KW_ROLLING_RETAINED = 1,     /* cells of earlier ones */
    KW_ROLLING_STALE = 2,        /* an identity that was not seen again, still held */
    KW_ROLLING_BEARING_ONLY = 3, /* a direction without a place */
    KW_ROLLING_KINDS = 4,
} kw_rolling_kind;

typedef enum {
    KW_ROLLING_ACCEPTED = 0,
    KW_ROLLING_TICKED = 1,           /* time has passed without a frame */
    KW_ROLLING_REFUSED_REPEATED = 2, /* the stamp of the last frame once more */
    KW_ROLLING_REFUSED_BACKWARD = 3, /* a stamp before the map's time */
    KW_ROLLING_REFUSED_POSE = 4,     /* no pose came with it */
    KW_ROLLING_REFUSED_CAPACITY = 5, /* it does not fit */
} kw_rolling_status;

/* What the answer of a frame is: a decision, or why there is none. */
typedef enum {
    KW_ROLLING_ANSWER_NOT_THREAT = 0,
    KW_ROLLING_ANSWER_UNKNOWN = 1,
    KW_ROLLING_ANSWER_THREAT = 2,
    KW_ROLLING_ANSWER_STALE = 3,
    KW_ROLLING_ANSWER_REFUSED = 4,
} kw_rolling_answer;

/* What a component is beside its kind: a sum of these. */
typedef enum {
    KW_ROLLING_SPARSE = 1,   /* fewer points within the hold than geometry takes */
    KW_ROLLING_SPLIT = 2,    /* one part of a component that is larger than the bound */
    KW_ROLLING_OVERFLOW = 4, /* all cells beyond the greatest number of components, as one */
    KW_ROLLING_INSIDE = 8,   /* a cell's box meets the corridor (stale: met it when last seen) */
    KW_ROLLING_MOTION = 16,  /* its identity is old enough to speak of motion */
} kw_rolling_flag;

/* The declared bounds. Every one is an option of the map. */
typedef struct {
    int64_t voxel_um;             /* 10,000 to 10,000,000 */
    int64_t radius_um;            /* cell centre to pose, in space; up to 100 m and
                                     KW_ROLLING_REACH_CELLS voxels */
    int64_t hold_ns;              /* current components are held while the age is up to this */
    int64_t retention_ns;         /* cells are kept while the age is up to this; >= hold */
    int64_t jump_um;              /* a pose farther from the last one clears the map; to 100 m */
    int64_t jump_urad;            /* and one turned further; up to a half turn */
    int64_t low_um;               /* points from low to high above the pose are qualified, */
    int64_t high_um;              /* both within KW_ROLLING_FAR_UM */
    int64_t cell_limit;           /* active cells, 1 to 1,048,576 */
    int64_t component_cell_limit; /* cells of a component, 1 or more */
    int64_t component_limit;      /* components of a kind, 1 to 65,536 */
    int64_t point_minimum;        /* points within the hold that make geometry, 1 or more */
} kw_rolling_bounds;

extern const kw_rolling_bounds kw_rolling_declared;

/* Where the increment's frame of reference stood, in `map`. */
typedef struct {
    double x_m;
    double y_m;
    double z_m;
    double yaw_rad;
} kw_rolling_pose;

/* A convex piece of a corridor seen from above: four corners, counter-clockwise; corners may
 * coincide. */
typedef struct {
    int64_t x_um[KW_ROLLING_CORNERS];
    int64_t y_um[KW_ROLLING_CORNERS];
} kw_rolling_piece;

/* The union of its pieces, from low to high. */
typedef struct {
    int64_t low_um;
    int64_t high_um;
    int64_t n_pieces;
    const kw_rolling_piece *pieces;
} kw_rolling_corridor;

/* One piece of evidence that has cells or had them. */
typedef struct {
    int64_t kind;      /* a kw_rolling_kind, but for the bearings */
    int64_t decision;  /* a kw_rolling_decision */
    int64_t flags;     /* a sum of kw_rolling_flag */
    int64_t identity;  /* current, stale: never used again, from 1, or 0 for none; retained: of
                         this frame alone, from 1 */
    int64_t n_cells;   /* stale: 0 */
    int64_t n_points;  /* within the hold */
    int64_t age_ns;    /* of the last hit */
    int64_t oldest_ns; /* the greatest age of a cell's last hit */
    int64_t known_ns;  /* how long its identity is known; retained: 0 */
    int64_t least[3];  /* its first cell */
    int64_t low[3];    /* the box of its cells, */
    int64_t high[3];   /* both ends included */
} kw_rolling_component;

/* A run of cells of one component in a column: x, y, z_low ... z_high. */
typedef struct {
    int32_t x;
    int32_t y;
    int32_t z_low;
    int32_t z_high;
    int32_t component; /* row of kw_rolling_components */
} kw_rolling_run;

typedef struct {
    int32_t x;
    int32_t y;
    int32_t z;
    int32_t kind; /* KW_ROLLING_CURRENT or KW_ROLLING_RETAINED */
    int64_t age_ns;
} kw_rolling_cell;

/* What came of one frame or tick. Counts are of this frame alone. */
typedef struct {
    int64_t status; /* a kw_rolling_status */
    int64_t answer; /* a kw_rolling_answer */
    int64_t fault;  /* 1 while the capacity fault is latched */
    int64_t time_ns;
    int64_t points;
    int64_t unqualified_points;
    int64_t current_cells;
    int64_t retained_cells;
    int64_t active_cells;
    int64_t new_cells;
    int64_t refused_radius_cells;
    int64_t refused_capacity_cells;
    int64_t evicted_time_cells;
    int64_t evicted_radius_cells;
    int64_t jumps; /* 1 where the pose jumped and the map was cleared */
    int64_t cleared_cells;
    int64_t new_identities;
    int64_t sparse_components;
    int64_t split_components; /* larger than the bound, before the split */
    int64_t overflow_cells;
    int64_t greatest_age_ns;            /* of an active cell */
    int64_t evidence[KW_ROLLING_KINDS]; /* by kw_rolling_kind */
    int64_t decisions[3];               /* by kw_rolling_decision; the sum is evidence's */
} kw_rolling_result;

/* A body for corridors, in its own frame: ahead of, behind and beside `base_link`. */
typedef struct {
    double ahead_m;
    double behind_m;
    double beside_m;
} kw_rolling_body;

typedef struct kw_rolling kw_rolling;

/* An empty map. KW_BAD_ARGUMENT where a bound is not as its comment says. */
kw_status kw_rolling_create(const kw_rolling_bounds *bounds, kw_rolling **out_map);
void kw_rolling_destroy(kw_rolling *map);

/* Takes an increment: points_m[3 n], x, y, z in `map`. `pose` is NULL where none came;
 * `corridor` is NULL where nobody asks for one, and then all evidence is unknown. A frame
 * that is refused leaves the cells as they were. KW_BAD_ARGUMENT, and nothing is changed,
 * where a number is not finite or beyond KW_ROLLING_FAR_UM, n is negative or beyond 2^26, the
 * stamp is beyond 2^62, n_bearing_only is negative, or the corridor is not as declared. */
kw_status kw_rolling_frame(kw_rolling *map, int64_t n, const double *points_m,
                           const kw_rolling_pose *pose, int64_t stamp_ns,
                           const kw_rolling_corridor *corridor, int64_t n_bearing_only,
                           kw_rolling_result *out_result);

/* Lets time pass without a frame: cells expire, all are retained, the answer is stale. */
kw_status kw_rolling_tick(kw_rolling *map, int64_t stamp_ns, const kw_rolling_corridor *corridor,
                          int64_t n_bearing_only, kw_rolling_result *out_result);

/* 1 while the capacity fault is latched. */
int32_t kw_rolling_fault(const kw_rolling *map);

/* Forgets all cells and identities; returns how many cells. */
int64_t kw_rolling_clear(kw_rolling *map);

/* What the last frame or tick published, valid until the next call that changes the map:
 * current components in the order of their first cells, then retained ones, then stale
 * ones by identity; and all active cells as runs, current before retained, in the order of cells. */
const kw_rolling_component *kw_rolling_components(const kw_rolling *map, int64_t *out_n);
const kw_rolling_run *kw_rolling_runs(const kw_rolling *map, int64_t *out_n);

/* All active cells in their order: out_cells[capacity]. KW_NO_ROOM where that is too few. */
kw_status kw_rolling_cells(const kw_rolling *map, int64_t capacity, kw_rolling_cell *out_cells,
                           int64_t *out_n);

/* Which of the corridors meet an active cell: corridor k is pieces k n_pieces ... of
 * out_decisions[n_corridors]: KW_ROLLING_THREAT where a cell's box is met, else
 * KW_ROLLING_UNKNOWN; and all unknown while the fault is latched. */
kw_status kw_rolling_test(kw_rolling *map, int64_t low_um, int64_t high_um, int64_t n_corridors,
                          int64_t n_pieces, const kw_rolling_piece *pieces, int32_t *out_decisions);

/* What a body sweeps along each of n_ways: way k is poses[k n_poses] and the n_poses - 1 after it,
 * on arcs of less than 1 rad and 100 m from each to the next. A piece from each to the next,
 * out_pieces[n_ways * (n_poses - 1)]; what is swept lies within the union of a way's pieces. */
kw_status kw_rolling_sweep(const kw_rolling_body *body, int64_t n_ways, int64_t n_poses,
                           const kw_pose *poses, kw_rolling_piece *out_pieces);
/* cffi: end */

#endif
