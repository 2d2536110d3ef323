/* Counter-based random numbers, exact in integers: noise is a pure function of its
 * counter and key, with no state.
 */
#ifndef KW_COMMON_RNG_H
#define KW_COMMON_RNG_H

#include <stdint.h>

/* Philox4x32-10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011). */
void kw_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* How many blocks kw_philox_blocks makes at a time. */
#define KW_PHILOX_BLOCKS 32

/* Words of the blocks of counters (counter[0], counter[1] + i, counter[2], counter[3]), i from
 * 0 to KW_PHILOX_BLOCKS - 1: out[word][i]. A counter has no order, so they are made side by
 * side. */
void kw_philox_blocks(const uint32_t counter[4], const uint32_t key[2],
                      uint32_t out[4][KW_PHILOX_BLOCKS]);

/* A standard normal variate in Q16.16 from 64 random bits, within +-6.34. Its
 * distribution is within 3.5e-6 of the normal one, of which 3.0e-6 is the grid's. */
int32_t kw_normal_q16(uint64_t bits);

#endif
