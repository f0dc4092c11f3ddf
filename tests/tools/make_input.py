#!/usr/bin/env python3
"""Makes .npy inputs and compares outputs.

    make_input.py plate.npy 'plate(1000, 1000)'     a plate for the heat stencil
    make_input.py a.npy 'rand(512, 512, seed=1)'    a random matrix
    make_input.py --compare a.npy b.npy             equal bit by bit? and the largest difference
    make_input.py --compare a.npy b.npy --tolerance 1e-9
    make_input.py --show a.npy                      type, shape, range and corners
    make_input.py --picture a.npy a.pgm             a 2-d array as a grey picture
    make_input.py --sparse m.mtx FOLDER             a MatrixMarket file as values.npy, columns.npy and ends.npy
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np

import arrays
import market


def load(path):
    try:
        return np.load(path)
    except (OSError, ValueError, EOFError) as error:
        raise arrays.Problem(f"cannot read '{path}': {error}")


def compare(first, second, tolerance):
    a, b = load(first), load(second)
    reason = arrays.difference(a, b)
    if reason is None:
        print(f"equal bit by bit: {a.dtype} {a.shape}")
        return 0
    print(f"different: {reason}")
    if a.shape != b.shape or a.dtype.names or b.dtype.names:
        return 1
    largest = float(np.max(np.abs(a.astype(float) - b.astype(float)), initial=0.0))
    scale = float(np.max(np.abs(a.astype(float)), initial=0.0))
    print(f"largest difference {largest:.3g}, relative to the largest element {largest / scale if scale else largest:.3g}")
    return 0 if tolerance is not None and largest <= tolerance else 1


def show(path):
    a = load(path)
    print(f"{path}: {a.dtype}, shape {a.shape}")
    if a.size and not a.dtype.names:
        print(f"smallest {a.min()}, largest {a.max()}, mean {a.mean()}")
    print(a)
    return 0


def picture(path, target):
    a = load(path)
    if a.ndim != 2 or a.dtype.names:
        raise arrays.Problem(f"'{path}' is not a 2-d array of numbers")
    low, high = float(a.min(initial=0)), float(a.max(initial=0))
    grey = ((a - low) * (255.0 / (high - low) if high > low else 0)).astype(np.uint8)
    with open(target, "wb") as out:
        out.write(b"P5\n%d %d\n255\n" % (a.shape[1], a.shape[0]) + grey.tobytes())
    print(f"{target}: {a.shape[1]} x {a.shape[0]} pixels, black is {low:g}, white is {high:g}")
    return 0


def sparse(path, folder):
    for name, array in market.read(path).items():
        np.save(os.path.join(folder, f"{name}.npy"), array)
        print(f"{os.path.join(folder, name)}.npy: {array.dtype} {array.shape}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__ + "\n" + arrays.__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", nargs=2, metavar=("A", "B"))
    parser.add_argument("--tolerance", type=float, help="with --compare: the largest difference that is accepted")
    parser.add_argument("--show", metavar="FILE")
    parser.add_argument("--picture", nargs=2, metavar=("FILE", "PICTURE.pgm"))
    parser.add_argument("--sparse", nargs=2, metavar=("FILE.mtx", "FOLDER"))
    parser.add_argument("output", nargs="?", help="the .npy file to make")
    parser.add_argument("generator", nargs="?", help="what it holds")
    options = parser.parse_args()
    if options.compare:
        return compare(*options.compare, options.tolerance)
    if options.show:
        return show(options.show)
    if options.picture:
        return picture(*options.picture)
    if options.sparse:
        return sparse(*options.sparse)
    if not options.output or not options.generator:
        parser.error("give a file to make and what it holds, or --compare, --show, --picture or --sparse")
    array = arrays.generate(options.generator)
    np.save(options.output, array)
    print(f"{options.output}: {array.dtype} {array.shape}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (arrays.Problem, OSError) as error:
        sys.exit(f"make_input.py: {error}")
