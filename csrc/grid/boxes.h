/* A few boxes that together hold all that changed. One box around places far apart would hold
 * all that lies between them too. */
#ifndef KW_GRID_BOXES_H
#define KW_GRID_BOXES_H

#include "grid/box.h"

#define KW_BOXES_MOST 8

typedef struct {
    kw_box boxes[KW_BOXES_MOST];
    int32_t n;
} kw_boxes;

/* Holds another box too. Two are joined where the one around both, grown by margin to all
 * sides, has no more cells than the two so grown, and where there are too many. */
void kw_boxes_add(kw_boxes *boxes, kw_box box, int32_t margin);

#endif
