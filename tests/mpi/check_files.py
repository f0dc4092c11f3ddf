"""Files of arrays whose parts lie there in short runs (strides of rows, of columns, of single elements) are read and written in few calls, and have
the bytes that one process writes; those of blocks of rows are written by who has them, as ever. Each program copies one array to another.

calls.c, preloaded, counts the calls; processes talk over sockets (launch.Local), in which no time is lost. --mpi runs them under MPIs, too, watched by
checker.c: what is sent is what is planned. --sanitizer address or thread: of the runtime, too; no calls are counted."""
import argparse
import glob
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, f"{ROOT}/tests/tools"]
import launch  # noqa: E402
import numpy  # noqa: E402
import sanitized  # noqa: E402
import watched  # noqa: E402

PROGRAM = """Program (args) {
    copy = new TaskEnvironment(name: "Copy")
    bind_input(copy, "u", args.u)
    execute(task: "Copy"; environment: copy; partition: args.k, args.l)
    bind_output(copy, "v", args.v)
}
Type Cell:
    mark: Boolean
    heat: Real double-precision
    pair: Array[3] of Real single-precision
Task "Copy":
    Define:
        u, v: RANKd Array of TYPE
    Environment:
        u: link
        v: create
    Initialize:
        v.dimension = u.dimension
    Stages:
        copy(v, u) { do { STAGE } for INDICES in v }
    Computation:
        Space A { CALL }
    Partition (k, l):
        Space A <SPACEd> { PARTS }
"""
CELL = numpy.dtype([("mark", "?"), ("heat", "<f8"), ("pair", "<f4", (3,))])
WINDOW, AHEAD, RANKS = 512 * 1024, 256 * 1024, (2, 3, 4, 7)


class Case:
    """dtype and HP5's name of it; parts: of the Space, with the arguments k and l; layout: in the mapping; versions: the copy is one of an epoch;
    apart: who has elements writes them."""

    def __init__(self, name, shape, parts, dtype="<f8", k=5, l=2, layout="", versions=False, apart=False):
        self.name, self.shape, self.parts, self.dtype, self.k, self.l = name, shape, parts, numpy.dtype(dtype), k, l
        self.layout, self.versions, self.apart = layout, versions, apart

    def source(self):
        names = ["h", "i", "j", "m"][:len(self.shape)]
        element = "".join(f"[{name}]" for name in names)
        kinds = {"<f8": "Real double-precision", "<f4": "Real single-precision", "<i8": "Integer", "|S1": "Character", "|b1": "Boolean"}
        before = f"(v{element} at (current - 1)) + " if self.versions else ""
        dims, _, functions = self.parts.rpartition("> ")
        dims += ">" if dims else ""
        words = {"RANK": len(self.shape), "TYPE": kinds.get(self.dtype.str, "Cell") if self.dtype != CELL else "Cell", "INDICES": ", ".join(names),
                 "STAGE": f"v{element} = {before}u{element}", "CALL": "Epoch { copy(v, u) }" if self.versions else "copy(v, u)",
                 "SPACE": self.parts.count("("), "PARTS": f"u{dims}, v{dims}: {functions}"}
        text = PROGRAM
        for word, value in words.items():
            text = text.replace(word, str(value))
        return text

    def array(self):
        numbers = numpy.arange(1, 1 + int(numpy.prod(self.shape)))
        if self.dtype == CELL:
            made = numpy.zeros(len(numbers), CELL)
            made["mark"], made["heat"] = numbers % 3 == 0, numbers * 0.5
            made["pair"] = (numbers % 1000)[:, None] + numpy.arange(3)
        elif self.dtype.str == "|S1":
            made = (numbers % 26 + 97).astype("u1").view("S1")
        else:
            made = (numbers % 7 == 0 if self.dtype.str == "|b1" else numbers * 0.25).astype(self.dtype)
        return made.reshape(self.shape)

    def windows(self):
        return -(-(128 + int(numpy.prod(self.shape)) * self.dtype.itemsize) // WINDOW)


CASES = [
    Case("rows", (60013, 3), "<dim1> stride(k)"),
    Case("columns", (1009, 251), "<dim2> stride(k)"),
    Case("elements", (200003,), "stride(k)", dtype="<i8", k=7),
    Case("blocks-of-columns", (389, 607), "<dim2> block_stride(l, k)", l=3),
    Case("both", (307, 411), "stride(k), block_stride(l)", dtype="<f4", k=3, l=5),
    Case("space", (61, 53, 47), "<dim1, dim3> block_size(k), stride(l)", k=9),
    Case("four", (13, 17, 19, 23), "<dim2, dim4> stride(k), stride(l)"),
    Case("characters", (1300021,), "stride(k)", dtype="|S1", k=11),
    Case("booleans", (70001, 9), "<dim2> stride(k)", dtype="|b1", k=9),
    Case("cells", (40009,), "stride(k)", dtype=CELL, k=6),
    Case("cells-apart", (40009,), "stride(k)", dtype=CELL, k=6, layout="Layout u: SoA Layout v: SoA"),
    Case("columns-first", (2411, 97), "<dim1> stride(k)", dtype="<i8", layout="Layout u: F_order Layout v: F_order"),
    Case("versions", (30011, 3), "<dim1> stride(k)", versions=True),
    Case("two-parts", (50021, 3), "<dim1> stride(k)", k=2),
    Case("few-elements", (11, 2), "<dim1> stride(k)"),
    Case("long-rows", (211, 701), "<dim1> stride(k)", apart=True),
    Case("blocks-of-rows", (60013, 3), "<dim1> block_size(k)", k=8000, apart=True),
    Case("blocks-in-rows", (400, 4001), "<dim2> block_size(k)", k=1024, apart=True),
]


def compiled(options, case, folder):
    with open(f"{folder}/{case.name}.hp5", "w", encoding="utf-8") as file:
        file.write(case.source())
    with open(f"{folder}/{case.name}.map", "w", encoding="utf-8") as file:
        file.write(f'"Copy" {{ Space A: Core {case.layout} }}\n')
    kind = options.sanitizer
    flags = sanitized.options(kind, sanitized.runtime(kind, options.hp5c)) if kind else []
    subprocess.run([options.hp5c, *(f"--cc-flag={flag}" for flag in flags), f"{folder}/{case.name}.hp5", "--map", f"{folder}/{case.name}.map", "--model", f"{ROOT}/pcubes-models/cluster.pcubes",
                    "--cc-flag=-O0", "-o", f"{folder}/{case.name}"], check=True, stderr=subprocess.DEVNULL)
    numpy.save(f"{folder}/{case.name}.npy", case.array())


def words_of(case, folder):
    return [f"{folder}/{case.name}", f"u={folder}/{case.name}.npy", f"v={folder}/out.npy", f"k={case.k}", f"l={case.l}", "--threads", "1"]


def calls(folder):
    """How often all processes have written and read."""
    found = []
    for path in glob.glob(f"{folder}/calls-*"):
        with open(path, encoding="utf-8") as file:
            found.append([int(word) for word in file.read().split()])
        os.remove(path)
    return [sum(numbers) for numbers in zip([0, 0], *found)]


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def check(case, mpi, ranks, folder, alone, counts):
    variables = {"LD_PRELOAD": f"{folder}/calls.so", "HP5_CALLS": f"{folder}/calls"} if counts else None
    try:
        done = mpi.run(ranks, words_of(case, folder), variables=variables, timeout=60)
    except launch.Stuck as reason:
        print(f"FAILED {case.name}, {ranks} processes: {reason}", flush=True)
        return True
    writes, reads = calls(folder) if counts else (0, 0)
    wrong = f"status {done.returncode}\n{done.stderr}" if done.returncode else ""
    if not wrong and bytes_of(f"{folder}/out.npy") != alone:
        wrong = "other bytes than one process writes"
    most = 1 + case.windows() + ranks  # a window may have two parts, of one process each
    if not case.apart and writes > most:
        wrong += f"FAILED: {most} writes at most"
    if not case.apart and reads > ranks * (3 + -(-case.array().nbytes // AHEAD)):  # header; each process may read all of it, once
        wrong += "FAILED: so many reads"
    print(f"{'FAILED ' if wrong else ''}{case.name}, {ranks} processes, {mpi.title}: {writes} writes, {reads} reads {wrong}", flush=True)
    return bool(wrong)


def check_watched(case, mpi, ranks, folder, checkers, alone):
    done = mpi.run(ranks, words_of(case, folder), variables=watched.variables(checkers, mpi.name, folder, plan=True))
    said = watched.findings(checkers, folder)
    wrong = done.returncode != 0 or said or bytes_of(f"{folder}/out.npy") != alone
    print(f"{'FAILED ' if wrong else ''}{case.name}, {ranks} processes, {mpi.title}, watched: status {done.returncode} {said}", flush=True)
    return bool(wrong)


def check_case(options, case, folder, local, mpis, checkers):
    compiled(options, case, folder)
    subprocess.run(words_of(case, folder), check=True, stdin=subprocess.DEVNULL)
    alone, failures = bytes_of(f"{folder}/out.npy"), 0
    if not numpy.array_equal(numpy.load(f"{folder}/out.npy"), case.array()):
        print(f"FAILED {case.name}: one process")
        failures += 1
    for ranks in RANKS:
        failures += check(case, local, ranks, folder, alone, options.sanitizer is None)
        failures += sum(check_watched(case, mpi, ranks, folder, checkers, alone) for mpi in mpis)
    return failures


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--hp5c", required=True)
    arguments.add_argument("--mpi", action="store_true")
    arguments.add_argument("--sanitizer", choices=sanitized.KINDS)
    arguments.add_argument("--only", nargs="*", metavar="CASE")
    options = arguments.parse_args()
    options.hp5c = os.path.abspath(options.hp5c)
    with tempfile.TemporaryDirectory(prefix="hp5-files-") as folder:
        local, mpis = launch.Local(folder), launch.find(os.path.dirname(options.hp5c)) if options.mpi else []
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", f"{HERE}/calls.c", "-o", f"{folder}/calls.so"], check=True)
        checkers = watched.build(mpis, folder)
        failures = sum(check_case(options, case, folder, local, mpis, checkers) for case in CASES if not options.only or case.name in options.only)
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
