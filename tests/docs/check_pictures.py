#!/usr/bin/env python3
"""The pictures of the programs' pages and of the manual: check_pictures.py --hp5c build/hp5c

Every picture that programs/pictures.py can draw is there, has at most 60 KB and stands in its page, and no page has another one.
Two are drawn again, from what the programs compute now: one of results, one of a mapping. So are all that docs/ keeps (programs/card_pictures.py); those of experiments/results that the manual shows are there.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import matplotlib.image
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
AGAIN = ("histogram", "block-lu")


def check_manual(hp5c):
    """Mappings are drawn as they were; a trace, in which threads come in another order each time, is drawn. What was measured once is only there."""
    docs = ROOT / "docs"
    kept = sorted(path.name for kind in ("*.svg", "*.png") for path in docs.glob(kind))
    shown = [(page, *found) for page in sorted(docs.glob("*.md")) for found in re.findall(r"!\[([^\]]*)\]\(([^)]*)\)", page.read_text(encoding="utf-8"))]
    own = sorted(path for _, _, path in shown if "/" not in path)
    assert own == kept, (own, kept)
    missing = [(page.name, path) for page, _, path in shown if not (page.parent / path).is_file()]
    assert not missing, f"pictures that are not there: {missing}"
    assert all(len(alt) > 10 for _, alt, _ in shown), shown
    with tempfile.TemporaryDirectory(prefix="hp5-pictures-") as folder:
        subprocess.run([sys.executable, ROOT / "programs" / "card_pictures.py", "--hp5c", hp5c, "--out", folder], check=True)
        drawn = sorted(path.name for path in pathlib.Path(folder).iterdir())
        assert drawn == kept, (drawn, kept)
        for name in kept:
            same = name.endswith(".png") or (pathlib.Path(folder) / name).read_text(encoding="utf-8") == (docs / name).read_text(encoding="utf-8")
            assert same, f"docs/{name} is drawn otherwise now; programs/card_pictures.py draws it again"
    return len(kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    hp5c = parser.parse_args().hp5c
    script = ROOT / "programs" / "pictures.py"
    text = script.read_text(encoding="utf-8")
    table = text[text.index("PICTURES = {"):]
    names = re.findall(r'"([a-z0-9-]+)":', table[:table.index("}")])
    assert len(names) > 9, names
    shown = {}
    for page in sorted((ROOT / "programs").glob("*/README.md")):
        for alt, path in re.findall(r"!\[([^\]]*)\]\(([^)]*)\)", page.read_text(encoding="utf-8")):
            shown[page.parent.name] = path
            assert len(alt) > 10, f"{page}: the picture {path} is not described"
    assert shown == {name: f"{name}.png" for name in names}, shown
    for name in names:
        size = (ROOT / "programs" / name / f"{name}.png").stat().st_size
        assert 1000 < size <= 60_000, f"{name}.png has {size} bytes"
    with tempfile.TemporaryDirectory(prefix="hp5-pictures-") as folder:
        subprocess.run([sys.executable, script, "--hp5c", hp5c, "--out", folder, *AGAIN], check=True)
        for name in AGAIN:
            now = matplotlib.image.imread(f"{folder}/{name}.png")
            kept = matplotlib.image.imread(ROOT / "programs" / name / f"{name}.png")
            assert now.shape == kept.shape, f"{name}.png: {now.shape} instead of {kept.shape}"
            other = np.mean(np.any(np.abs(now - kept) > 0.2, axis=-1)) # letters may differ between versions of matplotlib
            assert other < 0.05, f"{name}.png: {100 * other:.1f} % of the picture differ; programs/pictures.py {name} draws it again"
    print(f"{len(names) + check_manual(hp5c)} pictures")


if __name__ == "__main__":
    main()
