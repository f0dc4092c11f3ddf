#!/usr/bin/env python3
"""--print-mapping and --mapping-svg of compiled programs.

    check_mapping.py HP5C

Whole texts for small grids; the bytes of padding against a count over single elements; each picture is well-formed XML
whose tiles agree with the text; nothing is computed, written or printed besides; long texts are cut.
"""
import itertools
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import numpy as np

PROGRAM = """Program (args) {{
    job = new TaskEnvironment(name: "Smooth")
    bind_input(job, "u", args.start)
    execute(task: "Smooth"; environment: job; initialize: 3; partition: {given})
    print("sum", job.sum)
    bind_output(job, "u", args.end)
}}

Task "Smooth":
    Define:
        u: {rank}d Array of Real double-precision
        sum: Real double-precision Reduction
        rounds: Integer
    Environment:
        u: link
        sum: create
    Initialize (rounds):
        sum = 0
    Stages:
        smooth(u) {{
            do {{ u[{index}] = 0.5 * u[{index}] at (current - 1) }} for {names} in u
        }}
        add(u, sum) {{
            do {{ reduce(sum, "sum", u[{index}]) }} for {names} in u
        }}
    Computation:
        Repeat for r in [1...rounds] {{ Space A {{ Epoch {{ smooth(u) }} }} }}
        Space A {{ add(u, Space Root: sum) }}
    Partition ({params}, p):
        Space A <{rank}d> {{ u: block_count({params}) padding(p) }}
"""
MODEL = 'Machine "M"\nSpace 3: Machine (1)\nSpace 2: Socket (2)\nSpace 1<core>: Core (3)\n'
NAMES = """m = Machine(Core)
def again(Tuple p, Tuple s):
    q = s[0]
    q = q + p[0] * 2
    i = p[1]
    t = tuple(i + 1 for i in s)
    return m[0, (q + i + t[1]) % m.size[1]]
"Smooth" { Space A: Core by again }
"""
CYCLIC = 'm = Machine(Core)\ndef cyclic(Tuple p, Tuple s):\n    return m[0, sum(p) % m.size[1]]\n"Smooth" { Space A: Core by cyclic }\n'


def run(*words, status=0):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def compiled(hp5c, rank, mapping=None):
    names = [f"i{d}" for d in range(rank)]
    params = [f"k{d}" for d in range(rank)]
    write("p.hp5", PROGRAM.format(rank=rank, index="][".join(names), names=", ".join(names), params=", ".join(params),
                                  given=", ".join(f"args.{k}" for k in params) + ", args.p"))
    write("m.pcubes", MODEL)
    write("m.map", mapping or '"Smooth" { Space A: Core }\n')
    run(hp5c, "p.hp5", "--model", "m.pcubes", "--map", "m.map", "-o", "p")


def shown(extents, parts, padding, *options):
    np.save("start.npy", np.zeros(extents))
    before = sorted(os.listdir("."))
    text = run("./p", "--print-mapping", "start=start.npy", "end=end.npy", f"p={padding}", *(f"k{d}={k}" for d, k in enumerate(parts)), *options)
    assert sorted(set(os.listdir(".")) - set(before)) in ([], ["picture.svg"]), os.listdir(".")
    return text


# ---- Whole texts ------------------------------------------------------------------------------------------------
BLOCKS = """Task "Smooth": 6 threads; machine of Machine (1), Socket (2), Core (3)
  k0 = 4, p = 1, k1 = 6
  u: 8 x 12 elements of 8 bytes
  Space A on Core: 4 x 6 = 24 LPUs on 6 PPUs, in blocks of the grid
    each PPU runs 4 LPUs
        0 0 0 3 3 3
        0 1 1 3 4 4
        1 1 2 4 4 5
        2 2 2 5 5 5
      PPU  runs on           LPUs
        0  Socket 0, Core 0  4: (0, 0...2) (1, 0)
        1  Socket 0, Core 1  4: (1, 1...2) (2, 0...1)
        2  Socket 0, Core 2  4: (2...3, 2) (3, 0...1)
        3  Socket 1, Core 0  4: (0, 3...5) (1, 3)
        4  Socket 1, Core 1  4: (1, 4...5) (2, 3...4)
        5  Socket 1, Core 2  4: (2...3, 5) (3, 3...4)
    u: parts of 2 x 2 elements, padding 1, 1
    bytes each time the padding is brought up to date:
      between Sockets                      448   in runs: 704
      between Cores of a Socket          1,536   in runs: 1,664
      inside a PPU                       1,408   in runs: 1,024
      most that a PPU takes                448   in runs: 512
      from \\ to      Socket 0             1
              0             -           224
              1           224             -
"""
CYCLIC_TEXT = """Task "Smooth": 6 threads; machine of Machine (1), Socket (2), Core (3)
  k0 = 4, p = 0
  u: 8 elements of 8 bytes
  Space A on Core: 4 LPUs on 6 PPUs, by cyclic (m.map)
    PPUs run 0 to 1 LPUs
    remark: 2 of 6 PPUs have nothing to do
      PPU  runs on           LPUs
        0  Socket 0, Core 0  1: (0,)
        1  Socket 0, Core 1  1: (1,)
        2  Socket 0, Core 2  1: (2,)
        3  Socket 1, Core 0  1: (3,)
        4  Socket 1, Core 1  0
        5  Socket 1, Core 2  0
    u: parts of 2 elements, padding 0
    no LPU takes padding from another
"""


def check_texts(hp5c):
    compiled(hp5c, 2)
    text = shown((8, 12), (4, 6), 1)
    assert text == BLOCKS, text
    compiled(hp5c, 1, CYCLIC)
    text = shown((8,), (4,), 0)
    assert text == CYCLIC_TEXT, text


# ---- Against single elements ---------------------------------------------------------------------------------------
def owners(parts):
    """Each LPU's PPU, from the tiles of the picture."""
    result = np.full(parts, -1)
    for tile in xml.parse("picture.svg").getroot().iter():
        if tile.get("class") == "lpu":
            point = re.match(r"LPU \(([\d, ]+)\)", tile.find("{*}title").text)[1]
            result[tuple(int(c) for c in point.rstrip(",").split(","))] = int(tile.get("data-ppu"))
    assert (result >= 0).all(), result
    return result


def check_names(hp5c):
    """Names of a mapping function that are assigned again, or that a comprehension uses for its own."""
    compiled(hp5c, 2, NAMES)
    shown((8, 12), (4, 6), 1, "--mapping-svg", "picture.svg")
    expected = np.fromfunction(lambda i, j: (4 + 2 * i + j + 6 + 1) % 6, (4, 6), dtype=int)
    found = owners((4, 6))
    os.remove("picture.svg")
    assert (found == expected).all(), (found, expected)


def element_count(extents, parts, padding, owner):
    """Bytes between sockets, between cores of a socket, inside a core: for each LPU each element of its padding, in two
    versions."""
    cuts = [[p * (n // k) + min(p, n % k) for p in range(k + 1)] for n, k in zip(extents, parts)]  # the first ones one longer
    holder = [np.searchsorted(c, np.arange(n), side="right") - 1 for c, n in zip(cuts, extents)]
    totals = [0, 0, 0]
    for lpu in itertools.product(*(range(k) for k in parts)):
        mine = owner[lpu]
        sides = [range(max(0, c[p] - padding), min(n, c[p + 1] + padding)) for c, p, n in zip(cuts, lpu, extents)]
        for element in itertools.product(*sides):
            other = owner[tuple(h[e] for h, e in zip(holder, element))]
            if tuple(h[e] for h, e in zip(holder, element)) == lpu:
                continue
            totals[0 if mine // 3 != other // 3 else 1 if mine != other else 2] += 16
    return totals


def figure(text, what):
    return int(re.search(rf"{what} +([\d,]+)", text)[1].replace(",", ""))


def check_bytes(hp5c):
    for rank, cases in ((1, (((40,), (10,), 2), ((13,), (6,), 4))), (2, (((24, 30), (4, 6), 2), ((25, 19), (5, 3), 1), ((20, 20), (10, 10), 3))),
                        (3, (((8, 9, 10), (4, 3, 2), 1),))):
        for mapping in (None, CYCLIC):
            compiled(hp5c, rank, mapping)
            for extents, parts, padding in cases:
                text = shown(extents, parts, padding, "--mapping-svg", "picture.svg")
                expected = element_count(extents, parts, padding, owners(parts))
                os.remove("picture.svg")
                found = [figure(text, what) for what in ("between Sockets", "between Cores of a Socket", "inside a PPU")]
                assert found == expected, (extents, parts, padding, expected, text)


# ---- Pictures -------------------------------------------------------------------------------------------------------
def check_pictures(hp5c):
    for rank, extents, parts in ((2, (8, 12), (4, 6)), (2, (16, 16), (8, 8)), (3, (20, 20, 20), (10, 10, 10)), (1, (1000,), (1000,)), (1, (8,), (4,))):
        compiled(hp5c, rank)
        text = shown(extents, parts, 1, "--mapping-svg", "picture.svg")
        assert len(text.splitlines()) < 60, text
        tree = xml.parse("picture.svg").getroot()
        tiles = [e for e in tree.iter() if e.get("class") == "lpu"]
        lpus = int(np.prod(parts))
        assert len(tiles) == lpus, (len(tiles), lpus)
        colours = {}
        for tile in tiles:
            colours.setdefault(int(tile.get("data-ppu")), set()).add(tile.get("fill"))
        assert all(len(c) == 1 for c in colours.values()), colours
        assert len(set.union(*colours.values())) == len(colours) == min(6, lpus), colours
        loads = {int(p): int(n) for p, n in re.findall(r"^ +(\d+)  Socket \d, Core \d +(\d+)", text, re.M)}
        for ppu, count in loads.items():
            assert sum(int(t.get("data-ppu")) == ppu for t in tiles) == count, (ppu, text)
        names = {t.find("{*}title").text for t in tiles}
        assert len(names) == lpus and all(re.fullmatch(r"LPU \([\d, ]+\): Socket \d, Core \d", n) for n in names), names
        table = [int(e.get("data-bytes")) for e in tree.iter() if e.get("class") == "bytes"]
        assert sum(table) == figure(text, "between Sockets"), (table, text)
        places = {(t.get("x"), t.get("y")) for t in tiles}
        width, height = float(tree.get("width")), float(tree.get("height"))
        assert len(places) == lpus and all(0 <= float(x) < width and 0 <= float(y) < height for x, y in places)
        os.remove("picture.svg")


# ---- Programs that wait for results; problems ---------------------------------------------------------------------------
LOOP = """Program (args) {
    job = new TaskEnvironment(name: "Count")
    execute(task: "Count"; environment: job; initialize: 8; partition: 4)
    do { execute(task: "Count"; environment: job; initialize: 8; partition: 2) } while job.n < 10
    print("done", job.n)
}
Task "Count":
    Define:
        x: 1d Array of Integer
        n: Integer
    Environment:
        x: create
        n: create
    Initialize (size):
        x.dimension = [0...size - 1]
        n = 1
    Stages:
        raise(n) { n = n + 5 }
        fill(x) { do { x[i] = i } for i in x }
    Computation:
        raise(n)
        Space A { fill(x) }
    Partition (k):
        Space A <1d> { x: block_count(k) }
"""


def check_size(hp5c):
    """An array that no machine holds: nothing of it is read, and no memory is taken for its parts."""
    compiled(hp5c, 2)
    with open("start.npy", "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (1 << 19, 1 << 20)})
        file.truncate(file.tell() + (1 << 42))
    text = run("./p", "--print-mapping", "start=start.npy", "end=end.npy", "k0=60", "k1=60", "p=1")
    assert "u: 524288 x 1048576 elements of 8 bytes" in text and "60 x 60 = 3600 LPUs" in text, text
    assert figure(text, "between Sockets") == 2 * 2 * 8 * ((1 << 19) + 2 * 59), text  # one cut through the long side, with corners


DYNAMIC = """Task "Smooth": 6 threads; machine of Machine (1), Socket (2), Core (3)
  k0 = 4, p = 1
  u: 8 elements of 8 bytes
  Space A on Core: 4 LPUs on 6 PPUs, each to whoever is free
    u: parts of 2 elements, padding 1
"""


def check_dynamic(hp5c):
    compiled(hp5c, 1)
    with open("p.hp5", encoding="utf-8") as file:
        text = file.read()
    write("p.hp5", text.replace("Space A <1d>", "Space A <1d> <dynamic>"))
    run(hp5c, "p.hp5", "--model", "m.pcubes", "-o", "p")
    text = shown((8,), (4,), 1, "--mapping-svg", "picture.svg")
    assert text.replace("p = 1, k0 = 4", "k0 = 4, p = 1") == DYNAMIC, text
    tiles = [e for e in xml.parse("picture.svg").getroot().iter() if e.get("class") == "lpu"]
    assert len(tiles) == 4 and {t.get("fill") for t in tiles} == {"#cccccc"}, tiles
    os.remove("picture.svg")


def check_headings(hp5c):
    """A task with a long name and many arrays: their texts are cut into lines that fit into the picture, and none is lost."""
    names = [f"array_number_{i}" for i in range(40)]
    task = " ".join(["A task whose name is longer than a line of the picture can be"] * 3)
    write("many.hp5", f"""Program (args) {{
    job = new TaskEnvironment(name: "{task}")
    execute(task: "{task}"; environment: job; partition: args.k)
    print(job.{names[0]}_s)
}}
Task "{task}":
    Define:
        {", ".join(names)}: 1d Array of Integer
        {names[0]}_s: Integer Reduction
    Environment:
        {names[0]}_s: create
    Initialize:
        {" ".join(f"{name}.dimension1.range = [0...9]" for name in names)}
    Stages:
        sum({names[0]}_s, {", ".join(names)}) {{
            do {{ reduce({names[0]}_s, "sum", {" + ".join(f"{name}[i]" for name in names)}) }} for i in {names[0]}
        }}
    Computation:
        Space A {{ sum(Space Root: {names[0]}_s, {", ".join(names)}) }}
    Partition (k):
        Space A <1d> {{ {", ".join(names)}: block_size(k) }}
""")
    run(hp5c, "many.hp5", "--model", "m.pcubes", "-o", "many")
    run("./many", "k=2", "--mapping-svg", "picture.svg")
    texts = [e for e in xml.parse("picture.svg").getroot().iter() if e.tag.endswith("text") and e.get("x") == "24.0"]
    title = [e.text for e in texts if e.get("class") == "task"]
    assert len(title) > 1 and max(map(len, title)) <= 85 and " ".join(title) == f'Task "{task}" on 6 threads', title
    arrays = [e.text for e in texts if e.get("class") is None][: len(texts) - len(title)]
    assert len(arrays) > 1 and max(map(len, arrays)) <= 150 and " ".join(arrays).startswith(", ".join(f"{name} 10" for name in names)), arrays
    assert len({float(e.get("y")) for e in texts}) == len(texts), "texts lie on one another"
    os.remove("picture.svg")


def check_undivided(hp5c):
    """A Space that is not divided is a line of the picture."""
    text = LOOP.replace("        Space A <1d> {", "        Space W <un-partitioned> { x }\n        Space A <1d> divides Space W partitions {")
    write("whole.hp5", text.replace("Space A { fill(x) }", "Space W { Space A { fill(x) } }"))
    run(hp5c, "whole.hp5", "--model", "m.pcubes", "-o", "whole")
    run("./whole", "--mapping-svg", "picture.svg")
    headings = [e.text for e in xml.parse("picture.svg").getroot().iter() if e.get("class") == "space"]
    assert headings[:2] == ["Space W on Machine: 1 LPU on 1 PPU", "Space A on Core: 4 LPUs on 6 PPUs, in runs of row-major order"], headings
    os.remove("picture.svg")


def check_others(hp5c):
    write("loop.hp5", LOOP)
    run(hp5c, "loop.hp5", "--model", "m.pcubes", "-o", "loop")
    text = run("./loop", "--print-mapping")
    assert text.count('Task "Count"') == 2 and "done" not in text, text
    assert text.endswith("(stopped: 1000 launches showed nothing new; what the program does next depends on its results)\n"), text
    done = subprocess.run(["./loop", "--mapping-svg", "none/x.svg"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "loop: --mapping-svg: cannot write 'none/x.svg': No such file or directory\n"
                                               "  (./loop --help lists the arguments)\n"), done


def main():
    hp5c = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="hp5-show-") as folder:
        os.chdir(folder)
        check_texts(hp5c)
        check_names(hp5c)
        check_bytes(hp5c)
        check_pictures(hp5c)
        check_size(hp5c)
        check_dynamic(hp5c)
        check_headings(hp5c)
        check_undivided(hp5c)
        check_others(hp5c)
        os.chdir("/")


if __name__ == "__main__":
    sys.exit(main())
