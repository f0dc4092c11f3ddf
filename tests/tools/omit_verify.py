#!/usr/bin/env python3
"""Does hp5c's verifier notice whatever a plan leaves out? Only hp5c runs, nothing is compiled.

    omit_verify.py --hp5c HP5C [--programs] [--language] [--random N [--seed S]] [--spread] [--cards KIND,…] [FILE …]

FILE: programs; --programs: those of programs/; --language: those of tests/language/run and tests/random/kept; --random: N random programs
(tests/random) from seed S on, a drawn one that is printed if there is none.

hp5c numbers the waits of a program's plan (--omit-sync N leaves out one) and the steps that move data (--omit-transfer N). The whole plan
must pass --verify; each plan with one thing less must fail, with the words of an internal error in the plan. With --spread every plan
is also that of a cluster: un-partitioned Spaces span its nodes, others go to the cores of all of them. With --cards each plan is also that of a card, with one mapping of each of these kinds (tests/card/tiers.py), of which only the waits are left out.
"""
import argparse
import concurrent.futures
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
ROOT = os.path.dirname(TESTS)
sys.path[:0] = [f"{TESTS}/random", f"{TESTS}/mpi", f"{TESTS}/card"]
import tiers  # noqa: E402

KINDS = ("--omit-sync", "--omit-transfer")
CARD, CARD_OF_HOST = (f"{TESTS}/card/models/{name}.pcubes" for name in ("lanes", "hybrid"))
REFUSED = 1


CLUSTER = f"{ROOT}/pcubes-models/hermes.pcubes"


def plan(options, path, *extra):
    model = [] if "--model" in extra else ["--model", options.model]
    command = [options.hp5c, "--dump=plan", path, *model, *extra]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def spread_map(options, path, folder):
    """A mapping of the program to all nodes of the cluster: its mapping to one of them, with what spans the node spanning all."""
    command = [options.hp5c, "--print-map", path, "--model", CLUSTER]
    text = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=120).stdout.decode()
    lines = [line.split("//")[0].rstrip() for line in text.splitlines()]
    lines = [re.sub(r": Node$", ": Cluster", line) for line in lines if not line.strip().startswith("Space Root:")]
    with open(f"{folder}/spread.map", "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    return ["--model", CLUSTER, "--map", f"{folder}/spread.map"]


def check(options, path, name):
    """How many things were left out, and what was wrong."""
    found = [check_mapped(options, path, name, [])]
    with tempfile.TemporaryDirectory(prefix="hp5-omit-verify-") as folder:
        if options.spread:
            found.append(check_mapped(options, path, f"{name} on a cluster", spread_map(options, path, folder)))
        for number, kind in enumerate(options.cards):
            os.mkdir(f"{folder}/{number}")
            mapped, text = card_map(options, path, kind, f"{folder}/{number}", random.Random(f"{os.path.basename(path)} {number}"))
            count, wrong = check_mapped(options, path, f"{name}, {kind}", mapped, KINDS[:1]) if mapped else (0, [])
            found.append((count, [f"{line}: {text}" for line in wrong]))
    return sum(count for count, _ in found), [line for _, wrong in found for line in wrong]


def card_map(options, path, kind, folder, rng):
    """Options for a mapping of that kind to a card, and its text; none if there is none."""
    model = CARD_OF_HOST if kind in tiers.HYBRID else CARD
    mapping = tiers.Tiers(options.hp5c, path, model).accepted(kind, folder, rng)
    if not mapping:
        return None, None
    with open(mapping, encoding="utf-8") as text:
        return ["--model", model, "--map", mapping], text.read().strip()


# Leaving these out changes nothing: rows of the panel move twice in front of one step; a row that nobody writes in a second loop has moved in the first one, to the same reader.
# What a leader has written in front of rounds that bring it home, or behind them, and reads again behind them goes home where there are no such rounds, too: the leader has it.
PLACES, RINGS = "tests/language/run/padding_in_place.hp5", ("tests/language/run/ring_ends.hp5", "tests/language/run/rings_from_start_values.hp5")
NEEDLESS = {f"{path} on a cluster: nothing noticed with --omit-transfer {number}"
            for path, number in (("programs/block-lu/block-lu.hp5", 13), (PLACES, 41), (RINGS[0], 18), (RINGS[1], 25), (RINGS[1], 26), (RINGS[1], 31))}


def check_mapped(options, path, name, mapped, kinds=KINDS):
    status, _, err = plan(options, path, "--verify", *mapped)
    if status == REFUSED:
        return 0, []
    if status != 0:
        return 0, [f"{name}: the whole plan fails: {err.strip()}"]
    whole, count, wrong = plan(options, path, *mapped)[1], 0, []
    for kind in kinds:
        number = 0
        while True:
            status, _, err = plan(options, path, kind, str(number), "--verify", *mapped)
            noticed = (status == 70 and "internal error in plan" in err) or (status == REFUSED and "E1303" in err)  # refused: there is no plan
            if not noticed:
                less = plan(options, path, kind, str(number), *mapped)[1]
                if less == whole:
                    break
                said = f"{name}: nothing noticed with {kind} {number}"
                wrong += [said] if said not in NEEDLESS else []
            number += 1
        count += number
    return count, wrong


def check_random(options, seed):
    import generator
    with tempfile.TemporaryDirectory(prefix="hp5-omit-verify-") as folder:
        path = f"{folder}/program.hp5"
        with open(path, "w", encoding="utf-8") as out:
            out.write(generator.generate(seed))
        return check(options, path, f"random program {seed}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--programs", action="store_true")
    parser.add_argument("--language", action="store_true")
    parser.add_argument("--random", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--spread", action="store_true")
    parser.add_argument("--cards", type=lambda text: text.split(","), default=[], metavar="KIND,…")
    parser.add_argument("--model", default=f"{ROOT}/pcubes-models/quad-8core.pcubes")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*", metavar="FILE")
    options = parser.parse_args()
    options.hp5c = os.path.abspath(options.hp5c)
    files = list(options.files)
    if options.programs:
        files += sorted(glob.glob(f"{ROOT}/programs/*/*.hp5"))
    if options.language:
        files += sorted(glob.glob(f"{TESTS}/language/run/*.hp5") + glob.glob(f"{TESTS}/random/kept/*.hp5"))
    if options.random:
        print(f"seeds from {options.seed} on")
    total, wrong = 0, []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = [pool.submit(check, options, path, os.path.relpath(path, ROOT)) for path in files]
        work += [pool.submit(check_random, options, options.seed + n) for n in range(options.random)]
        for job in work:
            count, said = job.result()
            total += count
            wrong += said
            for line in said:
                print(line, flush=True)
    print(f"{len(work)} programs, {total} omissions, {len(wrong)} not noticed")
    return 1 if wrong else 0


sys.exit(main())
