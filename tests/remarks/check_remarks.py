#!/usr/bin/env python3
"""What `hp5c --remarks` says of a program, against the `// remark:` and `// note:` lines at its top.

    check_remarks.py [--show] HP5C FILE.hp5 …

The lines stand in the order in which hp5c prints the remarks: `// remark: LINE:COLUMN: message [CODE]`. A line
`// options: --map x.map` gives more options; paths are taken from the program's folder.
--show prints the lines that the file should have.
"""
import json
import os
import subprocess
import sys
import tempfile


def said(hp5c, path):
    with open(path, encoding="utf-8") as source:
        options = [word for line in source if line.startswith("// options:") for word in line.split()[2:]]
    place, name = os.path.split(os.path.abspath(path))
    with tempfile.TemporaryDirectory() as folder:
        command = [hp5c, name, *options, "--remarks", "--json", "-S", "-o", os.path.join(folder, "x.c")]
        done = subprocess.run(command, capture_output=True, text=True, cwd=place)
    if done.returncode != 0:
        sys.exit(f"{path}: hp5c ended with {done.returncode}\n{done.stdout}{done.stderr}")
    lines = []
    for line in (done.stdout + done.stderr).splitlines():
        message = json.loads(line)
        lines.append(f"// {message['severity']}: {message['line']}:{message['column']}: {message['message']} [{message['code']}]")
        lines += [f"// note: {note['line']}:{note['column']}: {note['message']}" for note in message["notes"]]
    return lines


def main():
    arguments = [a for a in sys.argv[1:] if a != "--show"]
    hp5c, failed = os.path.abspath(arguments[0]), False
    for path in arguments[1:]:
        found = said(hp5c, path)
        if "--show" in sys.argv:
            print(path, *found, sep="\n")
            continue
        with open(path, encoding="utf-8") as source:
            expected = [line.rstrip("\n") for line in source if line.startswith(("// remark:", "// warning:", "// note:"))]
        for want, got in zip(expected + [None] * len(found), found + [None] * len(expected)):
            if want != got:
                failed = True
                print(f"{path}\n  expected {want}\n  found    {got}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
