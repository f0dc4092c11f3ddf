#!/usr/bin/env python3
"""Every reduction on every type, and every mathematical function in both precisions: programs made here, run by the
interpreter and compiled (also checked), for several numbers of threads and mappings, and compared with NumPy, the
standard's rules for NaN and empty ranges, and the C library.

    check_tables.py reductions|functions|chain HP5C

`chain` is a source whose types depend on each other in a long chain: the time must grow with its length alone.
"""
import ctypes
import ctypes.util
import itertools
import math
import os
import resource
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODEL = os.path.join(ROOT, "pcubes-models", "quad-8core.pcubes")
THREADS = (1, 2, 3, 8)
REALS = {"Real double-precision": np.float64, "Real single-precision": np.float32}
INTEGERS = {"Integer": np.int64, "Integer single-precision": np.int32}


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def run_everywhere(hp5c, folder, text, maps, arguments):
    """The output of the interpreter, after all others have been seen to be the same, for each list of arguments."""
    with open(os.path.join(folder, "p.hp5"), "w", encoding="utf-8") as file:
        file.write(text)
    expected = [run([hp5c, "--interpret", "p.hp5", "--", *words], folder) for words in arguments]
    builds = [(mapping, flags) for mapping in maps for flags in ([], ["--checked"])]
    for mapping, flags in builds:
        with open(os.path.join(folder, "p.map"), "w", encoding="utf-8") as file:
            file.write(mapping + "\n")
        run([hp5c, "p.hp5", "--map", "p.map", "--model", MODEL, "-o", "p", *flags], folder)
        for (words, want), threads in itertools.product(zip(arguments, expected), THREADS if not flags else (3,)):
            got = run(["./p", *words, f"--threads={threads}"], folder)
            if got != want:
                sys.exit(f"{text}\n{mapping} {flags} {threads} threads, {words}:\ninterpreter\n{want}program\n{got}")
    return expected


# ---- Reductions ----------------------------------------------------------------------------------------------------

# Operations by the type of the value; the target is of the same type, an Integer for entries.
OPERATIONS = {
    "Integer": ["sum", "product", "max", "min", "max_entry", "min_entry", "band", "bor"],
    "Integer single-precision": ["sum", "product", "max", "min", "max_entry", "min_entry", "band", "bor"],
    "Real double-precision": ["sum", "product", "max", "min", "max_entry", "min_entry"],
    "Real single-precision": ["sum", "product", "max", "min", "max_entry", "min_entry"],
    "Boolean": ["land", "lor"],
}


def reduction_program(kind):
    names = OPERATIONS[kind]
    targets = [f"t_{name}" for name in names]
    types = ["Integer" if name.endswith("_entry") else kind for name in names]
    defines = "\n".join(f"        {t}: {kind_} Reduction" for t, kind_ in zip(targets, types))
    reduces = "\n".join(f'                reduce({t}, "{name}", a[i])' for t, name in zip(targets, names))
    joined = ", ".join(targets)
    return f"""Program (args) {{
    job = new TaskEnvironment(name: "All")
    bind_input(job, "a", args.a)
    execute(task: "All"; environment: job; initialize: args.first; partition: args.k, args.l)
    print({", ".join("job." + t for t in targets)})
}}

Task "All":
    Define:
        a: 1d Array of {kind}
        first: Integer
{defines}
    Environment:
        a: link
        {joined}: create
    Initialize (first):
    Stages:
        all(a, first, {joined}) {{
            do {{
{reduces}
            }} for i in a and i >= first
        }}
    Computation:
        Space A {{ Space B {{ all(a, first, {", ".join("Space Root: " + t for t in targets)}) }} }}
    Partition (k, l):
        Space A <1d> {{ a: block_size(k) }}
        Space B <1d> divides Space A partitions {{ a: stride(l) }}
"""


def reference(kind, name, values, first):
    """What the manual says, in Python; None where rounding depends on the order."""
    chosen = values[first:]
    if kind == "Boolean":
        return bool(chosen.all()) if name == "land" else bool(chosen.any())
    integer = kind in INTEGERS
    if name.endswith("_entry"):
        if not len(chosen):
            return -1
        places = range(first, len(values))
        return max(places, key=lambda i: (order(values[i], name == "max_entry"), -i))
    if name in ("sum", "product") and integer:
        total = 0 if name == "sum" else 1
        for value in chosen:
            total = total + int(value) if name == "sum" else total * int(value)
        return total
    if name in ("band", "bor"):
        total = -1 if name == "band" else 0
        for value in chosen:
            total = total & int(value) if name == "band" else total | int(value)
        return total
    if name in ("sum", "product"):
        return np.sum(chosen, dtype=np.float64) if name == "sum" else np.prod(chosen, dtype=np.float64)
    if len(chosen) == 0:
        # a single-precision Integer holds the ends of its own range
        ends = (np.iinfo(np.int64).min, np.iinfo(np.int64).max) if kind == "Integer" else (np.iinfo(np.int32).min, np.iinfo(np.int32).max)
        return (ends[0] if name == "max" else ends[1]) if integer else (-math.inf if name == "max" else math.inf)
    return max(chosen, key=lambda value: order(value, name == "max"))


def order(value, largest):
    """How good a value is as an extremum: NaN wins, -0.0 is less than 0.0."""
    if value != value:
        return (1, 0, 0)
    sign = 1 if largest else -1
    return (0, sign * value, -sign * int(np.signbit(value)) if value == 0 else 0)


def agrees(kind, name, text, want):
    if want is None:
        return True
    if isinstance(want, bool):
        return text == str(want).lower()
    if kind in REALS and not name.endswith("_entry"):
        got = float(text)
        if name in ("max", "min"):
            same = REALS[kind](got) == want and np.signbit(got) == np.signbit(want)
            return bool(same or (want != want and got != got) or (math.isinf(want) and got == want))
        return bool(np.isclose(got, want, rtol=1e-3 if REALS[kind] == np.float32 else 1e-12, equal_nan=True))
    return int(text) == int(want)


def values_of(kind, size, seed):
    random = np.random.default_rng(seed)
    if kind == "Boolean":
        return random.random(size) < 0.9
    if kind in INTEGERS:
        values = random.integers(-9, 10, size).astype(INTEGERS[kind])
        values[size // 8:] = np.where(values[size // 8:] == 0, 1, np.sign(values[size // 8:]))  # products stay small
        return values
    values = (0.5 + random.random(size)).astype(REALS[kind])
    values[:: 7] *= -1
    return values


def check_reductions(hp5c, folder):
    maps = ['"All" { Space A: Core  Space B: Core }', '"All" { Space A: Socket  Space B: Core }']
    count = 0
    for kind in OPERATIONS:
        inputs = []
        for number, size in enumerate((1, 40, 1300)):
            inputs.append(values_of(kind, size, number))
        if kind in REALS:
            broken = values_of(kind, 50, 9)
            broken[[0, 3, 49]] = np.nan
            inputs += [broken, np.full(5, np.nan, REALS[kind]), np.array([0.0, -0.0, -0.0, 0.0], REALS[kind]),
                       np.array([np.inf, -np.inf, np.nan], REALS[kind])]
        arguments, wanted = [], []
        for number, values in enumerate(inputs):
            np.save(os.path.join(folder, f"a{number}.npy"), values)
            for first in {0, len(values) // 2, len(values)}:
                for k, l in ((7, 2), (len(values) + 1, 3)) if len(values) > 40 else ((7, 2),):
                    arguments.append([f"a=a{number}.npy", f"first={first}", f"k={k}", f"l={l}"])
                    wanted.append((values, first))
        printed = run_everywhere(hp5c, folder, reduction_program(kind), maps, arguments)
        for words, line, (values, first) in zip(arguments, printed, wanted):
            for name, text in zip(OPERATIONS[kind], line.split()):
                want = reference(kind, name, values, first)
                count += 1
                if not agrees(kind, name, text, want):
                    sys.exit(f"{name} of {kind}, {words}: {text}, expected {want}\n{values}")
    print(f"{count} results of reductions agree")


# ---- Functions -------------------------------------------------------------------------------------------------------

ONE = """sqrt cbrt exp exp2 expm1 log log2 log10 log1p logb sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh floor ceil
round trunc rint nearbyint fabs erf erfc tgamma lgamma""".split()
TWO = "pow atan2 fmod hypot fmin fmax copysign fdim remainder nextafter".split()
TESTS = {"isnan": math.isnan, "isinf": math.isinf, "isfinite": math.isfinite, "signbit": lambda x: math.copysign(1, x) < 0}
ROUNDINGS = {"lround": lambda x: math.floor(abs(x) + 0.5) * (1 if x >= 0 else -1), "lrint": round, "llround": None, "llrint": None, "Integer": math.trunc}
# Those of runtime/math differ from the C library's in the last places; tests/math compares them with exact values.
EXACT = "sqrt logb floor ceil round trunc rint nearbyint fabs fmod copysign fdim remainder nextafter".split()
POINTS = [0.0, -0.0, math.nan, 0.5, -0.5, 1.0, -1.0, 1.5, 2.0, 2.5, -2.5, 3.75, 10.0, 1e-3, 30.0, 0.1, 17.3, 5.7, 11.3]


def libm(name, kind):
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    c_type = ctypes.c_double if REALS[kind] is np.float64 else ctypes.c_float
    function = getattr(library, name if c_type is ctypes.c_double else name + "f")
    function.restype = c_type
    return lambda *x: function(*(c_type(v) for v in x))


def function_program(kind):
    """Each function on an array of points; results as an array with a row for each function."""
    rows = [f"{name}(x[i])" for name in ONE] + [f"{name}(x[i], y[i])" for name in TWO]
    body = "\n".join(f"                r[{number}][i] = {row}" for number, row in enumerate(rows))
    whole = [f"{name}(x[i])" for name in ROUNDINGS]
    integers = "\n".join(f"                if (not isnan(x[i])) {{ n[{number}][i] = {row} }}" for number, row in enumerate(whole)) # NaN fits no Integer
    flags = "\n".join(f"                f[{number}][i] = {name}(x[i])" for number, name in enumerate(TESTS))
    return f"""Program (args) {{
    job = new TaskEnvironment(name: "Functions")
    bind_input(job, "x", args.x)
    bind_input(job, "y", args.y)
    execute(task: "Functions"; environment: job; partition: args.k)
    bind_output(job, "r", args.r)
    bind_output(job, "n", args.n)
    bind_output(job, "f", args.f)
}}

Task "Functions":
    Define:
        x, y: 1d Array of {kind}
        r: 2d Array of {kind}
        n: 2d Array of Integer
        f: 2d Array of Boolean
    Environment:
        x, y: link
        r, n, f: create
    Initialize:
        r.dimension1.range = [0...{len(rows) - 1}]
        r.dimension2 = x.dimension1
        n.dimension1.range = [0...{len(whole) - 1}]
        n.dimension2 = x.dimension1
        f.dimension1.range = [0...{len(TESTS) - 1}]
        f.dimension2 = x.dimension1
    Stages:
        apply(x, y, r, n, f) {{
            do {{
{body}
{integers}
{flags}
            }} for i in x
        }}
    Computation:
        Space A {{ apply(x, y, r, n, f) }}
    Partition (k):
        Space A <1d> {{ x, y, r<dim2>, n<dim2>, f<dim2>: block_size(k) }}
""", rows


def same_bits(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and bool(((a == b) | ((a != a) & (b != b))).all() and (np.signbit(a) == np.signbit(b))[a == a].all())


def is_near(a, b):
    """Within 8 units in the last place: C libraries err, too."""
    np.seterr(invalid="ignore")
    return bool(np.all((a == b) | ((a != a) & (b != b)) | (np.abs(a - b) <= 8 * np.spacing(np.abs(b)))))


def check_functions(hp5c, folder):
    for kind in REALS:
        pairs = np.array(list(itertools.product(POINTS, POINTS)), REALS[kind])
        x, y = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
        np.save(os.path.join(folder, "x.npy"), x)
        np.save(os.path.join(folder, "y.npy"), y)
        text, rows = function_program(kind)
        words = ["x=x.npy", "y=y.npy", "r=r.npy", "n=n.npy", "f=f.npy", "k=50"]
        results = []
        with open(os.path.join(folder, "p.hp5"), "w", encoding="utf-8") as file:
            file.write(text)
        commands = [[hp5c, "--interpret", "p.hp5", "--"]]
        for number, flags in enumerate(([], ["--checked"], ["--cc", "clang"])):
            run([hp5c, "p.hp5", "--model", MODEL, "-o", f"p{number}", *flags], folder)
            commands += [[f"./p{number}", f"--threads={threads}"] for threads in THREADS]
        for command in commands:
            run(command + words, folder)
            results.append([np.load(os.path.join(folder, name + ".npy")) for name in "rnf"])
        for command, result in zip(commands, results):
            for name, a, b in zip("rnf", results[0], result):
                if not (same_bits(a, b) if name == "r" else np.array_equal(a, b)):
                    row = next(i for i in range(len(a)) if not (same_bits(a[i], b[i]) if name == "r" else np.array_equal(a[i], b[i])))
                    sys.exit(f"{kind}, {' '.join(command)}: {rows[row] if name == 'r' else name} differs from the interpreter")
        r, n, f = results[0]
        for row, name in zip(r, ONE + TWO):
            function = libm(name, kind)
            want = np.array([function(*pair[: 1 if name in ONE else 2]) for pair in zip(x, y)], REALS[kind])
            if name in ("fmin", "fmax"):  # C leaves open which of 0.0 and -0.0
                want = np.array([max(pair, key=lambda value: order(value, name == "fmax")) for pair in zip(x, y)], REALS[kind])
            if not (same_bits(row, want) if name in EXACT + ["fmin", "fmax"] else is_near(row, want)):
                sys.exit(f"{kind}: {name} is not the C library's")
        for row, (name, function) in zip(n, ROUNDINGS.items()):
            function = function or ROUNDINGS[name[1:]]
            if [int(v) for v in row] != [0 if np.isnan(v) else function(float(v)) for v in x]:
                sys.exit(f"{kind}: {name}: {row}")
        for row, (name, function) in zip(f, TESTS.items()):
            if [bool(v) for v in row] != [function(float(v)) for v in x]:
                sys.exit(f"{kind}: {name}")
    print(f"{len(ONE) + len(TWO) + len(TESTS) + len(ROUNDINGS)} functions in two precisions agree")


# ---- A chain of locals ------------------------------------------------------------------------------------------------


def chain_program(length):
    """Each local is widened by the next one; only the last is a Real from the start."""
    lines = [f"    a{i} = 0" for i in range(length)] + ["    do {"]
    lines += [f"        a{i} = a{i + 1} + 1" for i in range(length - 1)]
    lines += [f"        a{length - 1} = 0.5", "    } while a0 < 3", "    print(a0)"]
    return "Program (args) {\n" + "\n".join(lines) + "\n}\n"


def check_chain(hp5c, folder):
    path = os.path.join(folder, "chain.hp5")
    with open(path, "w", encoding="utf-8") as file:
        file.write(chain_program(2400))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run([hp5c, "--check-only", path], folder)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if used > 1:
        sys.exit(f"a chain of 2400 locals takes {used:.2f} s to check")
    with open(path, "w", encoding="utf-8") as file:
        file.write(chain_program(5))
    assert run([hp5c, "--interpret", path], folder) == "3.0\n"
    print("a chain of locals costs what it is long")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="hp5-tables-") as place:
        {"reductions": check_reductions, "functions": check_functions, "chain": check_chain}[sys.argv[1]](os.path.abspath(sys.argv[2]), place)
