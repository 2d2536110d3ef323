#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/math.h"
#include "index.h"

/* What a scene's figures may be: sums of squares of these are exact to far below a
 * micrometre, and no index grows out of hand. */
#define COORDINATE_MAX_M 2000.0
#define SIZE_MAX_M 4000.0
#define HEADING_MAX_DEG 1e6

static bool is_coordinate(double x_m) {
    return fabs(x_m) <= COORDINATE_MAX_M; /* false for NaN */
}

static bool is_size(double size_m) {
    return size_m > 0.0 && size_m <= SIZE_MAX_M;
}

static bool is_finite(double x) {
    return x - x == 0.0;
}

/* Turns a rectangle's frame by quarter turns into the first quadrant. */
static void settle_frame(kw_solid *solid) {
    while (!(solid->cos_h > 0.0 && solid->sin_h >= 0.0)) {
        double cosine = solid->cos_h;
        double half = solid->half_x_m;
        solid->cos_h = solid->sin_h;
        solid->sin_h = 0.0 - cosine; /* never -0 */
        solid->half_x_m = solid->half_y_m;
        solid->half_y_m = half;
        ++solid->quarter_turns;
    }
}

static bool read_wall(const double *figures, kw_solid *out) {
    double dx = figures[2] - figures[0];
    double dy = figures[3] - figures[1];
    double length = sqrt(dx * dx + dy * dy);
    if (!is_coordinate(figures[0]) || !is_coordinate(figures[1]) || !is_coordinate(figures[2]) ||
        !is_coordinate(figures[3]) || !is_size(length) || !is_size(figures[4])) {
        return false;
    }
    *out = (kw_solid){
        .x_m = 0.5 * (figures[0] + figures[2]),
        .y_m = 0.5 * (figures[1] + figures[3]),
        .cos_h = dx / length,
        .sin_h = dy / length,
        .half_x_m = 0.5 * length,
        .half_y_m = 0.5 * figures[4],
        .height_m = figures[5],
    };
    return true;
}

static bool read_box(const double *figures, kw_solid *out) {
    if (!is_coordinate(figures[0]) || !is_coordinate(figures[1]) || !is_size(figures[2]) ||
        !is_size(figures[3]) || !(fabs(figures[4]) <= HEADING_MAX_DEG)) {
        return false;
    }
    *out = (kw_solid){
        .x_m = figures[0],
        .y_m = figures[1],
        .half_x_m = 0.5 * figures[2],
        .half_y_m = 0.5 * figures[3],
        .height_m = figures[5],
    };
    kw_sincos_deg(figures[4], &out->sin_h, &out->cos_h);
    return true;
}

static bool read_post(const double *figures, kw_solid *out) {
    if (!is_coordinate(figures[0]) || !is_coordinate(figures[1]) || !is_size(figures[2]) ||
        !is_finite(figures[4]) || !is_finite(figures[5])) {
        return false;
    }
    *out = (kw_solid){
        .x_m = figures[0],
        .y_m = figures[1],
        .cos_h = 1.0,
        .half_x_m = figures[2],
        .half_y_m = figures[2],
        .height_m = figures[3],
        .is_post = 1,
    };
    return true;
}

static bool read_solid(int32_t kind, const double *figures, kw_solid *out) {
    static bool (*const readers[])(const double *, kw_solid *) = {
        [KW_WALL] = read_wall, [KW_BOX] = read_box, [KW_POST] = read_post};
    if (kind < KW_WALL || kind > KW_POST || !readers[kind](figures, out)) {
        return false;
    }
    settle_frame(out);
    out->changeable = -1;
    return is_size(out->height_m);
}

static bool is_change(const kw_change *change, int32_t n_solids, int32_t n_changes) {
    if (change->armed_by < KW_ARMED_AT_TICK || change->armed_by > KW_ARMED_AT_GOAL ||
        change->number < 0 || !is_finite(change->value_m) ||
        (change->armed_by == KW_ARMED_AFTER_CHANGE && change->number >= n_changes)) {
        return false;
    }
    if (change->action == KW_CHANGE_KIDNAP) {
        return change->solid == KW_SOLID_NONE && is_coordinate(change->pose.x_m) &&
               is_coordinate(change->pose.y_m) &&
               fabs(change->pose.heading_rad) <= KW_ANGLE_MAX_RAD;
    }
    return (change->action == KW_CHANGE_APPEAR || change->action == KW_CHANGE_VANISH) &&
           change->solid >= 0 && change->solid < n_solids;
}

/* Sets apart the solids that changes name, in the order of their index. */
static void gather_changeable(kw_scene *scene) {
    for (int32_t i = 0; i < scene->n_changes; ++i) {
        if (scene->changes[i].action != KW_CHANGE_KIDNAP) {
            scene->solids[scene->changes[i].solid].changeable = 0;
        }
    }
    int32_t n = 0;
    for (int32_t i = 0; i < scene->n_solids; ++i) {
        if (scene->solids[i].changeable == 0) {
            scene->changeable[n] = i;
            scene->solids[i].changeable = n++;
        }
    }
    scene->n_changeable = n;
    /* backwards, so that the first change of a solid has the last word */
    for (int32_t i = scene->n_changes - 1; i >= 0; --i) {
        const kw_change *change = &scene->changes[i];
        if (change->action != KW_CHANGE_KIDNAP) {
            int32_t place = scene->solids[change->solid].changeable;
            scene->initial_present[place] = change->action == KW_CHANGE_VANISH;
        }
    }
}

/* Rectangles along the axes, other rectangles, posts: each in the order of their index. */
static int fan_class(const kw_solid *solid) {
    return solid->is_post ? 2 : solid->sin_h != 0.0;
}

static void order_fan(kw_scene *scene) {
    int32_t n = 0;
    for (int class = 0; class < 3; ++class) {
        for (int32_t i = 0; i < scene->n_solids; ++i) {
            if (fan_class(&scene->solids[i]) == class) {
                scene->fan_order[n++] = i;
            }
        }
    }
}

/* Zeroed room for n items, for one where n is 0. */
static void *room(int32_t n, size_t size) {
    return calloc(n > 0 ? (size_t)n : 1, size);
}

static kw_scene *allocate(int32_t n_solids, int32_t n_changes) {
    kw_scene *scene = calloc(1, sizeof *scene);
    if (scene == NULL) {
        return NULL;
    }
    int32_t n_changeable_max = n_solids < n_changes ? n_solids : n_changes;
    scene->n_solids = n_solids;
    scene->n_changes = n_changes;
    scene->solids = room(n_solids, sizeof *scene->solids);
    scene->changeable = room(n_changeable_max, sizeof *scene->changeable);
    scene->initial_present = room(n_changeable_max, sizeof *scene->initial_present);
    scene->changes = room(n_changes, sizeof *scene->changes);
    scene->fan_order = room(n_solids, sizeof *scene->fan_order);
    if (scene->solids == NULL || scene->changeable == NULL || scene->initial_present == NULL ||
        scene->changes == NULL || scene->fan_order == NULL) {
        kw_scene_destroy(scene);
        return NULL;
    }
    return scene;
}

static bool fill(kw_scene *scene, const int32_t *kinds, const double *figures,
                 const kw_change *changes) {
    for (int32_t i = 0; i < scene->n_solids; ++i) {
        if (!read_solid(kinds[i], figures + (size_t)i * KW_SOLID_FIGURES, &scene->solids[i])) {
            return false;
        }
    }
    for (int32_t i = 0; i < scene->n_changes; ++i) {
        if (!is_change(&changes[i], scene->n_solids, scene->n_changes)) {
            return false;
        }
        scene->changes[i] = changes[i];
    }
    gather_changeable(scene);
    order_fan(scene);
    return true;
}

kw_status kw_scene_create(int32_t n_solids, const int32_t *kinds, const double *figures,
                          int32_t n_changes, const kw_change *changes, kw_scene **out_scene) {
    if (n_solids < 0 || n_changes < 0) {
        return KW_BAD_ARGUMENT;
    }
    kw_scene *scene = allocate(n_solids, n_changes);
    if (scene == NULL) {
        return KW_NO_MEMORY;
    }
    uint64_t control = kw_float_control_enter();
    kw_status status = KW_BAD_ARGUMENT;
    if (fill(scene, kinds, figures, changes)) {
        status = kw_index_create(scene, &scene->index);
    }
    kw_float_control_leave(control);
    if (status != KW_OK) {
        kw_scene_destroy(scene);
        return status;
    }
    *out_scene = scene;
    return KW_OK;
}

void kw_scene_destroy(kw_scene *scene) {
    if (scene == NULL) {
        return;
    }
    kw_index_destroy(scene->index);
    free(scene->solids);
    free(scene->changeable);
    free(scene->initial_present);
    free(scene->changes);
    free(scene->fan_order);
    free(scene);
}

void kw_scene_outlines(const kw_scene *scene, double *out_outlines) {
    for (int32_t i = 0; i < scene->n_solids; ++i) {
        const kw_solid *solid = &scene->solids[i];
        double *out = out_outlines + (size_t)i * 7;
        double cosine = solid->cos_h;
        double sine = solid->sin_h;
        for (int k = 0; k < solid->quarter_turns; ++k) {
            double swap = cosine;
            cosine = 0.0 - sine;
            sine = swap;
        }
        bool swapped = solid->quarter_turns % 2 != 0;
        out[0] = solid->x_m;
        out[1] = solid->y_m;
        out[2] = cosine;
        out[3] = sine;
        out[4] = swapped ? solid->half_y_m : solid->half_x_m;
        out[5] = swapped ? solid->half_x_m : solid->half_y_m;
        out[6] = solid->height_m;
    }
}

int32_t kw_scene_solid_count(const kw_scene *scene) {
    return scene->n_solids;
}

int32_t kw_scene_changeable_count(const kw_scene *scene) {
    return scene->n_changeable;
}

int32_t kw_scene_change_count(const kw_scene *scene) {
    return scene->n_changes;
}

const kw_change *kw_scene_change(const kw_scene *scene, int32_t change) {
    return &scene->changes[change];
}

int32_t kw_scene_changeable_of(const kw_scene *scene, int32_t solid) {
    return scene->solids[solid].changeable;
}

void kw_scene_initial_present(const kw_scene *scene, uint8_t *out_present) {
    memcpy(out_present, scene->initial_present, (size_t)scene->n_changeable);
}
