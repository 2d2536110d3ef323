#include "footprint.h"

/* Frames lie in the first quadrant: no sine or cosine is negative. */
double kw_footprint_reach_y(const kw_solid *solid, double grow_m) {
    if (solid->is_post) {
        return solid->half_x_m + grow_m;
    }
    return solid->sin_h * (solid->half_x_m + grow_m) + solid->cos_h * (solid->half_y_m + grow_m);
}

static kw_span span_of_post(const kw_solid *solid, double grow_m, double low_y_m, double high_y_m) {
    double radius = solid->half_x_m + grow_m;
    double below = low_y_m - solid->y_m;
    double above = solid->y_m - high_y_m;
    double off = kw_greater(kw_greater(below, above), 0.0); /* of the strip's nearest line */
    if (off > radius) {
        return (kw_span){1.0, -1.0};
    }
    double half = sqrt((radius - off) * (radius + off));
    return (kw_span){solid->x_m - half, solid->x_m + half};
}

static void include(kw_span *span, double x) {
    span->low = kw_lesser(span->low, x);
    span->high = kw_greater(span->high, x);
}

/* Takes into the span the part of the edge from (x0, y0) to (x1, y1) within the strip. */
static void include_edge(kw_span *span, double x0, double y0, double x1, double y1, double low_y_m,
                         double high_y_m) {
    double from = kw_greater(kw_lesser(y0, y1), low_y_m);
    double to = kw_lesser(kw_greater(y0, y1), high_y_m);
    if (from > to) {
        return;
    }
    if (y0 == y1) {
        include(span, x0);
        include(span, x1);
        return;
    }
    /* a share of the edge may pass its ends by rounding */
    double run = x1 - x0;
    double share_from = kw_lesser(kw_greater((from - y0) / (y1 - y0), 0.0), 1.0);
    double share_to = kw_lesser(kw_greater((to - y0) / (y1 - y0), 0.0), 1.0);
    include(span, x0 + share_from * run);
    include(span, x0 + share_to * run);
}

kw_span kw_footprint_span(const kw_solid *solid, double grow_m, double low_y_m, double high_y_m) {
    if (solid->is_post) {
        return span_of_post(solid, grow_m, low_y_m, high_y_m);
    }
    double along = solid->half_x_m + grow_m;
    double across = solid->half_y_m + grow_m;
    double along_x = solid->cos_h * along;
    double along_y = solid->sin_h * along;
    double across_x = -solid->sin_h * across;
    double across_y = solid->cos_h * across;
    /* corners in turn: front left, rear left, rear right, front right */
    const double x[4] = {along_x + across_x, across_x - along_x, -along_x - across_x,
                         along_x - across_x};
    const double y[4] = {along_y + across_y, across_y - along_y, -along_y - across_y,
                         along_y - across_y};
    kw_span span = {(double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < 4; ++i) {
        int next = (i + 1) % 4;
        include_edge(&span, x[i], y[i], x[next], y[next], low_y_m - solid->y_m,
                     high_y_m - solid->y_m);
    }
    span.low += solid->x_m;
    span.high += solid->x_m;
    return span;
}
