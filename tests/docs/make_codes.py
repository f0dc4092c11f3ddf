#!/usr/bin/env python3
"""Writes docs/codes.md, the table of all diagnostic codes, from compiler/base/codes/*.def.

    make_codes.py            writes the file
    make_codes.py --check    fails when the file is not what would be written
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TARGET = ROOT / "docs" / "codes.md"
CODES = ROOT / "compiler" / "base" / "codes"
HEAD = """# Messages by code

Every message of `hp5c` ends with a code in brackets. `hp5c --explain CODE` prints the text of this page.
E marks errors, W warnings, R the remarks of `--remarks`. A code keeps its meaning from version to version.

This page is written by `tests/docs/make_codes.py` from `compiler/base/codes/`.

"""
STRING = r'"(?:[^"\\]|\\.)*"'
ENTRY = re.compile(rf"CODE\(\s*\w+\s*,\s*({STRING})\s*,\s*({STRING})\s*,\s*((?:{STRING}\s*)+)\)")


def plain(text):
    """The value of adjacent C string literals."""
    joined = "".join(part[1:-1] for part in re.findall(STRING, text))
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), joined)


def entries():
    found = []
    for path in sorted(CODES.glob("*.def")):
        text = path.read_text(encoding="utf-8")
        here = [tuple(map(plain, match)) for match in ENTRY.findall(text)]
        if len(here) != len(re.findall(r"\bCODE\(", re.sub(STRING, '""', text))):
            sys.exit(f"make_codes.py: {path} has an entry that cannot be read")
        found += here
    return sorted(found, key=lambda entry: (entry[0][1:], entry[0]))


def markdown(text):
    """Without what Markdown would take for its own signs."""
    return re.sub(r"([<*\\])", r"\\\1", text)


def page():
    every, text = entries(), HEAD
    text += "| code | |\n|---|---|\n"
    for code, title, _ in every:
        text += f"| [{code}](#{code.lower()}) | {title.replace('|', chr(92) + '|')} |\n"
    for code, title, explanation in every:
        text += f"\n## {code}\n**{title}.** "
        for part in re.split(r"((?:^    .*\n?|\n(?=    ))+)", explanation, flags=re.M):
            if re.search(r"^    ", part, re.M):
                lines = [line[4:] for line in part.strip("\n").split("\n")]
                text = text.rstrip("\n ") + "\n\n```text\n" + "\n".join(lines) + "\n```\n"
            elif part.strip():
                text += markdown(part.strip("\n")) + "\n"
    return text


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    text = page()
    if not sys.argv[1:]:
        TARGET.write_text(text, encoding="utf-8")
    elif not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
        sys.exit("docs/codes.md is not up to date: run python3 tests/docs/make_codes.py")


if __name__ == "__main__":
    main()
