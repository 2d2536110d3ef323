/* Public header of what proves that no way leads somewhere, and what names the narrowest
 * place of one that does: for a point, over all cells that are not occupied.
 *
 * Cells stand in arrays of states (kw_cell), row by row; the array's border is closed.
 */
#ifndef KW_WAY_H
#define KW_WAY_H

#include "kw_planner.h"

/* cffi: begin */

/* The greatest clearance that is told apart, in half cells. */
#define KW_WAY_CLEARANCE_MOST 126

/* Buffers that the functions below use again. The start's own cell counts as open: a shell
 * stands there. A goal that is occupied cannot be reached. */
typedef struct kw_way kw_way;

kw_status kw_way_create(kw_way **out_way);
void kw_way_destroy(kw_way *way);

/* An array, a start and one or more goals, all of which lie in it. */
typedef struct {
    int32_t n_rows;
    int32_t n_cols;
    const uint8_t *states; /* [n_rows * n_cols] */
    int32_t start_row;
    int32_t start_col;
    int32_t n_goals;
    const int32_t *goal_rows;
    const int32_t *goal_cols;
} kw_way_query;

/* Whether a point gets from the start to a goal. The two sides are flooded in turn, a cell
 * each, by straight steps; a diagonal one that cuts no corner joins nothing else. */
typedef struct {
    int32_t joined;
    int32_t closed_side; /* a kw_side: the one that ended first, and so is the smaller */
    int32_t n_start;     /* cells flooded from the start */
    int32_t n_goal;      /* and from the goals: of the closed side, all there are */
    int32_t at_border;   /* 1 where the array's border helps to close that side */
    int32_t box[4];      /* of the closed side: first row and column, numbers of both */
    int32_t n_walls;     /* occupied cells beside the closed side, or on the goals */
    int32_t wall_box[4]; /* likewise */
} kw_point_way;

kw_status kw_way_point(kw_way *way, const kw_way_query *query, kw_point_way *out_found);

/* The walls that the last kw_way_point found, by row and column: out_cells[2 * n_walls]. */
void kw_way_walls(const kw_way *way, int32_t *out_cells);

/* The way on which the least clearance is the greatest, over the lattice of cells' centres,
 * edges and corners, by straight steps of half a cell. Clearance is the distance to the
 * nearest edge of an occupied cell; squared, in half cells squared. */
typedef struct {
    int32_t found;
    int32_t clearance;     /* least on the way, squared; capped at that of most */
    int32_t n_points;      /* of the way */
    int32_t narrowest;     /* index of the narrowest of them */
    int32_t between[2][2]; /* there, the nearest occupied cell, and the nearest across;
                             * rows -1 where none is within reach */
} kw_widest_way;

/* Clearances are told apart up to most, in half cells; 1 to KW_WAY_CLEARANCE_MOST. Points
 * within exempt half cells of the start do not count: a shell already stands there. */
kw_status kw_way_widest(kw_way *way, const kw_way_query *query, int32_t most, int32_t exempt,
                        kw_widest_way *out_found);

/* The last widest way: row and column of each point, in half cells from the array's corner,
 * so that a cell's centre is odd, and its squared clearance: out_points[3 * n_points]. */
void kw_way_points(const kw_way *way, int32_t *out_points);
/* cffi: end */

#endif
