#include "common/machine.h"

#include "kw_types.h"

/* Operands and results pass through volatile objects, so that no compiler folds the
 * sums: what is tried is the machine, as this build uses it. */

/* (1 + 2^-30)^2 - (1 + 2^-29) is 2^-60; the product alone rounds that away. */
static int product_is_unfused(void) {
    volatile double factor = 1.0 + 0x1p-30;
    volatile double addend = -(1.0 + 0x1p-29);
    const double a = factor;
    const double b = factor;
    const double c = addend;
    volatile double result = a * b + c;
    return result == 0.0;
}

static int subnormals_are_kept(void) {
    volatile double smallest_normal = DBL_MIN;
    volatile double half = 0.5;
    volatile double subnormal = smallest_normal * half;
    volatile double doubled = subnormal + subnormal;
    return subnormal != 0.0 && doubled == DBL_MIN;
}

/* One third rounds down, one tenth up, and a tie goes to the even neighbour; the
 * negatives mirror them. Each of the three other modes fails one of these. */
static int rounds_to_nearest(void) {
    volatile double one = 1.0;
    volatile double three = 3.0;
    volatile double ten = 10.0;
    volatile double half_step = 0x1p-53;
    volatile double third = one / three;
    volatile double tenth = one / ten;
    volatile double negative_third = -one / three;
    volatile double negative_tenth = -one / ten;
    volatile double tie = one + half_step;
    volatile double odd_tie = (one + 2.0 * half_step) + half_step;
    return third == 0x1.5555555555555p-2 && tenth == 0x1.999999999999ap-4 &&
           negative_third == -0x1.5555555555555p-2 && negative_tenth == -0x1.999999999999ap-4 &&
           tie == 1.0 && odd_tie == 1.0 + 0x1p-51;
}

kw_status kw_self_check(void) {
    const uint64_t before = kw_float_control_enter();
    const int good = product_is_unfused() && subnormals_are_kept() && rounds_to_nearest();
    kw_float_control_leave(before);
    return good ? KW_OK : KW_BAD_MACHINE;
}
