#!/usr/bin/env python3
"""What a card executes for each element of programs' busiest loops, counted in machine code: no card is needed, but nvcc and cuobjdump.

    sass.py [--arch sm_90] [--hp5c HP5C] [--markdown FILE] [--check] [PROGRAM …]

Compiles the programs under mappings/*/card.map, and hand-written CUDA (reference/cuda) where there is any. Of the loops in which no other loop stands, that one is taken whose way
has most of the instructions that mark an element: its stores, or its root. The way through a loop is the one with most marks, and of these the shortest, that calls nothing: what
the last few elements of a row take is left out. For roots it is the shortest with any: unusual values take others. Counts are divided by the marks of the way.

--check: only HP5's sides, which must not have more instructions for an element than MOST says (77: there is no nvcc or no cuobjdump).

Loads and stores are those of all memories; what waits are worth, or elements that come from a cache, no count says. Times are cards.py's.
"""
import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CUDA = ROOT / "experiments" / "reference" / "cuda"
STORE, ROOT_OF = r"ST(G|\.E)", r"MUFU\.RSQ64H"
SUBJECTS = {"n-body": ROOT_OF, "stencil": STORE, "heat-3d": STORE, "transpose": STORE}
MOST = {"n-body": 55, "stencil": 21, "heat-3d": 36, "transpose": 32} # for sm_90, some more than there are
KINDS = (("of double precision", r"D(ADD|MUL|FMA|SETP)"), ("loads", r"LD(G|S|L|\.E)"), ("stores", r"ST(G|S|L|\.E)"), ("lanes exchange", "SHFL"),
         ("conditions, choices", r"F?SEL|[DIF]SETP|PLOP3|P2R|R2P|FFMA"), ("branches, waits", "BRA|BSSY|BSYNC|CALL|BAR|WARPSYNC|RET|NANOSLEEP|YIELD"),
         ("integers, moves", ""))


class Code:
    """Instructions of one kernel's text, in their order, and where branches go."""

    def __init__(self, lines):
        found = [re.match(r"\s+/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;", line) for line in lines]
        found = [match for match in found if match]
        place = {int(match[1], 16): number for number, match in enumerate(found)}
        self.texts = [match[2] for match in found]
        self.names = [re.sub(r"^@!?U?P\w+\s+", "", text).split()[0] for text in self.texts]
        self.targets = [place.get(int(target[1], 16)) if (target := re.search(r"\bBRA\b.*?\b0x([0-9a-f]+)", text)) else None for text in self.texts]

    def loops(self):
        """(first, last) of loops in which no other stands."""
        all_loops = {(target, at) for at, target in enumerate(self.targets) if target is not None and target <= at and not self.names[at] == "CALL"}
        heads = {}
        for first, last in all_loops:
            heads[first] = max(last, heads.get(first, last))
        return [(a, b) for a, b in heads.items() if not any((c, d) != (a, b) and a <= c and d <= b for c, d in heads.items())]

    def way(self, first, last, mark):
        """Of the ways from a loop's beginning back to it the one with most marks; its instructions."""
        best, worth = {}, (lambda way: way[1]) if mark == ROOT_OF else (lambda way: way[:2])
        for at in range(last, first - 1, -1):
            name, target = self.names[at], self.targets[at]
            if re.match("CALL|RET|EXIT", name):
                continue
            after = []
            if name == "BRA":
                after.append((0, 0, None) if target == first else (*best[target][:2], target) if target in best and at < target <= last else None)
            if name != "BRA" or self.texts[at].startswith("@") or re.search(r"BRA(\.\w+)*\s+!?U?P", self.texts[at]):
                after.append((*best[at + 1][:2], at + 1) if at + 1 in best else None)
            after = [way for way in after if way is not None]
            if after:
                marks, length, on = max(after, key=worth)
                best[at] = marks + bool(re.match(mark, name)), length - 1, on
        way, at = [], first if first in best else None
        while at is not None:
            way.append(self.names[at])
            at = best[at][2]
        return way

    def busiest(self, mark):
        ways = [self.way(first, last, mark) for first, last in self.loops()]
        marks = lambda way: sum(bool(re.match(mark, name)) for name in way)
        double = lambda way: sum(name.startswith("D") for name in way)
        return max(ways, key=lambda way: (marks(way) > 0, double(way) / max(marks(way), 1) > 1, marks(way), double(way), -len(way)))


def counted(way, mark):
    counts = collections.Counter()
    for name in way:
        counts[next(kind for kind, pattern in KINDS if re.match(pattern, name))] += 1
    marks = sum(bool(re.match(mark, name)) for name in way)
    return marks, {"instructions": len(way) / marks, **{kind: counts[kind] / marks for kind, _ in KINDS}}


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def look(source, folder, options, flags):
    """(registers, code) of the file's kernels."""
    cubin = folder / "out.cubin"
    run("nvcc", "-O3", "-std=c++20", f"-arch={options.arch}", *flags, "-cubin", source, "-o", cubin)
    used = re.findall(r"Function (\w+):\s*\n?\s*REG:(\d+)", run("cuobjdump", "-res-usage", cubin))
    kernels = re.split(r"^\s*Function : ", run("cuobjdump", "-sass", cubin), flags=re.M)[1:]
    return {kernel.split()[0]: (int(dict(used)[kernel.split()[0]]), Code(kernel.splitlines())) for kernel in kernels}


def rows_of(name, folder, options):
    mark = SUBJECTS[name]
    text = folder / f"{name}.c"
    run(options.hp5c, "-S", ROOT / f"programs/{name}/{name}.hp5", "--map", ROOT / f"mappings/{name}/card.map", "--model", ROOT / "pcubes-models/h200.pcubes", "-o", text)
    sides = [("HP5", look(text.with_suffix(".cu"), folder, options, ["-fmad=false", f"-I{ROOT}", f"-I{options.hp5c.parent / 'generated'}"]))]
    if (CUDA / f"{name}.cu").exists() and not options.check:
        sides.append(("hand-written", look(CUDA / f"{name}.cu", folder, options, [f"-I{ROOT}", f"-I{ROOT / 'experiments/reference'}"])))
    for side, kernels in sides:
        ways = [(registers, counted(code.busiest(mark), mark)) for registers, code in kernels.values() if any(mark_of(code, mark))]
        registers, (marks, counts) = max(ways, key=lambda way: way[1][1]["instructions"] * way[1][0])
        yield [f"{name}, {side}", str(registers), str(marks), *(f"{count:.3g}" for count in counts.values())]


def mark_of(code, mark):
    return (re.match(mark, name) for first, last in code.loops() for name in code.way(first, last, mark))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(SUBJECTS))
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--hp5c", type=lambda path: pathlib.Path(path).resolve(), default=ROOT / "build" / "hp5c")
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.check and not (shutil.which("nvcc") and shutil.which("cuobjdump")):
        print("skipped: there is no nvcc, or no cuobjdump")
        return 77
    head = ["loop", "registers", "elements a round", "instructions", *(kind for kind, _ in KINDS)]
    table = [head, ["---"] + ["---:"] * (len(head) - 1)]
    with tempfile.TemporaryDirectory(prefix="hp5-sass-") as folder:
        for name in options.programs or SUBJECTS:
            table += rows_of(name, pathlib.Path(folder), options)
    text = "".join(f"| {' | '.join(row)} |\n" for row in table)
    print(text, end="")
    if options.markdown:
        options.markdown.write_text(text, encoding="utf-8")
    above = [row[0] for row in table[2:] for name, most in MOST.items() if options.check and row[0] == f"{name}, HP5" and float(row[3]) > most]
    for name in above:
        print(f"{name}: more than {MOST[name.split(',')[0]]} instructions")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
