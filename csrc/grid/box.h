/* Boxes of cells, the last ones included. */
#ifndef KW_GRID_BOX_H
#define KW_GRID_BOX_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int32_t row_low;
    int32_t row_high;
    int32_t col_low;
    int32_t col_high;
} kw_box;

#define KW_NO_BOX ((kw_box){INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN})

static inline bool kw_box_is_empty(kw_box box) {
    return box.row_low > box.row_high || box.col_low > box.col_high;
}

/* The least box that holds both; an empty one holds nothing. */
static inline kw_box kw_box_join(kw_box a, kw_box b) {
    return (kw_box){a.row_low < b.row_low ? a.row_low : b.row_low,
                    a.row_high > b.row_high ? a.row_high : b.row_high,
                    a.col_low < b.col_low ? a.col_low : b.col_low,
                    a.col_high > b.col_high ? a.col_high : b.col_high};
}

static inline kw_box kw_box_add(kw_box box, int32_t row, int32_t col) {
    return kw_box_join(box, (kw_box){row, row, col, col});
}

static inline bool kw_box_holds(const kw_box *box, int32_t row, int32_t col) {
    return row >= box->row_low && row <= box->row_high && col >= box->col_low &&
           col <= box->col_high;
}

/* A box grown by so many cells to all sides, as far as it lies in another. */
static inline kw_box kw_box_grow(kw_box box, int32_t by, kw_box inside) {
    return (kw_box){
        box.row_low - by > inside.row_low ? box.row_low - by : inside.row_low,
        box.row_high + by < inside.row_high ? box.row_high + by : inside.row_high,
        box.col_low - by > inside.col_low ? box.col_low - by : inside.col_low,
        box.col_high + by < inside.col_high ? box.col_high + by : inside.col_high,
    };
}

#endif
