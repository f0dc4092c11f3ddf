#!/usr/bin/env python3
"""How many loads of a thread are on their way at a time in programs' loops, by their machine code: no card is needed, but nvcc and cuobjdump.

    waits.py [--arch sm_90] [--hp5c HP5C] [--latency CYCLES] [--least LOADS] [--check] [FILE.cu | PROGRAM …]

Compiles the programs (all of programs/ without any) under mappings/*/card.map, or files of CUDA C++, and prints a line for each stretch of instructions between branches that has that many
loads from memory: in a loop of how many instructions it stands (the smallest around it), its instructions, loads and stores, cycles from its beginning to its end, how often something waits
for a load, and how many loads are on their way on average meanwhile.

Cycles are those of one warp alone, whose instructions begin in their order, one each cycle, when the registers that they read have their values: loads of memory take as long as --latency
says (800: the card's memory, busy), those of shared and constant memory and exchanges of lanes 30, operations of double precision 16, others 5. Sizes of caches, how many loads a
multiprocessor can have, and other warps, who run meanwhile, are not in it: what it is good for is to compare two texts of one loop, and to find loops that wait one load after the other.

--check: only that some programs' loops have as many loads on their way as WANTED says (77: there is no nvcc or no cuobjdump).
"""
import argparse
import pathlib
import re
import shutil
import sys
import tempfile

import sass

LOADS, STORES = ("LD", "LDG"), ("ST", "STG", "STS", "STL", "RED", "REDG")
DOUBLES = ("DADD", "DMUL", "DFMA", "DSETP")
WANTED = {"stencil": 26, "heat-3d": 32, "red-black-sor": 24, "conjugate-gradient": 24, "matrix-vector-columns": 32} # in a loop, before something waits for them
NEAR = {"LDS": 30, "LDC": 30, "LDL": 30, "SHFL": 30}


def registers(text):
    return [int(number) for number in re.findall(r"\bR(\d+)", text)]


def pair(numbers, count):
    return [number + more for number in numbers for more in range(count)]


def parts_of(text):
    """(name, registers that get values, registers that are read)."""
    name, _, rest = re.sub(r"^@!?U?P\w+\s+", "", text).partition(" ")
    operands, base = re.split(r",\s*(?![^\[]*\])", rest), name.split(".")[0]
    wide = 4 if ".128" in name else 2 if ".64" in name or ".WIDE" in name or base in DOUBLES else 1
    if base in STORES:
        return base, [], pair(registers(operands[0]), 2) + pair([r for o in operands[1:] for r in registers(o)], wide)
    if base == "SHFL":
        return base, registers(operands[1]), [r for o in operands[2:] for r in registers(o)]
    places = [r for o in operands[1:] for r in pair(registers(o), 2 if ".64" in o or base in DOUBLES else 1)]
    if base in LOADS or base in NEAR:
        return base, pair(registers(operands[0])[:1], wide), places
    if re.match(r"R\d+", operands[0]) and not base.endswith("SETP"):
        return base, pair(registers(operands[0])[:1], 2 if base == "CS2R" else wide), places
    return base, [], [r for o in operands for r in pair(registers(o), 2 if base in DOUBLES else 1)]


def timed(texts, latency):
    """(cycles, loads, stores, waits, loads on their way) of instructions that follow each other."""
    ready, now, asked, stores, waits = {}, 0, 0, 0, 0
    for text in texts:
        name, written, read = parts_of(text)
        at = max([now + 1] + [ready.get(register, 0) for register in read + written])
        waits += at > now + 40
        now = at
        takes = latency if name in LOADS else NEAR.get(name, 16 if name in DOUBLES else 5)
        ready.update((register, now + takes) for register in written)
        asked += name in LOADS
        stores += name in ("ST", "STG")
    return now, asked, stores, waits, asked * latency / max(now, latency)


def stretches(code, least):
    """(instructions of the loop around, first, end) of stretches with so many loads."""
    loops = [(target, at) for at, target in enumerate(code.targets) if target is not None and target <= at]
    ends = {at + 1 for at, name in enumerate(code.names) if re.match(r"BRA|BRX|CALL|RET|EXIT", name)} | {target for target in code.targets if target is not None}
    cuts = sorted({0, len(code.texts)} | ends)
    for first, end in zip(cuts, cuts[1:]):
        if sum(re.match(r"LDG?(\.|$)", name) is not None for name in code.names[first:end]) >= least:
            yield min((last - begin + 1 for begin, last in loops if begin <= first and end <= last + 1), default=0), first, end


def texts_of(names, folder, hp5c):
    """(title, file, flags of nvcc)."""
    for name in names or sorted(path.parent.name for path in (sass.ROOT / "mappings").glob("*/card.map")):
        if name.endswith(".cu"):
            yield name, pathlib.Path(name), [f"-I{sass.ROOT / 'experiments/reference'}", f"-I{sass.ROOT}"]
            continue
        source = next((sass.ROOT / "programs").glob(f"*/{name}.hp5"), None) or sys.exit(f"there is no program {name}")
        sass.run(hp5c, "-S", source, "--map", sass.ROOT / f"mappings/{name}/card.map", "--model", sass.ROOT / "pcubes-models/h200.pcubes", "-o", folder / f"{name}.c")
        yield name, folder / f"{name}.cu", ["-fmad=false", f"-I{sass.ROOT}", f"-I{hp5c.parent / 'generated'}"]


def rows_of(title, source, flags, folder, options):
    for kernel, (_, code) in sass.look(source, folder, options, flags).items():
        for around, first, end in stretches(code, options.least):
            yield f"{title}, {kernel}", around, end - first, *timed(code.texts[first:end], options.latency)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="FILE.cu | PROGRAM")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--hp5c", type=lambda path: pathlib.Path(path).resolve(), default=sass.ROOT / "build" / "hp5c")
    parser.add_argument("--latency", type=int, default=800)
    parser.add_argument("--least", type=int, default=6)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.check and not (shutil.which("nvcc") and shutil.which("cuobjdump")):
        print("skipped: there is no nvcc, or no cuobjdump")
        return 77
    short = []
    print("| kernel | loop | instructions | cycles | loads | stores | waits | on their way |\n|---|---:|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(prefix="hp5-waits-") as folder:
        for title, source, flags in texts_of(options.names or (list(WANTED) if options.check else []), pathlib.Path(folder), options.hp5c):
            most = 0
            for kernel, around, count, cycles, loads, stores, waits, on_way in rows_of(title, source, flags, pathlib.Path(folder), options):
                print(f"| {kernel} | {around or ''} | {count} | {cycles} | {loads} | {stores} | {waits} | {on_way:.1f} |")
                if around and waits == 0:
                    most = max(most, loads)
            if options.check and most < WANTED.get(title, 0):
                short.append(f"{title}: {most} loads are on their way at a time in place of {WANTED[title]}")
    print("\n".join(short), end="\n" if short else "")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
