/* Two ways to one CRC-32: by tables, sixteen bytes at a time (Kounavis and Berry, A Systematic
 * Approach to Building High Performance Software-Based CRC Generators, 2005), and before them,
 * where the processor multiplies without carries, by folding (Gopal et al., Fast CRC
 * Computation for Generic Polynomials Using PCLMULQDQ Instruction, Intel, 2009).
 */
#include "crc.h"

#if defined(__GNUC__) && defined(__x86_64__) && defined(__SSE2__)
#include <wmmintrin.h>
#define KW_CRC_FOLDS 1
#endif

static const uint32_t NIBBLES[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

void kw_crc_prepare(kw_crc *out_crc) {
    uint32_t *table = out_crc->tables;
    for (uint32_t byte = 0; byte < 256; ++byte) {
        uint32_t crc = byte;
        crc = (crc >> 4) ^ NIBBLES[crc & 15];
        crc = (crc >> 4) ^ NIBBLES[crc & 15];
        table[byte] = crc;
    }
    for (uint32_t slice = 1; slice < KW_CRC_SLICES; ++slice) {
        for (uint32_t byte = 0; byte < 256; ++byte) {
            uint32_t before = table[256 * (slice - 1) + byte];
            table[256 * slice + byte] = (before >> 8) ^ table[before & 255];
        }
    }
#if defined(KW_CRC_FOLDS)
    out_crc->folds = __builtin_cpu_supports("pclmul") != 0;
#else
    out_crc->folds = false;
#endif
}

/* ---- By tables ---- */

static uint32_t read_u32(const uint8_t *bytes) {
    return bytes[0] | ((uint32_t)bytes[1] << 8) | ((uint32_t)bytes[2] << 16) |
           ((uint32_t)bytes[3] << 24);
}

/* What four bytes become that `after` bytes follow within a block. */
static uint32_t sliced(const uint32_t *tables, uint32_t bytes, size_t after) {
    const uint32_t *last = tables + 256 * after;
    return last[bytes >> 24] ^ last[256 + ((bytes >> 16) & 255)] ^
           last[512 + ((bytes >> 8) & 255)] ^ last[768 + (bytes & 255)];
}

/* The remainder of what `crc` is of and n more bytes. */
static uint32_t divided(const uint32_t *tables, uint32_t crc, const uint8_t *bytes, size_t n) {
    size_t i = 0;
    for (; n - i >= 16; i += 16) {
        const uint8_t *at = bytes + i;
        crc = sliced(tables, crc ^ read_u32(at), 12) ^ sliced(tables, read_u32(at + 4), 8) ^
              sliced(tables, read_u32(at + 8), 4) ^ sliced(tables, read_u32(at + 12), 0);
    }
    for (; n - i >= 4; i += 4) {
        crc = sliced(tables, crc ^ read_u32(bytes + i), 0);
    }
    for (; i < n; ++i) {
        crc = (crc >> 8) ^ tables[(crc ^ bytes[i]) & 255];
    }
    return crc;
}

/* ---- By folding ---- */

#if defined(KW_CRC_FOLDS)

enum { LANE = 16, BLOCK = 4 * LANE };

/* A lane of 128 bits, halves a and b, stands n bits before another. Added to that one, as
 * polynomials, it is a x^(n + 64) + b x^n, with the same remainder as a (x^(n + 64) mod P) +
 * b (x^n mod P), which fits in the other's place. Numbers lie in reflected order, the highest
 * power in the lowest bit. So a factor of 32 bits reads as one of 64 with its powers 32 too
 * high, and a product of two of 64 bits as one of 128 with its powers one too high; against
 * that, the factor is moved up by a bit, to lower powers. What remains is 32 too high, so these
 * are x^(n + 32) mod P for a and x^(n - 32) mod P for b, reflected in 32 bits and moved up. */
#define BY_BLOCK _mm_set_epi64x(0x1c6e41596, 0x154442bd4) /* n = 512: b, a */
#define BY_LANE _mm_set_epi64x(0x0ccaa009e, 0x1751997d0)  /* n = 128 */

static __m128i load(const uint8_t *at) {
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

__attribute__((target("pclmul"))) static __m128i folded(__m128i lane, __m128i by, __m128i onto) {
    __m128i a = _mm_clmulepi64_si128(lane, by, 0x00);
    __m128i b = _mm_clmulepi64_si128(lane, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(a, b), onto);
}

/* Folds the whole lanes of n bytes, a block or more, into one that has their remainder.
 * Returns how many bytes that were. `crc` is of what came before. */
__attribute__((target("pclmul"))) static size_t fold(uint32_t crc, const uint8_t *bytes, size_t n,
                                                     uint8_t out_lane[LANE]) {
    __m128i lane = _mm_xor_si128(load(bytes), _mm_cvtsi32_si128((int)crc));
    __m128i lane1 = load(bytes + LANE);
    __m128i lane2 = load(bytes + 2 * LANE);
    __m128i lane3 = load(bytes + 3 * LANE);
    size_t i = BLOCK;
    for (; n - i >= BLOCK; i += BLOCK) {
        lane = folded(lane, BY_BLOCK, load(bytes + i));
        lane1 = folded(lane1, BY_BLOCK, load(bytes + i + LANE));
        lane2 = folded(lane2, BY_BLOCK, load(bytes + i + 2 * LANE));
        lane3 = folded(lane3, BY_BLOCK, load(bytes + i + 3 * LANE));
    }
    lane = folded(lane, BY_LANE, lane1);
    lane = folded(lane, BY_LANE, lane2);
    lane = folded(lane, BY_LANE, lane3);
    for (; n - i >= LANE; i += LANE) {
        lane = folded(lane, BY_LANE, load(bytes + i));
    }
    _mm_storeu_si128((__m128i *)(void *)out_lane, lane);
    return i;
}

#endif

uint32_t kw_crc32(const kw_crc *crc, const uint8_t *bytes, size_t n) {
    uint32_t sum = 0xffffffff;
#if defined(KW_CRC_FOLDS)
    if (crc->folds && n >= BLOCK) {
        uint8_t lane[LANE];
        size_t done = fold(sum, bytes, n, lane);
        sum = divided(crc->tables, 0, lane, LANE);
        bytes += done;
        n -= done;
    }
#endif
    return divided(crc->tables, sum, bytes, n) ^ 0xffffffff;
}
