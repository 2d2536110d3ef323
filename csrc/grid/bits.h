/* What takes one instruction where the compiler offers it. */
#ifndef KW_GRID_BITS_H
#define KW_GRID_BITS_H

#include <stdint.h>

/* Asks for memory that will be read soon: nothing changes but the time that takes. */
#if defined(__GNUC__)
#define KW_PREFETCH(address) __builtin_prefetch(address)
#else
#define KW_PREFETCH(address) ((void)(address))
#endif

/* The number of the lowest bit that is set, from 0; bits must not be 0. */
static inline int32_t kw_lowest_bit(uint64_t bits) {
#if defined(__GNUC__)
    return __builtin_ctzll(bits);
#else
    int32_t n = 0;
    for (; (bits & 1) == 0; bits >>= 1) {
        n++;
    }
    return n;
#endif
}

#endif
