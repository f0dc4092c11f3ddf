#!/usr/bin/env python3
"""--predict of tasks on cards, and the predictions of --timing: every time is computed here, too, from the model's figures and the program's sizes, as
docs/prediction.md says it (Cards). Nothing is recorded.

    check_predictions.py --hp5c HP5C

The figures of the model differ from case to case, so that each of what may bound a stage does so once.
"""
import argparse
import math
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, f"{ROOT}/tests/tools")
import shared  # noqa: E402
SMS, WARPS, LINE, AT_ONCE = 4, 8, 128, 4 # the model's
BLOCK, FULL_BLOCK, TILE = 8, 32, 8 # warps of a block: where crews are warps, where they are blocks; and that have parts of a tile
DIVIDE, START, OPS = 24, 2, 32

# name, memory of a multiprocessor, its rate and latency, clock of a warp, latency of the multiprocessor's memory
FIGURES = {"computing": (64 << 10, 1e12, 1e-9, 1e8, 1e-9), "latency": (64 << 10, 1e12, 4e-7, 1e11, 2e-8), "moving": (64 << 10, 1e9, 1e-9, 1e11, 1e-9),
           "small": (1 << 10, 1e9, 1e-9, 1e11, 1e-9)}
OF_BLOCK, OF_CARD = 1e-7, 1e-6 # exchange
LINK, LINK_LATENCY = 1e10, 5e-6

PROGRAM = """Program (args) {
    job = new TaskEnvironment(name: "T")
    bind_input(job, "u", args.u)%(bind)s
    execute(task: "T"; environment: job; initialize: args.rounds; partition: args.k)
    bind_output(job, "v", args.v)
}
Task "T":
    Define:
        u, v: %(rank)dd Array of Real double-precision
        rounds: Integer
        change: Real double-precision%(define)s
    Environment:
        %(link)s: link
        v: create
    Initialize (rounds):
        v.dimension1 = u.dimension1%(dimensions)s
        change = 0.0
    Stages:
        work(%(parameters)s) {
            %(work)s
        }
    Computation:
        Space A { %(flow)s }
    Partition (k):
        Space A <%(rank)dd> { %(parts)s }
"""
ONE = {"rank": 1, "bind": "", "link": "u", "define": "", "dimensions": "", "parameters": "u, v", "flow": "work(u, v)", "parts": "u, v: block_size(k)"}
TWO = dict(ONE, rank=2, dimensions="\n        v.dimension2 = u.dimension2", parts="u, v: block_size(k, k)")
POINTS = dict(ONE, work="do { v[i] = 0.5 * u[i] + 1.5 } for i in v")
QUOTIENTS = dict(ONE, work="do { v[i] = 1.5 / u[i] } for i in v")
STENCIL = dict(TWO, work="""rows = v.local.dimension1.range
            columns = v.local.dimension2.range
            do { v[i][j] = 0.25 * (u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1]) } for i, j in v
                and i > rows.min and i < rows.max and j > columns.min and j < columns.max""")
CHAIN = dict(ONE, work="v[0] = u[0]\n            r = 1...rounds\n            do in sequence { v[i] = v[i - 1] * 0.5 + u[i] } for i in r", parameters="u, v, rounds", flow="work(u, v, rounds)",
             parts="u, v: replicated")
PRODUCT = dict(TWO, work="do { v[i][j] = v[i][j] + u[i][m] * w[m][j] } for i, j in v; m in u", define="\n        w: 2d Array of Real double-precision",
               parameters="u, v, w", flow="work(u, v, w)", bind='\n    bind_input(job, "w", args.w)', link="u, w", parts="v: block_size(k, k)\n            u: block_size(k), replicated\n            w: replicated, block_size(k)")
UNKNOWN = dict(ONE, work="do { v[i] = 0.5 * u[i] } for i in v\n            n = 0.0\n            do { n = n + u[0] } while n < 10.0")
SUM = dict(ONE, define="\n        total: Real double-precision Reduction", work="do { reduce(total, \"sum\", u[i]) } for i in u", parameters="u, total", flow="work(u, total)",
           parts="u, v: replicated")
ROWS = dict(SUM, rank=2, dimensions=TWO["dimensions"], parts="u, v: replicated, replicated", work="do { reduce(total, \"sum\", u[i][j]) } for i, j in u")


class Checker:
    def __init__(self, hp5c, folder):
        self.hp5c, self.folder, self.checks = hp5c, folder, 0

    def compile(self, text, level, figures):
        memory, rate, latency, clock, near = figures
        files = {"t.hp5": PROGRAM % text, "t.map": f'"T" {{\n    Model: GPU\n    Space A: {level}\n}}\n', "t.pcubes": f"""Machine "Small"
Model: GPU
Space 4:       Node (1)       {{ memory: 8 GB }}
Space 3<gpu>:  Card (1)       {{ memory: 1 GB, move: {LINK / 1e9:g} GB/s 4 KB {LINK_LATENCY * 1e6:g} us }}
Space 2:       Multi ({SMS})  {{ memory: {memory} B, exchange: {OF_CARD * 1e9:g} ns, move: {rate / 1e9:g} GB/s {LINE} B {latency * 1e9:g} ns }}
Space 1:       Warp ({WARPS}) {{ compute: {OPS} ops {clock / 1e6:g} MHz, exchange: {OF_BLOCK * 1e9:g} ns, move: {LINE} B {near * 1e9:g} ns {AT_ONCE} at-once }}
"""}
        for name, content in files.items():
            with open(f"{self.folder}/{name}", "w", encoding="utf-8") as out:
                out.write(content)
        done = subprocess.run([self.hp5c, "t.hp5", "--map", "t.map", "--model", "t.pcubes", "--nvcc", f"{HERE}/nvcc", "--cc-flag=-O0", "-o", "t"], cwd=self.folder,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def run(self, *words):
        # a card that does not exist is never asked for
        cards = {} if "--timing" in words else {"HP5_SIM_CARDS": "0"}
        done = subprocess.run(["./t", "u=u.npy", "v=v.npy", *words], cwd=self.folder, capture_output=True, text=True, env=dict(os.environ, **cards))
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def expect(self, row, expected, where):
        for name, value in expected.items():
            self.checks += 1
            close = row[name] == value if isinstance(value, str) else math.isclose(row[name], value, rel_tol=6e-3, abs_tol=1e-12)
            assert close, f"{where}: {name} is {row[name]}, not {value}\n{row}"


def number(text):
    units = {"B": 1, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "kB": 1e3, "MB": 1e6, "GB": 1e9, "k": 1e3, "M": 1e6, "": 1}
    value, _, unit = text.partition(" ")
    return float(value) * units[unit]


NUMBER = r"(\d[\d.]*(?: (?:[kMG]?B|[mun]?s|[kMG]))?)"


def stage_row(said):
    """Of the only stage."""
    found = re.search(rf"^  work in Space A \(line \d+\) +{NUMBER} +{NUMBER}(\*?) +{NUMBER} +{NUMBER} +{NUMBER} +{NUMBER}  (.*)$", said, re.M)
    assert found, said
    calls, operations, partial, accessed, moved, near, time, bound = found.groups()
    return {"calls": number(calls), "operations": number(operations), "partial": partial, "loads": number(accessed), "moved": number(moved), "near": number(near),
            "time": number(time), "bound": bound}


class Crew:
    """What one of `lpus` crews has, of so many warps, while all of them work."""

    def __init__(self, figures, warps, lpus):
        self.memory, self.rate, self.latency, self.clock_of_one, self.near = figures
        all_warps, block = (SMS * WARPS, BLOCK) if warps == 1 else (SMS * FULL_BLOCK, FULL_BLOCK)
        self.warps, self.working = warps, min(all_warps, lpus * warps)
        self.on = min(SMS, math.ceil(self.working / block))
        self.share = self.on * warps / self.working
        self.clock = self.clock_with(1)
        self.calls = math.ceil(lpus / (all_warps / warps))

    def clock_with(self, part):
        """Cycles a second of a warp where a part of those at work computes."""
        return self.clock_of_one * WARPS / max(self.working * part / self.on, AT_ONCE)

    def time(self, rounds, cycles, lines, moved, waits=0.0, chain=0.0, clock=None, warps=None):
        """Of a call whose threads run so many rounds at most."""
        far = min(rounds, math.ceil(lines / (warps or self.warps)))
        terms = {"computing": cycles / (clock or self.clock), "a chain of operations": chain / self.clock_of_one, "moving to Multi": moved / (self.rate * self.share),
                 "waiting for data": far * self.latency + (rounds - far) * self.near if lines else 0.0}
        bound = max(terms, key=terms.get)
        return terms[bound] + waits + START / self.clock_of_one, bound if terms[bound] > waits else "waiting for each other"


def lanes(operations):
    """Cycles of a warp for so many operations on doubles."""
    return operations * 32 / (OPS / 2)


def check_points(checker):
    """Each warp has parts of a vector: a multiplication, an addition, a load and a store."""
    for kind, n, k in (("computing", 6400, 100), ("latency", 6400, 100), ("moving", 6400, 100), ("moving", 300, 100), ("computing", 2000, 500)):
        figures, lpus, rounds = FIGURES[kind], n // k, math.ceil(k / 32)
        checker.compile(POINTS, "Warp", figures)
        np.save(f"{checker.folder}/u.npy", np.ones(n))
        crew = Crew(figures, 1, lpus)
        bytes_of_one = 8 * k
        time, bound = crew.time(rounds, rounds * (lanes(2) + 2 + 2), bytes_of_one / LINE, 2 * bytes_of_one)
        said = checker.run(f"k={k}", "rounds=1", "--predict")
        checker.expect(stage_row(said), {"calls": lpus, "operations": 2 * n, "partial": "", "loads": 16 * n, "moved": 16 * n, "near": 16 * n, "time": crew.calls * time,
                                         "bound": bound}, f"points, {kind}, {n}, {k}\n{said}")
        assert ("moving" in bound) == (kind == "moving") and ("computing" in bound) == (kind == "computing"), (kind, bound)


def check_quotients(checker):
    figures, n, k = FIGURES["computing"], 6400, 100
    checker.compile(QUOTIENTS, "Warp", figures)
    np.save(f"{checker.folder}/u.npy", np.ones(n))
    rounds = math.ceil(k / 32)
    crew = Crew(figures, 1, n // k)
    time, bound = crew.time(rounds, rounds * (DIVIDE + 2 + 2), 8 * k / LINE, 16 * k)
    checker.expect(stage_row(checker.run(f"k={k}", "rounds=1", "--predict")), {"time": crew.calls * time, "bound": bound}, "quotients")


def check_stencil(checker):
    """Blocks of 1024 threads, as rows and columns, and two waits of a block. Where a part fits into the multiprocessor it comes once."""
    for kind, k in (("computing", 34), ("moving", 34), ("latency", 66), ("small", 66)):
        figures, n, threads = FIGURES[kind], 4 * k, 32 * FULL_BLOCK
        checker.compile(STENCIL, "Multi", figures)
        np.save(f"{checker.folder}/u.npy", np.ones((n, n)))
        inside, crew = k - 2, Crew(figures, FULL_BLOCK, 16)
        columns = 32 if inside <= 32 else 64
        rounds = math.ceil(inside / (threads // columns)) * math.ceil(inside / columns)
        bytes_in, bytes_out = 8 * k * k, 8 * inside * inside
        if kind == "small": # nothing stays in 1 KB: each round of the threads' rows brings the rows beside them again
            rows = threads // columns
            bytes_in, bytes_out = (math.ceil(inside / rows) * 8 * count for count in ((rows + 2) * k, rows * inside))
        time, bound = crew.time(rounds, rounds * (lanes(4) + 2 + 5), bytes_in / LINE, bytes_in + bytes_out, 2 * 2 * OF_BLOCK)
        said = checker.run(f"k={k}", "rounds=1", "--predict")
        checker.expect(stage_row(said), {"calls": 16, "operations": 16 * 4 * inside**2, "loads": 16 * 40 * inside**2, "moved": 16 * (bytes_in + bytes_out),
                                         "time": crew.calls * time, "bound": bound}, f"stencil, {kind}, {k}\n{said}")


def check_product(checker):
    """Large tiles of 128 by 128 elements: each of the 256 threads has 8 by 8 of them; or small ones."""
    for kind, n, k in (("computing", 256, 128), ("moving", 256, 128), ("computing", 160, 40)):
        figures = FIGURES[kind]
        checker.compile(PRODUCT, "Multi", figures)
        np.save(f"{checker.folder}/u.npy", np.ones((n, n)))
        crew = Crew(figures, FULL_BLOCK, (n // k) ** 2)
        high, wide, part = (128, 128, 64) if k > 64 else (64, 64, 16)
        tiles = math.ceil(k / high) * math.ceil(k / wide)
        cycles = tiles * n * part * lanes(1)
        moved = 2 * 8 * k * k + 8 * n * k * math.ceil(k / wide) + 8 * n * k * math.ceil(k / high)
        time, bound = crew.time(1, cycles, 0, moved, 2 * 2 * OF_BLOCK, clock=crew.clock_with(TILE / FULL_BLOCK))
        lpus = (n // k) ** 2
        said = checker.run(f"k={k}", "rounds=1", "--predict", "w=u.npy")
        checker.expect(stage_row(said), {"calls": lpus, "operations": 2 * n**3, "moved": lpus * moved, "time": crew.calls * time, "bound": bound}, f"product, {kind}, {k}\n{said}")


def check_chain(checker):
    """A loop in sequence is run by all threads alike: an iteration of each waits for the one before, 3.25 operations of 4 cycles of a scheduler long."""
    figures, n = (64 << 10, 1e12, 1e-9, 1e8, 1e-9), 2000
    checker.compile(CHAIN, "Warp", figures)
    np.save(f"{checker.folder}/u.npy", np.ones(n))
    crew, rounds = Crew(figures, 1, 1), n - 1
    cycles = rounds * (lanes(2) + 2 + 3) + 2
    chain = rounds * (2 + 1.25) * 4 * AT_ONCE / WARPS
    time, bound = crew.time(rounds, cycles - 2, 8 * n / LINE, 16 * n, chain=chain)
    assert bound == "a chain of operations"
    said = checker.run("k=1", f"rounds={rounds}", "--predict")
    checker.expect(stage_row(said), {"calls": 1, "operations": 2 * rounds, "time": time, "bound": bound}, said)


def check_card(checker):
    """A sum by all threads of the card: chunks of 1024 for its warps, and waits of the card, in the stage and behind it."""
    figures, n = FIGURES["computing"], 100000
    checker.compile(SUM, "Card", figures)
    np.save(f"{checker.folder}/u.npy", np.ones(n))
    said = checker.run("k=1", "rounds=1", "--predict")
    warps = int(re.search(r"(\d+) warps", said).group(1))
    crew = Crew(figures, warps, 1)
    chunks = math.ceil(n / 1024)
    own, batches = math.ceil(chunks / warps), bin(chunks // warps).count("1") + (chunks % warps > 0)
    rounds = min(n // 1024 * 32 + math.ceil(n % 1024 / 32), own * 32)
    crew.working, crew.on, crew.share = warps, SMS, SMS
    crew.clock = figures[3] * WARPS / max(warps / SMS, AT_ONCE)
    cycles = rounds * (lanes(1) + 2 + 1) + own * (15 + 2) + batches * 15
    time, bound = crew.time(rounds, cycles, 8 * n / LINE, 8 * n, (2 + 1 + batches + 1) * 2 * OF_CARD)
    checker.expect(stage_row(said), {"calls": 1, "operations": n, "moved": 8 * n, "time": time, "bound": bound}, said)


def check_runs(checker):
    """The same of rows, which have two chunks each: warps have chunks of all of them."""
    figures, rows, columns = FIGURES["computing"], 70, 1500
    checker.compile(ROWS, "Card", figures)
    np.save(f"{checker.folder}/u.npy", np.ones((rows, columns)))
    said = checker.run("k=1", "rounds=1", "--predict")
    warps = int(re.search(r"(\d+) warps", said).group(1))
    crew, chunks = Crew(figures, warps, 1), rows * 2
    own, batches = math.ceil(chunks / warps), bin(chunks // warps).count("1") + (chunks % warps > 0)
    crew.working, crew.on, crew.share = warps, SMS, SMS
    crew.clock = figures[3] * WARPS / max(warps / SMS, AT_ONCE)
    cycles = own * 32 * (lanes(1) + 2 + 1) + own * (15 + 2) + batches * 15
    size = 8 * rows * columns
    time, bound = crew.time(own * 32, cycles, size / LINE, size, (2 + 1 + batches + 1) * 2 * OF_CARD)
    checker.expect(stage_row(said), {"calls": 1, "operations": rows * columns, "moved": size, "time": time, "bound": bound}, said)


def traffic_of(said):
    """Of the task, and of the program's outputs: bytes of arrays and of records, copies, there and back; seconds."""
    one = rf"{NUMBER} of arrays and {NUMBER} of records in (\d+) cop(?:y|ies)"
    return [[number(text) for text in found] for found in re.findall(rf"to the card: {one}; back: {one}(?:; a launch)?; together {NUMBER}$", said, re.M)]


def check_traffic(checker):
    """An array goes there once, what the task creates begins there as zeros, and outputs come back in the end."""
    n = 64000
    checker.compile(POINTS, "Warp", FIGURES["moving"])
    np.save(f"{checker.folder}/u.npy", np.ones(n))
    said = checker.run("k=100", "rounds=1", "--predict")
    task, outputs = traffic_of(said)
    where = f"traffic\n{said}"
    names = ("given", "given_records", "gives", "taken", "taken_records", "takes", "time")
    task, outputs = dict(zip(names, task)), dict(zip(names, outputs))
    checker.expect(task, {"given": 8 * n, "gives": 3, "taken": 0, "takes": 1, "time": (8 * n + task["given_records"] + task["taken_records"]) / LINK + 5 * LINK_LATENCY}, where)
    checker.expect(outputs, {"given": 0, "gives": 0, "taken": 8 * n, "taken_records": 0, "takes": 1, "time": 8 * n / LINK + LINK_LATENCY}, where)
    together = number(re.search(rf"predicted: {NUMBER}$", said, re.M).group(1))
    checker.expect({"sum": together}, {"sum": stage_row(said)["time"] + task["time"]}, where)
    assert not os.path.exists(f"{checker.folder}/v.npy"), "--predict wrote its output"


def check_epochs(checker):
    """A crew waits in front of the copy of its part's versions, and behind it; around what other LPUs have, too, it has a lock besides."""
    n, k = 640, 100
    lpus, work = math.ceil(n / k), "do { v[i] = 0.5 * (v[i] at (current - 1)) + u[i] } for i in u and i > 0"
    np.save(f"{checker.folder}/u.npy", np.ones(n))
    for level, word, crews in (("Warp", "warp", SMS * WARPS), ("Multi", "block", SMS)):
        for parts, waits, copies in (("u: block_size(k)\n            v: replicated", 4, lpus), ("u, v: block_size(k)", 2, 1)):
            checker.compile(dict(ONE, work=work, flow="Repeat for r in [1...rounds] { Epoch { work(u, v) } }", parts=parts), level, FIGURES["computing"])
            said = checker.run(f"k={k}", "rounds=3", "--predict")
            found = re.search(rf"^  waits of the card: .* of a {word}: (\d+);.* copied there: {NUMBER};", said, re.M)
            assert found, said
            checker.expect({"waits": int(found[1]), "copied": number(found[2])}, {"waits": 3 * waits * math.ceil(lpus / crews), "copied": 3 * 8 * n * copies}, f"epochs, {level}\n{said}")


def check_unknown(checker):
    checker.compile(UNKNOWN, "Warp", FIGURES["computing"])
    np.save(f"{checker.folder}/u.npy", np.ones(640))
    said = checker.run("k=100", "rounds=1", "--predict")
    checker.expect(stage_row(said), {"partial": "*"}, said)
    assert "\n  * holds code that cannot be counted, or a loop that counts as one round\n" in said, said


def check_timing(checker):
    """The same prediction beside what a card, a simulated one, has measured; of a loop that depends on results, as often as it went round."""
    text = dict(POINTS, flow="Repeat for r in [1...rounds] { work(u, v) }")
    checker.compile(text, "Warp", FIGURES["latency"])
    np.save(f"{checker.folder}/u.npy", np.ones(300))
    words = ("k=100", "rounds=3", "--machine", "Multi=3,Warp=3")
    predicted = stage_row(checker.run(*words, "--predict"))
    said = checker.run(*words, "--timing")
    found = re.search(r"^  work in Space A \(line \d+\) +(\d+) +(\d+) +\d+\.\d+ +\d+\.\d+ +(\d+\.\d+)  (.*)$", said, re.M)
    assert found, said
    assert (int(found.group(1)), int(found.group(2)), found.group(4)) == (9, 3, predicted["bound"]) and predicted["calls"] == 9, said
    assert abs(float(found.group(3)) - predicted["time"]) <= 1e-6, (said, predicted)
    checker.checks += 4
    text = dict(POINTS, parameters="u, v, change", flow="Repeat while change < 2.5 { work(u, v, change) }", parts="u, v: replicated", work=POINTS["work"] + "\n            change = change + 1.0")
    checker.compile(text, "Warp", FIGURES["latency"])
    predicted = stage_row(checker.run(*words, "--predict"))
    said = checker.run(*words, "--timing")
    found = re.search(r"^  work in Space A \(line \d+\) +(\d+) +(\d+) +\d+\.\d+ +\d+\.\d+ +(\d+\.\d+)  ", said, re.M)
    assert found and int(found.group(1)) == 3 and predicted["calls"] == 1, (said, predicted)
    assert abs(float(found.group(3)) - 3 * predicted["time"]) <= 2e-6, (said, predicted)
    checker.checks += 2


def check_host(checker):
    """Stages of the host: rows of LU cross over, both ways, in each round."""
    n = 60
    subprocess.run([checker.hp5c, f"{ROOT}/programs/lu/lu.hp5", "--map", f"{ROOT}/mappings/lu/hybrid.map", "--model", f"{ROOT}/pcubes-models/h200.pcubes", "--nvcc",
                    f"{HERE}/nvcc", "--cc-flag=-O0", "-o", f"{checker.folder}/lu"], check=True)
    np.save(f"{checker.folder}/a.npy", np.random.default_rng(1).random((n, n)))
    done = subprocess.run(["./lu", "a=a.npy", "parts=6", "lu=l.npy", "p=p.npy", "--predict"], cwd=checker.folder, capture_output=True, text=True, check=True,
                          env=dict(os.environ, HP5_SIM_CARDS="0"))
    found = re.search(rf"^  exchange in Space A \(line \d+\) +{n} +0 +{NUMBER} +{NUMBER} +0 B +0 B +{NUMBER}  moving to GPU$", done.stdout, re.M)
    assert found, done.stdout
    crossing, link, latency = 2 * (3 * 8 * n + 2 * 8), 64e9, 5e-6
    checker.expect({"bytes": number(found.group(2))}, {"bytes": n * crossing}, done.stdout)
    least = n * (2 * latency + crossing / link)
    assert least <= number(found.group(3)) * 1.006 <= least * 1.1, (least, done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    options = parser.parse_args()
    os.environ["HP5_SIM_HEADERS"] = shared.folder(options.hp5c)
    with tempfile.TemporaryDirectory(prefix="hp5-predictions-") as folder:
        checker = Checker(os.path.abspath(options.hp5c), folder)
        check_points(checker)
        check_quotients(checker)
        check_stencil(checker)
        check_product(checker)
        check_chain(checker)
        check_card(checker)
        check_runs(checker)
        check_traffic(checker)
        check_epochs(checker)
        check_unknown(checker)
        check_timing(checker)
        check_host(checker)
    print(f"{checker.checks} predicted numbers are as computed")


if __name__ == "__main__":
    main()
