/* A ray drawn into a window of bytes, one a cell. */
#ifndef KW_GRID_DRAW_H
#define KW_GRID_DRAW_H

#include <stdbool.h>
#include <stdint.h>

/* One beam: from the scanner to where it carves, and the cell it hit. In um of `map`. */
typedef struct {
    int64_t x0;
    int64_t y0;
    int64_t x1;
    int64_t y1;
    int64_t clear_x; /* KW_BELIEF_CLEAR_UM before what it hit, else as x1, y1 */
    int64_t clear_y;
    int64_t hit_x;
    int64_t hit_y;
    bool carves;
    bool hits;
} kw_scan_ray;

/* Cells of a window, both ends included; its columns are whole tiles once it is laid out. */
typedef struct {
    int32_t row0;
    int32_t col0;
    int32_t row1;
    int32_t col1;
} kw_scan_window;

/* Sets KW_PASSED in the cells that a ray passes up to its clear place, and KW_SKIMMED in those
 * from there to its end, whatever they held. The window must hold the ray. */
void kw_scan_draw(uint8_t *said, const kw_scan_window *w, const kw_scan_ray *r);

#endif
