#include "common/rng.h"

#include "common/machine.h"
#include "common/normal_table.h"

/* One round: two products whose halves are crossed and mixed with the key. */
static void philox_round(uint32_t word[4], const uint32_t key[2]) {
    const uint64_t first = (uint64_t)0xD2511F53u * word[0];
    const uint64_t second = (uint64_t)0xCD9E8D57u * word[2];
    const uint32_t mixed[4] = {
        (uint32_t)(second >> 32) ^ word[1] ^ key[0],
        (uint32_t)second,
        (uint32_t)(first >> 32) ^ word[3] ^ key[1],
        (uint32_t)first,
    };
    for (int i = 0; i < 4; i++) {
        word[i] = mixed[i];
    }
}

void kw_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    uint32_t word[4] = {counter[0], counter[1], counter[2], counter[3]};
    uint32_t round_key[2] = {key[0], key[1]};
    for (int round = 0; round < 10; round++) {
        philox_round(word, round_key);
        // Weyl sequences of the golden ratio and of sqrt(3) - 1
        round_key[0] += 0x9E3779B9u;
        round_key[1] += 0xBB67AE85u;
    }
    for (int i = 0; i < 4; i++) {
        out[i] = word[i];
    }
}

/* One round of all blocks; what it computes is philox_round's. */
KW_CLONES static void philox_rounds(uint32_t words[4][KW_PHILOX_BLOCKS], uint32_t key_0,
                                    uint32_t key_1) {
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < KW_PHILOX_BLOCKS; i++) {
            const uint64_t first = (uint64_t)0xD2511F53u * words[0][i];
            const uint64_t second = (uint64_t)0xCD9E8D57u * words[2][i];
            words[0][i] = (uint32_t)(second >> 32) ^ words[1][i] ^ key_0;
            words[1][i] = (uint32_t)second;
            words[2][i] = (uint32_t)(first >> 32) ^ words[3][i] ^ key_1;
            words[3][i] = (uint32_t)first;
        }
        key_0 += 0x9E3779B9u;
        key_1 += 0xBB67AE85u;
    }
}

void kw_philox_blocks(const uint32_t counter[4], const uint32_t key[2],
                      uint32_t out[4][KW_PHILOX_BLOCKS]) {
    for (uint32_t i = 0; i < KW_PHILOX_BLOCKS; i++) {
        out[0][i] = counter[0];
        out[1][i] = counter[1] + i;
        out[2][i] = counter[2];
        out[3][i] = counter[3];
    }
    philox_rounds(out, key[0], key[1]);
}

/* Zero bits above the highest one; 64 for 0. */
static int leading_zeros(uint64_t x) {
    if (x == 0) {
        return 64;
    }
#if defined(__GNUC__)
    return __builtin_clzll(x);
#else
    int zeros = 0;
    for (int step = 32; step > 0; step /= 2) {
        if (x >> (64 - step) == 0) {
            zeros += step;
            x <<= step;
        }
    }
    return zeros;
#endif
}

/* Bit 63 is the sign. The other 63, read as a fraction below 1/2, are the probability of
 * the tail: its leading zeros choose the octave, the next 7 bits the cell, the 32 after
 * them the place between its ends. */
int32_t kw_normal_q16(uint64_t bits) {
    const uint64_t tail = bits << 1;
    const int zeros = leading_zeros(tail);
    int64_t size = (int64_t)normal_nodes[0] << 32;
    if (zeros < KW_NORMAL_OCTAVES) {
        const uint64_t fraction = (tail << zeros) << 1;
        const int cell = (KW_NORMAL_OCTAVES - 1 - zeros) * KW_NORMAL_CELLS + (int)(fraction >> 57);
        const int64_t place = (int64_t)((fraction >> 25) & 0xFFFFFFFFu);
        const int64_t fall = normal_nodes[cell] - normal_nodes[cell + 1];
        size = ((int64_t)normal_nodes[cell] << 32) - fall * place;
    }
    // from Q8.56 to the nearest Q16.16
    const int32_t rounded = (int32_t)((size + ((int64_t)1 << 39)) >> 40);
    return bits >> 63 != 0 ? -rounded : rounded;
}
