/* The rays of a scan, drawn into a window of bytes and from there applied to the cells.
 *
 * A ray is the segment between two points in whole um. It is followed column by column of its
 * longer axis (row by row where that is y), and where it leaves each column is an exact
 * quotient carried along in integers (as Bresenham 1965 does for pixels), so that no cell
 * which it passes is left out. Cells are half open: a point on a border is in the upper one.
 *
 * Every cell is passed, hit or left alone by a scan as a whole, never twice: so nine scans are
 * nine misses, however many rays of one scan crowd a cell near the shell. Hits are set last:
 * a cell that was hit is not carved by the same scan.
 */
#include "belief.h"

#include <string.h>

#include "common/math.h"

/* The greatest window, cells to a side. One tick's rays always fit. */
enum { WINDOW_CELLS = 4096 };

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
} ray;

/* Cells of a window, both ends included; its columns are whole tiles once it is laid out. */
typedef struct {
    int32_t row0;
    int32_t col0;
    int32_t row1;
    int32_t col1;
} window;

static void widen(window *around, int64_t x_um, int64_t y_um) {
    const int32_t row = kw_cell_of(y_um);
    const int32_t col = kw_cell_of(x_um);
    around->row0 = row < around->row0 ? row : around->row0;
    around->col0 = col < around->col0 ? col : around->col0;
    around->row1 = row > around->row1 ? row : around->row1;
    around->col1 = col > around->col1 ? col : around->col1;
}

static void widen_by_ray(window *around, const ray *r) {
    if (r->carves) {
        widen(around, r->x0, r->y0);
        widen(around, r->x1, r->y1);
    }
    if (r->hits) {
        widen(around, r->hit_x, r->hit_y);
    }
}

static bool is_narrow(const window *w) {
    return w->row1 - w->row0 < WINDOW_CELLS && w->col1 - w->col0 < WINDOW_CELLS - KW_TILE_SIDE;
}

/* How far a beam carves, how far of it well before its end, and whether it marks: a reading within its tolerance of the end of the
 * range is taken for the end, and draws no wall. */
static void read_beam(const kw_belief_scanner *scanner, int32_t range_mm, int32_t status,
                      ray *out_ray, int64_t *out_carved_um, int64_t *out_clear_um,
                      int64_t *out_hit_um) {
    const int64_t end_um =
        scanner->range_max_um < KW_BELIEF_REACH_UM ? scanner->range_max_um : KW_BELIEF_REACH_UM;
    const int64_t reading_um = status == 2 ? end_um : (int64_t)range_mm * 1000;
    const int64_t range_um = reading_um < end_um ? reading_um : end_um;
    const int64_t tolerance_um =
        scanner->tolerance_um + range_um * scanner->tolerance_ppm / 1000000;
    out_ray->carves = (status == 1 || status == 2) && range_um > tolerance_um;
    out_ray->hits = status == 1 && range_um + tolerance_um < end_um;
    const int64_t carved_um = range_um - tolerance_um;
    const int64_t before_um = range_um > KW_BELIEF_CLEAR_UM ? range_um - KW_BELIEF_CLEAR_UM : 0;
    *out_carved_um = carved_um;
    *out_clear_um = out_ray->hits && before_um < carved_um ? before_um : carved_um;
    *out_hit_um = range_um;
}

static int64_t along(double origin_um, double direction, int64_t length_um) {
    return kw_round_i64(origin_um + direction * (double)length_um);
}

/* The beams of one tick, from its pose. */
static void cast_tick(const kw_belief *belief, const kw_belief_scanner *scanner,
                      const int32_t *pose, int32_t first, int32_t n, const int32_t *ranges_mm,
                      const int32_t *statuses, ray *out_rays) {
    double sin_h;
    double cos_h;
    kw_sincos((double)pose[2] * 1e-6, &sin_h, &cos_h);
    const double x_um = (double)kw_round_i64(pose[0] + cos_h * scanner->ahead_um);
    const double y_um = (double)kw_round_i64(pose[1] + sin_h * scanner->ahead_um);
    for (int32_t i = first; i < first + n; ++i) {
        const double ux = cos_h * belief->beam_x[i] - sin_h * belief->beam_y[i];
        const double uy = sin_h * belief->beam_x[i] + cos_h * belief->beam_y[i];
        ray *r = &out_rays[i];
        int64_t carved_um;
        int64_t clear_um;
        int64_t hit_um;
        read_beam(scanner, ranges_mm[i], statuses[i], r, &carved_um, &clear_um, &hit_um);
        r->x0 = (int64_t)x_um;
        r->y0 = (int64_t)y_um;
        r->x1 = along(x_um, ux, carved_um);
        r->y1 = along(y_um, uy, carved_um);
        r->clear_x = along(x_um, ux, clear_um);
        r->clear_y = along(y_um, uy, clear_um);
        r->hit_x = along(x_um, ux, hit_um);
        r->hit_y = along(y_um, uy, hit_um);
    }
}

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

static void draw_ray(uint8_t *said, const window *w, const ray *r) {
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

static void draw_hit(uint8_t *said, const window *w, const ray *r) {
    const int64_t stride = w->col1 - w->col0 + 1;
    said[(kw_cell_of(r->hit_y) - w->row0) * stride + kw_cell_of(r->hit_x) - w->col0] = KW_HIT;
}

static bool is_silent(const uint8_t *said) {
    uint64_t any = 0;
    for (int32_t i = 0; i < KW_TILE_SIDE; i += 8) {
        uint64_t word;
        memcpy(&word, said + i, sizeof word);
        any |= word;
    }
    return any == 0;
}

/* Hands the window to the cells, row by row of each tile, and leaves it empty. */
static kw_status apply(kw_belief *belief, uint8_t *said, const window *w,
                       kw_belief_report *report) {
    const int64_t stride = w->col1 - w->col0 + 1;
    const int32_t n_tiles = (int32_t)(stride / KW_TILE_SIDE);
    kw_status status = KW_OK;
    for (int32_t row = w->row0; row <= w->row1; ++row) {
        uint8_t *line = said + (row - w->row0) * stride;
        for (int32_t i = 0; i < n_tiles; ++i, line += KW_TILE_SIDE) {
            if (is_silent(line)) {
                continue;
            }
            const int32_t tile_row = kw_halved(row, KW_TILE_SHIFT);
            const int32_t tile_col = kw_halved(w->col0, KW_TILE_SHIFT) + i;
            kw_tile *tile = kw_belief_make_tile(belief, tile_row, tile_col);
            if (tile == NULL) {
                status = KW_NO_MEMORY;
            } else {
                kw_tile_apply_row(belief, tile, row - tile_row * KW_TILE_SIDE, line, report);
            }
            memset(line, 0, KW_TILE_SIDE);
        }
    }
    return status;
}

/* Draws and applies n rays that share a window. */
static kw_status take_rays(kw_belief *belief, int32_t n, const ray *rays, window w,
                           kw_belief_report *report) {
    w.col0 = kw_halved(w.col0, KW_TILE_SHIFT) * KW_TILE_SIDE;
    w.col1 = kw_halved(w.col1, KW_TILE_SHIFT) * KW_TILE_SIDE + KW_TILE_SIDE - 1;
    const int64_t size = (int64_t)(w.row1 - w.row0 + 1) * (w.col1 - w.col0 + 1);
    if (kw_buffer_grow(&belief->mask, size) != KW_OK) {
        return KW_NO_MEMORY;
    }
    uint8_t *said = belief->mask.bytes;
    for (int32_t i = 0; i < n; ++i) {
        if (rays[i].carves) {
            draw_ray(said, &w, &rays[i]);
        }
    }
    for (int32_t i = 0; i < n; ++i) {
        if (rays[i].hits) {
            draw_hit(said, &w, &rays[i]);
            report->hits += 1;
        }
    }
    return apply(belief, said, &w, report);
}

static const window NOTHING = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};

/* All rays at once, but for a shell that was put elsewhere within the revolution: then from
 * each place those that share a window. */
static kw_status take_revolution(kw_belief *belief, int32_t n_ticks, const ray *rays,
                                 kw_belief_report *report) {
    const int32_t n = KW_BELIEF_BEAMS / n_ticks;
    int32_t first = 0;
    window around = NOTHING;
    kw_status status = KW_OK;
    for (int32_t i = 0; i < KW_BELIEF_BEAMS && status == KW_OK; i += n) {
        window wider = around;
        for (int32_t k = i; k < i + n; ++k) {
            widen_by_ray(&wider, &rays[k]);
        }
        if (wider.row0 <= wider.row1 && !is_narrow(&wider)) {
            status = take_rays(belief, i - first, &rays[first], around, report);
            first = i;
            wider = NOTHING;
            for (int32_t k = i; k < i + n; ++k) {
                widen_by_ray(&wider, &rays[k]);
            }
        }
        around = wider;
    }
    if (status == KW_OK && around.row0 <= around.row1) {
        status = take_rays(belief, KW_BELIEF_BEAMS - first, &rays[first], around, report);
    }
    return status;
}

static bool is_sound(const kw_belief *belief, const kw_belief_scanner *scanner, int32_t tick,
                     const int32_t *poses, const int32_t *ranges_mm, const int32_t *statuses) {
    bool sound =
        scanner->period_tick > 0 && KW_BELIEF_BEAMS % scanner->period_tick == 0 &&
        scanner->ahead_um >= -10000000 && scanner->ahead_um <= 10000000 &&
        scanner->range_max_um >= 0 && scanner->tolerance_um >= 0 && scanner->tolerance_ppm >= 0 &&
        scanner->tolerance_ppm <= 1000000 &&
        (belief->n_scans == 0 || tick > belief->scan_tick[belief->n_scans % KW_RECENT_SCANS]);
    for (int32_t i = 0; sound && i < scanner->period_tick; ++i) {
        sound = poses[3 * i + 2] >= -4000000 && poses[3 * i + 2] <= 4000000;
    }
    for (int32_t i = 0; sound && i < KW_BELIEF_BEAMS; ++i) {
        sound = ranges_mm[i] >= 0 && statuses[i] >= 0 && statuses[i] <= 4;
    }
    return sound;
}

kw_status kw_belief_scan(kw_belief *belief, const kw_belief_scanner *scanner, int32_t tick,
                         const int32_t *poses, const int32_t *ranges_mm, const int32_t *statuses,
                         kw_belief_report *out_report) {
    if (!is_sound(belief, scanner, tick, poses, ranges_mm, statuses)) {
        return KW_BAD_ARGUMENT;
    }
    ray rays[KW_BELIEF_BEAMS] = {{0}};
    const int32_t n = KW_BELIEF_BEAMS / scanner->period_tick;
    const uint64_t before = kw_float_control_enter();
    for (int32_t i = 0; i < scanner->period_tick; ++i) {
        cast_tick(belief, scanner, &poses[3 * i], i * n, n, ranges_mm, statuses, rays);
    }
    window all = NOTHING;
    for (int32_t i = 0; i < KW_BELIEF_BEAMS; ++i) {
        widen_by_ray(&all, &rays[i]);
    }
    kw_status status = KW_OK;
    if (all.row0 <= all.row1) {
        status = kw_belief_reach(belief, all.row0, all.col0, all.row1, all.col1);
    }
    kw_belief_report report = {0};
    if (status == KW_OK) {
        kw_belief_count_scan(belief, tick);
        kw_belief_relax(belief, tick);
        status = take_revolution(belief, scanner->period_tick, rays, &report);
    }
    kw_float_control_leave(before);
    report.rebuild =
        (int64_t)report.contradicted * 100 > (int64_t)report.permanent * KW_BELIEF_REBUILD_PERCENT;
    if (status == KW_OK) {
        *out_report = report;
    }
    return status;
}

/* Marks one cell, unless an earlier place of the same frame lies in it. */
static kw_status mark_cell(kw_belief *belief, int32_t row, int32_t col, int32_t said) {
    kw_tile *tile =
        kw_belief_make_tile(belief, kw_halved(row, KW_TILE_SHIFT), kw_halved(col, KW_TILE_SHIFT));
    if (tile == NULL) {
        return KW_NO_MEMORY;
    }
    const int32_t index =
        (row - tile->row * KW_TILE_SIDE) * KW_TILE_SIDE + col - tile->col * KW_TILE_SIDE;
    kw_tile_mark(belief, tile, index, said);
    return KW_OK;
}

enum { PLACES_MOST = 64 };

kw_status kw_belief_mark(kw_belief *belief, const int32_t *pose, int32_t n,
                         const int32_t *offsets_um, int32_t certain) {
    if (n < 0 || n > PLACES_MOST || pose[2] < -4000000 || pose[2] > 4000000) {
        return KW_BAD_ARGUMENT;
    }
    int32_t rows[PLACES_MOST];
    int32_t cols[PLACES_MOST];
    window around = NOTHING;
    const uint64_t before = kw_float_control_enter();
    double sin_h;
    double cos_h;
    kw_sincos((double)pose[2] * 1e-6, &sin_h, &cos_h);
    for (int32_t i = 0; i < n; ++i) {
        const double x_um = offsets_um[2 * i];
        const double y_um = offsets_um[2 * i + 1];
        const int64_t x = kw_round_i64(pose[0] + (cos_h * x_um - sin_h * y_um));
        const int64_t y = kw_round_i64(pose[1] + (sin_h * x_um + cos_h * y_um));
        rows[i] = kw_cell_of(y);
        cols[i] = kw_cell_of(x);
        widen(&around, x, y);
    }
    kw_float_control_leave(before);
    kw_status status =
        n == 0 ? KW_OK
               : kw_belief_reach(belief, around.row0, around.col0, around.row1, around.col1);
    for (int32_t i = 0; i < n && status == KW_OK; ++i) {
        bool is_first = true;
        for (int32_t k = 0; k < i; ++k) {
            is_first = is_first && (rows[k] != rows[i] || cols[k] != cols[i]);
        }
        if (is_first) {
            status = mark_cell(belief, rows[i], cols[i], certain != 0 ? KW_CERTAIN : KW_HIT);
        }
    }
    return status;
}
