#!/usr/bin/env python3
"""Draws the pictures of docs/cards.md: what LU's mappings to a card do, and a trace of one of them, on a simulated card (tests/card).

    card_pictures.py [--hp5c build/hp5c] [--out FOLDER]

Pictures go to docs, or to FOLDER. A simulated card's seconds mean nothing, so the trace is drawn without them: from one moment at which something
begins or ends to the next one is always as far.
"""
import argparse
import json
import os
import subprocess
import tempfile

import numpy as np

from pictures import COLOURS, HERE, plt, save

ROOT = os.path.dirname(HERE)
MACHINE = ["--machine", "SM=3,Warp=2"]
ROWS, ROUNDS = 12, 3    # of the matrix; that the trace shows
# Of the trace: what a row is called there, and in the picture.
HOST = {"stages of the host for it": "host: stages", "from the card": "copies to the host", "to the card": "copies to the card", "kernels of the card": "kernel"}
KINDS = {"exchange": ("exchange (host)", COLOURS[1]), "count_rows": ("count_rows (host)", COLOURS[6]), "start": ("start", COLOURS[5]),
         "find_pivot": ("find_pivot", COLOURS[3]), "eliminate": ("eliminate", COLOURS[0]), "elements": ("elements of arrays", COLOURS[2]),
         "scalars": ("scalars and records", "#999999"), "LU": ("the task", "#dddddd")}


class Lu:
    """LU under one of its mappings for a card, in a folder of its own."""

    def __init__(self, hp5c, mapping, folder):
        self.program, self.folder = f"{folder}/lu-{mapping}", folder
        subprocess.run([hp5c, f"{HERE}/lu/lu.hp5", "--map", f"{ROOT}/mappings/lu/{mapping}.map", "--model", f"{ROOT}/pcubes-models/h200.pcubes",
                        "--nvcc", f"{ROOT}/tests/card/nvcc", "--cc-flag=-O0", "-o", self.program], check=True)

    def run(self, *options):
        np.save(f"{self.folder}/a.npy", np.random.default_rng(4).standard_normal((ROWS, ROWS)))
        files = [f"{name}={self.folder}/{name}.npy" for name in ("a", "lu", "p")]
        subprocess.run([self.program, *files, "parts=6", *MACHINE, *options], check=True, stdout=subprocess.DEVNULL)


def first_rounds(spans):
    """What begins before the last round that is shown ends; the kernel goes on to there."""
    after = sorted(span["ts"] for span in spans if span["name"].startswith("exchange"))[ROUNDS]
    end = max(span["ts"] + span["dur"] for span in spans if span["name"].startswith("eliminate") and span["ts"] < after)
    return [{**span, "end": min(span["ts"] + span["dur"], end)} for span in spans if span["ts"] < end]


def trace(path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    spans = first_rounds([event for event in events if event["ph"] == "X"])
    moments = {moment: place for place, moment in enumerate(sorted({moment for span in spans for moment in (span["ts"], span["end"])}))}
    rows = [row for name in HOST for row in names if names[row] == name] + sorted(row for row in names if names[row].startswith("PPU"))
    figure, axis = plt.subplots(figsize=(11, 3.9), layout="constrained")
    for word, (label, colour) in KINDS.items():
        those = [span for span in spans if span["name"].startswith(word)]
        axis.barh([rows.index(span["tid"]) for span in those], [moments[span["end"]] - moments[span["ts"]] for span in those],
                  left=[moments[span["ts"]] for span in those], height=0.75, color=colour, edgecolor="white", linewidth=0.4, label=label)
    for span in spans:
        if span["name"] == "elements":
            axis.text((moments[span["ts"]] + moments[span["end"]]) / 2, rows.index(span["tid"]) + 0.62, f"{span['args']['bytes']} B", ha="center", fontsize=6)
    axis.set_yticks(range(len(rows)), [HOST.get(names[row], names[row].replace("PPU", "warp").removesuffix(" of the card")) for row in rows], fontsize=8)
    axis.invert_yaxis()
    axis.set_xticks([])
    axis.set_xlabel("what begins and ends, in order; lengths are not times", fontsize=9)
    axis.legend(ncols=len(KINDS), fontsize=7, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", default=f"{ROOT}/build/hp5c")
    parser.add_argument("--out", default=f"{ROOT}/docs", help="folder for all pictures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hp5-pictures-") as folder:
        for mapping in ("card", "hybrid"):
            lu = Lu(os.path.abspath(options.hp5c), mapping, folder)
            lu.run("--mapping-svg", f"{options.out}/cards-lu-{mapping}.svg")
        lu.run("--trace", f"{folder}/trace.json")
        save(trace(f"{folder}/trace.json"), f"{options.out}/cards-lu-trace.png")


if __name__ == "__main__":
    main()
