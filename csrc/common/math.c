/* Sine, cosine, tangent and arctangent from + - * / alone.
 *
 * Method: the argument is brought near zero (Cody and Waite 1980: a multiple of pi/2 is
 * taken off in parts whose products are exact; of an arctangent, the nearest of nine
 * angles), carried as a sum of two doubles, and a minimax polynomial does the rest. The
 * constants come from generate_math.py.
 *
 * Assumes round to nearest without fused products (common/machine.h).
 */
#include "common/math.h"

#include <math.h>

#include "common/math_tables.h"
#include "common/sincos.h"
#include "kw_types.h"

/* Sine of x after k quarter turns. */
static inline double sin_after(int32_t k, kw_split x) {
    const double value = (k & 1) != 0 ? kw_cos_near_zero(x) : kw_sin_near_zero(x);
    return (k & 2) != 0 ? -value : value;
}

static inline int is_angle(double x_rad) {
    return fabs(x_rad) <= KW_ANGLE_MAX_RAD;
}

double kw_sin(double x_rad) {
    if (!is_angle(x_rad)) {
        return (double)NAN;
    }
    kw_split x;
    const int32_t k = kw_reduce(x_rad, KW_ONE, &x);
    return sin_after(k, x);
}

double kw_cos(double x_rad) {
    if (!is_angle(x_rad)) {
        return (double)NAN;
    }
    kw_split x;
    const int32_t k = kw_reduce(x_rad, KW_ONE, &x);
    return sin_after(k + 1, x);
}

void kw_sincos(double x_rad, double *out_sin, double *out_cos) {
    if (!is_angle(x_rad)) {
        *out_sin = *out_cos = (double)NAN;
        return;
    }
    kw_sincos_inline(x_rad, KW_ONE, out_sin, out_cos);
}

double kw_tan(double x_rad) {
    double s;
    double c;
    kw_sincos(x_rad, &s, &c);
    return s / c;
}

/* The angle of least / most in [0, 1] in one of the four octants of the upper half plane;
 * odd octants fall from their start, even ones rise (see atan_start). */
static inline double octant_angle(int octant, double ratio) {
    if (!(ratio <= 1.0)) {
        return (double)NAN;
    }
    // up to 3/32 the ratio itself is the least error to start from
    const int32_t i = ratio < 0.09375 ? 0 : (int32_t)(8.0 * ratio + 0.5);
    const double near = 0.125 * (double)i;
    const double x = (ratio - near) / (1.0 + ratio * near);
    const double z = x * x;
    const double *t = atan_terms;
    const double p = z * (t[0] + z * (t[1] + z * (t[2] + z * (t[3] + z * (t[4] + z * t[5])))));
    const double sign = octant == 1 || octant == 2 ? -1.0 : 1.0;
    const double *start = atan_start[octant][i];
    return start[0] + (sign * x + (sign * x * p + start[1]));
}

double kw_atan(double x) {
    const double size = fabs(x);
    const double angle = size > 1.0 ? octant_angle(1, 1.0 / size) : octant_angle(0, size);
    return x < 0.0 ? -angle : angle;
}

double kw_atan2(double y, double x) {
    const double up = fabs(y);
    const double along = fabs(x);
    if (up == 0.0 && along == 0.0) {
        return 0.0;
    }
    double angle;
    if (up > along) {
        angle = octant_angle(x < 0.0 ? 3 : 1, along / up);
    } else {
        angle = octant_angle(x < 0.0 ? 2 : 0, up / along);
    }
    return y < 0.0 ? -angle : angle;
}

double kw_wrap_rad(double x_rad) {
    if (x_rad > -KW_PI && x_rad <= KW_PI) {
        return x_rad;
    }
    if (!is_angle(x_rad)) {
        return (double)NAN;
    }
    const double turns = (double)kw_nearest(x_rad / (2.0 * KW_PI));
    double rest = kw_less_quarters(x_rad, 4.0 * turns).high;
    if (fabs(rest) > KW_PI) {
        // the quotient was rounded to the wrong side of a half
        rest = kw_less_quarters(x_rad, 4.0 * (rest > 0.0 ? turns + 1.0 : turns - 1.0)).high;
    }
    // a hair past either end is the place where both ends meet
    return fabs(rest) > KW_PI || rest == -KW_PI ? KW_PI : rest;
}

void kw_sincos_deg(double x_deg, double *out_sin, double *out_cos) {
    if (!(fabs(x_deg) <= 1e7)) {
        *out_sin = *out_cos = (double)NAN;
        return;
    }
    const int32_t k = kw_nearest(x_deg / 90.0);
    const double rest = x_deg - 90.0 * (double)k;
    // 20 leading bits of the angle make an exact product with the leading part
    const double coarse = (double)kw_nearest(rest * 0x1p14) * 0x1p-14;
    const double most = coarse * degree[0];
    const double little = coarse * degree[1] + (rest - coarse) * (degree[0] + degree[1]);
    const double high = most + little;
    double s;
    double c;
    kw_sincos_after(k, (kw_split){high, (most - high) + little}, KW_ONE, &s, &c);
    if (fabs(rest) == 45.0) {
        // on a diagonal both are the same number
        const double diagonal = sqrt(0.5);
        s = s < 0.0 ? -diagonal : diagonal;
        c = c < 0.0 ? -diagonal : diagonal;
    }
    *out_sin = s;
    *out_cos = c;
}

void kw_sin_many(int32_t n, const double *x_rad, double *out) {
    const uint64_t before = kw_float_control_enter();
    for (int32_t i = 0; i < n; i++) {
        out[i] = kw_sin(x_rad[i]);
    }
    kw_float_control_leave(before);
}

void kw_cos_many(int32_t n, const double *x_rad, double *out) {
    const uint64_t before = kw_float_control_enter();
    for (int32_t i = 0; i < n; i++) {
        out[i] = kw_cos(x_rad[i]);
    }
    kw_float_control_leave(before);
}

void kw_tan_many(int32_t n, const double *x_rad, double *out) {
    const uint64_t before = kw_float_control_enter();
    for (int32_t i = 0; i < n; i++) {
        out[i] = kw_tan(x_rad[i]);
    }
    kw_float_control_leave(before);
}

void kw_atan2_many(int32_t n, const double *y, const double *x, double *out_rad) {
    const uint64_t before = kw_float_control_enter();
    for (int32_t i = 0; i < n; i++) {
        out_rad[i] = kw_atan2(y[i], x[i]);
    }
    kw_float_control_leave(before);
}
