/* Written by generate_math.py; not to be edited. */
#ifndef KW_COMMON_MATH_TABLES_H
#define KW_COMMON_MATH_TABLES_H

/* pi/2 in parts of 33, 33, 33 and 53 bits */
static const double half_pi[4] = {
    0x1.921fb54400000p+0,
    0x1.0b4611a600000p-34,
    0x1.3198a2e000000p-69,
    0x1.b839a252049c1p-104,
};

/* pi/180 in parts of 33 and 53 bits */
static const double degree[2] = {
    0x1.1df46a2500000p-6,
    0x1.4e9c8ae0ec5f6p-41,
};

/* sin x = x + x**3 (t[0] + t[1] x**2 + ...) on |x| <= pi/4 */
static const double sin_terms[6] = {
    -0x1.5555555555548p-3,
    0x1.111111110f7d0p-7,
    -0x1.a01a019bfdee9p-13,
    0x1.71de3567d3040p-19,
    -0x1.ae5e5a914ae43p-26,
    0x1.5d8fd198a18d3p-33,
};

/* cos x = 1 - x**2 / 2 + x**4 (t[0] + t[1] x**2 + ...) on |x| <= pi/4 */
static const double cos_terms[6] = {
    0x1.555555555554bp-5,
    -0x1.6c16c16c14f91p-10,
    0x1.a01a019c844e5p-16,
    -0x1.27e4f7eac3d1fp-22,
    0x1.1ee9d7b42bd68p-29,
    -0x1.8fa4999e4be85p-37,
};

/* atan x = x + x**3 (t[0] + t[1] x**2 + ...) on |x| <= 3/32 */
static const double atan_terms[6] = {
    -0x1.5555555555551p-2,
    0x1.9999999994c80p-3,
    -0x1.24924916b1003p-3,
    0x1.c71c4cff0f0aap-4,
    -0x1.74446d0139acep-4,
    0x1.32eb23ce73118p-4,
};

/* Angles to start from, high and low part: atan(i/8), pi/2 - atan(i/8),
 * pi - atan(i/8), pi/2 + atan(i/8). */
static const double atan_start[4][9][2] = {
    {
        {0x0.0p+0, 0x0.0p+0},
        {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
        {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
        {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
        {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
        {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
        {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
        {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
        {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
    },
    {
        {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
        {0x1.7249faa996a21p+0, 0x1.a8cc1e7480c68p-54},
        {0x1.5368c951e9cfdp+0, -0x1.96f47948a99f1p-54},
        {0x1.3647503caf55cp+0, 0x1.17e21d9a42c9ap-55},
        {0x1.1b6e192ebbe44p+0, 0x1.b1b466a88828ep-54},
        {0x1.031f57e54adbep+0, 0x1.338b4259c0270p-54},
        {0x1.dac670561bb4fp-1, 0x1.a2b7f222f65e2p-55},
        {0x1.b434ee31013fdp-1, -0x1.0520d0701d877p-55},
        {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
    },
    {
        {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53},
        {0x1.8234d7f6ecb9dp+1, -0x1.3cd17e5a39792p-54},
        {0x1.72c43f4b1650ap+1, 0x1.c1b6f4f44e10bp-53},
        {0x1.643382c07913ap+1, 0x1.a65371fe67254p-54},
        {0x1.56c6e7397f5aep+1, 0x1.660b64ece6f4bp-53},
        {0x1.4a9f8694c6d6bp+1, 0x1.26f6d2c582f3bp-53},
        {0x1.3fc176b7a8560p+1, -0x1.441a3bd3f1083p-58},
        {0x1.361d162e61b8bp+1, 0x1.4be8fd7c9b7e6p-53},
        {0x1.2d97c7f3321d2p+1, 0x1.a79394c9e8a0ap-54},
    },
    {
        {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
        {0x1.b1f56fdeef00fp+0, 0x1.17f14fdc1574cp-55},
        {0x1.d0d6a1369bd34p+0, -0x1.a23602a65700cp-57},
        {0x1.edf81a4bd64d4p+0, 0x1.a8d3b7956a1c1p-54},
        {0x1.0468a8ace4df6p+1, 0x1.0620bf7406affp-55},
        {0x1.109009519d639p+1, 0x1.01398408cb59ep-54},
        {0x1.1b6e192ebbe44p+1, 0x1.b1b466a88828ep-53},
        {0x1.251279b802819p+1, 0x1.6eaa5d3534893p-55},
        {0x1.2d97c7f3321d2p+1, 0x1.a79394c9e8a0ap-54},
    },
};

#endif
