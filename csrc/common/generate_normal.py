"""Generates normal_table.h: the quantiles behind kw_normal_q16 in csrc/common/rng.c.

Run ``python csrc/common/generate_normal.py > csrc/common/normal_table.h`` with mpmath
installed; it takes some seconds.

A node is the point z that a standard normal variate exceeds with probability p, in
Q8.24, so that a variate in Q16.16 is rounded but once. Nodes go by ascending p: octave 0
is [2**-33, 2**-32), octave 31 is [1/4, 1/2), each in 128 equal cells; the last node is
p = 1/2, z = 0.
"""

import mpmath as mp

OCTAVES = 32
CELLS = 128
mp.mp.dps = 40


def node_probability(index: int) -> mp.mpf:
    """Return the tail probability at a node."""
    octave, cell = divmod(index, CELLS)
    return mp.ldexp(1 + mp.mpf(cell) / CELLS, octave - OCTAVES - 1)


def quantile_q24(p: mp.mpf, start: mp.mpf) -> int:
    """Return the z in Q8.24 above which a standard normal variate lies with probability p."""
    z = start
    for _ in range(60):
        # Newton on the logarithm, which is nearly a parabola far out
        tail = mp.erfc(z / mp.sqrt(2)) / 2
        step = mp.log(tail / p) * tail / mp.npdf(z)
        z += step
        if abs(step) < mp.mpf(10) ** -30:
            return int(mp.floor(mp.ldexp(z, 24) + mp.mpf(1) / 2))
    raise ArithmeticError(f"no quantile found for {p}")


def main() -> None:
    """Print the header."""
    print("/* Written by generate_normal.py; not to be edited. */")
    print("#ifndef KW_COMMON_NORMAL_TABLE_H\n#define KW_COMMON_NORMAL_TABLE_H\n")
    print("#include <stdint.h>\n")
    print(f"#define KW_NORMAL_OCTAVES {OCTAVES}\n#define KW_NORMAL_CELLS {CELLS}\n")
    print("/* Quantiles in Q8.24 at the nodes, by ascending tail probability. */")
    print("static const int32_t normal_nodes[KW_NORMAL_OCTAVES * KW_NORMAL_CELLS + 1] = {")
    nodes = []
    z = mp.mpf("6.3")
    for index in range(OCTAVES * CELLS + 1):
        nodes.append(quantile_q24(node_probability(index), z))
        z = mp.ldexp(mp.mpf(nodes[-1]), -24)
    for first in range(0, len(nodes), 9):
        print("    " + " ".join(f"{node}," for node in nodes[first : first + 9]))
    print("};\n\n#endif")


if __name__ == "__main__":
    main()
