"""Polynomials of least error (Remez), with mpmath. Used by coefficients.py.

remez(f, low, high, degree, weight): the polynomial p of that degree for which the largest
|p - f| * weight on [low, high] is least; returns its coefficients (mpf, from the constant up) and that error."""
from mpmath import chop, cos, lu_solve, matrix, mp, mpf, pi

mp.prec = 240


def value(coefficients, x):
    result = mpf(0)
    for c in reversed(coefficients):
        result = result * x + c
    return result


def extrema(error, low, high, count):
    """Where |error| is largest between its changes of sign, `count` places in order."""
    grid = [low + (high - low) * (1 - cos(pi * i / (40 * count))) / 2 for i in range(40 * count + 1)]
    values = [error(x) for x in grid]
    places, best = [], 0
    for i in range(1, len(grid)):
        if values[i] * values[best] < 0:
            places.append(best)
            best = i
        elif abs(values[i]) > abs(values[best]):
            best = i
    places.append(best)
    while len(places) > count:
        places.pop(0 if abs(values[places[0]]) < abs(values[places[-1]]) else -1)
    return [grid[i] for i in places], max(abs(v) for v in values)


def remez(f, low, high, degree, weight=lambda x: mpf(1)):
    low, high, count = mpf(low), mpf(high), degree + 2
    least = max(abs(weight(low)), abs(weight(high))) / 64  # where the weight vanishes any error would do
    given = weight
    weight = lambda x: max(abs(given(x)), least)  # noqa: E731
    points = [low + (high - low) * (1 - cos(pi * (i + mpf(1) / 2) / count)) / 2 for i in range(count)]
    cache = {}

    def exact(x):
        if x not in cache:
            cache[x] = f(x)
        return cache[x]

    for _ in range(6):
        rows, right = [], []
        for i, x in enumerate(points):
            rows.append([x ** k for k in range(degree + 1)] + [mpf(-1) ** i / weight(x)])
            right.append(exact(x))
        solution = lu_solve(matrix(rows), matrix(right))
        coefficients = [chop(solution[k], 0) for k in range(degree + 1)]
        found, largest = extrema(lambda x: (value(coefficients, x) - exact(x)) * weight(x), low, high, count)
        if len(found) < count:
            return coefficients, largest
        done = largest <= abs(solution[degree + 1]) * mpf("1.02")
        points = found
        if done:
            break
    return coefficients, largest
