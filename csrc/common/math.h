/* The core's own elementary functions: the same bits on every machine.
 *
 * Bounds are in units in the last place (ulp) of the exact result and are asserted in
 * tests/csrc/test_math.py. An argument outside a function's stated range, and NaN, gives
 * NaN; no argument is undefined behaviour.
 */
#ifndef KW_COMMON_MATH_H
#define KW_COMMON_MATH_H

#include <stdint.h>

#include "common/machine.h"

#define KW_PI 0x1.921fb54442d18p+1
/* Greatest angle, either sign, that the functions below reduce. */
#define KW_ANGLE_MAX_RAD 5e5

/* Sine and cosine, within 0.8 ulp. */
double kw_sin(double x_rad);
double kw_cos(double x_rad);
void kw_sincos(double x_rad, double *out_sin, double *out_cos);

/* Tangent, within 2.8 ulp. */
double kw_tan(double x_rad);

/* Arctangent, within 1.8 ulp, of any number and infinity. */
double kw_atan(double x);

/* Angle of the point (x, y) in [-KW_PI, KW_PI], within 1.8 ulp; zeros count as positive,
 * so that (-1, -0) is at +KW_PI; the origin is at 0. NaN where both are infinite. */
double kw_atan2(double y, double x);

/* The same direction in (-KW_PI, KW_PI]. Angles in it come back unchanged. */
double kw_wrap_rad(double x_rad);

/* Of an angle in degrees up to 1e7: exact at multiples of 90, equal by symmetry at angles
 * that quarter turns, mirrors and the diagonal bring together; within 1.3 ulp. */
void kw_sincos_deg(double x_deg, double *out_sin, double *out_cos);

/* The nearest integer, halves away from zero; clamped to +-2^62. NaN must not come here
 * and gives -2^62. */
static inline int64_t kw_round_i64(double x) {
    const double end = 0x1p62;
    if (!(x > -end)) {
        return -((int64_t)1 << 62);
    }
    if (x > end) {
        return (int64_t)1 << 62;
    }
    const int64_t whole = (int64_t)x;
    const double rest = x - (double)whole;
    return whole + (rest >= 0.5) - (rest <= -0.5);
}

#endif
