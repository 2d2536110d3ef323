/* A scene as the core holds it: solids standing on the ground, and what may change.
 *
 * Solids keep the index they were declared with. Those that an appear or vanish change
 * names are changeable: a drive says which of them are present by one byte each, in the
 * order of their index. All others are permanent.
 */
#ifndef KW_SCENE_H
#define KW_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "kw_world.h"

/* One solid. A rectangle's frame is turned by quarter turns so that cosine > 0 and sine
 * >= 0, its half sizes swapped with it: then all solids of one building share a frame,
 * and a scene turned by quarter turns is computed with the same numbers. */
typedef struct {
    double x_m;
    double y_m;
    double cos_h;
    double sin_h;
    double half_x_m; /* along (cos_h, sin_h); the radius of a post */
    double half_y_m; /* across it; the radius of a post */
    double height_m;
    int16_t is_post;
    int16_t quarter_turns; /* from this frame to the declared one, counter-clockwise */
    int32_t changeable;    /* place among the changeable solids, -1: permanent */
} kw_solid;

typedef struct kw_index kw_index;

struct kw_scene {
    int32_t n_solids;
    int32_t n_changeable;
    int32_t n_changes;
    kw_solid *solids;         /* by index */
    int32_t *changeable;      /* indices of the changeable solids, ascending */
    uint8_t *initial_present; /* of the changeable solids */
    kw_change *changes;
    int32_t *fan_order; /* all solids: rectangles of one frame together, then posts */
    kw_index *index;    /* of the permanent solids; NULL where there are few */
};

int32_t kw_scene_solid_count(const kw_scene *scene);
int32_t kw_scene_changeable_count(const kw_scene *scene);
int32_t kw_scene_change_count(const kw_scene *scene);
const kw_change *kw_scene_change(const kw_scene *scene, int32_t change);

/* Place of a solid among the changeable ones, or -1. */
int32_t kw_scene_changeable_of(const kw_scene *scene, int32_t solid);

/* What is present at the start of a drive, out_present[changeable count]. */
void kw_scene_initial_present(const kw_scene *scene, uint8_t *out_present);

static inline bool kw_solid_is_present(const kw_solid *solid, const uint8_t *present) {
    return solid->changeable < 0 || present[solid->changeable] != 0;
}

/* A point relative to a solid's centre, in the solid's frame. */
static inline void kw_solid_local(const kw_solid *solid, double x_m, double y_m, double *out_x_m,
                                  double *out_y_m) {
    double x = x_m - solid->x_m;
    double y = y_m - solid->y_m;
    *out_x_m = solid->cos_h * x + solid->sin_h * y;
    *out_y_m = solid->cos_h * y - solid->sin_h * x;
}

#endif
