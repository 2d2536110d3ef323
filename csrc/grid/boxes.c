#include "grid/boxes.h"

static int64_t cells_of(kw_box box, int32_t margin) {
    const int64_t n_rows = (int64_t)box.row_high - box.row_low + 1 + 2 * margin;
    const int64_t n_cols = (int64_t)box.col_high - box.col_low + 1 + 2 * margin;
    return n_rows * n_cols;
}

static bool holds(kw_box a, kw_box b) {
    return a.row_low <= b.row_low && a.row_high >= b.row_high && a.col_low <= b.col_low &&
           a.col_high >= b.col_high;
}

/* Which of the boxes is joined with another at the least cost in cells; KW_BOXES_MOST: none
 * is there. */
static int32_t nearest(const kw_boxes *boxes, kw_box box, int32_t margin, int64_t *out_cost) {
    int32_t at = KW_BOXES_MOST;
    for (int32_t i = 0; i < boxes->n; i++) {
        const kw_box other = boxes->boxes[i];
        const int64_t cost = cells_of(kw_box_join(other, box), margin) - cells_of(other, margin) -
                             cells_of(box, margin);
        if (at == KW_BOXES_MOST || cost < *out_cost) {
            at = i;
            *out_cost = cost;
        }
    }
    return at;
}

void kw_boxes_add(kw_boxes *boxes, kw_box box, int32_t margin) {
    for (int32_t i = 0; i < boxes->n; i++) {
        if (holds(boxes->boxes[i], box)) {
            return;
        }
    }
    for (;;) { /* a box that has grown may be joined with one more */
        int64_t cost = 0;
        const int32_t i = nearest(boxes, box, margin, &cost);
        if (i == KW_BOXES_MOST || (cost > 0 && boxes->n < KW_BOXES_MOST)) {
            break;
        }
        box = kw_box_join(boxes->boxes[i], box);
        boxes->boxes[i] = boxes->boxes[--boxes->n];
    }
    boxes->boxes[boxes->n++] = box;
}
