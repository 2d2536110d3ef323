/* What the core asks of the machine: IEEE doubles, rounded to nearest, never fused.
 *
 * Every file that computes with floats includes this header (through math.h), so that
 * its pragmas and refusals hold there. gcc heeds no pragma: setup.py's flags do it.
 */
#ifndef KW_COMMON_MACHINE_H
#define KW_COMMON_MACHINE_H

#include <float.h>
#include <stdint.h>

#if defined(__FAST_MATH__) || defined(_M_FP_FAST)
#error "Kinewright needs exact floats: build without -ffast-math, -Ofast and /fp:fast"
#endif
/* 16 is fine: it widens only half floats, which the core does not use */
#if !defined(_MSC_VER) && (FLT_EVAL_METHOD == 2 || FLT_EVAL_METHOD < 0)
#error "Kinewright needs doubles without extended precision: build with -msse2 -mfpmath=sse"
#endif

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

#if defined(__SSE2__) || defined(_M_X64)
#include <xmmintrin.h>
#define KW_FLOAT_CONTROL_X86 1
#elif defined(__aarch64__)
#define KW_FLOAT_CONTROL_ARM 1
#endif

/* A function compiled for wider vectors too, picked when the library is loaded. As products
 * are never fused, all give the same bits. Not under sanitizers, which run before the
 * loader could pick. */
#ifndef KW_CLONES
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__) &&   \
    defined(__GLIBC__) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) &&               \
    !defined(__SANITIZE_THREAD__)
#define KW_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define KW_CLONES
#endif
#endif

/* The word that rules rounding, traps and subnormals; 0 where it is out of reach. */
static inline uint64_t kw_float_control_read(void) {
#if defined(KW_FLOAT_CONTROL_X86)
    return _mm_getcsr();
#elif defined(KW_FLOAT_CONTROL_ARM)
    uint64_t word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return word;
#else
    return 0;
#endif
}

static inline void kw_float_control_write(uint64_t word) {
#if defined(KW_FLOAT_CONTROL_X86)
    _mm_setcsr((unsigned int)word);
#elif defined(KW_FLOAT_CONTROL_ARM)
    __asm__ volatile("msr fpcr, %0" : : "r"(word));
#else
    (void)word;
#endif
}

/* Keeps the compiler from moving loads and stores, and so what is computed from them,
 * across a change of the control word. */
static inline void kw_float_control_fence(void) {
#if defined(__GNUC__)
    __asm__ volatile("" : : : "memory");
#endif
}

/* Sets round to nearest with subnormals and without traps, whatever a library linked
 * with -Ofast has left in this thread. Returns what kw_float_control_leave takes. Each
 * public function that computes with floats is between the two. */
static inline uint64_t kw_float_control_enter(void) {
#if defined(KW_FLOAT_CONTROL_X86)
    const uint64_t flags = 0x3f; /* sticky: they rule nothing */
    const uint64_t wanted = 0x1f80;
#else
    const uint64_t flags = 0;
    const uint64_t wanted = 0;
#endif
    const uint64_t before = kw_float_control_read();
    if ((before & ~flags) != wanted) {
        kw_float_control_write(wanted);
    }
    kw_float_control_fence();
    return before;
}

/* Puts back what the caller had. */
static inline void kw_float_control_leave(uint64_t before) {
    kw_float_control_fence();
    if (before != kw_float_control_read()) {
        kw_float_control_write(before);
    }
}

#endif
