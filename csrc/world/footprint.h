/* What a solid covers of the ground, for filling grids and measuring to points. */
#ifndef KW_FOOTPRINT_H
#define KW_FOOTPRINT_H

#include "crossing.h"
#include "scene.h"

typedef struct {
    double low;
    double high;
} kw_span;

/* Half the height of the solid's bounding box grown by grow_m. */
double kw_footprint_reach_y(const kw_solid *solid, double grow_m);

/* What the solid, its sizes grown by grow_m on every side, spans in x within the strip from
 * low_y_m to high_y_m. Nothing (low > high) where it does not reach into the strip. */
kw_span kw_footprint_span(const kw_solid *solid, double grow_m, double low_y_m, double high_y_m);

/* Square of the distance of a point from a rectangle about the origin; 0 inside. */
KW_INLINE double kw_square_from_rectangle(double x, double y, double half_x, double half_y) {
    double dx = kw_greater(fabs(x) - half_x, 0.0);
    double dy = kw_greater(fabs(y) - half_y, 0.0);
    return dx * dx + dy * dy;
}

/* Distance of a point from a solid's border; negative inside. */
KW_INLINE double kw_footprint_distance(const kw_solid *solid, double x_m, double y_m) {
    double x;
    double y;
    kw_solid_local(solid, x_m, y_m, &x, &y);
    if (solid->is_post) {
        return sqrt(x * x + y * y) - solid->half_x_m;
    }
    double square = kw_square_from_rectangle(x, y, solid->half_x_m, solid->half_y_m);
    double inside = kw_greater(fabs(x) - solid->half_x_m, fabs(y) - solid->half_y_m);
    return square > 0.0 ? sqrt(square) : inside;
}

#endif
