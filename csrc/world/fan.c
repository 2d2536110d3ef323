/* Many level rays from one point: the scanner's tick.
 *
 * Rays are taken in chunks. A solid is first held against the chunk as a whole, by three
 * half planes that hold all its rays, and then, where it may be met, against each ray in a
 * loop without branches that compilers turn into vector instructions. Rectangles of one
 * frame follow each other, so that a chunk's directions are turned once for all of them.
 */
#include "rays.h"

#include <stddef.h>

#include "bundle.h"
#include "common/machine.h"
#include "crossing.h"

/* With fewer solids than this, holding each against a whole chunk is quicker than walking
 * the index ray by ray. */
#define INDEX_FROM 200
#define CHUNK 32
/* Chunks are filled up with copies of their last ray to whole vectors. */
#define LANES KW_BUNDLE_LANES

typedef struct {
    int32_t n; /* a multiple of LANES */
    double ux[CHUNK];
    double uy[CHUNK];
    double inverse_x[CHUNK]; /* as the next three, in the frame at hand */
    double inverse_y[CHUNK];
    double edge_x[CHUNK];
    double edge_y[CHUNK];
    double nearest_m[CHUNK];
    double solid[CHUNK]; /* a whole number, kept as a double for the vectors */
} chunk;

KW_INLINE void turn_rays(chunk *rays, double cos_h, double sin_h) {
    for (int32_t i = 0; i < rays->n; ++i) {
        double inverse_x = kw_inverse(cos_h * rays->ux[i] + sin_h * rays->uy[i]);
        double inverse_y = kw_inverse(cos_h * rays->uy[i] - sin_h * rays->ux[i]);
        rays->inverse_x[i] = inverse_x;
        rays->inverse_y[i] = inverse_y;
        rays->edge_x[i] = KW_EDGE_M * fabs(inverse_x);
        rays->edge_y[i] = KW_EDGE_M * fabs(inverse_y);
    }
}

/* Keeps a solid on the rays that meet it sooner, or as soon and its index is lower. */
KW_INLINE void keep(chunk *rays, int32_t i, double meeting_m, double solid, bool name_solids) {
    double nearest_m = rays->nearest_m[i];
    if (name_solids) {
        bool sooner =
            (meeting_m < nearest_m) | ((meeting_m == nearest_m) & (solid < rays->solid[i]));
        rays->solid[i] = sooner ? solid : rays->solid[i];
    }
    rays->nearest_m[i] = kw_lesser(meeting_m, nearest_m);
}

KW_INLINE void cast_on_rectangle(chunk *rays, double x, double y, double grown_x, double grown_y,
                                 double solid, bool name_solids) {
    for (int32_t i = 0; i < rays->n; ++i) {
        keep(rays, i,
             kw_first_meeting(kw_cross_rectangle(rays->inverse_x[i], rays->inverse_y[i],
                                                 rays->edge_x[i], rays->edge_y[i], x, y, grown_x,
                                                 grown_y)),
             solid, name_solids);
    }
}

KW_INLINE void cast_on_post(chunk *rays, double x, double y, double radius, double solid,
                            bool name_solids) {
    for (int32_t i = 0; i < rays->n; ++i) {
        keep(rays, i, kw_first_meeting(kw_cross_post(rays->ux[i], rays->uy[i], x, y, radius)),
             solid, name_solids);
    }
}

KW_INLINE void cast_chunk(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                          double z_m, double range_m, chunk *rays, bool name_solids) {
    kw_bundle around = kw_bundle_of(rays->n, rays->ux, rays->uy);
    kw_frame of_rays = {0.0, 0.0}; /* none yet: they are turned when one is needed */
    for (int32_t k = 0; k < scene->n_solids; ++k) {
        const int32_t i = scene->fan_order[k];
        const kw_solid *solid = &scene->solids[i];
        if (solid->height_m < z_m || !kw_solid_is_present(solid, present)) {
            continue;
        }
        double x;
        double y;
        kw_solid_local(solid, x_m, y_m, &x, &y);
        if (kw_bundle_misses(&around, solid, x, y, range_m)) {
            continue;
        }
        if (solid->is_post) {
            cast_on_post(rays, x, y, solid->half_x_m, i, name_solids);
            continue;
        }
        if (!kw_is_frame_of(of_rays, solid)) {
            of_rays = (kw_frame){solid->cos_h, solid->sin_h};
            turn_rays(rays, of_rays.cos_h, of_rays.sin_h);
        }
        cast_on_rectangle(rays, x, y, solid->half_x_m + KW_EDGE_M, solid->half_y_m + KW_EDGE_M, i,
                          name_solids);
    }
}

KW_CLONES static void cast_ranges(const kw_scene *scene, const uint8_t *present, double x_m,
                                  double y_m, double z_m, double range_m, chunk *rays) {
    cast_chunk(scene, present, x_m, y_m, z_m, range_m, rays, false);
}

KW_CLONES static void cast_solids(const kw_scene *scene, const uint8_t *present, double x_m,
                                  double y_m, double z_m, double range_m, chunk *rays) {
    cast_chunk(scene, present, x_m, y_m, z_m, range_m, rays, true);
}

static void put_ray(chunk *rays, int32_t i, double ux, double uy) {
    rays->ux[i] = ux;
    rays->uy[i] = uy;
    rays->nearest_m[i] = (double)INFINITY;
    rays->solid[i] = KW_SOLID_NONE;
}

/* Takes n rays, at most CHUNK, and fills up to whole vectors. */
static void fill_chunk(chunk *rays, int32_t n, const double *ux, const double *uy) {
    for (int32_t i = 0; i < n; ++i) {
        put_ray(rays, i, ux[i], uy[i]);
    }
    for (rays->n = n; rays->n % LANES != 0; ++rays->n) {
        put_ray(rays, rays->n, ux[n - 1], uy[n - 1]);
    }
}

static void cast_in_chunks(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                           double z_m, int32_t n, const double *ux, const double *uy,
                           double range_m, double *out_range_m, int32_t *out_solid) {
    for (int32_t first = 0; first < n; first += CHUNK) {
        chunk rays;
        int32_t n_rays = n - first < CHUNK ? n - first : CHUNK;
        fill_chunk(&rays, n_rays, ux + first, uy + first);
        (out_solid == NULL ? cast_ranges : cast_solids)(scene, present, x_m, y_m, z_m, range_m,
                                                        &rays);
        for (int32_t i = 0; i < n_rays; ++i) {
            bool within = rays.nearest_m[i] <= range_m;
            out_range_m[first + i] = within ? rays.nearest_m[i] : (double)INFINITY;
            if (out_solid != NULL) {
                out_solid[first + i] = within ? (int32_t)rays.solid[i] : KW_SOLID_NONE;
            }
        }
    }
}

void kw_cast_fan(const kw_scene *scene, const uint8_t *present, double x_m, double y_m, double z_m,
                 int32_t n, const double *ux, const double *uy, double range_m, double *out_range_m,
                 int32_t *out_solid) {
    if (scene->n_solids < INDEX_FROM) {
        cast_in_chunks(scene, present, x_m, y_m, z_m, n, ux, uy, range_m, out_range_m, out_solid);
        return;
    }
    for (int32_t i = 0; i < n; ++i) {
        out_range_m[i] = kw_cast_ray(scene, present, x_m, y_m, z_m, ux[i], uy[i], 0.0, range_m,
                                     out_solid == NULL ? NULL : &out_solid[i]);
    }
}
