/* A rising ray can meet a solid's side or pass above it; tops and the ground are out of its
 * reach. So the solid's crossing is found once for a column, and each of the column's rays
 * only asks whether it is still low enough there.
 */
#include "rising.h"

#include <stddef.h>

#include "crossing.h"
#include "rays.h"

/* With fewer solids than this, holding each against all columns is quicker than the index. */
#define INDEX_FROM 64

typedef struct {
    int32_t n;
    double ux[KW_RISING_COLUMNS_MAX];
    double uy[KW_RISING_COLUMNS_MAX];
} columns;

static columns turned(const kw_rising_rays *rays, double cos_h, double sin_h) {
    columns out = {.n = rays->n_columns};
    for (int32_t c = 0; c < rays->n_columns; ++c) {
        out.ux[c] = cos_h * rays->ux[c] - sin_h * rays->uy[c];
        out.uy[c] = sin_h * rays->ux[c] + cos_h * rays->uy[c];
    }
    return out;
}

/* Holds one solid against one column's rays; nearest_m is measured horizontally. */
static void meet_column(kw_crossing crossing, double climb_m, int32_t n_slopes,
                        const double *slopes, double *nearest_m) {
    double start = kw_greater(crossing.enter, 0.0);
    if (start > crossing.leave) {
        return;
    }
    for (int32_t j = 0; j < n_slopes; ++j) {
        double top = slopes[j] == 0.0 ? (double)INFINITY : climb_m / slopes[j];
        kw_crossing cut = crossing;
        cut.leave = kw_lesser(cut.leave, top);
        nearest_m[j] = kw_lesser(kw_first_meeting(cut), nearest_m[j]);
    }
}

static void cast_on_all(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                        double z_m, const columns *at, const kw_rising_rays *rays,
                        double *nearest_m) {
    for (int32_t i = 0; i < scene->n_solids; ++i) {
        const kw_solid *solid = &scene->solids[i];
        if (solid->height_m < z_m || !kw_solid_is_present(solid, present)) {
            continue;
        }
        double x;
        double y;
        kw_solid_local(solid, x_m, y_m, &x, &y);
        for (int32_t c = 0; c < at->n; ++c) {
            meet_column(kw_cross_solid(solid, x, y, at->ux[c], at->uy[c]), solid->height_m - z_m,
                        rays->n_slopes, rays->slopes + c * rays->n_slopes,
                        nearest_m + c * rays->n_slopes);
        }
    }
}

static double along_ray(double horizontal_m, double slope, double range_m) {
    double met_m = slope == 0.0 ? horizontal_m : horizontal_m * sqrt(1.0 + slope * slope);
    return met_m <= range_m ? met_m : (double)INFINITY;
}

void kw_cast_rising(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                    double z_m, double cos_h, double sin_h, const kw_rising_rays *rays,
                    double range_m, double *out_range_m) {
    const columns at = turned(rays, cos_h, sin_h);
    int32_t n = at.n * rays->n_slopes;
    if (scene->n_solids < INDEX_FROM) {
        for (int32_t i = 0; i < n; ++i) {
            out_range_m[i] = (double)INFINITY;
        }
        cast_on_all(scene, present, x_m, y_m, z_m, &at, rays, out_range_m);
        for (int32_t i = 0; i < n; ++i) {
            out_range_m[i] = along_ray(out_range_m[i], rays->slopes[i], range_m);
        }
        return;
    }
    for (int32_t i = 0; i < n; ++i) {
        int32_t c = i / rays->n_slopes;
        out_range_m[i] = kw_cast_ray(scene, present, x_m, y_m, z_m, at.ux[c], at.uy[c],
                                     rays->slopes[i], range_m, NULL);
    }
}
