/* What a body sweeps, as pieces.
 *
 * Each piece is the least rectangle, turned as the earlier pose, that holds the body at both
 * poses. On the arc between them a corner leaves its chord L by at most L / 2 tan(turn / 4),
 * which is added all round, and two micrometres for the rounding.
 */
#include <math.h>

#include "common/math.h"
#include "kw_rolling.h"

static const double TURN_LIMIT_RAD = 1.0;
static const double ROUNDING_M = 2e-6;

typedef struct {
    double low_x;
    double high_x;
    double low_y;
    double high_y;
} bounds_m;

static int32_t is_pose(const kw_pose *pose) {
    const double far_m = (double)KW_ROLLING_FAR_UM / 2e6;
    return fabs(pose->x_m) <= far_m && fabs(pose->y_m) <= far_m &&
           fabs(pose->heading_rad) <= KW_ANGLE_MAX_RAD;
}

static void take_in(bounds_m *bounds, double x, double y) {
    bounds->low_x = x < bounds->low_x ? x : bounds->low_x;
    bounds->high_x = x > bounds->high_x ? x : bounds->high_x;
    bounds->low_y = y < bounds->low_y ? y : bounds->low_y;
    bounds->high_y = y > bounds->high_y ? y : bounds->high_y;
}

/* The rectangle in the frame of `pose` that holds the body there and at `next`; 0 where the
 * two lie too far apart. */
static int32_t hold_both(const kw_rolling_body *body, const kw_pose *pose, const kw_pose *next,
                         bounds_m *out_bounds) {
    const double turn = kw_wrap_rad(next->heading_rad - pose->heading_rad);
    const double dx = next->x_m - pose->x_m;
    const double dy = next->y_m - pose->y_m;
    const double travel = sqrt(dx * dx + dy * dy);
    if (fabs(turn) > TURN_LIMIT_RAD || !(travel <= 100.0)) {
        return 0;
    }
    double s;
    double c;
    kw_sincos(pose->heading_rad, &s, &c);
    const double ahead = c * dx + s * dy;
    const double aside = c * dy - s * dx;
    kw_sincos(turn, &s, &c);
    const double xs[2] = {-body->behind_m, body->ahead_m};
    const double ys[2] = {-body->beside_m, body->beside_m};
    bounds_m bounds = {xs[0], xs[1], ys[0], ys[1]};
    for (int32_t i = 0; i < 4; i++) {
        const double x = xs[i / 2];
        const double y = ys[i % 2];
        take_in(&bounds, ahead + c * x - s * y, aside + s * x + c * y);
    }
    const double far_x = fabs(xs[0]) > fabs(xs[1]) ? fabs(xs[0]) : fabs(xs[1]);
    const double arm = sqrt(far_x * far_x + ys[1] * ys[1]);
    /* tan(a) <= 1.03 a up to a quarter: an eighth of the product, with room */
    const double bulge = (travel + arm * fabs(turn)) * fabs(turn) / 7.0 + ROUNDING_M;
    *out_bounds = (bounds_m){bounds.low_x - bulge, bounds.high_x + bulge, bounds.low_y - bulge,
                             bounds.high_y + bulge};
    return 1;
}

static kw_rolling_piece laid(const bounds_m *bounds, const kw_pose *pose) {
    const double xs[KW_ROLLING_CORNERS] = {bounds->low_x, bounds->high_x, bounds->high_x,
                                           bounds->low_x};
    const double ys[KW_ROLLING_CORNERS] = {bounds->low_y, bounds->low_y, bounds->high_y,
                                           bounds->high_y};
    double s;
    double c;
    kw_sincos(pose->heading_rad, &s, &c);
    kw_rolling_piece piece;
    for (int32_t i = 0; i < KW_ROLLING_CORNERS; i++) {
        piece.x_um[i] = kw_round_i64((pose->x_m + c * xs[i] - s * ys[i]) * 1e6);
        piece.y_um[i] = kw_round_i64((pose->y_m + s * xs[i] + c * ys[i]) * 1e6);
    }
    return piece;
}

static int32_t is_body(const kw_rolling_body *body) {
    return fabs(body->ahead_m) <= 50.0 && fabs(body->behind_m) <= 50.0 &&
           body->ahead_m + body->behind_m >= 0.001 && body->beside_m >= 0.001 &&
           body->beside_m <= 50.0;
}

static kw_status sweep_way(const kw_rolling_body *body, int64_t n_poses, const kw_pose *poses,
                           kw_rolling_piece *out_pieces) {
    for (int64_t i = 0; i + 1 < n_poses; i++) {
        bounds_m bounds;
        if (!is_pose(&poses[i]) || !is_pose(&poses[i + 1]) ||
            !hold_both(body, &poses[i], &poses[i + 1], &bounds)) {
            return KW_BAD_ARGUMENT;
        }
        out_pieces[i] = laid(&bounds, &poses[i]);
    }
    return KW_OK;
}

kw_status kw_rolling_sweep(const kw_rolling_body *body, int64_t n_ways, int64_t n_poses,
                           const kw_pose *poses, kw_rolling_piece *out_pieces) {
    if (!is_body(body) || n_ways < 0 || n_ways > KW_ROLLING_CORRIDOR_PIECES || n_poses < 2 ||
        n_poses - 1 > KW_ROLLING_CORRIDOR_PIECES) {
        return KW_BAD_ARGUMENT;
    }
    const uint64_t before = kw_float_control_enter();
    kw_status status = KW_OK;
    for (int64_t way = 0; way < n_ways && status == KW_OK; way++) {
        status = sweep_way(body, n_poses, &poses[way * n_poses], &out_pieces[way * (n_poses - 1)]);
    }
    kw_float_control_leave(before);
    return status;
}
