/* Sine and cosine inline, for math.c and for loops that a compiler may vectorise. Method and
 * bounds stand in math.c.
 */
#ifndef KW_COMMON_SINCOS_H
#define KW_COMMON_SINCOS_H

#include <string.h>

#include "common/math.h"
#include "common/math_tables.h"

/* A number as the sum of two doubles, the second below half an ulp of the first. */
typedef struct {
    double high;
    double low;
} kw_split;

/* a + b without error (Knuth's two-sum). */
static inline kw_split kw_sum_exactly(double a, double b) {
    const double high = a + b;
    const double part = high - a;
    return (kw_split){high, (a - (high - part)) + (b - part)};
}

/* x - k pi/2. The products with half_pi[0..2] are exact as |k| < 2^20, so what is lost
 * stays below 2^-130 and cannot show: no double in range is that near a multiple. */
static inline kw_split kw_less_quarters(double x, double k) {
    const kw_split second = kw_sum_exactly(x - k * half_pi[0], -(k * half_pi[1]));
    const kw_split third = kw_sum_exactly(second.high, -(k * half_pi[2]));
    const double rest = (second.low + third.low) - k * half_pi[3];
    const double high = third.high + rest;
    return (kw_split){high, (third.high - high) + rest};
}

/* Rounds to the nearest integer in the range of angles. */
static inline int32_t kw_nearest(double x) {
    return (int32_t)(x + (x < 0.0 ? -0.5 : 0.5));
}

/* How what follows is computed; the bits are the same. */
typedef enum {
    KW_ONE,          /* one value: branches save work */
    KW_SIDE_BY_SIDE, /* many: a branch would keep a loop from being vectorised */
} kw_manner;

/* Brings an angle within KW_ANGLE_MAX_RAD into [-pi/4, pi/4]; returns the quarter turns
 * taken off. */
static inline int32_t kw_reduce(double x_rad, kw_manner manner, kw_split *out) {
    const int32_t k = kw_nearest(x_rad * (2.0 / KW_PI));
    if (manner == KW_ONE && k == 0) {
        *out = (kw_split){x_rad, 0.0};
        return 0;
    }
    const kw_split rest = kw_less_quarters(x_rad, (double)k);
    out->high = k == 0 ? x_rad : rest.high; // a zero keeps its sign
    out->low = rest.low;
    return k;
}

/* Both series add their second term without error before the low part comes in. */
static inline double kw_sin_near_zero(kw_split x) {
    const double z = x.high * x.high;
    const double *t = sin_terms;
    const double p = z * (t[0] + z * (t[1] + z * (t[2] + z * (t[3] + z * (t[4] + z * t[5])))));
    const double bend = x.high * p;
    const double most = x.high + bend;
    return most + (((x.high - most) + bend) + (x.low - 0.5 * z * x.low));
}

static inline double kw_cos_near_zero(kw_split x) {
    const double z = x.high * x.high;
    const double *t = cos_terms;
    const double p = t[0] + z * (t[1] + z * (t[2] + z * (t[3] + z * (t[4] + z * t[5]))));
    const double half = 0.5 * z;
    const double most = 1.0 - half;
    return most + (((1.0 - most) - half) + (z * z * p - x.high * x.low));
}

static inline uint64_t kw_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double kw_of_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Sine and cosine of x after k quarter turns. */
static inline void kw_sincos_after(int32_t k, kw_split x, kw_manner manner, double *out_sin,
                                   double *out_cos) {
    const double s = kw_sin_near_zero(x);
    const double c = kw_cos_near_zero(x);
    if (manner == KW_ONE) {
        const double up = (k & 1) != 0 ? c : s;
        const double along = (k & 1) != 0 ? s : c;
        *out_sin = (k & 2) != 0 ? -up : up;
        *out_cos = ((k + 1) & 2) != 0 ? -along : along;
        return;
    }
    // in bits: what chooses between two would become a branch
    const uint64_t turns = (uint64_t)(int64_t)k;
    const uint64_t swap = (kw_bits(s) ^ kw_bits(c)) & (0 - (turns & 1));
    *out_sin = kw_of_bits((kw_bits(s) ^ swap) ^ ((turns & 2) << 62));
    *out_cos = kw_of_bits((kw_bits(c) ^ swap) ^ (((turns + 1) & 2) << 62));
}

/* Of an angle within KW_ANGLE_MAX_RAD, which nobody checks here. */
static inline void kw_sincos_inline(double x_rad, kw_manner manner, double *out_sin,
                                    double *out_cos) {
    kw_split x;
    const int32_t k = kw_reduce(x_rad, manner, &x);
    kw_sincos_after(k, x, manner, out_sin, out_cos);
}

#endif
