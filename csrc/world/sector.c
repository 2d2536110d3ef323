/* Within a sector the nearest point of a convex outline is the foot of a perpendicular, a
 * corner, or a point on one of the sector's borders.
 */
#include "sector.h"

#include <math.h>
#include <stddef.h>

#include "common/math.h"
#include "crossing.h"
#include "rays.h"

kw_sector kw_sector_of(const kw_sensor *sensor, const kw_view *view) {
    kw_sector sector = {
        .z_m = sensor->height_m,
        .range_m = sensor->range_max_m,
        .cos_h = view->cos_heading,
        .sin_h = view->sin_heading,
        .cos_half = view->rays->sector.cos_half,
        .sin_half = view->rays->sector.sin_half,
    };
    kw_mount_place(view, sensor->ahead_m, &sector.x_m, &sector.y_m);
    return sector;
}

bool kw_sector_holds(const kw_sector *sector, double dx_m, double dy_m) {
    double ahead_m = sector->cos_h * dx_m + sector->sin_h * dy_m;
    double aside_m = fabs(sector->cos_h * dy_m - sector->sin_h * dx_m);
    /* on the inner side of the border that is nearer */
    return aside_m * sector->cos_half <= ahead_m * sector->sin_half + KW_BORDER_M;
}

static void add(const kw_sector *sector, double dx_m, double dy_m, bool faces, int32_t *n,
                kw_place *out) {
    if (kw_sector_holds(sector, dx_m, dy_m)) {
        out[*n] = (kw_place){dx_m, dy_m, sqrt(dx_m * dx_m + dy_m * dy_m), faces};
        *n += 1;
    }
}

/* A place given in the solid's frame. */
static void add_local(const kw_sector *sector, const kw_solid *solid, double x_m, double y_m,
                      bool faces, int32_t *n, kw_place *out) {
    add(sector, solid->cos_h * x_m - solid->sin_h * y_m, solid->sin_h * x_m + solid->cos_h * y_m,
        faces, n, out);
}

static void add_borders(const kw_sector *sector, const kw_solid *solid, double x_m, double y_m,
                        int32_t *n, kw_place *out) {
    for (int32_t side = 0; side < 2; ++side) {
        double s = side == 0 ? sector->sin_half : -sector->sin_half;
        double ux = sector->cos_h * sector->cos_half - sector->sin_h * s;
        double uy = sector->sin_h * sector->cos_half + sector->cos_h * s;
        double met_m = kw_first_meeting(kw_cross_solid(solid, x_m, y_m, ux, uy));
        if (met_m <= sector->range_m) {
            out[*n] = (kw_place){ux * met_m, uy * met_m, met_m, false};
            *n += 1;
        }
    }
}

static void add_of_post(const kw_sector *sector, const kw_solid *post, double x_m, double y_m,
                        int32_t *n, kw_place *out) {
    double centre_m = sqrt(x_m * x_m + y_m * y_m);
    double share = (centre_m - post->half_x_m) / centre_m;
    add_local(sector, post, -x_m * share, -y_m * share, true, n, out);
}

static void add_of_rectangle(const kw_sector *sector, const kw_solid *solid, double x_m, double y_m,
                             int32_t *n, kw_place *out) {
    if (fabs(x_m) <= solid->half_x_m + KW_BORDER_M) {
        add_local(sector, solid, 0.0, (y_m > 0.0 ? solid->half_y_m : -solid->half_y_m) - y_m, true,
                  n, out);
    }
    if (fabs(y_m) <= solid->half_y_m + KW_BORDER_M) {
        add_local(sector, solid, (x_m > 0.0 ? solid->half_x_m : -solid->half_x_m) - x_m, 0.0, true,
                  n, out);
    }
    for (int32_t corner = 0; corner < 4; ++corner) {
        double corner_x_m = corner & 1 ? solid->half_x_m : -solid->half_x_m;
        double corner_y_m = corner & 2 ? solid->half_y_m : -solid->half_y_m;
        add_local(sector, solid, corner_x_m - x_m, corner_y_m - y_m, false, n, out);
    }
}

int32_t kw_sector_places(const kw_sector *sector, const kw_solid *solid,
                         kw_place out[KW_PLACES_MAX]) {
    if (solid->height_m < sector->z_m) {
        return 0;
    }
    double x_m;
    double y_m;
    kw_solid_local(solid, sector->x_m, sector->y_m, &x_m, &y_m);
    bool inside = solid->is_post ? x_m * x_m + y_m * y_m <= solid->half_x_m * solid->half_x_m
                                 : fabs(x_m) <= solid->half_x_m && fabs(y_m) <= solid->half_y_m;
    if (inside) {
        out[0] = (kw_place){0.0, 0.0, 0.0, false};
        return 1;
    }
    int32_t n = 0;
    if (solid->is_post) {
        add_of_post(sector, solid, x_m, y_m, &n, out);
    } else {
        add_of_rectangle(sector, solid, x_m, y_m, &n, out);
    }
    add_borders(sector, solid, x_m, y_m, &n, out);
    return n;
}

bool kw_sector_sees(const kw_sector *sector, const kw_view *view, const kw_place *place) {
    if (!(place->distance_m > 0.0)) {
        return true;
    }
    double ux = place->dx_m / place->distance_m;
    double uy = place->dy_m / place->distance_m;
    double first_m;
    kw_cast_fan(view->scene, view->present, sector->x_m, sector->y_m, sector->z_m, 1, &ux, &uy,
                place->distance_m, &first_m, NULL);
    return !(first_m < place->distance_m - 1e-9);
}

/* Grows a box to hold the point `ahead_m` along the axis turned by the half angle or not. */
static void grow(double x_m, double y_m, double *low_x, double *low_y, double *high_x,
                 double *high_y) {
    *low_x = x_m < *low_x ? x_m : *low_x;
    *low_y = y_m < *low_y ? y_m : *low_y;
    *high_x = x_m > *high_x ? x_m : *high_x;
    *high_y = y_m > *high_y ? y_m : *high_y;
}

void kw_sector_visit(const kw_sector *sector, const kw_view *view, kw_visitor visit,
                     void *context) {
    double low_x = sector->x_m;
    double low_y = sector->y_m;
    double high_x = sector->x_m;
    double high_y = sector->y_m;
    /* the tangent to the arc at its middle bounds the arc: two corners of a kite hold it */
    double reach_m = sector->range_m / sector->cos_half;
    for (int32_t side = -1; side <= 1; side += 2) {
        double s = side * sector->sin_half;
        grow(sector->x_m + reach_m * (sector->cos_h * sector->cos_half - sector->sin_h * s),
             sector->y_m + reach_m * (sector->sin_h * sector->cos_half + sector->cos_h * s), &low_x,
             &low_y, &high_x, &high_y);
    }
    kw_scene_visit(view->scene, view->present, low_x - KW_BORDER_M, low_y - KW_BORDER_M,
                   high_x + KW_BORDER_M, high_y + KW_BORDER_M, visit, context);
}
