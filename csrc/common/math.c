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
#include "kw_types.h"

/* A number as the sum of two doubles, the second below half an ulp of the first. */
typedef struct {
    double high;
    double low;
} split;

/* a + b without error (Knuth's two-sum). */
static inline split sum_exactly(double a, double b) {
    const double high = a + b;
    const double part = high - a;
    return (split){high, (a - (high - part)) + (b - part)};
}

/* x - k pi/2. The products with half_pi[0..2] are exact as |k| < 2^20, so what is lost
 * stays below 2^-130 and cannot show: no double in range is that near a multiple. */
static inline split less_quarters(double x, double k) {
    const split second = sum_exactly(x - k * half_pi[0], -(k * half_pi[1]));
    const split third = sum_exactly(second.high, -(k * half_pi[2]));
    const double rest = (second.low + third.low) - k * half_pi[3];
    const double high = third.high + rest;
    return (split){high, (third.high - high) + rest};
}

/* Rounds to the nearest integer in the range of angles. */
static inline int32_t nearest(double x) {
    return (int32_t)(x + (x < 0.0 ? -0.5 : 0.5));
}

/* Brings an angle within KW_ANGLE_MAX_RAD into [-pi/4, pi/4]; returns the quarter turns
 * taken off. */
static inline int32_t reduce(double x_rad, split *out) {
    const int32_t k = nearest(x_rad * (2.0 / KW_PI));
    *out = k == 0 ? (split){x_rad, 0.0} : less_quarters(x_rad, (double)k);
    return k;
}

/* Both series add their second term without error before the low part comes in. */
static inline double sin_near_zero(split x) {
    const double z = x.high * x.high;
    const double *t = sin_terms;
    const double p = z * (t[0] + z * (t[1] + z * (t[2] + z * (t[3] + z * (t[4] + z * t[5])))));
    const double bend = x.high * p;
    const double most = x.high + bend;
    return most + (((x.high - most) + bend) + (x.low - 0.5 * z * x.low));
}

static inline double cos_near_zero(split x) {
    const double z = x.high * x.high;
    const double *t = cos_terms;
    const double p = t[0] + z * (t[1] + z * (t[2] + z * (t[3] + z * (t[4] + z * t[5]))));
    const double half = 0.5 * z;
    const double most = 1.0 - half;
    return most + (((1.0 - most) - half) + (z * z * p - x.high * x.low));
}

/* Sine of x after k quarter turns. */
static inline double sin_after(int32_t k, split x) {
    const double value = (k & 1) != 0 ? cos_near_zero(x) : sin_near_zero(x);
    return (k & 2) != 0 ? -value : value;
}

static inline int is_angle(double x_rad) {
    return fabs(x_rad) <= KW_ANGLE_MAX_RAD;
}

double kw_sin(double x_rad) {
    if (!is_angle(x_rad)) {
        return (double)NAN;
    }
    split x;
    const int32_t k = reduce(x_rad, &x);
    return sin_after(k, x);
}

double kw_cos(double x_rad) {
    if (!is_angle(x_rad)) {
        return (double)NAN;
    }
    split x;
    const int32_t k = reduce(x_rad, &x);
    return sin_after(k + 1, x);
}

/* Sine and cosine of x after k quarter turns. */
static inline void sincos_after(int32_t k, split x, double *out_sin, double *out_cos) {
    const double s = sin_near_zero(x);
    const double c = cos_near_zero(x);
    const double up = (k & 1) != 0 ? c : s;
    const double along = (k & 1) != 0 ? s : c;
    *out_sin = (k & 2) != 0 ? -up : up;
    *out_cos = ((k + 1) & 2) != 0 ? -along : along;
}

void kw_sincos(double x_rad, double *out_sin, double *out_cos) {
    if (!is_angle(x_rad)) {
        *out_sin = *out_cos = (double)NAN;
        return;
    }
    split x;
    const int32_t k = reduce(x_rad, &x);
    sincos_after(k, x, out_sin, out_cos);
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
    const double turns = (double)nearest(x_rad / (2.0 * KW_PI));
    double rest = less_quarters(x_rad, 4.0 * turns).high;
    if (fabs(rest) > KW_PI) {
        // the quotient was rounded to the wrong side of a half
        rest = less_quarters(x_rad, 4.0 * (rest > 0.0 ? turns + 1.0 : turns - 1.0)).high;
    }
    // a hair past either end is the place where both ends meet
    return fabs(rest) > KW_PI || rest == -KW_PI ? KW_PI : rest;
}

void kw_sincos_deg(double x_deg, double *out_sin, double *out_cos) {
    if (!(fabs(x_deg) <= 1e7)) {
        *out_sin = *out_cos = (double)NAN;
        return;
    }
    const int32_t k = nearest(x_deg / 90.0);
    const double rest = x_deg - 90.0 * (double)k;
    // 20 leading bits of the angle make an exact product with the leading part
    const double coarse = (double)nearest(rest * 0x1p14) * 0x1p-14;
    const double most = coarse * degree[0];
    const double little = coarse * degree[1] + (rest - coarse) * (degree[0] + degree[1]);
    const double high = most + little;
    double s;
    double c;
    sincos_after(k, (split){high, (most - high) + little}, &s, &c);
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
