"""Inputs of the kernels that a reviewer wrote (functions of small arrays, searches, relaxations, factorisations in place), and of loops in sequence over rows."""
import itertools

import numpy as np


def arrays(shape, **fields):
    """Records of arrays."""
    rows = np.zeros(shape, [(name, field.dtype, field.shape[len(shape):]) for name, field in fields.items()])
    for name, field in fields.items():
        rows[name] = field
    return rows


def cross_sections(draw, n):
    nuclides, points, materials = (61, 2001, 12) if n > 1000 else (7, 13, 5)
    energy = np.sort(draw.random((nuclides, points)), 1)
    energy[:, 0], energy[:, -1] = 0, 1
    others = {name: draw.random((nuclides, points)) for name in ("total", "elastic", "absorbed", "fission", "released")}
    many = draw.integers(1, min(nuclides, 20) + 1, materials)
    chosen = np.concatenate([draw.choice(nuclides, count, replace=False) for count in many])
    return {"grid": arrays((nuclides, points), energy=energy, **others), "starts": np.concatenate(([0], np.cumsum(many))), "nuclides": chosen,
            "densities": draw.random(len(chosen)), "lookups": n, "k": -(-n // 8)}


def three_body(draw, n):
    return {"states": arrays((n,), at=2 * draw.normal(size=(n, 3, 2)), speed=0.2 * draw.normal(size=(n, 3, 2))), "masses": arrays((n,), at=draw.random((n, 3))),
            "dt": 1e-3, "steps": 200 if n > 100 else 5, "k": -(-n // 8)}


def block_tridiagonal(draw, n):
    places = 65 if n > 100 else 13
    lower, middle, upper = draw.random((3, n, places, 3, 3))
    return {"lower": arrays((n, places), at=lower), "middle": arrays((n, places), at=middle + 8 * np.eye(3)), "upper": arrays((n, places), at=upper),
            "x": arrays((n, places), at=draw.random((n, places, 3))), "k": -(-n // 8)}


def hermite(draw, n):
    return {"bodies": arrays((n,), mass=np.full(n, 1 / n), at=draw.normal(size=(n, 3)), speed=0.3 * draw.normal(size=(n, 3))), "dt": 0.01, "eps": 0.05,
            "steps": 8 if n > 100 else 3, "k": -(-n // 8)}


def projected_sor(draw, n):
    nodes, steps = (151, 50) if n > 20 else (31, 5)
    return {"options": arrays((n,), strike=draw.uniform(50, 150, n), rate=draw.uniform(0.01, 0.08, n), volatility=draw.uniform(0.1, 0.4, n), years=draw.uniform(0.3, 2, n)),
            "nodes": nodes, "steps": steps, "omega": 1.2, "tolerance": 1e-6, "k": -(-n // 8)}


def limiter(draw, n):
    return {"q": draw.random((n, n - 3, n + 32), np.float32), "cx": 0.3, "cy": -0.2, "cz": 0.25, "rounds": 10 if n > 60 else 3, "k": -(-n // 4)}


def embarrassingly_parallel(draw, n):
    return {"blocks": n, "pairs": 50_001 if n > 100 else 101, "k": -(-n // 8)}


def seam_carving(draw, n):
    return {"image": draw.random((n, n + n // 2), np.float32), "seams": 40 if n > 100 else 9}


def particle_boxes(draw, n):
    side = 4
    ways = np.array(list(itertools.product((-1, 0, 1), repeat=3)))
    place = np.array(list(itertools.product(range(side), repeat=3)))[:, None] + ways
    inside = ((place >= 0) & (place < side)).all(2)
    return {"particles": arrays((side ** 3, n), **{name: draw.random((side ** 3, n)) for name in "vxyzq"}),
            "neighbours": np.where(inside, place @ [side * side, side, 1], -1).astype(np.int32), "alpha": 0.5, "k": side ** 3 // 4}


def speckle(draw, n):
    return {"image": np.exp(draw.random((n, n + 7), np.float32)), "rounds": 30 if n > 60 else 3, "lambda": 0.5, "k": -(-n // 8)}


def winograd(draw, n):
    size = 98 if n > 20 else 12
    return {"x": draw.random((n - 2, size, size + 6), np.float32), "w": draw.random((n, n - 2, 3, 3), np.float32), "k": -(-n // 4)}


def finite_elements(draw, n):
    """n cubes a side of six tetrahedra each, whose corners have moved a little."""
    side = n + 1
    number = lambda place: (place[..., 0] * side + place[..., 1]) * side + place[..., 2]
    place = np.stack(np.indices((side, side, side)), -1).reshape(-1, 3)
    cube = np.stack(np.indices((n, n, n)), -1).reshape(-1, 3)
    unit = np.eye(3, dtype=int)
    corners = np.stack([np.stack([number(cube + unit[list(axes[:count])].sum(0)) for count in range(4)], 1) for axes in itertools.permutations(range(3))], 1).reshape(-1, 4)
    moved = place + draw.uniform(-0.1, 0.1, place.shape)
    flat = corners.ravel()
    return {"nodes": arrays((len(place),), x=moved[:, 0], y=moved[:, 1], z=moved[:, 2]), "corners": corners.astype(np.int32),
            "starts": np.concatenate(([0], np.cumsum(np.bincount(flat, minlength=len(place))))), "uses": np.argsort(flat, kind="stable"), "u": draw.random(len(place)),
            "conductivity": 2.5, "rounds": 20 if n > 10 else 3, "k": -(-len(corners) // 8), "l": -(-len(place) // 5)}


def demosaic(draw, n):
    return {"raw": draw.integers(0, 4096, (n, n + n // 3), np.int32), "red_gain": 400, "blue_gain": 333, "k": -(-n // 8)}


def ldlt(draw, n):
    a = draw.random((n, n))
    return {"a": a + a.T + 2 * n * np.eye(n), "k": 8}


def triangular_inverse(draw, n):
    return {"a": np.tril(draw.random((n, n))) / n + np.eye(n)}


def band_cholesky(draw, n):
    places, width = (1001, 32) if n > 20 else (31, 5)
    band = draw.random((n, places, width + 1)) - 0.5
    band[..., 0] += width + 1
    return {"band": band, "x": draw.random((n, places)), "p": 4}


def small_least_squares(draw, n):
    return {"problems": arrays((n,), a=draw.normal(size=(n, 6, 4)), b=draw.normal(size=(n, 6))), "k": -(-n // 8)}


def automaton(draw, n):
    return {"lines": draw.integers(0, 2, (n, 20_001 if n > 100 else 101), np.int32), "word": draw.integers(0, 2, 7 if n > 100 else 4, np.int32), "k": -(-n // 8)}


def magnetic_resonance(draw, n):
    """Angles whose sines and cosines do not cancel in sums."""
    samples = 2048 if n > 1000 else n
    single = lambda low, high, count: draw.uniform(low, high, count).astype(np.float32)
    return {"phi_r": single(0, 1, samples), "phi_i": single(0, 1, samples),
            "samples": arrays((samples,), **{name: single(0.01, 0.03, samples) for name in ("kx", "ky", "kz")}, mag=single(0, 1, samples)),
            "x": single(1, 3.5, n), "y": single(1, 3.5, n), "z": single(1, 3.5, n), "k": -(-n // 8)}


def harris(draw, n):
    """Grey values so small that smoothed products are exact in single precision."""
    return {"image": draw.integers(0, 64, (n, n + n // 3), np.int32), "kappa": 0.05, "share": 0.2, "k": -(-n // 8)}


def triangular_solve_rows(draw, n):
    return {"a": np.tril(draw.random((n, n))) / n + np.eye(n), "b": draw.random((n, n + 7))}


def triangular_product_in_place(draw, n):
    return {"a": np.triu(draw.random((n, n))) / n, "b": draw.random((n, n + 7))}


def lu_in_place(draw, n):
    return {"a": draw.random((n, n)) + n * np.eye(n)}


def cholesky_in_place(draw, n):
    a = draw.random((n, n))
    return {"a": a + a.T + 2 * n * np.eye(n)}


def lu_by_rows(draw, n):
    return lu_in_place(draw, n)


def cholesky_with_sums(draw, n):
    return cholesky_in_place(draw, n)
