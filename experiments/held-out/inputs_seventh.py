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
