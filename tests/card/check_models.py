#!/usr/bin/env python3
"""Every mapping card.map is accepted on every model of a node with a card, and gives its task to the card there.

    check_models.py --hp5c HP5C
"""
import argparse
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NODES = ("a100", "h100", "h200", "k20")


def wrong(options, source, mapping, model):
    command = [os.path.abspath(options.hp5c), source, "--map", mapping, "--model", f"{ROOT}/pcubes-models/{model}.pcubes", "--verify"]
    done = subprocess.run([*command, "--check-only"], capture_output=True, text=True)
    if done.returncode != 0 or "error" in done.stderr:
        return done.stderr or f"status {done.returncode}"
    plan = subprocess.run([*command, "--dump", "plan"], capture_output=True, text=True).stdout
    spaces = re.findall(r"^  Space (?!Root)\S+: (\w+)", plan, re.M)
    return "" if spaces and all(level in ("GPU", "SM", "Warp") for level in spaces) else f"not all Spaces are the card's: {spaces}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    options = parser.parse_args()
    count = failed = 0
    for source in sorted(glob.glob(f"{ROOT}/programs/*/*.hp5")):
        mapping = f"{ROOT}/mappings/{os.path.basename(source)[:-4]}/card.map"
        for model in NODES if os.path.exists(mapping) else ():
            said = wrong(options, source, mapping, model)
            count += 1
            if said:
                failed += 1
                print(f"{mapping} on {model}:\n{said}")
    print(f"{count} mappings, {failed} refused")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
