/* Where a column crosses a solid does not depend on the ring, and between which distances a
 * ring passes the solid's height does not depend on the column. So each is found once, and
 * a ray only cuts the one by the other, in loops without branches that compilers turn into
 * vector instructions. Solids that all columns miss are left out first.
 */
#include "rings.h"

#include <stddef.h>

#include "bundle.h"
#include "common/machine.h"
#include "crossing.h"
#include "rays.h"

/* With fewer solids than this, holding each against all columns is quicker than walking the
 * index ray by ray. */
#define INDEX_FROM 400

/* The part of a ring's rays that is above the ground and below a solid's top. */
typedef struct {
    double low;
    double high;
} span;

typedef struct {
    int32_t n; /* a multiple of the bundle's lanes */
    double ux[KW_RINGS_COLUMNS_MAX];
    double uy[KW_RINGS_COLUMNS_MAX];
    double inverse_x[KW_RINGS_COLUMNS_MAX]; /* as the next three, in the frame at hand */
    double inverse_y[KW_RINGS_COLUMNS_MAX];
    double edge_x[KW_RINGS_COLUMNS_MAX];
    double edge_y[KW_RINGS_COLUMNS_MAX];
    double enter[KW_RINGS_COLUMNS_MAX]; /* as the next two, of the solid at hand */
    double leave[KW_RINGS_COLUMNS_MAX];
    double face[KW_RINGS_COLUMNS_MAX];
    double nearest_m[KW_RINGS_MAX][KW_RINGS_COLUMNS_MAX]; /* measured horizontally */
} columns;

KW_INLINE void turn_columns(columns *at, double cos_h, double sin_h) {
    for (int32_t c = 0; c < at->n; ++c) {
        double inverse_x = kw_inverse(cos_h * at->ux[c] + sin_h * at->uy[c]);
        double inverse_y = kw_inverse(cos_h * at->uy[c] - sin_h * at->ux[c]);
        at->inverse_x[c] = inverse_x;
        at->inverse_y[c] = inverse_y;
        at->edge_x[c] = KW_EDGE_M * fabs(inverse_x);
        at->edge_y[c] = KW_EDGE_M * fabs(inverse_y);
    }
}

KW_INLINE void keep_crossing(columns *at, int32_t c, kw_crossing crossing) {
    at->enter[c] = crossing.enter;
    at->leave[c] = crossing.leave;
    at->face[c] = crossing.face;
}

/* Finds where all columns cross a solid. */
KW_INLINE void cross(columns *at, const kw_solid *solid, double x, double y) {
    if (solid->is_post) {
        for (int32_t c = 0; c < at->n; ++c) {
            keep_crossing(at, c, kw_cross_post(at->ux[c], at->uy[c], x, y, solid->half_x_m));
        }
        return;
    }
    double grown_x = solid->half_x_m + KW_EDGE_M;
    double grown_y = solid->half_y_m + KW_EDGE_M;
    for (int32_t c = 0; c < at->n; ++c) {
        keep_crossing(at, c,
                      kw_cross_rectangle(at->inverse_x[c], at->inverse_y[c], at->edge_x[c],
                                         at->edge_y[c], x, y, grown_x, grown_y));
    }
}

static span span_of(double z_m, double slope, double height_m) {
    if (slope == 0.0) {
        double end = z_m > height_m ? -(double)INFINITY : (double)INFINITY;
        return (span){-(double)INFINITY, end};
    }
    double ground = -z_m / slope;
    double top = (height_m - z_m) / slope;
    return (span){kw_lesser(ground, top), kw_greater(ground, top)};
}

/* Keeps the solid at hand on the rays of one ring that meet it sooner. */
KW_INLINE void meet_ring(const columns *at, span within, double *nearest_m) {
    for (int32_t c = 0; c < at->n; ++c) {
        kw_crossing cut = {
            .enter = kw_greater(at->enter[c], within.low),
            .leave = kw_lesser(at->leave[c], within.high),
            .face = kw_greater(at->face[c], within.low),
        };
        nearest_m[c] = kw_lesser(kw_first_meeting(cut), nearest_m[c]);
    }
}

KW_CLONES static void cast_on_all(const kw_scene *scene, const uint8_t *present, double x_m,
                                  double y_m, double z_m, int32_t n_rings, const double *slopes,
                                  double range_m, columns *at) {
    kw_bundle around = kw_bundle_of(at->n, at->ux, at->uy);
    kw_frame of_columns = {0.0, 0.0}; /* none yet: they are turned when one is needed */
    for (int32_t k = 0; k < scene->n_solids; ++k) {
        const kw_solid *solid = &scene->solids[scene->fan_order[k]];
        if (!kw_solid_is_present(solid, present)) {
            continue;
        }
        double x;
        double y;
        kw_solid_local(solid, x_m, y_m, &x, &y);
        if (kw_bundle_misses(&around, solid, x, y, range_m)) {
            continue;
        }
        if (!solid->is_post && !kw_is_frame_of(of_columns, solid)) {
            of_columns = (kw_frame){solid->cos_h, solid->sin_h};
            turn_columns(at, solid->cos_h, solid->sin_h);
        }
        cross(at, solid, x, y);
        for (int32_t j = 0; j < n_rings; ++j) {
            span within = span_of(z_m, slopes[j], solid->height_m);
            if (within.high >= 0.0) { /* else the ring has passed over it before it began */
                meet_ring(at, within, at->nearest_m[j]);
            }
        }
    }
}

/* Takes n columns, filled up with copies of the last one to whole vectors. */
static void fill(columns *at, int32_t n, const double *ux, const double *uy) {
    at->n = (n + KW_BUNDLE_LANES - 1) / KW_BUNDLE_LANES * KW_BUNDLE_LANES;
    for (int32_t c = 0; c < at->n; ++c) {
        at->ux[c] = ux[c < n ? c : n - 1];
        at->uy[c] = uy[c < n ? c : n - 1];
    }
    for (int32_t j = 0; j < KW_RINGS_MAX; ++j) {
        for (int32_t c = 0; c < KW_RINGS_COLUMNS_MAX; ++c) {
            at->nearest_m[j][c] = (double)INFINITY;
        }
    }
}

void kw_cast_rings(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                   double z_m, int32_t n_columns, const double *ux, const double *uy,
                   int32_t n_rings, const double *slopes, double range_m, double *out_range_m) {
    if (scene->n_solids >= INDEX_FROM) {
        for (int32_t i = 0; i < n_columns * n_rings; ++i) {
            int32_t c = i / n_rings;
            out_range_m[i] = kw_cast_ray(scene, present, x_m, y_m, z_m, ux[c], uy[c],
                                         slopes[i % n_rings], range_m, NULL);
        }
        return;
    }
    columns at;
    fill(&at, n_columns, ux, uy);
    cast_on_all(scene, present, x_m, y_m, z_m, n_rings, slopes, range_m, &at);
    for (int32_t j = 0; j < n_rings; ++j) {
        double slope = slopes[j];
        double per_horizontal = slope == 0.0 ? 1.0 : sqrt(1.0 + slope * slope);
        double ground = slope < 0.0 ? z_m / -slope : (double)INFINITY;
        for (int32_t c = 0; c < n_columns; ++c) {
            double met_m = kw_lesser(ground, at.nearest_m[j][c]) * per_horizontal;
            out_range_m[c * n_rings + j] = met_m <= range_m ? met_m : (double)INFINITY;
        }
    }
}
