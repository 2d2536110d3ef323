"""Generates math_tables.h: the constants behind csrc/common/math.c.

Run ``python csrc/common/generate_math.py > csrc/common/math_tables.h`` with mpmath
installed; it takes some seconds. Polynomials are minimax in *relative* error of the
function they serve, found by Remez exchange (E. Remez 1934; see J.-M. Muller,
Elementary Functions, 3rd ed., ch. 3) at 60 digits and then rounded to doubles. The
parts of pi/2 follow Cody and Waite (1980): the leading ones have 33 bits, so that
their products with integers below 2**20 are exact.
"""

from collections.abc import Callable

import mpmath as mp

mp.mp.dps = 60
Function = Callable[[mp.mpf], mp.mpf]


def hexadecimal(value: mp.mpf) -> str:
    """Return the nearest double as a C hexadecimal constant."""
    return float(value).hex()


def equations(function: Function, weight: Function, points: list[mp.mpf], count: int) -> mp.matrix:
    """Solve for coefficients whose weighted errors alternate over the points."""
    rows = mp.matrix(count + 1, count + 1)
    right = mp.matrix(count + 1, 1)
    for i, z in enumerate(points):
        for j in range(count):
            rows[i, j] = z**j
        rows[i, count] = (-1) ** i / weight(z)
        right[i] = function(z)
    return mp.lu_solve(rows, right)


def extrema(error: Function, low: mp.mpf, high: mp.mpf, count: int) -> list[mp.mpf]:
    """Return one point of greatest error between neighbouring changes of its sign."""
    # Chebyshev spacing puts as many samples near the ends as the error has there
    n = 200 * count
    grid = [low + (high - low) * (1 - mp.cos(mp.pi * i / n)) / 2 for i in range(n + 1)]
    best: list[tuple[mp.mpf, mp.mpf]] = []
    for z in grid:
        value = error(z)
        if best and value * best[-1][1] > 0:
            if abs(value) > abs(best[-1][1]):
                best[-1] = (z, value)
        elif value != 0:
            best.append((z, value))
    return [z for z, _ in best]


def minimax(function: Function, weight: Function, high: mp.mpf, count: int) -> list[mp.mpf]:
    """Return `count` coefficients of the polynomial nearest to `function` on (0, high]."""
    low = high / 10**6
    nodes = [mp.cos(mp.pi * i / count) for i in range(count + 1)]
    points = [low + (high - low) * (1 - node) / 2 for node in nodes]
    for _ in range(12):
        solution = equations(function, weight, points, count)
        coefficients = [solution[j] for j in range(count)]

        def error(z: mp.mpf, c: list[mp.mpf] = coefficients) -> mp.mpf:
            return weight(z) * (mp.polyval(c[::-1], z) - function(z))

        points = extrema(error, low, high, count)
        if len(points) != count + 1:
            raise ArithmeticError(f"{len(points)} extrema instead of {count + 1}")
    return coefficients


def sine(z: mp.mpf) -> mp.mpf:
    """Return (sin x / x - 1) / x**2 at z = x**2."""
    x = mp.sqrt(z)
    return (mp.sin(x) / x - 1) / z


def cosine(z: mp.mpf) -> mp.mpf:
    """Return (cos x - 1 + x**2 / 2) / x**4 at z = x**2."""
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2


def arctangent(z: mp.mpf) -> mp.mpf:
    """Return (atan x / x - 1) / x**2 at z = x**2."""
    x = mp.sqrt(z)
    return (mp.atan(x) / x - 1) / z


def parts(value: mp.mpf, count: int) -> list[mp.mpf]:
    """Split a value into `count` parts of 33 bits and a last one of a double's."""
    out = []
    place = mp.floor(mp.log(value, 2)) - 32
    for _ in range(count):
        out.append(mp.floor(mp.ldexp(value, -int(place))) * mp.ldexp(1, int(place)))
        value -= out[-1]
        place -= 33
    return [*out, value]


def print_list(name: str, comment: str, values: list[mp.mpf]) -> None:
    """Print one constant array."""
    print(f"\n/* {comment} */\nstatic const double {name}[{len(values)}] = {{")
    for value in values:
        print(f"    {hexadecimal(value)},")
    print("};")


def print_angles() -> None:
    """Print the angle that each octant's arctangent starts from, in two parts."""
    print(
        "\n/* Angles to start from, high and low part: atan(i/8), pi/2 - atan(i/8),"
        "\n * pi - atan(i/8), pi/2 + atan(i/8). */"
    )
    print("static const double atan_start[4][9][2] = {")
    for base, sign in ((0, 1), (mp.pi / 2, -1), (mp.pi, -1), (mp.pi / 2, 1)):
        print("    {")
        for i in range(9):
            angle = base + sign * mp.atan(mp.mpf(i) / 8)
            high = float(angle)
            print(f"        {{{high.hex()}, {hexadecimal(angle - mp.mpf(high))}}},")
        print("    },")
    print("};")


def main() -> None:
    """Print the header."""
    print("/* Written by generate_math.py; not to be edited. */")
    print("#ifndef KW_COMMON_MATH_TABLES_H\n#define KW_COMMON_MATH_TABLES_H")
    quarter = (mp.pi / 4 * (1 + mp.mpf(2) ** -20)) ** 2
    print_list("half_pi", "pi/2 in parts of 33, 33, 33 and 53 bits", parts(mp.pi / 2, 3))
    print_list("degree", "pi/180 in parts of 33 and 53 bits", parts(mp.pi / 180, 1))
    print_list(
        "sin_terms",
        "sin x = x + x**3 (t[0] + t[1] x**2 + ...) on |x| <= pi/4",
        minimax(sine, lambda z: z**1.5 / mp.sin(mp.sqrt(z)), quarter, 6),
    )
    print_list(
        "cos_terms",
        "cos x = 1 - x**2 / 2 + x**4 (t[0] + t[1] x**2 + ...) on |x| <= pi/4",
        minimax(cosine, lambda z: z**2 / mp.cos(mp.sqrt(z)), quarter, 6),
    )
    print_list(
        "atan_terms",
        "atan x = x + x**3 (t[0] + t[1] x**2 + ...) on |x| <= 3/32",
        minimax(
            arctangent,
            lambda z: z**1.5 / mp.atan(mp.sqrt(z)),
            mp.mpf(9) / 1024 * (1 + mp.mpf(2) ** -20),
            6,
        ),
    )
    print_angles()
    print("\n#endif")


if __name__ == "__main__":
    main()
