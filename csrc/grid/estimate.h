/* What the way from a cell to the goals costs at the least: never more than it does, and no step
 * lessens it by more than the step costs.
 *
 * It is the octile distance to the least box that holds all goals, at the least price; but the
 * last part of it at the least price of what was never seen, where all around the goals is unseen.
 */
#ifndef KW_GRID_ESTIMATE_H
#define KW_GRID_ESTIMATE_H

#include "grid/lattice.h"

typedef struct {
    kw_box goals;
    int32_t least_price;
    int32_t more; /* that the cells near the goals cost at the least, beyond the least price */
    int32_t near; /* up to this octile distance, in 1/70 of a cell */
} kw_estimate;

kw_estimate kw_estimate_of(const kw_lattice *lattice, kw_box goals);

/* From one cell to another, so many rows and columns on. */
static inline int32_t kw_octile(int32_t rows, int32_t cols) {
    const int32_t most = rows > cols ? rows : cols;
    return (2 * KW_STEP_STRAIGHT - KW_STEP_DIAGONAL) * most +
           (KW_STEP_DIAGONAL - KW_STEP_STRAIGHT) * (rows + cols);
}

/* How far outside of a range, 0 within. */
static inline int32_t kw_outside(int32_t at, int32_t low, int32_t high) {
    const int32_t most = low - at > at - high ? low - at : at - high;
    return most > 0 ? most : 0;
}

static inline int32_t kw_octile_to(const kw_box *box, int32_t row, int32_t col) {
    return kw_octile(kw_outside(row, box->row_low, box->row_high),
                     kw_outside(col, box->col_low, box->col_high));
}

static inline uint32_t kw_estimate_at(const kw_estimate *at, int32_t row, int32_t col) {
    const int32_t length = kw_octile_to(&at->goals, row, col);
    int32_t cost = length * at->least_price;
    if (at->more > 0) {
        cost += (length < at->near ? length : at->near) * at->more;
    }
    return (uint32_t)cost;
}

#endif
