"""A random program in several processes (run.py --ranks): the interpreter's results against those of every rank's part.

A pair is one program under one mapping that reaches above the segments of a cluster's model (tests/mpi/spread.py: everything below
them, one LPS on them, any level), compiled once and started with several numbers of processes and threads. Most runs talk over sockets
(launch.Local, in half of them with messages that come as late as may be), --mpi says which others there are. What hp5c refuses with
E1303 is counted. Headers of kept cases are those of case.py, with models of tests/mpi/models, and

    // run-with: MPI RANKS THREADS LATE      the runs; those that options give if there is none
"""
import os
import random
import re
import shutil
import sys

from case import HERE, Case, Discarded, Failed, Place, directive, errors_of
import builds
import run_language

MPI = os.path.join(os.path.dirname(HERE), "mpi")
sys.path.insert(0, MPI)
import launch  # noqa: E402
import spread  # noqa: E402

MODELS = ("nodes", "racks", "shared")
BUILDS = ["tcc", "tcc checked"] if shutil.which("tcc") else ["gcc -O0", "checked"]


def with_mappings(text, seed, options, folder):
    """The program with a model of a cluster, and mappings that hp5c takes; also how many of them it refused with E1303."""
    draw, path = random.Random(f"ranks {seed}"), os.path.join(folder, "spread.hp5")
    model, lines = draw.choice(MODELS), text.splitlines()
    head = [line for line in lines if not re.match(r"// (map-text|map|model|builds): ", line)]
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(head) + "\n")
    spreader, found, refused = spread.Spreader(options.hp5c, path, os.path.join(MPI, "models", f"{model}.pcubes")), [], 0
    for kind in spread.KINDS + ("random", "apart"):
        accepted = spreader.accepted(kind, folder, draw)
        if accepted:
            with open(accepted, encoding="utf-8") as mapping:
                found.append(mapping.read().strip().replace("\n", "\\n"))
        elif kind == "random" or all(said["code"] in options.refusals for said in spreader.refused):
            refused += 1
        else:
            raise Failed(f"check: mapping for {model}: {spreader.mapping(kind, draw)}: {spreader.refused}")
    added = [f"// model: {model}"] + [f"// map-text: {mapping}" for mapping in dict.fromkeys(found)]
    return "\n".join(head[:1] + added + head[1:]) + "\n", refused


class Way:
    """How a program is started."""

    def __init__(self, mpi, ranks, threads, late):
        self.mpi, self.ranks, self.threads, self.late = mpi, ranks, threads, late

    def __str__(self):
        return f"{self.mpi} {self.ranks} {self.threads} {self.late}"


def ways(options, salt):
    """A sample of what options allow, other for each pair."""
    draw, found = random.Random(f"ways {salt}"), []
    for _ in range(options.ways):
        late = draw.choice((0, draw.randrange(1, 1000)))
        found.append(Way(draw.choices(options.mpi, [10 if mpi == "local" else 1 for mpi in options.mpi])[0],
                         draw.choices(options.ranks, [1 if n > 7 else 4 for n in options.ranks])[0], draw.choice(options.threads), late))
    return found


class RanksCase(Case):
    def __init__(self, path, options, toolchain, folder):
        super().__init__(path, options, toolchain, folder)
        self.model = os.path.join(MPI, "models", self.test.one("model", "nodes") + ".pcubes")
        self.refused, self.empty = 0, None

    @classmethod
    def of(cls, text, path, options, toolchain, folder):
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return cls(path, options, toolchain, folder)

    def check(self, salt, wanted=None, only=None, variants=()):
        self.at = only
        references = self.references(self.path)
        for number, (name, mapping) in enumerate(run_language.mappings(self.test, self.options, self.folder)):
            if only is None or only.mapping == number:
                self.pair(self.path, (number, name, mapping), self.build(wanted, salt, only), references, f"{salt} {number}", only)

    def build(self, wanted, salt, only):
        if only is not None:
            return only.build
        return wanted[0] if wanted else builds.choose(builds.named(self.options.build or BUILDS), salt, 0)

    def pair(self, path, mapping, build, references, salt, only):
        number, name, file = mapping
        self.at = Place(number, build)
        try:
            program = self.compile(path, file, build)
        except Discarded as reason:
            if "E1303" not in str(reason):
                raise
            self.refused += 1
            return
        self.pairs += 1
        kept = directive(path, "run-with")
        again = [only.switches] * 3 if only is not None and only.switches else ways(self.options, salt)
        if kept and only is None:
            again = [Way(mpi, int(ranks), int(threads), int(late)) for mpi, ranks, threads, late in re.findall(r"(\w+) (\d+) (\d+) (\d+)", kept)]
        for arguments, reference in zip(self.sets, references):
            for way in again:
                self.at = Place(number, build, way)
                self.runs += 1
                self.compare_ranks(arguments, reference, program, way, f"{name}, {build.name}")

    def compare_ranks(self, arguments, reference, program, way, name):
        out = os.path.join(self.folder, "out")
        shutil.rmtree(out, ignore_errors=True)
        os.mkdir(out)
        mpi = self.options.launchers(way.mpi, self.toolchain.folder)
        if mpi is None:
            return
        name += f", {way}"
        try:
            done = mpi.run(way.ranks, [program, "--threads", str(way.threads), *arguments.command(out)], timeout=240,
                           variables={"HP5_WATCH": "200", **({"HP5_LOCAL_LATE": str(way.late)} if way.mpi == "local" else {})})
        except launch.Stuck as reason:
            raise Failed(f"stuck: {name}: {reason}")
        if done.returncode != 0:
            raise Failed(f"error: {name}: exit status {done.returncode}\n{errors_of(done.stderr)[-3000:]}")
        outcome = run_language.Outcome(0, done.stdout, done.stderr, arguments.load(out))
        self.same(arguments, reference, outcome, "differs", name)


class Launchers:
    """By name; each made when a run needs it. None: it is not installed."""

    def __init__(self, options):
        self.options, self.found = options, {}

    def __call__(self, name, folder):
        if name not in self.found:
            known = [launch.Local(folder)] if name == "local" else launch.find(os.path.dirname(self.options.hp5c))
            self.found.update({mpi.name: mpi for mpi in known})
            self.found.setdefault(name, None)
        return self.found[name]
