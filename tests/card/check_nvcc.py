#!/usr/bin/env python3
"""NVIDIA's compiler takes the text of programs for cards, without a warning, for several kinds of cards; how long it takes.

    check_nvcc.py --hp5c HP5C [--programs NAME …] [--cards sm_75,sm_80,sm_90,sm_100] [--spread] [--table]

Programs are those of programs/ that have a mapping card.map. hp5c is given a command in nvcc's place that passes all on, and measures. With --spread each
program is compiled for one kind of cards, by turns. --table prints what experiments/results has: seconds of a processor, which other work on the machine
makes little longer.
"""
import argparse
import glob
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CARDS = ("sm_75", "sm_80", "sm_90", "sm_100")

# In nvcc's place; ends with 1 behind the text for cards, so that hp5c does not go on.
COMMAND = """#!%(python)s
import json, os, resource, subprocess, sys, time
source = next(word for word in sys.argv[1:] if word.endswith(".cu"))
begin = time.monotonic()
done = subprocess.run(["nvcc", *sys.argv[1:]], capture_output=True, text=True)
seconds, used = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
with open(os.environ["HP5_TEST_OUT"], "w") as out:
    json.dump({"status": done.returncode, "said": done.stdout + done.stderr, "seconds": seconds, "cpu": used.ru_utime + used.ru_stime,
               "lines": len(open(source).readlines())}, out)
sys.exit(1)
"""


def programs():
    for path in sorted(glob.glob(f"{ROOT}/programs/*/*.hp5")):
        name = os.path.basename(path)[:-4]
        mapping = f"{ROOT}/mappings/{name}/card.map"
        if os.path.exists(mapping):
            yield name, path, mapping


def compiled(options, folder, path, mapping, card):
    out = f"{folder}/out"
    if os.path.exists(out):
        os.unlink(out)
    said = subprocess.run([options.hp5c, path, "--map", mapping, "--model", f"{ROOT}/pcubes-models/h200.pcubes", "--nvcc", f"{folder}/nvcc", "--gpu-arch", card,
                           "-o", f"{folder}/program"], capture_output=True, text=True, env=dict(os.environ, TMPDIR=folder, HP5_TEST_OUT=out))
    if not os.path.exists(out):
        sys.exit(f"{path}: nvcc was not called:\n{said.stderr}")
    with open(out, encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--programs", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--cards", default=CARDS, type=lambda text: text.split(","))
    parser.add_argument("--spread", action="store_true")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    options.hp5c = os.path.abspath(options.hp5c)
    if not shutil.which("nvcc"):
        print("skipped: there is no nvcc")
        return 77
    failed, count = 0, 0
    known = list(programs())
    unknown = set(options.programs) - {name for name, _, _ in known}
    if unknown:
        sys.exit(f"no such programs: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory(prefix="hp5-card-") as folder:
        with open(f"{folder}/nvcc", "w", encoding="utf-8") as file:
            file.write(COMMAND % {"python": sys.executable})
        os.chmod(f"{folder}/nvcc", stat.S_IRWXU)
        if options.table:
            print("| program | lines of the text | " + " | ".join(options.cards) + " |\n|---|---" + "|---" * len(options.cards) + "|")
        for number, (name, path, mapping) in enumerate(p for p in known if p[0] in (options.programs or [n for n, _, _ in known])):
            cells = []
            for card in [options.cards[number % len(options.cards)]] if options.spread else options.cards:
                done = compiled(options, folder, path, mapping, card)
                count += 1
                cells.append(f"{done['cpu']:.1f}")
                if done["status"] != 0 or done["said"]:
                    failed += 1
                    print(f"{name}, {card}: nvcc ended with {done['status']}\n{done['said']}", flush=True)
            if options.table:
                print(f"| {name} | {done['lines']} | " + " | ".join(cells) + " |", flush=True)
    print(f"{count} compiled, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
