/* Exact distances within a window, capped: columns first, then rows (after Saito and
 * Toriwaki, 1994). Per axis the distance from a centre to the edge of a cell d cells away is
 * max(0, 2 d - 1) half cells; the least sum of the two squares is found by trying every
 * column within reach, all columns of a row side by side.
 *
 * Capped, a window depends on what lies within reach of it and on nothing else: so it can
 * be done anew after a change, exactly, and nothing is left to drift.
 */
#include "grid/distance.h"

#include <stdlib.h>
#include <string.h>

#include "common/machine.h"

static int32_t square(kw_distance_kind kind, int32_t apart) {
    const int32_t along = kind == KW_BETWEEN_POINTS ? apart : apart > 0 ? 2 * apart - 1 : 0;
    return along * along;
}

int32_t kw_distance_reach(kw_distance_kind kind, int32_t cap) {
    int32_t reach = 0;
    while (square(kind, reach + 1) < cap) {
        reach++;
    }
    return reach;
}

void kw_distance_free(kw_distance_scratch *scratch) {
    free(scratch->rows);
    free(scratch->line);
    free(scratch->least);
}

int64_t kw_distance_bytes(const kw_distance_scratch *scratch) {
    return scratch->n_rows_capacity + 2 * scratch->line_capacity * (int64_t)sizeof(int16_t);
}

static kw_status grow(kw_distance_scratch *scratch, int64_t n_rows, int64_t line) {
    if (n_rows > scratch->n_rows_capacity) {
        uint8_t *rows = realloc(scratch->rows, (size_t)n_rows);
        if (rows == NULL) {
            return KW_NO_MEMORY;
        }
        scratch->rows = rows;
        scratch->n_rows_capacity = n_rows;
    }
    if (line > scratch->line_capacity) {
        int16_t *lines[2] = {realloc(scratch->line, (size_t)line * sizeof(int16_t)), NULL};
        if (lines[0] != NULL) {
            scratch->line = lines[0];
            lines[1] = realloc(scratch->least, (size_t)line * sizeof(int16_t));
        }
        if (lines[1] == NULL) {
            return KW_NO_MEMORY;
        }
        scratch->least = lines[1];
        scratch->line_capacity = line;
    }
    return KW_OK;
}

static void start_row(uint8_t *rows, const uint8_t *marks, uint8_t occupied, uint8_t most,
                      int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        rows[i] = (marks[i] & occupied) == occupied ? 0 : most;
    }
}

/* One more than in the row before, if that is less. */
static void pass_row(uint8_t *rows, const uint8_t *before, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        const uint8_t farther = (uint8_t)(before[i] + 1);
        rows[i] = farther < rows[i] ? farther : rows[i];
    }
}

/* Squares of the distances along the columns. */
static void square_row(const uint8_t *rows, kw_distance_kind kind, int16_t cap, int16_t *line,
                       int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        const int32_t along = square(kind, rows[i]);
        line[i] = (int16_t)(along < cap ? along : cap);
    }
}

KW_CLONES
static void least_of_row(const int16_t *line, kw_distance_kind kind, int32_t reach, int16_t *least,
                         int32_t n) {
    memcpy(least, line, (size_t)n * sizeof *least);
    for (int32_t d = 1; d <= reach; d++) {
        const int32_t across = square(kind, d);
        const int16_t *left = line - d;
        const int16_t *right = line + d;
        for (int32_t i = 0; i < n; i++) {
            const int16_t nearer = left[i] < right[i] ? left[i] : right[i];
            const int16_t sum = (int16_t)(nearer + across);
            least[i] = sum < least[i] ? sum : least[i];
        }
    }
}

static int32_t within(int32_t x, int32_t low, int32_t high) {
    return x < low ? low : x > high ? high : x;
}

kw_status kw_distance_find(kw_distance_scratch *scratch, kw_distance_kind kind,
                           const uint8_t *marks, int32_t stride, uint8_t occupied, kw_box bounds,
                           kw_box box, int32_t cap, kw_distance_row *take, void *to) {
    const int32_t reach = kw_distance_reach(kind, cap);
    const kw_box seen = {within(box.row_low - reach, bounds.row_low, bounds.row_high),
                         within(box.row_high + reach, bounds.row_low, bounds.row_high),
                         within(box.col_low - reach, bounds.col_low, bounds.col_high),
                         within(box.col_high + reach, bounds.col_low, bounds.col_high)};
    const int32_t n_rows = seen.row_high - seen.row_low + 1;
    const int32_t n_cols = seen.col_high - seen.col_low + 1;
    const int32_t n = box.col_high - box.col_low + 1;
    const int32_t n_line = n + 2 * reach;
    if (grow(scratch, (int64_t)n_rows * n_cols, n_line) != KW_OK) {
        return KW_NO_MEMORY;
    }
    uint8_t *rows = scratch->rows;
    for (int32_t row = 0; row < n_rows; row++) {
        const uint8_t *from = marks + (int64_t)(seen.row_low + row) * stride + seen.col_low;
        start_row(rows + (int64_t)row * n_cols, from, occupied, (uint8_t)(reach + 1), n_cols);
        if (row > 0) {
            pass_row(rows + (int64_t)row * n_cols, rows + (int64_t)(row - 1) * n_cols, n_cols);
        }
    }
    for (int32_t row = n_rows - 2; row >= 0; row--) {
        pass_row(rows + (int64_t)row * n_cols, rows + (int64_t)(row + 1) * n_cols, n_cols);
    }
    /* beyond the bounds there is nothing */
    const int32_t left = seen.col_low - (box.col_low - reach);
    for (int32_t i = 0; i < n_line; i++) {
        scratch->line[i] = (int16_t)cap;
    }
    for (int32_t row = box.row_low; row <= box.row_high; row++) {
        square_row(rows + (int64_t)(row - seen.row_low) * n_cols, kind, (int16_t)cap,
                   scratch->line + left, n_cols);
        least_of_row(scratch->line + reach, kind, reach, scratch->least, n);
        take(to, row, scratch->least);
    }
    return KW_OK;
}
