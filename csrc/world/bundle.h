/* Three half planes that hold a bundle of rays from one point, to leave out in one step the
 * solids that none of the rays can meet.
 */
#ifndef KW_BUNDLE_H
#define KW_BUNDLE_H

#include "crossing.h"
#include "scene.h"

/* A bundle's rays are a multiple of these. */
#define KW_BUNDLE_LANES 4
/* A solid nearer to a half plane than this is not left out: far above rounding. */
#define KW_BUNDLE_SLACK_M 1e-6

typedef struct {
    double x;
    double y;
} kw_vector;

/* A frame that rays may be turned into. */
typedef struct {
    double cos_h;
    double sin_h;
} kw_frame;

/* The rays lie where all three dot products are <= 0 (of points from the origin). */
typedef struct {
    kw_vector left;
    kw_vector right;
    kw_vector back;
} kw_half_planes;

typedef struct {
    kw_half_planes in_map;
    kw_half_planes turned; /* into `frame` */
    kw_frame frame;        /* of the last solid */
} kw_bundle;

KW_INLINE bool kw_is_frame_of(kw_frame at, const kw_solid *solid) {
    return at.cos_h == solid->cos_h && at.sin_h == solid->sin_h;
}

KW_INLINE kw_vector kw_turned_into(kw_vector v, double cos_h, double sin_h) {
    return (kw_vector){cos_h * v.x + sin_h * v.y, cos_h * v.y - sin_h * v.x};
}

/* Half planes around unit vectors, n a multiple of the lanes; all of the plane where those
 * spread too wide. Least and greatest are kept by lane, as compilers don't reorder such
 * searches. */
KW_INLINE kw_half_planes kw_half_planes_of(int32_t n, const double *ux, const double *uy) {
    kw_vector axis = {ux[n / 2], uy[n / 2]};
    double cosines[KW_BUNDLE_LANES];
    double sines[KW_BUNDLE_LANES];
    for (int32_t lane = 0; lane < KW_BUNDLE_LANES; ++lane) {
        cosines[lane] = 1.0;
        sines[lane] = 0.0;
    }
    for (int32_t i = 0; i < n; i += KW_BUNDLE_LANES) {
        for (int32_t lane = 0; lane < KW_BUNDLE_LANES; ++lane) {
            kw_vector u = {ux[i + lane], uy[i + lane]};
            cosines[lane] = kw_lesser(cosines[lane], axis.x * u.x + axis.y * u.y);
            sines[lane] = kw_greater(sines[lane], fabs(axis.x * u.y - axis.y * u.x));
        }
    }
    double cosine = kw_lesser(kw_lesser(cosines[0], cosines[1]), kw_lesser(cosines[2], cosines[3]));
    double sine = kw_greater(kw_greater(sines[0], sines[1]), kw_greater(sines[2], sines[3]));
    if (cosine <= 0.0) {
        return (kw_half_planes){{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
    }
    return (kw_half_planes){
        .left = {-axis.x * sine - axis.y * cosine, -axis.y * sine + axis.x * cosine},
        .right = {-axis.x * sine + axis.y * cosine, -axis.y * sine - axis.x * cosine},
        .back = {-axis.x, -axis.y},
    };
}

KW_INLINE kw_bundle kw_bundle_of(int32_t n, const double *ux, const double *uy) {
    kw_half_planes planes = kw_half_planes_of(n, ux, uy);
    return (kw_bundle){.in_map = planes, .turned = planes, .frame = {1.0, 0.0}};
}

/* Whether a rectangle lies wholly beyond a border; all in its frame, (x, y) its centre. */
KW_INLINE bool kw_is_beyond(kw_vector border, double x, double y, double half_x, double half_y) {
    double centre = border.x * x + border.y * y;
    return centre - (half_x * fabs(border.x) + half_y * fabs(border.y)) > KW_BUNDLE_SLACK_M;
}

/* Whether no ray of the bundle can meet the solid within a horizontal range; (x, y): the
 * origin from the solid's centre, in its frame. */
KW_INLINE bool kw_bundle_misses(kw_bundle *bundle, const kw_solid *solid, double x, double y,
                                double range_m) {
    if (!kw_is_frame_of(bundle->frame, solid)) {
        bundle->frame = (kw_frame){solid->cos_h, solid->sin_h};
        bundle->turned =
            (kw_half_planes){kw_turned_into(bundle->in_map.left, solid->cos_h, solid->sin_h),
                             kw_turned_into(bundle->in_map.right, solid->cos_h, solid->sin_h),
                             kw_turned_into(bundle->in_map.back, solid->cos_h, solid->sin_h)};
    }
    const kw_half_planes *around = &bundle->turned;
    double half_x = solid->half_x_m;
    double half_y = solid->half_y_m;
    if (kw_is_beyond(around->left, -x, -y, half_x, half_y) ||
        kw_is_beyond(around->right, -x, -y, half_x, half_y) ||
        kw_is_beyond(around->back, -x, -y, half_x, half_y)) {
        return true;
    }
    double ahead = around->back.x * x + around->back.y * y;
    double reach = half_x * fabs(around->back.x) + half_y * fabs(around->back.y);
    return ahead - reach > range_m + KW_BUNDLE_SLACK_M;
}

#endif
