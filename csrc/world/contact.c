#include "contact.h"

#include <stddef.h>

#include "footprint.h"
#include "index.h"

/* The rectangle that is asked about. */
typedef struct {
    double x_m;
    double y_m;
    double cos_h;
    double sin_h;
    double half_x_m;
    double half_y_m;
    double radius_m; /* of the circle around it */
} body;

/* Least square of the distance of the four corners of one rectangle from another about the
 * origin; (cosine, sine) turn the first against the second. */
static double square_of_corners(double x, double y, double cosine, double sine, double half_x,
                                double half_y, double other_x, double other_y) {
    double least = (double)INFINITY;
    for (int corner = 0; corner < 4; ++corner) {
        double along = (corner & 1) != 0 ? half_x : -half_x;
        double across = (corner & 2) != 0 ? half_y : -half_y;
        double square =
            kw_square_from_rectangle(x + (cosine * along - sine * across),
                                     y + (sine * along + cosine * across), other_x, other_y);
        least = kw_lesser(least, square);
    }
    return least;
}

/* Signed gap between the body and a rectangle: minus the depth where they overlap. */
static double gap_to_rectangle(const body *at, const kw_solid *solid, double x, double y) {
    double cosine = at->cos_h * solid->cos_h + at->sin_h * solid->sin_h;
    double sine = at->sin_h * solid->cos_h - at->cos_h * solid->sin_h;
    double c = fabs(cosine);
    double s = fabs(sine);
    /* the solid's centre in the body's frame */
    double body_x = -(cosine * x + sine * y);
    double body_y = sine * x - cosine * y;
    double gap_x = fabs(x) - (solid->half_x_m + (at->half_x_m * c + at->half_y_m * s));
    double gap_y = fabs(y) - (solid->half_y_m + (at->half_x_m * s + at->half_y_m * c));
    double gap_along = fabs(body_x) - (at->half_x_m + (solid->half_x_m * c + solid->half_y_m * s));
    double gap_across = fabs(body_y) - (at->half_y_m + (solid->half_x_m * s + solid->half_y_m * c));
    double gap = kw_greater(kw_greater(gap_x, gap_y), kw_greater(gap_along, gap_across));
    if (gap <= 0.0) {
        return gap;
    }
    double square = kw_lesser(square_of_corners(x, y, cosine, sine, at->half_x_m, at->half_y_m,
                                                solid->half_x_m, solid->half_y_m),
                              square_of_corners(body_x, body_y, cosine, -sine, solid->half_x_m,
                                                solid->half_y_m, at->half_x_m, at->half_y_m));
    return kw_greater(gap, sqrt(square));
}

static double gap_to_post(const body *at, const kw_solid *solid) {
    double dx = solid->x_m - at->x_m;
    double dy = solid->y_m - at->y_m;
    double x = fabs(at->cos_h * dx + at->sin_h * dy) - at->half_x_m;
    double y = fabs(at->cos_h * dy - at->sin_h * dx) - at->half_y_m;
    double inside = kw_greater(x, y);
    if (inside <= 0.0) {
        return inside - solid->half_x_m;
    }
    double out_x = kw_greater(x, 0.0);
    double out_y = kw_greater(y, 0.0);
    return sqrt(out_x * out_x + out_y * out_y) - solid->half_x_m;
}

/* Adds a solid in contact to the list, ascending; the highest falls out of a full one. */
static void list_contact(kw_touch *touch, int32_t solid) {
    int32_t at = touch->n;
    while (at > 0 && touch->solids[at - 1] > solid) {
        --at;
    }
    if (at == KW_CONTACTS_MAX || (at > 0 && touch->solids[at - 1] == solid)) {
        return;
    }
    touch->n = touch->n < KW_CONTACTS_MAX ? touch->n + 1 : KW_CONTACTS_MAX;
    for (int32_t k = touch->n - 1; k > at; --k) {
        touch->solids[k] = touch->solids[k - 1];
    }
    touch->solids[at] = solid;
}

/* What is found so far. */
typedef struct {
    body at;
    const kw_scene *scene;
    double least_m; /* least signed gap */
    kw_touch touch;
} search;

/* Compares one solid with the body, unless the circle around the body is farther off than
 * the nearest so far. */
static inline void test_solid(search *found, int32_t i) {
    const body *at = &found->at;
    const kw_solid *solid = &found->scene->solids[i];
    double x;
    double y;
    kw_solid_local(solid, at->x_m, at->y_m, &x, &y);
    double reach = at->radius_m + kw_greater(found->least_m, 0.0);
    double square = solid->is_post
                        ? x * x + y * y
                        : kw_square_from_rectangle(x, y, solid->half_x_m, solid->half_y_m);
    reach += solid->is_post ? solid->half_x_m : 0.0;
    if (square > reach * reach * (1.0 + 1e-9)) {
        return;
    }
    double gap = solid->is_post ? gap_to_post(at, solid) : gap_to_rectangle(at, solid, x, y);
    if (gap <= 0.0) {
        list_contact(&found->touch, i);
    }
    if (gap < found->least_m || (gap == found->least_m && i < found->touch.nearest)) {
        found->least_m = gap;
        found->touch.nearest = i;
    }
}

static void search_all(search *found, const uint8_t *present) {
    for (int32_t i = 0; i < found->scene->n_solids; ++i) {
        if (kw_solid_is_present(&found->scene->solids[i], present)) {
            test_solid(found, i);
        }
    }
}

static void search_changeable(search *found, const uint8_t *present) {
    for (int32_t k = 0; k < found->scene->n_changeable; ++k) {
        if (present[k] != 0) {
            test_solid(found, found->scene->changeable[k]);
        }
    }
}

/* Tests what the cells of one row from low_col to high_col list, within the grid. */
static void search_row(search *found, int32_t row, int32_t low_col, int32_t high_col) {
    const kw_index *index = found->scene->index;
    low_col = low_col < 0 ? 0 : low_col;
    high_col = high_col >= index->n_cols ? index->n_cols - 1 : high_col;
    if (row < 0 || row >= index->n_rows || low_col > high_col) {
        return;
    }
    /* the lists of neighbouring cells in a row follow each other */
    int32_t end = index->starts[row * index->n_cols + high_col + 1];
    for (int32_t k = index->starts[row * index->n_cols + low_col]; k < end; ++k) {
        test_solid(found, index->solids[k]);
    }
}

static void search_ring(search *found, int32_t row, int32_t col, int32_t ring) {
    search_row(found, row - ring, col - ring, col + ring);
    for (int32_t side = row - ring + 1; side < row + ring; ++side) {
        search_row(found, side, col - ring, col - ring);
        search_row(found, side, col + ring, col + ring);
    }
    if (ring > 0) {
        search_row(found, row + ring, col - ring, col + ring);
    }
}

/* Tests cells ring by ring around the body's centre, or around the grid's nearest cell, until
 * no solid beyond can be nearer or touch. A place of ring k is at least k - 1 cells from the
 * centre's own cell; and seen from outside the grid it is farther off by the two legs' rule,
 * as the angle at the grid's nearest point is not acute. */
static void search_rings(search *found) {
    const kw_index *index = found->scene->index;
    double x = found->at.x_m - index->x0_m;
    double y = found->at.y_m - index->y0_m;
    int32_t col = kw_index_cell(index, x, index->n_cols);
    int32_t row = kw_index_cell(index, y, index->n_rows);
    double half_x = 0.5 * (double)index->n_cols * index->cell_m;
    double half_y = 0.5 * (double)index->n_rows * index->cell_m;
    double outside = kw_square_from_rectangle(x - half_x, y - half_y, half_x, half_y);
    int32_t last = col > index->n_cols - 1 - col ? col : index->n_cols - 1 - col;
    last = row > last ? row : last;
    last = index->n_rows - 1 - row > last ? index->n_rows - 1 - row : last;
    for (int32_t ring = index->empty_rings[row * index->n_cols + col]; ring <= last; ++ring) {
        double inside = ring > 0 ? (double)(ring - 1) * index->cell_m : 0.0;
        double bound = sqrt(outside + inside * inside) - found->at.radius_m - KW_INDEX_MARGIN_M;
        if (bound > kw_greater(found->least_m, 0.0)) {
            return;
        }
        search_ring(found, row, col, ring);
    }
}

static void touch_of(const kw_scene *scene, const uint8_t *present, bool use_index, body at,
                     int32_t hint_nearest, kw_touch *out) {
    search found = {.at = at,
                    .scene = scene,
                    .least_m = (double)INFINITY,
                    .touch = {.deepest = KW_SOLID_NONE, .nearest = KW_SOLID_NONE}};
    if (hint_nearest >= 0 && hint_nearest < scene->n_solids &&
        kw_solid_is_present(&scene->solids[hint_nearest], present)) {
        test_solid(&found, hint_nearest);
    }
    if (use_index && scene->index != NULL) {
        search_rings(&found);
        search_changeable(&found, present);
    } else {
        search_all(&found, present);
    }
    bool in_contact = found.touch.n > 0;
    found.touch.depth_m = in_contact ? 0.0 - found.least_m : 0.0;
    found.touch.clearance_m = in_contact ? 0.0 : found.least_m;
    found.touch.deepest = in_contact ? found.touch.nearest : KW_SOLID_NONE;
    *out = found.touch;
}

static body body_of(double x_m, double y_m, double cos_h, double sin_h, double half_length_m,
                    double half_width_m) {
    return (body){x_m,
                  y_m,
                  cos_h,
                  sin_h,
                  half_length_m,
                  half_width_m,
                  sqrt(half_length_m * half_length_m + half_width_m * half_width_m)};
}

void kw_scene_touch(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                    double cos_h, double sin_h, double half_length_m, double half_width_m,
                    int32_t hint_nearest, kw_touch *out) {
    touch_of(scene, present, true, body_of(x_m, y_m, cos_h, sin_h, half_length_m, half_width_m),
             hint_nearest, out);
}

static bool is_pose(kw_pose pose) {
    return fabs(pose.x_m) <= 1e6 && fabs(pose.y_m) <= 1e6 &&
           fabs(pose.heading_rad) <= KW_ANGLE_MAX_RAD;
}

kw_status kw_scene_clearance(const kw_scene *scene, double length_m, double width_m, int32_t n,
                             const kw_pose *centres, int32_t use_index, double *out_clearances_m,
                             double *out_depths_m, int32_t *out_solids) {
    if (n < 0 || !(length_m > 0.0 && length_m <= 1e3 && width_m > 0.0 && width_m <= 1e3)) {
        return KW_BAD_ARGUMENT;
    }
    for (int32_t i = 0; i < n; ++i) {
        if (!is_pose(centres[i])) {
            return KW_BAD_ARGUMENT;
        }
    }
    uint64_t control = kw_float_control_enter();
    for (int32_t i = 0; i < n; ++i) {
        double cosine;
        double sine;
        kw_touch touch;
        kw_sincos(centres[i].heading_rad, &sine, &cosine);
        touch_of(
            scene, scene->initial_present, use_index != 0,
            body_of(centres[i].x_m, centres[i].y_m, cosine, sine, 0.5 * length_m, 0.5 * width_m),
            KW_SOLID_NONE, &touch);
        out_clearances_m[i] = touch.clearance_m;
        out_depths_m[i] = touch.depth_m;
        out_solids[i] = touch.nearest;
    }
    kw_float_control_leave(control);
    return KW_OK;
}
