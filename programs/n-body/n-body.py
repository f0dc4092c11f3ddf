#!/usr/bin/env python3
"""N-body: places and velocities against NumPy, tolerance 1e-9; says how well energy is kept."""
import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import common # noqa: E402

OUTPUTS = {"n-body": ["result"]}
CASES = [dict(n=1, steps=1, k=1), dict(n=31, steps=3, k=5), dict(n=7, steps=2, k=100), dict(n=13, steps=0, k=1)]
VECTOR = np.dtype([("x", "f8"), ("y", "f8"), ("z", "f8")])
BODY = np.dtype([("place", VECTOR), ("velocity", VECTOR), ("mass", "f8")])


def make(n=4000, steps=5, time_step=0.001, softening=0.01, k=250, seed=1):
    random, bodies = np.random.default_rng(seed), np.zeros(n, BODY)
    for axis in "xyz":
        bodies["place"][axis] = random.standard_normal(n)
        bodies["velocity"][axis] = 0.1 * random.standard_normal(n)
    bodies["mass"] = random.random(n) / n
    return {"bodies": bodies, "steps": steps, "time_step": time_step, "softening": softening, "k": k}


def columns(vectors):
    return np.stack([vectors[axis] for axis in "xyz"], axis=-1)


def blocks(place, softening):
    """For some bodies at a time, the way to all bodies and the square of its length."""
    for first in range(0, len(place), 500):
        way = place[None] - place[first : first + 500, None]
        yield slice(first, first + 500), way, np.sum(way * way, axis=-1) + softening**2


def pulls(place, mass, softening):
    return np.concatenate([np.sum((mass / (square * np.sqrt(square)))[..., None] * way, axis=1)
                           for _, way, square in blocks(place, softening)])


def energy(place, velocity, mass, softening):
    pairs = sum(np.sum(mass[some, None] * mass / np.sqrt(square)) for some, _, square in blocks(place, softening))
    return np.sum(mass[:, None] * velocity**2) / 2 - (pairs - np.sum(mass**2) / softening) / 2


def states(bodies, steps, time_step, softening, **others):
    place, velocity, mass = columns(bodies["place"]), columns(bodies["velocity"]), bodies["mass"]
    for _ in range(steps):
        velocity = velocity + time_step / 2 * pulls(place, mass, softening)
        place = place + time_step * velocity
        velocity = velocity + time_step / 2 * pulls(place, mass, softening)
        yield [place, velocity]


def check(bodies, result, softening, **others):
    place, velocity, mass = columns(bodies["place"]), columns(bodies["velocity"]), bodies["mass"]
    before = energy(place, velocity, mass, softening)
    for place, velocity in states(bodies, softening=softening, **others):
        pass
    errors = [common.close(f"result.{name}", columns(result[name]), expected, 1e-9)
              for name, expected in (("place", place), ("velocity", velocity))]
    common.same("result.mass", result["mass"], mass)
    after = energy(columns(result["place"]), columns(result["velocity"]), mass, softening)
    return f"bodies agree with NumPy's to {max(errors):.1e}; energy {before:.6g} became {after:.6g}"


common.main(globals())
