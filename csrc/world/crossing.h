/* Where a line meets one solid: the arithmetic of all rays, in one place.
 *
 * Rectangles by the slab method in the rectangle's own frame, posts by the half chord.
 * Everything is measured by s, the horizontal distance from the ray's origin. Whether a
 * ray meets a solid is decided on the solid grown by KW_EDGE_M, where it meets it on the
 * solid's true face.
 */
#ifndef KW_CROSSING_H
#define KW_CROSSING_H

#include <math.h>

#include "common/math.h"
#include "scene.h"

/* A ray that passes an edge no farther off than this meets it. */
#define KW_EDGE_M 1e-11
/* A direction's component is taken for at least this, so that its inverse is finite. */
#define KW_COMPONENT_MIN 1e-300

/* For what must be compiled with its caller, whose target may be another (see fan.c). */
#if defined(__GNUC__)
#define KW_INLINE static inline __attribute__((always_inline))
#else
#define KW_INLINE static inline
#endif

/* The part of the line inside a solid, and its start on the true face. */
typedef struct {
    double enter;
    double leave;
    double face;
} kw_crossing;

KW_INLINE double kw_lesser(double a, double b) {
    return a < b ? a : b;
}

KW_INLINE double kw_greater(double a, double b) {
    return a > b ? a : b;
}

/* Inverse of a direction's component. */
KW_INLINE double kw_inverse(double component) {
    return 1.0 / (fabs(component) < KW_COMPONENT_MIN ? KW_COMPONENT_MIN : component);
}

/* All in the rectangle's frame: inverses of the direction, those inverses' magnitudes times
 * KW_EDGE_M, the origin from the centre, half sizes grown by KW_EDGE_M. */
KW_INLINE kw_crossing kw_cross_rectangle(double inverse_x, double inverse_y, double edge_x,
                                         double edge_y, double x, double y, double grown_x,
                                         double grown_y) {
    double low_x = (-grown_x - x) * inverse_x;
    double high_x = (grown_x - x) * inverse_x;
    double low_y = (-grown_y - y) * inverse_y;
    double high_y = (grown_y - y) * inverse_y;
    double enter_x = kw_lesser(low_x, high_x);
    double enter_y = kw_lesser(low_y, high_y);
    double enter = kw_greater(enter_x, enter_y);
    return (kw_crossing){
        .enter = enter,
        .leave = kw_lesser(kw_greater(low_x, high_x), kw_greater(low_y, high_y)),
        .face = enter + (enter_x > enter_y ? edge_x : edge_y),
    };
}

/* Unit direction, the origin from the post's centre, the true radius. */
KW_INLINE kw_crossing kw_cross_post(double ux, double uy, double x, double y, double radius) {
    double along = -(x * ux + y * uy);
    double across = fabs(x * uy - y * ux);
    double grown = radius + KW_EDGE_M;
    double square = (radius - across) * (radius + across);
    double grown_square = (grown - across) * (grown + across);
    double half = sqrt(kw_greater(square, 0.0));
    double grown_half = sqrt(kw_greater(grown_square, 0.0));
    return (kw_crossing){
        .enter = along - grown_half,
        .leave = grown_square >= 0.0 ? along + grown_half : -1.0,
        .face = along - half,
    };
}

/* A solid of either kind, with the origin (x, y) in its frame; (ux, uy) in `map`. */
KW_INLINE kw_crossing kw_cross_solid(const kw_solid *solid, double x, double y, double ux,
                                     double uy) {
    if (solid->is_post) {
        return kw_cross_post(ux, uy, x, y, solid->half_x_m);
    }
    double inverse_x = kw_inverse(solid->cos_h * ux + solid->sin_h * uy);
    double inverse_y = kw_inverse(solid->cos_h * uy - solid->sin_h * ux);
    return kw_cross_rectangle(inverse_x, inverse_y, KW_EDGE_M * fabs(inverse_x),
                              KW_EDGE_M * fabs(inverse_y), x, y, solid->half_x_m + KW_EDGE_M,
                              solid->half_y_m + KW_EDGE_M);
}

/* Where a ray first meets what it crosses: 0 inside, infinite where it does not. */
KW_INLINE double kw_first_meeting(kw_crossing crossing) {
    double start = kw_greater(crossing.enter, 0.0);
    double face = kw_lesser(kw_greater(crossing.face, 0.0), crossing.leave);
    /* inside the grown solid counts as inside */
    double meeting = crossing.enter > 0.0 ? face : 0.0;
    return start <= crossing.leave ? meeting : (double)INFINITY;
}

#endif
