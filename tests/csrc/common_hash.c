/* Runs the motion law and the noise under asks of a little generator and prints a hash of
 * every state double, so that builds can be compared. With the argument `hostile` the
 * process first flushes subnormals and rounds towards zero, where it can, as a library
 * built with -Ofast might; the core must not mind, and must put the setting back.
 */
#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/machine.h"
#include "common/rng.h"
#include "kw_grid.h"

#define TICKS 20000

static uint64_t hash_byte(uint64_t hash, uint64_t byte)
{
    return (hash ^ byte) * 0x100000001b3u;
}

/* FNV-1a over the bytes of a word, lowest first on every machine. */
static uint64_t hash_word(uint64_t hash, uint64_t word)
{
    for (int shift = 0; shift < 64; shift += 8) {
        hash = hash_byte(hash, (word >> shift) & 0xff);
    }
    return hash;
}

static uint64_t hash_double(uint64_t hash, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return hash_word(hash, word);
}

static uint64_t hash_motion(uint64_t hash, const kw_motion *motion)
{
    hash = hash_double(hash, motion->pose.x_m);
    hash = hash_double(hash, motion->pose.y_m);
    hash = hash_double(hash, motion->pose.heading_rad);
    hash = hash_double(hash, motion->speed_mps);
    hash = hash_double(hash, motion->steer_rad);
    hash = hash_double(hash, motion->steer_rate_radps);
    return hash_double(hash, motion->heading_rest_rad);
}

/* A random integer in [low, high], from a counter. */
static int32_t draw(uint32_t counter, uint32_t purpose, int32_t low, int32_t high)
{
    const uint32_t counters[4] = {counter, purpose, 0, 0};
    const uint32_t key[2] = {1, 2};
    uint32_t words[4];
    kw_philox(counters, key, words);
    return low + (int32_t)(words[0] % (uint32_t)(high - low + 1));
}

/* The hash over TICKS ticks; 0 where the core refuses. */
static uint64_t drive(uint64_t hash, const kw_shell *shell, const kw_steering *steering)
{
    kw_motion motions[40];
    kw_motion motion = {0};
    uint32_t asks = 0;
    for (int32_t tick = 0; tick < TICKS; asks++) {
        const kw_ask ask = {draw(asks, 0, -5000, 20000), draw(asks, 1, -418879, 418879)};
        const int32_t n = draw(asks, 2, 1, 40);
        if (kw_predict(shell, steering, &motion, ask, n, motions) != KW_OK) {
            return 0;
        }
        for (int32_t i = 0; i < n; i++) {
            hash = hash_motion(hash, &motions[i]);
        }
        motion = motions[n - 1];
        tick += n;
    }
    double angles[KW_WHEEL_COUNT];
    kw_wheel_angles(shell, motion.steer_rad, angles);
    for (int i = 0; i < KW_WHEEL_COUNT; i++) {
        hash = hash_double(hash, angles[i]);
    }
    return hash;
}

static uint64_t noise(uint64_t hash)
{
    for (uint32_t i = 0; i < TICKS; i++) {
        const uint32_t counter[4] = {i, 0, 0, 0};
        const uint32_t key[2] = {3, 4};
        uint32_t words[4];
        kw_philox(counter, key, words);
        const int32_t variate = kw_normal_q16((uint64_t)words[0] << 32 | words[1]);
        hash = hash_word(hash, (uint64_t)(int64_t)variate);
    }
    return hash;
}

static void be_hostile(void)
{
    fesetround(FE_TOWARDZERO);
#if defined(KW_FLOAT_CONTROL_X86)
    _mm_setcsr(_mm_getcsr() | 0x8040); /* flush results and operands to zero */
#endif
}

int main(int argc, char **argv)
{
    const int hostile = argc > 1 && strcmp(argv[1], "hostile") == 0;
    if (hostile) {
        be_hostile();
    }
    const uint64_t word = kw_float_control_read() & ~(uint64_t)0x3f;
    if (kw_self_check() != KW_OK) {
        puts("the self-check refuses this build");
        return 3;
    }
    uint64_t hash = 0xcbf29ce484222325u;
    for (int s = 0; s < KW_SHELL_COUNT; s++) {
        for (int t = 0; t < KW_STEERING_COUNT; t++) {
            hash = drive(hash, &kw_shells[s], &kw_steerings[t]);
        }
    }
    hash = noise(hash);
    if ((kw_float_control_read() & ~(uint64_t)0x3f) != word) {
        puts("the caller's floating-point setting is gone");
        return 4;
    }
    printf("%016" PRIx64 "\n", hash);
    return 0;
}
