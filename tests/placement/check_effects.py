#!/usr/bin/env python3
"""What placement statements do, seen from outside, and that they change no result.

    check_effects.py --hp5c HP5C layouts|limit|priority|collect|strips|points|sanitizers

Each part compiles a program with and without its statement, looks for the effect, and compares the results with the
interpreter's, bit by bit, under 1, 2, 3 and 8 threads and in checked builds.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
import sanitized # noqa: E402
MODEL = os.path.abspath(os.path.join(HERE, "..", "..", "pcubes-models", "quad-8core.pcubes"))
ROOT = os.path.dirname(os.path.dirname(HERE))
THREADS = (1, 2, 3, 8)


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def compile_program(hp5c, source, mapping, name, *flags):
    with open(f"{name}.map", "w", encoding="utf-8") as file:
        file.write(mapping)
    run(hp5c, source, "--map", f"{name}.map", "--model", MODEL, "-o", name, *flags)
    return os.path.abspath(name)


def text_of(hp5c, source, mapping):
    """The C text of a program."""
    compile_program(hp5c, source, mapping, "text.c", "-S")
    with open("text.c", encoding="utf-8") as file:
        return file.read()


# ---- The same bits ----------------------------------------------------------------------------------

PHASES = os.path.join(HERE, "phases.hp5")
INPUTS = {"a": "rand(37,37,float64,seed=1)", "u": "rand(53,float64,seed=2)",
          "bodies": "rand(53,x:float64+speed:float64+near:2*float32+hits:int64,seed=3)"}
OUTPUTS = ("out", "smooth", "moved")


def make_inputs():
    import arrays
    import numpy as np
    for name, generator in INPUTS.items():
        if name == "bodies":
            random = np.random.default_rng(3)
            value = np.zeros(53, dtype=[("x", "f8"), ("speed", "f8"), ("near", "f4", (2,)), ("hits", "i8")])
            value["x"], value["speed"] = random.random(53), random.random(53)
            value["near"], value["hits"] = random.random((53, 2)), random.integers(0, 9, 53)
        else:
            value = arrays.generate(generator)
        np.save(f"{name}.npy", value)


def results(command, *options):
    words = [f"{name}={name}.npy" for name in INPUTS] + [f"{name}=x_{name}.npy" for name in OUTPUTS] + ["rounds=3", "k=5", "p=2"]
    done = run(*command, *words, *options)
    found = [done.stdout.encode()]
    for name in OUTPUTS:
        with open(f"x_{name}.npy", "rb") as file:
            found.append(file.read())
    return found


def block(lines=""):
    return '"Phases" {\n' + "".join(f"    Space {space}: Core\n" for space in "ABCD") + lines + "}\n"


def same_bits(hp5c, lines):
    """Results of phases.hp5 under a mapping with these lines against the interpreter's."""
    make_inputs()
    wanted = results((hp5c, "--interpret", PHASES, "--"))
    for flags in ((), ("--checked",)):
        program = compile_program(hp5c, PHASES, block(lines), "phases", *flags)
        for threads in THREADS:
            assert results((program,), "--threads", threads) == wanted, f"other results: {flags} {threads} threads\n{lines}"


# ---- Layout -------------------------------------------------------------------------------------------


def layouts(hp5c):
    lines = "    Layout a: F_order\n    Layout b: F_order, align 256\n    Layout c: F_order\n    Layout bodies: SoA, align 128\n    Layout before: SoA\n    Layout u: align 4096\n"
    plain, laid = text_of(hp5c, PHASES, block()), text_of(hp5c, PHASES, block(lines))
    assert "layouts" not in plain and "assume_aligned" not in plain and "capacity" not in plain
    assert "b[j * b_ld2 + i - b_origin] =" in laid, "columns lie together"
    assert re.search(r"for \(int64_t j = .*\n\s*HP5_INDEPENDENT\n\s*for \(int64_t i = ", laid), "the index that runs fastest is innermost"
    assert laid.count("hp5_multiply_joined_double(") == plain.count("hp5_multiply_joined_double(") == 1, "a product of columns is one, too"
    assert "__builtin_assume_aligned(b_view->store->version[0], 256)" in laid
    assert "bodies_view->store->capacity * (int64_t)offsetof(struct Body, speed)" in laid and "bodies_speed[i - bodies_origin]" in laid
    for more in (lines, lines.replace("    Layout a: F_order\n", "").replace("    Layout before: SoA\n", "")):
        same_bits(hp5c, more)


# ---- InstanceLimit --------------------------------------------------------------------------------------

SLEEP = """Program (args) {
    job = new TaskEnvironment(name: "Sleep")
    execute(task: "Sleep"; environment: job; initialize: 24; partition: 2)
}

Task "Sleep":
    Define:
        x: 1d Array of Integer
    Environment:
        x: create
    Initialize (n):
        x.dimension = [0...n - 1]
    Stages:
        rest(x) {
            k = x.local.dimension.range.min
            @Extern { @Language "C" @Includes { unistd.h } ${ usleep(20000); }$ }
            x[k] = k
        }
    Computation:
        Space A { Space B { rest(x) } }
    Partition (k):
        Space A <1d> { x: block_size(2 * k) }
        Space B <1d> divides Space A partitions { x: block_size(k) }
"""


def at_once(trace):
    """The largest number of stages that ran at the same time, from the trace."""
    with open(trace, encoding="utf-8") as file:
        spans = [event for event in json.load(file)["traceEvents"] if event.get("cat") == "stage"]
    moments = sorted([(span["ts"], 1) for span in spans] + [(span["ts"] + span["dur"], -1) for span in spans], key=lambda m: (m[0], m[1]))
    most = now = 0
    for _, change in moments:
        now += change
        most = max(most, now)
    return len(spans), most


def limit(hp5c):
    with open("sleep.hp5", "w", encoding="utf-8") as file:
        file.write(SLEEP)
    spaces = "    Space A: Socket\n    Space B: Core[0...1]\n"
    for lines, most in (("", None), ("    InstanceLimit B 3\n", 3), ("    InstanceLimit A 1\n", 2), ("    InstanceLimit B 1\n", 1),
                        ("    InstanceLimit A 3\n    InstanceLimit B 2\n", 2)):
        program = compile_program(hp5c, "sleep.hp5", f'"Sleep" {{\n{spaces}{lines}}}\n', "sleep")
        said = run(program, "--trace", "trace.json", "--timing").stderr
        count, found = at_once("trace.json")
        assert count == 12, count
        assert found > 4 if most is None else found <= most, f"{found} at once with\n{lines}"
        for space, number in re.findall(r"InstanceLimit (\w) (\d)", lines):
            line = re.search(rf"LPUs of Space {space} at once: (\d+) at most \(limit {number}\)", said)
            assert line and 1 <= int(line[1]) <= int(number), said
        assert ("at once" in said) == bool(lines), said
    same_bits(hp5c, "    InstanceLimit A 2\n    InstanceLimit B 1\n    InstanceLimit C 3\n")


# ---- Priority ----------------------------------------------------------------------------------------------

TASK = """
Task "NAME":
    Define:
        x: 1d Array of Integer
    Environment:
        x: link_or_create
    Initialize (n):
        x.dimension = [0...n - 1]
    Stages:
        work(x) {
            k = x.local.dimension.range.min
            @Extern { @Language "C" @Includes { unistd.h } ${ usleep(20000); }$ }
            do { x[i] = 10 * x[i] + DIGIT } for i in x
        }
    Computation:
        Space A { work(x) }
    Partition (k):
        Space A <1d> { x: block_size(k) }
"""
LOWS = 6
PRIORITIES = "Program (args) {\n" + "".join(
    f'    low{i} = new TaskEnvironment(name: "Low")\n    execute(task: "Low"; environment: low{i}; initialize: 4; partition: 2)\n'
    for i in range(LOWS)) + """
    high = new TaskEnvironment(name: "High")
    execute(task: "High"; environment: high; initialize: 4; partition: 2)
    after = new TaskEnvironment(name: "High")
    after.x = low5.x
    execute(task: "High"; environment: after; initialize: 4; partition: 2)
    execute(task: "Low"; environment: low5; initialize: 4; partition: 2)
    bind_output(low5, "x", args.low)
    bind_output(high, "x", args.high)
}
""" + TASK.replace("NAME", "Low").replace("DIGIT", "1") + TASK.replace("NAME", "High").replace("DIGIT", "2")


def started(trace):
    """Names of the executions in the order in which they began."""
    with open(trace, encoding="utf-8") as file:
        spans = [event for event in json.load(file)["traceEvents"] if event.get("cat") == "task"]
    first = min(span["tid"] for span in spans)
    return "".join(span["name"][0] for span in sorted(spans, key=lambda span: span["ts"]) if span["tid"] == first)


def priority(hp5c):
    import numpy as np
    with open("order.hp5", "w", encoding="utf-8") as file:
        file.write(PRIORITIES)
    for lines, expected in (("", "LLLLLLHHL"), ("    Priority 7\n", None)):
        mapping = f'"Low" {{\n    Space A: Core[0...1]\n}}\n"High" {{\n    Space A: Core[0...1]\n{lines}}}\n'
        program = compile_program(hp5c, "order.hp5", mapping, "order")
        run(program, "--trace", "trace.json", "low=low.npy", "high=high.npy")
        found = started("trace.json")
        if expected:
            assert found == expected, found
        else:  # the first Low ran before anybody else had come; the second High waits for the data of the last Low
            assert found.index("H") < LOWS - 1 and found.count("L", 0, found.index("H", found.index("H") + 1)) == LOWS, found
            assert found.endswith("HL") and len(found) == LOWS + 3, found
        assert (np.load("low.npy") == 121).all() and (np.load("high.npy") == 2).all()
    same_bits(hp5c, "    Priority 3\n")


# ---- CollectMemory --------------------------------------------------------------------------------------------

STEPS = """Program (args) {
    job = new TaskEnvironment(name: "Steps")
    execute(task: "Steps"; environment: job; initialize: 2000000; partition: args.k)
    execute(task: "Steps"; environment: job; initialize: 2000000; partition: args.k)
    bind_output(job, "x", args.out)
}

Task "Steps":
    Define:
        x, y, z, none: 1d Array of Real double-precision
    Environment:
        x: link_or_create
    Initialize (n):
        x.dimension = [1...n]
        y.dimension = x.dimension
        z.dimension = x.dimension
        none.dimension = x.dimension
    Stages:
        add(to, from) { do { to[i] = to[i] + from[i] + 1.0 } for i in to }
        smooth(x) {
            own = x.local.dimension1.range
            do { x[i] = 0.5 * (x[i - 1] + x[i + 1]) at (current - 1) } for i in x and i > own.min and i < own.max
        }
    Computation:
        Space A { add(y, x) add(x, y) }
        Space B { Epoch { smooth(x) } }
        Space A { add(z, x) add(x, z) }
    Partition (k):
        Space A <1d> { x, y, z, none: block_count(k) }
        Space B <1d> { x: block_count(k + 1) padding(2) }
"""


def memory_of(program):
    """Bytes that the program counts, and kilobytes that the system has seen, at most."""
    with open("said.txt", "w", encoding="utf-8") as said:
        process = subprocess.Popen([program, "out=x.npy", "k=16", "--timing", "--threads", "4"], stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, status
    with open("said.txt", encoding="utf-8") as said:
        found = re.findall(r"memory of the program so far: (\d+) bytes at most", said.read())
    return int(found[-1]) if found else None, usage.ru_maxrss


def collect(hp5c):
    with open("steps.hp5", "w", encoding="utf-8") as file:
        file.write(STEPS)
    array, found, outputs = 16 * 10**6, {}, set()
    for kept in ("", "y", "yz", "xyz", "xyz+none"):
        names = [name for name in ("x", "y", "z", "none") if name in kept.split("+") or name in kept.split("+")[0]]
        lines = "".join(f"    CollectMemory {name}\n" for name in names)
        program = compile_program(hp5c, "steps.hp5", f'"Steps" {{\n    Space A: Core\n    Space B: Core\n{lines}}}\n', "steps")
        found[kept] = memory_of(program)
        with open("x.npy", "rb") as file:
            outputs.add(file.read())
    assert len(outputs) == 1, "other results"
    # x and its copies (LPUs write in their padding) have two versions each; y and z are there at different times; `none` is never used: 7, 7, 6, 5, 4 arrays
    counted = {kept: bytes for kept, (bytes, _) in found.items()}
    assert counted.pop("") is None and [round(bytes / array) for bytes in counted.values()] == [7, 6, 5, 4], counted
    seen = {kept: kilobytes * 1024 for kept, (_, kilobytes) in found.items()}
    assert all(seen[more] - seen[less] > 0.8 * array for more, less in (("", "yz"), ("yz", "xyz"), ("xyz", "xyz+none"))), seen
    for lines in ("b c before u", "c before", "u"):
        same_bits(hp5c, "".join(f"    CollectMemory {name}\n" for name in lines.split()) + "    Layout before: SoA\n    Layout c: F_order\n")


# ---- Arrays that are handed on in strips -----------------------------------------------------------------------

STRIPS = """Program (args) {
    job = new TaskEnvironment(name: "Steps")
    execute(task: "Steps"; environment: job; initialize: 4000000; partition: args.k)
    bind_output(job, "x", args.out)
}

Task "Steps":
    Define:
        x, y, z: 1d Array of Real double-precision
    Environment:
        x: create
    Initialize (n):
        x.dimension = [1...n]
        y.dimension = x.dimension
        z.dimension = x.dimension
    Stages:
        first(y) { do { y[i] = 0.5 * i } for i in y }
        second(z, y) { do { z[i] = y[i] * y[i] } for i in y }
        third(x, y, z) { do { x[i] = z[i] - y[i] } for i in z }
    Computation:
        Space A { first(y) second(z, y) third(x, y, z) }
    Partition (k):
        Space A <1d> { x, y, z: block_count(k) }
"""


def strips(hp5c):
    """Two arrays of three have no memory; all strips of an LPU are one call, in what is measured and in what is predicted. Checked builds keep the arrays."""
    with open("strips.hp5", "w", encoding="utf-8") as file:
        file.write(STRIPS)
    array, found = 32 * 10**6, {}
    for name, flags in (("strips", ()), ("whole", ("--checked",))):
        program = compile_program(hp5c, "strips.hp5", '"Steps" {\n    Space A: Core\n}\n', name, *flags)
        counted, kilobytes = memory_of(program)
        assert counted is None, counted
        with open("x.npy", "rb") as file:
            found[name] = kilobytes * 1024, file.read()
        for option in ("--timing", "--predict"):
            said = run(program, "out=x.npy", "k=16", option, "--threads", "4")
            calls = re.findall(r"(?:first|second|third) in Space A \(line \d+\) +(\d+) ", said.stdout + said.stderr)
            assert calls == ["16"] * 3, f"{name} {option}: {calls}\n{said.stdout}{said.stderr}"
    assert found["strips"][1] == found["whole"][1], "other results"
    assert found["whole"][0] - found["strips"][0] > 1.8 * array, {name: bytes for name, (bytes, _) in found.items()}


# ---- What only a run can find out ---------------------------------------------------------------------------------

def fails(program, words, status, message):
    done = subprocess.run([program, *words], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (status, message), f"expected {status} {message}found {done.returncode} {done.stderr}"


def points(hp5c):
    """Mapping functions that fail for some LPU, with function, point and extents; layouts of one item with two names."""
    make_inputs()
    words = [f"{name}={name}.npy" for name in INPUTS] + [f"{name}=x_{name}.npy" for name in OUTPUTS] + ["rounds=3", "k=5", "p=2"]
    for body, point, message in (("m[0, 9 / (3 - p[0]) % 4]", 3, "division by zero (9 / 0)"),
                                 ("m[0, 9 % (3 - p[0])]", 3, "division by zero (9 % 0)"),
                                 ("m[0, p[0] + 1]", 3, "index (0, 4) is outside the processor space (1, 4)"),
                                 ("m[0, p[0] / 2 - 1]", 0, "index (0, -1) is outside the processor space (1, 4)"),
                                 ("m.split(1, s[0] - p[0] - 4)[0, 0, 0]", 1, "split: 3 does not divide dimension 1, whose extent is 4"),
                                 ("m.slice(1, 0, p[0] + 2)[0, 0]", 2, "slice: 0 to 4 is no part of dimension 1, which goes from 0 to 3")):
        mapping = "m = Machine(Core)\ndef f(Tuple p, Tuple s):\n    return " + body + "\n" + block().replace("D: Core", "D: Core by f")
        program = compile_program(hp5c, PHASES, mapping, "points")
        fails(program, words + ["--threads", "4"], 2, "points: task Phases, Space D: mapping function f (points.map:3) for LPU "
              f"({point},) of (8,) on 4 PPUs: {message}\n")
    with open("alias.hp5", "w", encoding="utf-8") as file:
        file.write(ALIAS)
    program = compile_program(hp5c, "alias.hp5", '"Alias" {\n    Space A: Core\n    Layout b: F_order\n}\n', "alias")
    fails(program, ["a=a.npy", "k=5"], 1, 'alias: task "Alias": its environment names one data item both a and b, to which the mapping '
          "gives different layouts; give them one 'Layout'\n")
    program = compile_program(hp5c, "alias.hp5", '"Alias" {\n    Space A: Core\n    Layout a: F_order\n    Layout b: F_order\n}\n', "alias")
    assert run(program, "a=a.npy", "k=5").stdout == run(hp5c, "--interpret", "alias.hp5", "--", "a=a.npy", "k=5").stdout


ALIAS = """Program (args) {
    job = new TaskEnvironment(name: "Alias")
    bind_input(job, "a", args.a)
    job.b = job.a
    execute(task: "Alias"; environment: job; partition: args.k)
    print(job.total)
}

Task "Alias":
    Define:
        a, b: 2d Array of Real double-precision
        total: Real double-precision Reduction
    Environment:
        a, b: link
        total: create
    Stages:
        sum(total, a, b) { do { reduce(total, "sum", a[i][j] - 0.5 * b[i][j]) } for i, j in a }
    Computation:
        Space A { sum(Space Root: total, a, b) }
    Partition (k):
        Space A <1d> { a<dim1>, b<dim1>: block_size(k) }
"""


# ---- Everything at once, under sanitizers and all warnings ---------------------------------------------------------

ALL = ("    Layout a: F_order\n    Layout b: F_order, align 256\n    Layout bodies: SoA, align 128\n    Layout before: SoA\n"
       "    InstanceLimit A 3\n    InstanceLimit B 2\n    CollectMemory b\n    CollectMemory c\n    CollectMemory before\n"
       "    CollectMemory u\n    Priority 4\n")
COMMON = ("-std=gnu17", "-g", "-ffp-contract=off", "-fwrapv", f"-I{ROOT}")


def sanitizers(hp5c):
    make_inputs()
    wanted = results((hp5c, "--interpret", PHASES, "--"))
    for flags in ((), ("--checked",)):
        compile_program(hp5c, PHASES, block(ALL), "text.c", "-S", *flags)
        for compiler in ("gcc", "clang"):
            for level in ("-O0", "-O3"):
                run(compiler, *COMMON, level, "-Wall", "-Wextra", "-Wshadow", "-Werror", "-c", "text.c", "-o", "text.o")
    compile_program(hp5c, PHASES, block(ALL), "text.c", "-S")
    for kind in sanitized.KINDS:
        sanitized.compile(kind, hp5c, "text.c", "sanitized")
        for threads in THREADS:
            assert results((os.path.abspath("sanitized"),), "--threads", threads) == wanted, f"other results: {kind}, {threads} threads"


PARTS = {"layouts": layouts, "limit": limit, "priority": priority, "collect": collect, "strips": strips, "points": points, "sanitizers": sanitizers}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("part", choices=PARTS)
    options = parser.parse_args()
    hp5c = os.path.abspath(options.hp5c)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        PARTS[options.part](hp5c)


main()
