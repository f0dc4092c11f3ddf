"""Writes runtime/math/coefficients.h and tables.h: the polynomials, constants and tables of the mathematical functions.

    python3 experiments/math/coefficients.py > runtime/math/coefficients.h
    python3 experiments/math/coefficients.py tables > runtime/math/tables.h

needs mpmath (Debian: python3-mpmath). Each polynomial has the least error on its range (remez.py), its
coefficients rounded to double; the comment says the error as a power of two. Names ending in _H and _L are the two
halves of a constant of about 106 bits."""
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mpmath import (asin, atan, atanh, cos, erf, erfc, exp, floor, gamma, log, loggamma, mp, mpf, nint, pi, psi, sin, sqrt,  # noqa: E402
                    taylor, bernoulli)
from remez import remez  # noqa: E402

TINY = mpf(2) ** -40


def double(x):
    """The nearest double, as mpf."""
    keep = mp.prec
    mp.prec = 53
    rounded = +x
    mp.prec = keep
    return rounded


def text(x):
    return float.hex(float(x)).replace("0x1.0000000000000p", "0x1p")


def define(name, x):
    print(f"#define HP5_{name} {text(double(mpf(x)))}")


def define_two(name, x):
    high = double(mpf(x))
    define(name + "_H", high)
    define(name + "_L", mpf(x) - high)


def polynomial(name, f, low, high, degree, weight, two=0):
    """The first `two` coefficients are of double length."""
    coefficients, error = remez(f, low, high, degree, weight)
    print(f"/* {name}: 2^{float(log(error, 2)):.1f} */")
    for k, c in enumerate(coefficients):
        (define_two if k < two else define)(f"{name}_{k}", c)


def odd_part(f, lead):
    """g of f(s) = s (lead + z g(z)), z = s s."""
    keep = {}

    def g(z):
        if z < TINY:
            if not keep:
                terms = taylor(f, 0, 9)
                keep.update(enumerate(terms[3::2]))
            return sum(c * z ** k for k, c in keep.items())
        s = sqrt(z)
        return (f(s) / s - lead) / z
    return g


STEPS = 128  # rows of the tables


def table(name, values):
    """Rows of four; a value is a double or, as text, its bits."""
    words = [v if isinstance(v, str) else text(double(v)) for v in values]
    print(f"#define HP5_{name} {{\\")
    for row in range(0, len(words), 4):
        print("    " + ", ".join(words[row:row + 4]) + (",\\" if row + 4 < len(words) else "}"))


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", float(x)))[0]


def value_of(word):
    return mpf(struct.unpack("<d", struct.pack("<Q", word))[0])


def exponential_table():
    """2^(j / 128) in one word each (runtime/math/exp.h says how it is read): the lower 52 bits are those of a double above it,
    less what the row's number adds there; the upper 12 begin a number from 1 to 2, by which many parts in 2^52 it is above."""
    bias = (1023 << 7) - 16
    rows = [None] * STEPS
    for j in range(STEPS):
        power = mpf(2) ** (mpf(j) / STEPS)
        above = bits(power)
        while 1 - power / value_of(above) < mpf(2) ** -52:
            above += 1
        lacks = 1 - power / value_of(above)
        low = above - (j << 45) - (bias << 45)
        assert 0 <= low < 1 << 52 and 1 <= lacks * 2 ** 52 < 2
        tail = (lacks * 2 ** 52 - 1) * 2 ** 12 - mpf(low) / 2 ** 52
        rows[(j + bias) % STEPS] = f"0x{int(nint(min(max(tail, 0), 4095))) << 52 | low:016X}"
    table("EXP_POWERS", rows)
    define("EXP_BIAS", bias)
    ln2 = log(mpf(2))
    half = ln2 / (2 * STEPS) * mpf("1.001")

    def rest(r, known):
        return sum(r ** k / mp.factorial(k + known) for k in range(16))
    polynomial("EXP_NEAR", lambda r: rest(r, 2), -half, half, 3, lambda r: r ** 2)
    define("EXP_STEPS", STEPS / ln2)
    define_two("EXP_STEP", ln2 / STEPS)


def exponentials():
    half = log(mpf(2)) / 2 * mpf("1.001")

    def g(r):
        if abs(r) < mpf("0.01"):
            return sum(r ** k / mp.factorial(k + 3) for k in range(16))
        return (exp(r) - 1 - r - r * r / 2) / r ** 3
    polynomial("EXP", g, -half, half, 8, lambda r: r ** 3)
    polynomial("EXPF", exp, -half, half, 7, lambda r: exp(-r))
    ln2 = log(mpf(2))
    define("LOG2E", 1 / ln2)
    high = floor(ln2 * mpf(2) ** 42) / mpf(2) ** 42  # times any exponent it is exact
    define("LN2_EXACT", high)
    define("LN2_REST", ln2 - high)
    define_two("LN2", ln2)
    define_two("INV_LN2", 1 / ln2)
    define_two("INV_LN10", 1 / log(mpf(10)))
    high = floor(log(mpf(2), 10) * mpf(2) ** 42) / mpf(2) ** 42
    define("LOG10_2_EXACT", high)
    define("LOG10_2_REST", log(mpf(2), 10) - high)


def logarithms():
    root = sqrt(mpf(2))
    top = ((root - 1) / (root + 1)) ** 2 * mpf("1.01")
    g = odd_part(lambda s: 2 * atanh(s), 2)
    polynomial("LOG", g, 0, top, 6, lambda z: z / 2)
    polynomial("LOG_LINE", lambda f: 1 / (2 + f), 1 / root - 1, root - 1, 1, lambda f: 2 + f)
    polynomial("LOGF", g, 0, top, 3, lambda z: z / 2)
    polynomial("POWF", g, 0, top, 4, lambda z: z / 2)


def near_log(r):
    """(log(1 + r) - r + r^2 / 2) / r^3"""
    return (mp.log1p(r) - r + r * r / 2) / r ** 3 if abs(r) > mpf(2) ** -20 else sum((-r) ** k / (k + 3) for k in range(8))


def logarithm_table():
    """Numbers from 0.708 to 1.417 in 128 ranges of equal steps of their bits, beginning at LOG_LEAST; 1 lies in the middle of one. For
    each an inverse q of few bits, so that q z - 1 is a double and small, and -log q in two parts: the first word is a multiple of
    2^-42, the second one the rest, in whose lower 20 bits, which do not matter, stand the upper 20 bits of q."""
    least = 0x3FE6AAAB00000000
    words, most, one = [], mpf(0), 0
    for row in range(STEPS):
        first, end = (value_of(least + ((row + k) << 45)) for k in (0, 1))
        if first <= 1 < end:
            inverse, one = mpf(1), row
        else:
            size = 256 if first > 1 else 128  # q z - 1 is a multiple of 2^-60
            inverse = nint(size * 2 / (first + end)) / size
        far = max(abs(first * inverse - 1), abs(end * inverse - 1))
        most = max(most, far)
        logarithm = -log(inverse)
        high = nint(logarithm * mpf(2) ** 42)
        assert far < mpf(1) / 128 and (inverse == 1 or abs(logarithm) > far * (1 + far)) and bits(inverse) % (1 << 44) == 0
        high /= mpf(2) ** 42
        rest = logarithm - high if inverse != 1 else mpf(2) ** -200  # no subnormal number
        word = min(((bits(rest) >> 20) + k << 20 | bits(inverse) >> 44 for k in (-1, 0, 1)), key=lambda w: abs(value_of(w) - rest))
        assert abs(value_of(word) - rest) < mpf(2) ** -75
        words += [f"0x{bits(high):016X}", f"0x{word:016X}"]
    assert one == (bits(1) - least) >> 45
    print(f"#define HP5_LOG_LEAST 0x{least:016X}")
    table("LOG_ROWS", words)
    polynomial("LOG_NEAR", near_log, -most, most, 5, lambda r: r ** 2)


def circles():
    top = (pi / 4) ** 2 * mpf("1.001")
    polynomial("SIN", odd_part(sin, 1), 0, top, 6, lambda z: z)

    def g(z):
        return sum((-1) ** k * z ** k / mp.factorial(2 * k + 4) for k in range(8)) if z < mpf("0.01") else (cos(sqrt(z)) - 1 + z / 2) / z ** 2
    polynomial("COS", g, 0, top, 5, lambda z: z * z)
    polynomial("ATAN", odd_part(atan, 1), 0, mpf("0.0626"), 8, lambda z: z)
    polynomial("ASIN", odd_part(asin, 1), 0, mpf("0.2501"), 12, lambda z: z)
    define_two("PIO2", pi / 2)
    define_two("PI", pi)
    define_two("PIO4", pi / 4)
    define_two("ATAN_HALF", atan(mpf(1) / 2))


def others():
    polynomial("CBRT", lambda w: w ** (-mpf(1) / 3), 1, 8, 4, lambda w: w ** (mpf(1) / 3))
    define("THIRD", mpf(1) / 3)
    define("TWO_NINTHS", mpf(2) / 9)
    lead = 2 / sqrt(pi)
    define_two("ERF", lead)

    def small(z):
        if z < mpf("0.001"):
            return sum(lead * (-1) ** k * z ** (k - 1) / (mp.factorial(k) * (2 * k + 1)) for k in range(1, 14))
        return (erf(sqrt(z)) / sqrt(z) - lead) / z
    polynomial("ERF", small, 0, mpf("0.2501"), 8, lambda z: z)

    def scaled(t):
        x = 4 * (1 + t) / (1 - t)
        return exp(x * x) * erfc(x) * (1 + 2 * x)
    polynomial("ERFC", scaled, (mpf("0.499") - 4) / mpf("4.499"), mpf(24) / 32, 22, lambda t: 1 / scaled(t), two=3)


def gammas():
    half = mpf(1) / 2
    polynomial("GAMMA", lambda t: gamma(mpf("1.5") + t), -half, half, 24, lambda t: mpf(1), two=3)

    def quotient(t):
        near = [e for e in (-half, half) if abs(t - e) < TINY]
        if near:
            e = near[0]
            return psi(0, mpf("1.5") + e) / (2 * e)
        return loggamma(mpf("1.5") + t) / (t * t - mpf(1) / 4)
    polynomial("LGAMMA", quotient, -half, half, 24, lambda t: 1 / quotient(t), two=3)
    for k in range(1, 11):
        define(f"STIRLING_{k}", bernoulli(2 * k) / (2 * k * (2 * k - 1)))
    define_two("HALF_LOG_2PI", log(2 * pi) / 2)
    define_two("LOG_PI", log(pi))


def log_size(x):
    """log |gamma(x)|"""
    return log(abs(gamma(x)))


def gamma_zeros():
    """Where log |gamma| is 0 between -n - 1 and -n: next to -n, next to -n - 1; and its Taylor series there."""
    print("/* by 2 (n - 2), n = -floor(x) - 1, and 1 more for the zero next to -n - 1: the zero (3 parts), the first factor (2), the others */")
    print("#define HP5_LGAMMA_ZEROS {\\")
    for n in range(2, 19):
        for side in (0, 1):
            low, high = (mpf(10) ** -40, mpf(1) / 2) if side == 0 else (mpf(1) / 2, 1 - mpf(10) ** -40)
            if n == 2:  # the least value lies at -2.6107
                low, high = (low, mpf("0.6107")) if side == 0 else (mpf("0.6107"), high)
            for _ in range(220):
                middle = (low + high) / 2
                if (log_size(-n - middle) > 0) == (side == 0):
                    low = middle
                else:
                    high = middle
            zero = -n - low
            # d/dx log|gamma| = psi; the series of psi at the zero
            terms = [psi(k, zero) / mp.factorial(k + 1) for k in range(14)]
            words = []
            for x, parts in ((zero, 3), (terms[0], 2)):
                for _ in range(parts):
                    words.append(text(double(x)))
                    x -= double(x)
            words += [text(double(x)) for x in terms[1:]]
            last = n == 18 and side == 1
            print("    {" + ", ".join(words[:8]) + ",\\\n     " + ", ".join(words[8:]) + ("}}" if last else "},\\"))


def two_over_pi():
    """2^(16 (row - 67)) 2 / pi modulo 64 in four parts, by (exponent + 1) / 16 of the argument. Where sin x = x it is 0, and
    NaN in the last row, which infinities have."""
    mp.prec = 1400
    rows = []
    for row in range(128):
        x = mpf(2) ** (16 * (row - 67)) * 2 / pi if row >= 60 else mpf(0)
        x -= 64 * nint(x / 64)
        rows.append([])
        for _ in range(4):
            rows[-1].append(double(x))
            x -= rows[-1][-1]
    mp.prec = 240
    for part in range(4):
        print(f"#define HP5_TWO_OVER_PI_{part} {{\\")
        for row in range(0, 128, 4):
            print("    " + ", ".join(text(rows[row + k][part]) for k in range(4)) + ",\\")
        print("    HP5_MATH_NAN}")


def two_over_pi_single():
    """2 / pi modulo 4 of the last bit of single-precision numbers, in two parts, by bits 3 to 7 of the exponent field that they
    have as doubles."""
    parts = ([], [])
    for row in range(32):
        x, whole = 2 / pi, mpf(2) ** (25 + 127 - 8 * ((row + 16) % 32))
        x -= whole * nint(x / whole)
        for part in parts:
            part.append(double(x))
            x -= part[-1]
    table("TWO_OVER_PI_SINGLE_0", parts[0])
    table("TWO_OVER_PI_SINGLE_1", parts[1])
    top = mpf("0.2505")
    polynomial("SINF", lambda z: sin(sqrt(z) * pi / 2) / sqrt(z) if z > TINY else pi / 2, 0, top, 4, lambda z: mpf(1))
    polynomial("COSF", lambda z: cos(sqrt(z) * pi / 2), 0, top, 4, lambda z: mpf(1))


def main():
    tables = "tables" in sys.argv[1:]
    name = "TABLES" if tables else "COEFFICIENTS"
    print(f"/* Written by experiments/math/coefficients.py: the {'tables' if tables else 'polynomials and constants'} of the mathematical functions. */")
    print(f"#ifndef HP5_RUNTIME_MATH_{name}_H\n#define HP5_RUNTIME_MATH_{name}_H")
    in_tables = (exponential_table, logarithm_table, gamma_zeros, two_over_pi, two_over_pi_single)
    for part in in_tables if tables else (exponentials, logarithms, circles, others, gammas):
        part()
    print("#endif")


main()
