/* The cells that a ray passes.
 *
 * A ray is the segment between two points in whole um. It is followed column by column of its
 * longer axis (row by row where that is y), and where it leaves each column is an exact
 * quotient, stepped along in integers (as Bresenham 1965 does for pixels), so that no cell
 * which it passes is left out. Cells are half open: a point on a border is in the upper one.
 */
#include "draw.h"

#include "belief.h"
#include "common/machine.h"

/* A segment in um of a window, along its longer axis a and across it b: a0 <= a1, b0 <= b1. */
typedef struct {
    int64_t a0;
    int64_t b0;
    int64_t a1;
    int64_t b1;
    int64_t clear0;   /* of a: the part that is well before the ray's end; */
    int64_t clear1;   /* the rest is skimmed */
    int64_t stride_a; /* bytes to the next cell */
    int64_t stride_b;
    bool falls; /* b is counted from above: its cells are open below and closed above */
} segment;

static int64_t cell_across(int64_t b, bool falls) {
    return falls ? (b + KW_BELIEF_CELL_UM - 1) / KW_BELIEF_CELL_UM - 1 : b / KW_BELIEF_CELL_UM;
}

/* Fixed point of rows within a ray: 51 bits behind the point. A border's quotient N / D has
 * D < 2^39, as rays are at most KW_BELIEF_REACH_UM long, so where it is no whole number it keeps
 * 2^-39 away from one; what a thousand steps lose stays below 2^-40, which is added at the start.
 * So the whole part of every step is exact. */
enum { POINT = 51 };
_Static_assert((int64_t)KW_BELIEF_REACH_UM *KW_BELIEF_CELL_UM < (int64_t)1 << 39 &&
                   KW_BELIEF_REACH_UM / KW_BELIEF_CELL_UM <= 1000,
               "rays short enough for the fixed point");

static int64_t fixed(int64_t numerator, int64_t denominator) {
    const int64_t whole = numerator / denominator;
    const double rest = (double)(numerator - whole * denominator) / (double)denominator;
    return (whole << POINT) + (int64_t)(rest * 0x1p51);
}

/* A segment on its way: at a column, with the cell across by which it enters it, and in fixed
 * point where it enters the next one and where it leaves this one. */
typedef struct {
    uint8_t *column;
    int64_t stride_a;
    int64_t stride_b;
    int64_t enter;
    int64_t enters;
    int64_t leaves;
    int64_t gain;
} pen;

static inline void draw_columns(pen *at, int64_t n) {
    pen p = *at;
    for (int64_t i = 0; i < n; ++i) {
        p.column[p.enter * p.stride_b] = KW_PASSED;
        p.column[(p.leaves >> POINT) * p.stride_b] = KW_PASSED;
        p.column += p.stride_a;
        p.enter = p.enters >> POINT;
        p.enters += p.gain;
        p.leaves += p.gain;
    }
    *at = p;
}

/* As draw_columns, over cells that other rays may have passed. */
static inline void skim_columns(pen *at, int64_t n) {
    pen p = *at;
    for (int64_t i = 0; i < n; ++i) {
        p.column[p.enter * p.stride_b] |= KW_SKIMMED;
        p.column[(p.leaves >> POINT) * p.stride_b] |= KW_SKIMMED;
        p.column += p.stride_a;
        p.enter = p.enters >> POINT;
        p.enters += p.gain;
        p.leaves += p.gain;
    }
    *at = p;
}

/* A border is not reached from below, so a segment leaves a column by the cell of what it has
 * gained less the least there is; on a border, the next is entered by the upper cell. */
static pen pen_at(uint8_t *column, const segment *s, int64_t first) {
    const int64_t cell = KW_BELIEF_CELL_UM;
    const int64_t whole = cell * (s->a1 - s->a0);
    const int64_t rise = s->b1 - s->b0;
    const int64_t gained = s->b0 * (s->a1 - s->a0) + rise * ((first + 1) * cell - s->a0);
    const int64_t spare = (int64_t)1 << (POINT - 40);
    return (pen){
        .column = column,
        .stride_a = s->stride_a,
        .stride_b = s->stride_b,
        .enter = cell_across(s->b0, s->falls),
        .enters = fixed(gained - s->falls, whole) + spare,
        .leaves = fixed(gained - (rise > 0 || s->falls), whole) + spare,
        .gain = fixed(cell * rise, whole),
    };
}

static void draw_segment(uint8_t *said, const segment *s) {
    const int64_t first = s->a0 / KW_BELIEF_CELL_UM;
    const int64_t last = s->a1 / KW_BELIEF_CELL_UM;
    const int64_t clear0 = s->clear0 / KW_BELIEF_CELL_UM;
    const int64_t clear1 = s->clear1 / KW_BELIEF_CELL_UM;
    pen at = {.column = said + first * s->stride_a, .enter = cell_across(s->b0, s->falls)};
    if (first < last) {
        at = pen_at(at.column, s, first);
        skim_columns(&at, clear0 - first);
        draw_columns(&at, (clear1 < last ? clear1 + 1 : last) - clear0);
        skim_columns(&at, last - clear1 - 1);
    }
    at.column[at.enter * s->stride_b] |= KW_SKIMMED;
    at.column[cell_across(s->b1, s->falls) * s->stride_b] |= KW_SKIMMED;
}

void kw_scan_draw(uint8_t *said, const kw_scan_window *w, const kw_scan_ray *r) {
    const int64_t cell = KW_BELIEF_CELL_UM;
    const int64_t stride = w->col1 - w->col0 + 1;
    const int64_t n_rows = w->row1 - w->row0 + 1;
    int64_t x0 = r->x0 - w->col0 * cell;
    int64_t y0 = r->y0 - w->row0 * cell;
    int64_t x1 = r->x1 - w->col0 * cell;
    int64_t y1 = r->y1 - w->row0 * cell;
    const int64_t clear_x = r->clear_x - w->col0 * cell;
    const int64_t clear_y = r->clear_y - w->row0 * cell;
    const bool is_wide = (x1 < x0 ? x0 - x1 : x1 - x0) >= (y1 < y0 ? y0 - y1 : y1 - y0);
    segment s = is_wide ? (segment){x0, y0, x1, y1, x0, clear_x, 1, stride, false}
                        : (segment){y0, x0, y1, x1, y0, clear_y, stride, 1, false};
    if (s.a0 > s.a1) {
        s = (segment){s.a1, s.b1, s.a0, s.b0, s.clear1, s.clear0, s.stride_a, s.stride_b, false};
    }
    if (s.b0 > s.b1) {
        const int64_t n_across = is_wide ? n_rows : stride;
        said += (n_across - 1) * s.stride_b;
        s.b0 = n_across * cell - s.b0;
        s.b1 = n_across * cell - s.b1;
        s.stride_b = -s.stride_b;
        s.falls = true;
    }
    draw_segment(said, &s);
}
