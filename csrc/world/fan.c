/* Many level rays from one point: the scanner's tick.
 *
 * Rays are taken in chunks. A solid is first held against the chunk as a whole, by three
 * half planes that hold all its rays, and then, where it may be met, against each ray in a
 * loop without branches that compilers turn into vector instructions. Rectangles of one
 * frame follow each other, so that a chunk's directions are turned once for all of them.
 */
#include "rays.h"

#include <stddef.h>

#include "common/machine.h"
#include "crossing.h"

/* With fewer solids than this, holding each against a whole chunk is quicker than walking
 * the index ray by ray. */
#define INDEX_FROM 200
#define CHUNK 32
/* Chunks are filled up with copies of their last ray to whole vectors. */
#define LANES 4
/* A solid nearer to a half plane than this is not left out: far above rounding. */
#define CULL_SLACK_M 1e-6

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

typedef struct {
    double x;
    double y;
} vector;

/* The chunk's rays lie where all three dot products are <= 0 (of points from the origin). */
typedef struct {
    vector left;
    vector right;
    vector back;
} cone;

KW_INLINE vector turned_into(vector v, double cos_h, double sin_h) {
    return (vector){cos_h * v.x + sin_h * v.y, cos_h * v.y - sin_h * v.x};
}

/* Half planes around the chunk's directions; all of the plane where those spread too wide.
 * Least and greatest are kept by lane, as compilers don't reorder such searches. */
KW_INLINE cone cone_of(const chunk *rays) {
    vector axis = {rays->ux[rays->n / 2], rays->uy[rays->n / 2]};
    double cosines[LANES];
    double sines[LANES];
    for (int32_t lane = 0; lane < LANES; ++lane) {
        cosines[lane] = 1.0;
        sines[lane] = 0.0;
    }
    for (int32_t i = 0; i < rays->n; i += LANES) {
        for (int32_t lane = 0; lane < LANES; ++lane) {
            vector u = {rays->ux[i + lane], rays->uy[i + lane]};
            cosines[lane] = kw_lesser(cosines[lane], axis.x * u.x + axis.y * u.y);
            sines[lane] = kw_greater(sines[lane], fabs(axis.x * u.y - axis.y * u.x));
        }
    }
    double cosine = kw_lesser(kw_lesser(cosines[0], cosines[1]), kw_lesser(cosines[2], cosines[3]));
    double sine = kw_greater(kw_greater(sines[0], sines[1]), kw_greater(sines[2], sines[3]));
    if (cosine <= 0.0) {
        return (cone){{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
    }
    return (cone){
        .left = {-axis.x * sine - axis.y * cosine, -axis.y * sine + axis.x * cosine},
        .right = {-axis.x * sine + axis.y * cosine, -axis.y * sine - axis.x * cosine},
        .back = {-axis.x, -axis.y},
    };
}

/* Whether a rectangle lies wholly beyond a border; all in its frame, (x, y) its centre. */
KW_INLINE bool is_beyond(vector border, double x, double y, double half_x, double half_y) {
    double centre = border.x * x + border.y * y;
    return centre - (half_x * fabs(border.x) + half_y * fabs(border.y)) > CULL_SLACK_M;
}

/* Whether no ray of the chunk can meet the solid within range; (x, y): from the centre. */
KW_INLINE bool is_out(const cone *around, const kw_solid *solid, double x, double y,
                      double range_m) {
    double half_x = solid->half_x_m;
    double half_y = solid->half_y_m;
    if (is_beyond(around->left, -x, -y, half_x, half_y) ||
        is_beyond(around->right, -x, -y, half_x, half_y) ||
        is_beyond(around->back, -x, -y, half_x, half_y)) {
        return true;
    }
    double ahead = around->back.x * x + around->back.y * y;
    double reach = half_x * fabs(around->back.x) + half_y * fabs(around->back.y);
    return ahead - reach > range_m + CULL_SLACK_M;
}

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

/* A frame that the chunk's rays may be turned into. */
typedef struct {
    double cos_h;
    double sin_h;
} frame;

KW_INLINE bool is_frame_of(frame at, const kw_solid *solid) {
    return at.cos_h == solid->cos_h && at.sin_h == solid->sin_h;
}

KW_INLINE void cast_chunk(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                          double z_m, double range_m, chunk *rays, bool name_solids) {
    const cone around = cone_of(rays);
    cone local = around;
    frame of_cone = {1.0, 0.0};
    frame of_rays = {0.0, 0.0}; /* none yet: they are turned when one is needed */
    for (int32_t k = 0; k < scene->n_solids; ++k) {
        const int32_t i = scene->fan_order[k];
        const kw_solid *solid = &scene->solids[i];
        if (solid->height_m < z_m || !kw_solid_is_present(solid, present)) {
            continue;
        }
        if (!is_frame_of(of_cone, solid)) {
            of_cone = (frame){solid->cos_h, solid->sin_h};
            local = (cone){turned_into(around.left, of_cone.cos_h, of_cone.sin_h),
                           turned_into(around.right, of_cone.cos_h, of_cone.sin_h),
                           turned_into(around.back, of_cone.cos_h, of_cone.sin_h)};
        }
        double x;
        double y;
        kw_solid_local(solid, x_m, y_m, &x, &y);
        if (is_out(&local, solid, x, y, range_m)) {
            continue;
        }
        if (solid->is_post) {
            cast_on_post(rays, x, y, solid->half_x_m, i, name_solids);
            continue;
        }
        if (!is_frame_of(of_rays, solid)) {
            of_rays = of_cone;
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
