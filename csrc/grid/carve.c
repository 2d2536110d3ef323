/* A scan: its rays, laid out in a window of bytes and from there applied to the cells.
 *
 * Every cell is passed, hit or left alone by a scan as a whole, never twice: so nine scans are
 * nine misses, however many rays of one scan crowd a cell near the shell. Hits are set last:
 * a cell that was hit is not carved by the same scan.
 */
#include "draw.h"

#include <string.h>

#include "belief.h"
#include "common/math.h"

/* The greatest window, cells to a side. One tick's rays always fit. */
enum { WINDOW_CELLS = 4096 };

static void widen(kw_scan_window *around, int64_t x_um, int64_t y_um) {
    const int32_t row = kw_cell_of(y_um);
    const int32_t col = kw_cell_of(x_um);
    around->row0 = row < around->row0 ? row : around->row0;
    around->col0 = col < around->col0 ? col : around->col0;
    around->row1 = row > around->row1 ? row : around->row1;
    around->col1 = col > around->col1 ? col : around->col1;
}

static void widen_by_ray(kw_scan_window *around, const kw_scan_ray *r) {
    if (r->carves) {
        widen(around, r->x0, r->y0);
        widen(around, r->x1, r->y1);
    }
    if (r->hits) {
        widen(around, r->hit_x, r->hit_y);
    }
}

static bool is_narrow(const kw_scan_window *w) {
    return w->row1 - w->row0 < WINDOW_CELLS && w->col1 - w->col0 < WINDOW_CELLS - KW_TILE_SIDE;
}

/* How far a beam carves, how far of it well before its end, and whether it marks: a reading within its tolerance of the end of the
 * range is taken for the end, and draws no wall. */
static void read_beam(const kw_belief_scanner *scanner, int32_t range_mm, int32_t status,
                      kw_scan_ray *out_ray, int64_t *out_carved_um, int64_t *out_clear_um,
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
                      const int32_t *statuses, kw_scan_ray *out_rays) {
    double sin_h;
    double cos_h;
    kw_sincos((double)pose[2] * 1e-6, &sin_h, &cos_h);
    const double x_um = (double)kw_round_i64(pose[0] + cos_h * scanner->ahead_um);
    const double y_um = (double)kw_round_i64(pose[1] + sin_h * scanner->ahead_um);
    for (int32_t i = first; i < first + n; ++i) {
        const double ux = cos_h * belief->beam_x[i] - sin_h * belief->beam_y[i];
        const double uy = sin_h * belief->beam_x[i] + cos_h * belief->beam_y[i];
        kw_scan_ray *r = &out_rays[i];
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

static void draw_hit(uint8_t *said, const kw_scan_window *w, const kw_scan_ray *r) {
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
static kw_status apply(kw_belief *belief, uint8_t *said, const kw_scan_window *w,
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
static kw_status take_rays(kw_belief *belief, int32_t n, const kw_scan_ray *rays, kw_scan_window w,
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
            kw_scan_draw(said, &w, &rays[i]);
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

static const kw_scan_window NOTHING = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};

/* All rays at once, but for a shell that was put elsewhere within the revolution: then from
 * each place those that share a window. */
static kw_status take_revolution(kw_belief *belief, int32_t n_ticks, const kw_scan_ray *rays,
                                 kw_belief_report *report) {
    const int32_t n = KW_BELIEF_BEAMS / n_ticks;
    int32_t first = 0;
    kw_scan_window around = NOTHING;
    kw_status status = KW_OK;
    for (int32_t i = 0; i < KW_BELIEF_BEAMS && status == KW_OK; i += n) {
        kw_scan_window wider = around;
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
    kw_scan_ray rays[KW_BELIEF_BEAMS] = {{0}};
    const int32_t n = KW_BELIEF_BEAMS / scanner->period_tick;
    const uint64_t before = kw_float_control_enter();
    for (int32_t i = 0; i < scanner->period_tick; ++i) {
        cast_tick(belief, scanner, &poses[3 * i], i * n, n, ranges_mm, statuses, rays);
    }
    kw_scan_window all = NOTHING;
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
    kw_scan_window around = NOTHING;
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
