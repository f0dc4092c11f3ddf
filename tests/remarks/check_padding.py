#!/usr/bin/env python3
"""W0913 (padding older than the part) is said exactly where results depend on the partition argument.

    check_padding.py HP5C

Stencils with several stages or rounds in one visit of a padded Space, and paddings of several depths: each program runs in the interpreter with
several partition arguments. Where all give the same bits there must be no warning, else there must be one.
"""
import os
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import arrays

PROGRAM = """Program (args) {
    job = new TaskEnvironment(name: "T")
    bind_input(job, "u", args.u)
    bind_input(job, "v", args.v)
    execute(task: "T"; environment: job; partition: args.k)
    bind_output(job, "u", args.u_end)
    bind_output(job, "v", args.v_end)
}
Task "T":
    Define:
        u, v: 1d Array of Real double-precision
    Environment:
        u, v: link
    Stages:
        %(stages)s
    Computation:
        Repeat for r in [1...3] { %(visits)s }
    Partition (k):
        Space A <1d> { u, v: block_size(k) padding(%(padding)s) }
"""
BOTH = "and i > u.local.dimension1.range.min and i < u.local.dimension1.range.max"
MIN, MAX = "and i > u.local.dimension1.range.min", "and i < u.local.dimension1.range.max"


def stage(name, target, source, value, guard):
    return f"{name}({target}, {source}) {{ do {{ {value} }} for i in {target} {guard} }}\n        "


CENTRED = (stage("one", "v", "u", "v[i] = v[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1])", BOTH) +
           stage("two", "u", "v", "u[i] = u[i] + 0.1 * (v[i - 1] + v[i + 1])", BOTH))
STAGGERED = (stage("one", "v", "u", "v[i] = v[i] + 0.1 * (u[i + 1] - u[i])", MAX) +
             stage("two", "u", "v", "u[i] = u[i] + 0.1 * (v[i] - v[i - 1])", MIN))
NARROW = (stage("one", "v", "u", "v[i] = v[i] + 0.1 * (u[i + 1] - u[i])", BOTH) +
          stage("two", "u", "v", "u[i] = u[i] + 0.1 * (v[i] - v[i - 1])", MIN))
EPOCHS = stage("one", "u", "v", "u[i] = 0.5 * (u[i - 1] + u[i + 1]) at (current - 1)", BOTH)
CHEBYSHEV = stage("one", "u", "v", "u[i] = 0.4 * ((u[i - 1] + u[i + 1]) at (current - 1)) - 0.1 * (u[i] at (current - 2))", BOTH)
ONCE = "one(v, u) two(u, v)"
CASES = [  # stages, visits, padding
    (CENTRED, f"Space A {{ {ONCE} }}", "1"), (CENTRED, f"Space A {{ {ONCE} }}", "2"),
    (CENTRED, "Space A { one(v, u) } Space A { two(u, v) }", "1"),
    (CENTRED, f"Space A {{ Repeat for s in [1...2] {{ {ONCE} }} }}", "3"),
    (CENTRED, f"Space A {{ Repeat for s in [1...2] {{ {ONCE} }} }}", "4"),
    (STAGGERED, f"Space A {{ {ONCE} }}", "1"), (NARROW, f"Space A {{ {ONCE} }}", "1"), (NARROW, f"Space A {{ {ONCE} }}", "2"),
    (STAGGERED, f"Space A {{ Repeat for s in [1...2] {{ {ONCE} }} }}", "1"),
    (STAGGERED, f"Space A {{ Repeat for s in [1...2] {{ {ONCE} }} }}", "2"),
    (EPOCHS, "Space A { Repeat for s in [1...3] { Epoch { one(u, v) } } }", "2"),
    (EPOCHS, "Space A { Repeat for s in [1...3] { Epoch { one(u, v) } } }", "3"),
    (EPOCHS, "Space A { Epoch { one(u, v) } Epoch { one(u, v) } }", "1"), (EPOCHS, "Space A { Epoch { one(u, v) } }", "1"),
    (CHEBYSHEV, "Space A { Epoch { one(u, v) } Epoch { one(u, v) } }", "2"), (CHEBYSHEV, "Space A { Epoch { one(u, v) } Epoch { one(u, v) } }", "1"),
]


def results(hp5c, folder, k):
    command = [hp5c, "--interpret", "p.hp5", "--", "u=u.npy", "v=v.npy", f"k={k}", "u_end=ue.npy", "v_end=ve.npy"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stderr}\nin\n{open(os.path.join(folder, 'p.hp5'), encoding='utf-8').read()}")
    found = [open(os.path.join(folder, name), "rb").read() for name in ("ue.npy", "ve.npy")]
    return found, "[W0913]" in done.stderr


def main():
    hp5c, failed = os.path.abspath(sys.argv[1]), 0
    with tempfile.TemporaryDirectory() as folder:
        for name, seed in ("u", 1), ("v", 2):
            numpy.save(os.path.join(folder, name + ".npy"), arrays.generate(f"rand(40, seed={seed})"))
        for stages, visits, padding in CASES:
            with open(os.path.join(folder, "p.hp5"), "w", encoding="utf-8") as program:
                program.write(PROGRAM % {"stages": stages, "visits": visits, "padding": padding})
            runs = [results(hp5c, folder, k) for k in (40, 10, 5, 7)]
            depends, warned = any(found != runs[0][0] for found, _ in runs), runs[0][1]
            if depends != warned:
                failed += 1
                print(f"{visits} with padding({padding}): results {'depend' if depends else 'do not depend'} on k, and hp5c "
                      f"{'warns' if warned else 'says nothing'}\n{stages}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
