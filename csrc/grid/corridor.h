/* The cells that a motion may meet, and how much room a pose leaves to them. */
#ifndef KW_GRID_CORRIDOR_H
#define KW_GRID_CORRIDOR_H

#include "grid/local_map.h"

enum {
    KW_BLOCK_SHIFT = 3, /* a block is 8 x 8 cells */
    /* blocks of the window: the radius to both sides, and one that it cuts */
    KW_BLOCK_REACH = (KW_LOCAL_RADIUS_UM / KW_LOCAL_CELL_UM >> KW_BLOCK_SHIFT) + 2,
    KW_BLOCK_SIDE = 2 * KW_BLOCK_REACH + 1,
    KW_BLOCKS_MOST = KW_BLOCK_SIDE * KW_BLOCK_SIDE,
    KW_BLOCK_CELLS = 1 << 2 * KW_BLOCK_SHIFT,
};

/* Cells beside the shell, in metres from the origin of the corridor; column by column, so that a
 * compiler may look at several at once. */
typedef struct {
    double *x_m;
    double *y_m;
    double *keep_m;  /* clearance and tolerance */
    double *least_m; /* the least slack allowed: 0; below that where it began in the corridor */
    int32_t *row;
    int32_t *col;
} kw_near_cells;

/* Cells of one block of the lattice, which lie together. */
typedef struct {
    int32_t first;
    int32_t n;
} kw_near_block;

/* Where the blocks lie, likewise. */
typedef struct {
    double x_m[KW_BLOCKS_MOST];
    double y_m[KW_BLOCKS_MOST];
    double keep_m[KW_BLOCKS_MOST]; /* the greatest of its cells */
} kw_near_places;

/* The body where it is asked about. */
typedef struct {
    double x_m; /* centre, from the origin of the corridor */
    double y_m;
    double cosine;
    double sine;
} kw_body;

/* Built anew for each decision, about the shell's pose; its memory is kept. */
typedef struct {
    double half_x_m; /* of the body */
    double half_y_m;
    double around_m; /* radius of the circle around it */
    double ahead_m;  /* its centre, ahead of the pivot */

    double origin_x_m; /* in `map` */
    double origin_y_m;
    int32_t n_cells;
    int32_t capacity;
    kw_near_cells cells;
    int32_t *picked; /* [capacity] which cells of the map */
    int32_t n_blocks;
    kw_near_block blocks[KW_BLOCKS_MOST];
    kw_near_places places;            /* of the blocks */
    int32_t block_of[KW_BLOCKS_MOST]; /* 1 + index, 0 for none */
} kw_corridor;

void kw_corridor_create(const kw_shell *shell, kw_corridor *out_corridor);
void kw_corridor_destroy(kw_corridor *corridor);

/* Gathers the cells that a pose within reach_m of this one may have within spare_m beyond its
 * corridor. */
kw_status kw_corridor_gather(kw_corridor *corridor, const kw_local_map *map, kw_pose pose,
                             double clearance_m, double nearer_m, double reach_m, double spare_m);

/* The body of a pose whose heading has this cosine and sine. */
kw_body kw_corridor_body(const kw_corridor *corridor, double x_m, double y_m, double cosine,
                         double sine);
kw_body kw_corridor_body_at(const kw_corridor *corridor, kw_pose pose);

/* The least room that any cell leaves the body, beyond the clearance, its tolerance and what it
 * is allowed; most_m where none leaves less. Below 0 a cell is in the way. out_cell is the index
 * of the cell, untouched where none leaves less: of several with the least room the one of least
 * row, then column. */
double kw_corridor_room(const kw_corridor *corridor, const kw_body *at, double most_m,
                        int32_t *out_cell);

#endif
