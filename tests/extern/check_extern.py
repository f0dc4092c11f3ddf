#!/usr/bin/env python3
"""Extern blocks, which the reference interpreter cannot run: their results, and what is said of wrong ones.

    check_extern.py HP5C
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

PROGRAM = """Program (args) {
    env = new TaskEnvironment(name: "Roots")
    bind_input(env, "a", args.a)
    bind_input(env, "x", args.x)
    execute(task: "Roots"; environment: env; partition: args.k)
    bind_output(env, "g", args.g)
    print(env.largest)
}

Type Pair:
    first: Real double-precision
    second: Integer

Task "Roots":
    Define:
        a: 1d Array of Integer
        x, g: 1d Array of Real double-precision
        scale: Real double-precision
        largest: Real double-precision Reduction
    Environment:
        a, x: link
        g, largest: create
    Initialize:
        g.dimension = x.dimension
        scale = 2.0
    Stages:
        compute(a, g, x, scale, largest) {
            do {
                pair = new Pair(first: x[i], second: a[i])
                value = 0.0
                @Extern {
                    @Language "C"
                    @Includes { math.h, stdlib.h }
                    @Libraries { m }
                    ${
                        double root = cbrt(pair.first) * scale;
                        value = root + (double)llabs(pair.second);
                        pair.second = 1;
                    }$
                }
                g[i] = value + pair.second
                reduce(largest, "max", g[i])
            } for i in a
        }
    Computation:
        Space A { compute(a, g, x, scale, Space Root: largest) }
    Partition (k):
        Space A <1d> { a, g, x: block_size(k) }
"""


def compiled(hp5c, folder, text):
    with open(os.path.join(folder, "p.hp5"), "w", encoding="utf-8") as file:
        file.write(text)
    environment = dict(os.environ, TMPDIR=folder, LC_ALL="C.UTF-8")
    return subprocess.run([hp5c, "p.hp5", "-o", "p"], cwd=folder, capture_output=True, text=True, env=environment)


def check_results(hp5c, folder):
    done = compiled(hp5c, folder, PROGRAM)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    a, x = np.arange(-40, 57), np.random.default_rng(1).random(97)
    np.save(os.path.join(folder, "a.npy"), a)
    np.save(os.path.join(folder, "x.npy"), x)
    for threads in (1, 2, 3, 8):
        said = subprocess.run(["./p", "a=a.npy", "x=x.npy", "g=g.npy", "k=5", f"--threads={threads}"], cwd=folder, check=True,
                              capture_output=True, text=True).stdout
        g = np.load(os.path.join(folder, "g.npy"))
        assert np.allclose(g, np.cbrt(x) * 2 + np.abs(a) + 1), threads
        assert float(said) == g.max(), said


def check_messages(hp5c, folder):
    line = 1 + PROGRAM[: PROGRAM.index("double root")].count("\n")
    wrong = compiled(hp5c, folder, PROGRAM.replace("root = cbrt", "root = = cbrt"))
    assert wrong.returncode == 1 and f"p.hp5:{line}:" in wrong.stderr, wrong.stderr
    assert "if its messages above point at extern code, mend that" in wrong.stderr, wrong.stderr
    missing = compiled(hp5c, folder, PROGRAM.replace("@Libraries { m }", "@Libraries { no_such_library }"))
    assert missing.returncode == 1 and "no_such_library" in missing.stderr, missing.stderr
    assert "if it found no '-lNAME', install the library NAME or mend @Libraries" in missing.stderr, missing.stderr
    header = compiled(hp5c, folder, PROGRAM.replace("stdlib.h", "no_such_header.h"))
    line = 1 + PROGRAM[: PROGRAM.index("stdlib.h")].count("\n")
    assert header.returncode == 1 and f"p.hp5:{line}:" in header.stderr and "no_such_header.h" in header.stderr, header.stderr
    other = compiled(hp5c, folder, PROGRAM.replace('"C"', '"C++"'))
    assert other.returncode == 1 and "compiles extern blocks in C only, this one is in C++ [E1601]" in other.stderr, other.stderr


def main():
    hp5c = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        check_results(hp5c, folder)
        check_messages(hp5c, folder)


if __name__ == "__main__":
    sys.exit(main())
