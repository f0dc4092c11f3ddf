#!/usr/bin/env python3
"""Large sources of many shapes: what hp5c takes for them in time and memory.

    large.py --hp5c build/hp5c [--size BYTES] [--emit] [--limit-mib N] [SHAPE ...]

Each shape is a generator of about --size bytes of valid (or, for some, refused) HP5 source. For each, `hp5c
--check-only` runs, with --emit `hp5c -S` as well; the table gives seconds and the peak resident set in MiB. With
--limit-mib the script fails when a run takes more memory than that; it never fails for time (the caller's
timeout catches what is quadratic). A refused source (status 1) is as good as an accepted one: only a status
other than 0 and 1 is a failure.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

COORDINATOR = """Program (args) {
    e = new TaskEnvironment(name: "T0")
    bind_input(e, "a", args.a)
    execute(task: "T0"; environment: e; partition: args.k)
}
"""


def task(name, stages, computation, define="", spaces="", initialize="", parameters="k"):
    return f"""Task "{name}":
    Define:
        a, b: 2d Array of Real double-precision
        s: Real double-precision
{define}    Environment:
        a: link
        b: create
    Initialize:
        b.dimension1 = a.dimension1
        b.dimension2 = a.dimension2
{initialize}    Stages:
{stages}    Computation:
        Space A {{
{computation}        }}
    Partition ({parameters}):
        Space A <2d> {{
            a, b: block_size(k, k)
        }}
{spaces}"""


def fill(size, line):
    """line(0) + line(1) + ... until `size` characters are there."""
    parts, total, number = [], 0, 0
    while total < size:
        parts.append(line(number))
        total += len(parts[-1])
        number += 1
    return parts


BODY = "x[i][j] = y[i][j] * 0.5 + x[i][j]"


def stage(name, body=BODY):
    return f"        {name}(x, y) {{ do {{ {body} }} for i, j in x }}\n"


def calls(count, arguments="b, a"):
    return "".join(f"            s{i}({arguments})\n" for i in range(count))


def shape_stages(size):
    """one task with thousands of stages, each called once"""
    stages = fill(size, lambda i: stage(f"s{i}"))
    return COORDINATOR + task("T0", "".join(stages), calls(len(stages)))


def shape_calls(size):
    """one stage called tens of thousands of times"""
    return COORDINATOR + task("T0", stage("s0"), "".join(fill(size, lambda i: "            s0(b, a)\n" if i % 2 else "            s0(b, b)\n")))


def shape_globals(size):
    """one task with thousands of stages and thousands of scalars"""
    count = size // 160
    define = "".join(f"        g{i}, h{i}: Real double-precision\n" for i in range(count))
    stages = [stage(f"s{i}", f"x[i][j] = y[i][j] * g{i}") for i in range(count)]
    return COORDINATOR + task("T0", "".join(stages), calls(count), define)


def shape_arrays(size):
    """one task with thousands of arrays, all listed in its LPS and used"""
    count = size // 130
    names = ", ".join(f"v{i}" for i in range(count))
    define = f"        {names}: 2d Array of Real double-precision\n"
    initialize = "".join(f"        v{i}.dimension = a.dimension\n" for i in range(count))
    flow = "".join(f"            s0(v{i}, v{(i * 7 + 1) % count})\n" for i in range(count))
    text = task("T0", stage("s0"), flow, define, initialize=initialize)
    return COORDINATOR + text.replace("a, b: block_size(k, k)", f"a, b, {names}: block_size(k, k)")


def shape_written(size):
    """many arrays written and read in two LPSes in turn: what a plan has to synchronise"""
    count = size // 190
    names = ", ".join(f"v{i}" for i in range(count))
    define = f"        {names}: 2d Array of Real double-precision\n"
    initialize = "".join(f"        v{i}.dimension = a.dimension\n" for i in range(count))
    flow = "".join(f"            s0(v{i}, a)\n            Space B {{ s0(v{(i + 1) % count}, a) }}\n" for i in range(count))
    spaces = f"        Space B <1d> divides Space A partitions {{ a<dim1>, {', '.join(f'v{i}<dim1>' for i in range(count))}: block_size(1) }}\n"
    text = task("T0", stage("s0"), flow, define, spaces, initialize)
    return COORDINATOR + text.replace("a, b: block_size(k, k)", f"a, b, {names}: block_size(k, k)")


def shape_tasks(size):
    """thousands of tasks"""
    return COORDINATOR + "".join(fill(size, lambda i: task(f"T{i}", stage("s0"), "            s0(b, a)\n")))


def shape_executes(size):
    """a coordinator with thousands of executions"""
    lines = fill(size, lambda i: f'    e{i} = new TaskEnvironment(name: "T0")\n    bind_input(e{i}, "a", args.a)\n'
                                 f'    execute(task: "T0"; environment: e{i}; partition: args.k)\n')
    return "Program (args) {\n" + "".join(lines) + "}\n" + task("T0", stage("s0"), "            s0(b, a)\n")


def shape_arguments(size):
    """thousands of command-line arguments"""
    lines = fill(size, lambda i: f"    x{i} = args.first_{i} + args.second_{i} * 2\n    print(x{i})\n")
    return "Program (args) {\n" + "".join(lines) + "}\n"


def shape_expression(size):
    """expressions as wide as the nesting limit allows, in one stage"""
    line = "t = " + " + ".join(f"s * {i}.5" for i in range(450)) + "\n"
    body = "".join(fill(size, lambda i: line))
    return COORDINATOR + task("T0", f"        s0(x) {{\n{body}        do {{ x[i][j] = t }} for i, j in x\n        }}\n", "            s0(b)\n")


def shape_one_expression(size):
    """one expression of a megabyte (refused: deeper than the limit)"""
    return COORDINATOR + task("T0", stage("s0", "x[i][j] = " + "y[i][j]+".join([""] * (size // 8)) + "1"), "            s0(b, a)\n")


def shape_statements(size):
    """one stage of tens of thousands of statements on tens of thousands of locals"""
    lines = fill(size, lambda i: f"                t{i} = t{i - 1} * 0.5 + s\n" if i else "                t0 = 1.0\n")
    last = len(lines) - 1
    return COORDINATOR + task("T0", f"        s0(x) {{\n{''.join(lines)}            do {{ x[i][j] = t{last} }} for i, j in x\n        }}\n", "            s0(b)\n")


def shape_backwards(size):
    """locals whose types follow from later ones: inference by passes"""
    count = min(size // 40, 1000)
    lines = [f"                t{i} = t{i + 1} * 1\n" for i in range(count)]
    body = "".join(f"                t{i} = 0\n" for i in range(count + 1)) + "                do in sequence {\n" + "".join(lines) + \
        f"                t{count} = 0.5\n                }} for n in [1...{count}]\n"
    return COORDINATOR + task("T0", f"        s0(x) {{\n{body}            do {{ x[i][j] = t0 }} for i, j in x\n        }}\n", "            s0(b)\n")


def shape_functions(size):
    """thousands of functions, each called by a stage"""
    functions = fill(size, lambda i: f"Function f{i} (x, y) {{ return x * y + {i} }}\n")
    body = "".join(f"t = f{i}(t, 0.5)\n" for i in range(len(functions)))
    return COORDINATOR + task("T0", f"        s0(x) {{ t = 0.5\n{body} do {{ x[i][j] = t }} for i, j in x }}\n", "            s0(b)\n") + "".join(functions)


def shape_chain(size):
    """functions that call one another in a chain, as deep as the limit lets them, many chains"""
    depth, out = 50, []
    for c in range(size // (depth * 50)):
        out += [f"Function f{c}_{d} (x) {{ return f{c}_{d + 1}(x) + {d} }}\n" for d in range(depth)]
        out.append(f"Function f{c}_{depth} (x) {{ return x }}\n")
    chains = size // (depth * 50)
    body = "".join(f"t = f{c}_0(t)\n" for c in range(chains))
    return COORDINATOR + task("T0", f"        s0(x) {{ t = 0.5\n{body} do {{ x[i][j] = t }} for i, j in x }}\n", "            s0(b)\n") + "".join(out)


def shape_instances(size):
    """one function and one stage, instantiated for thousands of user types"""
    count = size // 190
    types = "".join(f"Type P{i}:\n    x, y: Real double-precision\n" for i in range(count))
    define = "".join(f"        p{i}: P{i}\n" for i in range(count))
    stages = "        s0(q, x) { q.x = norm(q) }\n"
    flow = "".join(f"            s0(p{i}, b)\n" for i in range(count))
    return COORDINATOR + types + task("T0", stages, flow, define) + "Function norm (p) { return p.x * p.x + p.y * p.y }\n"


def shape_types(size):
    """user types that hold one another, last first"""
    lines = fill(size, lambda i: f"Type P{i}:\n    x, y: Real double-precision\n    deeper: P{i + 1}\n")[:900]
    wide = fill(max(0, size - sum(map(len, lines))), lambda i: f"Type W{i}:\n    x: Real double-precision\n    y: Integer\n")
    return COORDINATOR + "".join(lines) + f"Type P{len(lines)}:\n    x: Integer\n" + "".join(wide) + task("T0", stage("s0"), "            s0(b, a)\n")


def shape_fields(size):
    """one type of tens of thousands of fields, all used"""
    count = size // 60
    fields = "".join(f"    field_{i}: Integer\n" for i in range(count))
    body = "".join(f"p.field_{i} = p.field_{(i * 7) % count}\n" for i in range(count))
    return COORDINATOR + f"Type P:\n{fields}" + task("T0", f"        s0(p) {{\n{body}        }}\n", "            s0(p)\n", "        p: P\n")


def shape_spaces(size):
    """thousands of LPSes side by side"""
    count = size // 90
    spaces = "".join(f"        Space B{i} <2d> divides Space A partitions {{ a, b: block_size(k, k) }}\n" for i in range(count))
    flow = "".join(f"            Space B{i} {{ s0(b, a) }}\n" for i in range(count))
    return COORDINATOR + task("T0", stage("s0"), flow, spaces=spaces)


def chains(lengths):
    """Chains of LPSes one below another, each chain below Space A."""
    links = [(c, i) for c, length in enumerate(lengths) for i in range(length)]
    spaces = "".join(f"        Space B{c}_{i} <2d> divides Space {f'B{c}_{i - 1}' if i else 'A'} partitions {{ a, b: block_size(k, k) }}\n" for c, i in links)
    flow = "".join("".join(f"Space B{c}_{i} {{ s0(b, a)\n" for i in range(length)) + "}" * length + "\n" for c, length in enumerate(lengths))
    return COORDINATOR + task("T0", stage("s0"), flow, spaces=spaces)


def shape_space_chains(size):
    """LPSes one below another, as deep as they may be, chain beside chain"""
    return chains([63] * max(1, size // (63 * 110)))


def shape_space_tower(size):
    """LPSes one below another without end (refused: deeper than the limit)"""
    return chains([min(size // 110, 900)])


def shape_loops(size):
    """nested Repeats around many calls, as deep as possible"""
    deep = 24
    flow = "".join(f"Repeat for r{i} in [1...2] {{ s0(b, a)\n" for i in range(deep)) + "".join(fill(size, lambda i: f"s0(b, a) s0(a, b)\n")) + "}" * deep
    return COORDINATOR + task("T0", stage("s0"), flow)


def shape_deep_repeat(size):
    """Repeats inside one another up to the nesting limit: exponential where each is walked twice"""
    deep = 300
    flow = "".join(f"Repeat for r{i} in [1...2] {{ s0(b, a)\n" for i in range(deep)) + "}" * deep
    return COORDINATOR + task("T0", stage("s0"), flow)


def shape_deep_do(size):
    """stage loops inside one another up to the nesting limit"""
    deep = 400
    body = "".join(f"do in sequence {{ s = s + i{i}\n" for i in range(deep)) + "".join(f"}} for i{i} in [1...2]\n" for i in reversed(range(deep)))
    return COORDINATOR + task("T0", f"        s0(x) {{ {body} }}\n", "            s0(b)\n")


def shape_deep_if(size):
    """conditions inside one another, each with an else, up to the nesting limit"""
    deep = 400
    body = "".join(f"if (x[i][j] > {i}) {{ t{i} = {i}\n" for i in range(deep)) + "".join(f"}} else {{ t{i} = 0.5 }}\n" for i in reversed(range(deep)))
    return COORDINATOR + task("T0", stage("s0", body), "            s0(b, a)\n")


def shape_brackets(size):
    """a megabyte of opening brackets"""
    return COORDINATOR + task("T0", stage("s0", "x[i][j] = " + "(" * size), "            s0(b, a)\n")


def shape_comments(size):
    """hardly anything but comments, short and giant"""
    return "// short\n" * (size // 27) + "/*" + " words of a giant comment\n" * (size // 78) + "*/\n" + COORDINATOR + \
        task("T0", stage("s0"), "            s0(b, a)\n" + "            /* between */\n" * (size // 84))


def shape_line(size):
    """everything on one line"""
    return shape_stages(size).replace("\n", " ")


def shape_blank(size):
    """newlines and blanks"""
    return COORDINATOR + task("T0", "\n \n" * (size // 3) + stage("s0"), "            s0(b, a)\n")


def shape_errors(size):
    """an error in every line"""
    return COORDINATOR + task("T0", "".join(fill(size, lambda i: f"        s{i}(x, ) {{ do {{ x[i = nothing }} for }}\n")), calls(100))


def shape_semantic_errors(size):
    """an unknown name in every stage"""
    stages = fill(size, lambda i: stage(f"s{i}", f"x[i][j] = unknown_{i}"))
    return COORDINATOR + task("T0", "".join(stages), calls(len(stages)))


def shape_unknown_calls(size):
    """thousands of calls of stages that do not exist, among thousands that do: nearest spellings"""
    count = size // 130
    stages = [stage(f"stage_number_{i}") for i in range(count)]
    return COORDINATOR + task("T0", "".join(stages), "".join(f"            stage_nunber_{i}(b, a)\n" for i in range(count)))


def shape_names(size):
    """names of thousands of characters"""
    name = "n" * 5000
    stages = fill(size // 2, lambda i: stage(f"{name}{i}"))
    return COORDINATOR + task("T0", "".join(stages), "".join(f"            {name}{i}(b, a)\n" for i in range(len(stages))))


def shape_string(size):
    """one string literal of a megabyte"""
    return 'Program (args) {\n    print("' + "x" * size + '")\n}\n'


def shape_initialize(size):
    """a long Initialize section"""
    count = size // 70
    define = "".join(f"        g{i}: Integer\n" for i in range(count))
    return COORDINATOR + task("T0", stage("s0"), "            s0(b, a)\n", define,
                              initialize="".join(f"        g{i} = {f'g{i - 1} + 1' if i else '0'}\n" for i in range(count)))


def shape_reductions(size):
    """thousands of reductions to thousands of targets"""
    count = size // 170
    define = "".join(f"        g{i}: Real double-precision Reduction\n" for i in range(count))
    stages = [f'        s{i}(r, x) {{ do {{ reduce(r, "sum", x[i][j]) }} for i, j in x }}\n' for i in range(count)]
    return COORDINATOR + task("T0", "".join(stages), "".join(f"            s{i}(Space Root: g{i}, a)\n" for i in range(count)), define)


def shape_epochs(size):
    """thousands of epochs"""
    body = "x[i][j] = y[i][j] at (current - 1)"
    return COORDINATOR + task("T0", stage("s0", body), "".join(fill(size, lambda i: "            Epoch { s0(b, b) }\n")))


SHAPES = {name[6:].replace("_", "-"): function for name, function in list(globals().items()) if name.startswith("shape_")}


def measure(command, timeout):
    """Seconds, peak MiB and status of one run (the peak from wait4, so of this child alone)."""
    def prepare():
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (timeout, timeout))
    with tempfile.TemporaryFile() as messages:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=messages, preexec_fn=prepare)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        seconds = time.monotonic() - start
        messages.seek(0)
        first = messages.readline().decode(errors="replace").strip()[:90]
    code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return seconds, usage.ru_maxrss / 1024, code, first


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--size", type=int, default=1 << 20)
    parser.add_argument("--emit", action="store_true", help="run hp5c -S as well")
    parser.add_argument("--limit-mib", type=float, help="fail above this peak resident set")
    parser.add_argument("--timeout", type=int, default=60, help="seconds of processor time for one run")
    parser.add_argument("--keep", help="write the sources into this folder")
    parser.add_argument("shapes", nargs="*", choices=[[], *SHAPES], default=[])
    options = parser.parse_args()
    model = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "pcubes-models", "laptop.pcubes")
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.shapes or SHAPES:
            path = os.path.join(options.keep or folder, f"{name}.hp5")
            with open(path, "w", encoding="utf-8") as file:
                size = file.write(SHAPES[name](options.size))
            runs = [("check", [options.hp5c, "--check-only", path])]
            if options.emit:
                runs.append(("emit", [options.hp5c, "-S", "--model", model, "-o", "/dev/null", path]))
            for what, command in runs:
                seconds, peak, code, first = measure(command, options.timeout)
                print(f"{name:18} {size:9} {what:6} {seconds:7.2f} s {peak:8.1f} MiB  status {code:3}  {first}", flush=True)
                if code not in (0, 1) or (options.limit_mib and peak > options.limit_mib):
                    failed.append(f"{name} ({what})")
    if failed:
        sys.exit("too much, or a wrong status: " + ", ".join(failed))


if __name__ == "__main__":
    main()
