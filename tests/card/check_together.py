#!/usr/bin/env python3
"""A task on a card runs at the same time as one on processors, if neither needs the other's data: of the two tasks of together.hp5 the first one waits
for the second one. A simulated card has the host's variables, which is how the second one tells it. Their stages have rows of their own in a trace."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tools"))
import shared  # noqa: E402
MAPPING = '"Wait" { Model: Host  Space A: Core } "Tell" { Model: Card  Space A: Warp }\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hp5c", required=True)
    options = parser.parse_args()
    os.environ["HP5_SIM_HEADERS"] = shared.folder(options.hp5c)
    with tempfile.TemporaryDirectory(prefix="hp5-card-") as folder:
        with open(f"{folder}/both.map", "w", encoding="utf-8") as out:
            out.write(MAPPING)
        for name in "vu":
            np.save(f"{folder}/{name}.npy", np.zeros(3, dtype=np.int64))
        subprocess.run([options.hp5c, f"{HERE}/together.hp5", "--nvcc", f"{HERE}/nvcc", "--map", f"{folder}/both.map", "--model", f"{HERE}/models/both.pcubes",
                        "-o", f"{folder}/program"], check=True)
        subprocess.run([f"{folder}/program", "k=1", *(f"{name}={folder}/{name}.npy" for name in ("v", "u", "waited", "told")), "--trace", f"{folder}/trace.json"],
                       check=True, timeout=300)
        for name in ("waited", "told"):
            assert (np.load(f"{folder}/{name}.npy") == 12345).all(), (name, np.load(f"{folder}/{name}.npy"))
        with open(f"{folder}/trace.json", encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
    rows = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    found = {event["name"].split()[0]: rows[event["tid"]] for event in events if event["ph"] == "X" and event.get("cat") == "stage"}
    assert found["await"] in ("PPU 0", "PPU 1", "PPU 2") and found["tell"].startswith("PPU ") and found["tell"].endswith(" of the card"), found
    print("the task on processors has waited for the one on the card")


if __name__ == "__main__":
    sys.exit(main())
