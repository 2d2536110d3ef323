/* Where a disc may be among what is present at the start: a grid's open cells and edges.
 *
 * A cell is open where a point of it is at least the disc's radius from every solid, and
 * an edge between two cells where a point of it is. Points are looked for down to a 32nd
 * of a cell. Where solids and disc together are thinner than a cell, the two sides of one
 * cell count as joined: cells must be smaller than that.
 */
#ifndef KW_DISC_CELLS_H
#define KW_DISC_CELLS_H

#include "scene.h"

typedef struct {
    double x0_m;
    double y0_m;
    double cell_m;
    int32_t n_rows;
    int32_t n_cols;
    double radius_m;
} kw_disc_grid;

/* Bits of a cell. */
#define KW_CELL_CLOSED 1
#define KW_CELL_SHUT_RIGHT 2 /* the edge towards column + 1 */
#define KW_CELL_SHUT_UP 4    /* the edge towards row + 1 */
#define KW_CELL_BITS 7       /* all of these; the others are the marcher's */

/* Fills out_cells[n_rows * n_cols]. */
kw_status kw_disc_cells(const kw_scene *scene, const kw_disc_grid *grid, uint8_t *out_cells);

#endif
