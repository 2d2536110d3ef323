#include "rays.h"

#include <stddef.h>

#include "crossing.h"
#include "index.h"

/* A rectangle's frame as a ray sees it. */
typedef struct {
    double cos_h;
    double sin_h;
    double inverse_x;
    double inverse_y;
    double edge_x;
    double edge_y;
} ray_frame;

typedef struct {
    double x_m;
    double y_m;
    double z_m;
    double ux;
    double uy;
    double slope;
    double limit_m; /* horizontal distance beyond which nothing counts */
    ray_frame along_axes;
    ray_frame turned; /* of the last turned rectangle */
    double nearest_m; /* horizontal distance of the nearest meeting so far */
    int32_t solid;
} ray;

static ray_frame frame_of(double ux, double uy, double cos_h, double sin_h) {
    double inverse_x = kw_inverse(cos_h * ux + sin_h * uy);
    double inverse_y = kw_inverse(cos_h * uy - sin_h * ux);
    return (ray_frame){cos_h,
                       sin_h,
                       inverse_x,
                       inverse_y,
                       KW_EDGE_M * fabs(inverse_x),
                       KW_EDGE_M * fabs(inverse_y)};
}

/* The ray's frame of a solid; frames of solids tested in a row are often the same. */
static inline const ray_frame *frame_for(ray *at, const kw_solid *solid) {
    if (solid->sin_h == 0.0 && solid->cos_h == 1.0) {
        return &at->along_axes;
    }
    if (solid->sin_h != at->turned.sin_h || solid->cos_h != at->turned.cos_h) {
        at->turned = frame_of(at->ux, at->uy, solid->cos_h, solid->sin_h);
    }
    return &at->turned;
}

/* Cuts a crossing to the part below the solid's top and above the ground. */
static inline kw_crossing cut_by_height(kw_crossing crossing, double z_m, double slope,
                                        double height_m) {
    double ground = -z_m / slope;
    double top = (height_m - z_m) / slope;
    double low = kw_lesser(ground, top);
    crossing.enter = kw_greater(crossing.enter, low);
    crossing.face = kw_greater(crossing.face, low);
    crossing.leave = kw_lesser(crossing.leave, kw_greater(ground, top));
    return crossing;
}

/* Keeps the solid where the ray meets it sooner than the nearest so far. */
static inline void test_solid(ray *at, const kw_scene *scene, int32_t i) {
    const kw_solid *solid = &scene->solids[i];
    bool is_level = at->slope == 0.0;
    if (is_level && at->z_m > solid->height_m) {
        return;
    }
    double x;
    double y;
    kw_crossing crossing;
    kw_solid_local(solid, at->x_m, at->y_m, &x, &y);
    if (solid->is_post) {
        crossing = kw_cross_post(at->ux, at->uy, x, y, solid->half_x_m);
    } else {
        const ray_frame *frame = frame_for(at, solid);
        crossing =
            kw_cross_rectangle(frame->inverse_x, frame->inverse_y, frame->edge_x, frame->edge_y, x,
                               y, solid->half_x_m + KW_EDGE_M, solid->half_y_m + KW_EDGE_M);
    }
    if (!is_level) {
        crossing = cut_by_height(crossing, at->z_m, at->slope, solid->height_m);
    }
    double meeting = kw_first_meeting(crossing);
    bool sooner = (meeting < at->nearest_m) | ((meeting == at->nearest_m) & (i < at->solid));
    at->nearest_m = kw_lesser(meeting, at->nearest_m);
    at->solid = sooner ? i : at->solid;
}

static void test_all(ray *at, const kw_scene *scene, const uint8_t *present) {
    for (int32_t i = 0; i < scene->n_solids; ++i) {
        if (kw_solid_is_present(&scene->solids[i], present)) {
            test_solid(at, scene, i);
        }
    }
}

static void test_changeable(ray *at, const kw_scene *scene, const uint8_t *present) {
    for (int32_t k = 0; k < scene->n_changeable; ++k) {
        if (present[k] != 0) {
            test_solid(at, scene, scene->changeable[k]);
        }
    }
}

/* Tests what the ray's cells list, cell by cell, until a meeting lies in the cells behind. */
static void test_along_walk(ray *at, const kw_scene *scene) {
    const kw_index *index = scene->index;
    kw_walk walk;
    if (!kw_walk_begin(&walk, index, at->x_m, at->y_m, at->ux, at->uy, at->along_axes.inverse_x,
                       at->along_axes.inverse_y)) {
        return;
    }
    double leave;
    do {
        int32_t cell = walk.row * index->n_cols + walk.col;
        for (int32_t k = index->starts[cell]; k < index->starts[cell + 1]; ++k) {
            test_solid(at, scene, index->solids[k]);
        }
        leave = kw_walk_leave(&walk);
    } while (leave < at->nearest_m && leave < at->limit_m && kw_walk_next(&walk));
}

static double cast_ray(const kw_scene *scene, const uint8_t *present, bool use_index, ray *at,
                       double range_m, int32_t *out_solid) {
    bool is_level = at->slope == 0.0;
    double per_horizontal = is_level ? 1.0 : sqrt(1.0 + at->slope * at->slope);
    double ground = at->slope < 0.0 ? at->z_m / -at->slope : (double)INFINITY;
    /* beyond the range by more than rounding; the range itself is compared in the end */
    double limit_m = (is_level ? range_m : range_m / per_horizontal) * (1.0 + 1e-12);
    at->limit_m = kw_lesser(limit_m, ground);
    at->along_axes = frame_of(at->ux, at->uy, 1.0, 0.0);
    at->turned = at->along_axes;
    at->nearest_m = (double)INFINITY;
    at->solid = KW_SOLID_NONE;
    if (use_index && scene->index != NULL) {
        test_along_walk(at, scene);
        test_changeable(at, scene, present);
    } else {
        test_all(at, scene, present);
    }
    if (ground < at->nearest_m) {
        at->nearest_m = ground;
        at->solid = KW_SOLID_GROUND;
    }
    double met_m = at->nearest_m * per_horizontal;
    bool within = met_m <= range_m && at->solid != KW_SOLID_NONE;
    if (out_solid != NULL) {
        *out_solid = within ? at->solid : KW_SOLID_NONE;
    }
    return within ? met_m : (double)INFINITY;
}

double kw_cast_ray(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                   double z_m, double ux, double uy, double slope, double range_m,
                   int32_t *out_solid) {
    ray at = {.x_m = x_m, .y_m = y_m, .z_m = z_m, .ux = ux, .uy = uy, .slope = slope};
    return cast_ray(scene, present, true, &at, range_m, out_solid);
}

/* Origins from -1e6 to 1e6 m, on or above the ground; angles that the tangent can take. */
static bool is_ray(const double *origin_m, double heading_rad, double pitch_rad) {
    return fabs(origin_m[0]) <= 1e6 && fabs(origin_m[1]) <= 1e6 && origin_m[2] >= 0.0 &&
           origin_m[2] <= 1e6 && fabs(heading_rad) <= KW_ANGLE_MAX_RAD &&
           fabs(pitch_rad) < 0.5 * KW_PI;
}

kw_status kw_scene_cast(const kw_scene *scene, int32_t n, const double *origins_m,
                        const double *headings_rad, const double *pitches_rad, double range_m,
                        int32_t use_index, double *out_ranges_m, int32_t *out_solids) {
    if (n < 0 || !(range_m > 0.0)) {
        return KW_BAD_ARGUMENT;
    }
    for (int32_t i = 0; i < n; ++i) {
        if (!is_ray(origins_m + (size_t)i * 3, headings_rad[i], pitches_rad[i])) {
            return KW_BAD_ARGUMENT;
        }
    }
    uint64_t control = kw_float_control_enter();
    for (int32_t i = 0; i < n; ++i) {
        const double *origin = origins_m + (size_t)i * 3;
        ray at = {.x_m = origin[0],
                  .y_m = origin[1],
                  .z_m = origin[2],
                  .slope = pitches_rad[i] == 0.0 ? 0.0 : kw_tan(pitches_rad[i])};
        kw_sincos(headings_rad[i], &at.uy, &at.ux);
        out_ranges_m[i] =
            cast_ray(scene, scene->initial_present, use_index != 0, &at, range_m, &out_solids[i]);
    }
    kw_float_control_leave(control);
    return KW_OK;
}
