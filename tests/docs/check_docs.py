#!/usr/bin/env python3
"""Tests every example of the documentation: check_docs.py --hp5c build/hp5c docs/language.md

Fenced code blocks are taken in the order in which they stand, in one fresh folder for each document:

    ```hp5       a program: checked; compiled by hp5c and the C compiler when it has a Program section
    ```map       a mapping file: checked against a program
    ```pcubes    a machine model: read and drawn
    ```console   lines `$ command` run by sh (also over several lines: `\\`, <<'END'); the lines below each are its output and errors. `…` stands for any
                 text in a line, and alone in a line for any number of lines. A command may fail only when the next
                 one is `echo $?`.
    ```sh        with --run-sh: run by sh, all commands must succeed; without: each file named after `sh` must exist
    ```text      not looked at; no other kind is allowed

Links must lead to files and headings that exist. A comment before a block says more, as in <!-- check: file=heat.hp5 -->:

    file=NAME        the block is kept under this name, for the commands that follow
    in=FRAME         an hp5 fragment: it replaces the line that holds @@ in tests/docs/frames/FRAME.hp5
    rejected         hp5c must refuse it (a console block shows the message)
    warns            hp5c accepts it with a warning
    interpreted      it is run by the interpreter only: the C backends do not support all of it
    program=NAME     for a map: the program, a kept file or one of the repository (default: the last hp5 block)
    model=NAME       for a map: the model, likewise (default: pcubes-models/quad-8core.pcubes)

Commands find hp5c in PATH, and programs, mappings, pcubes-models and tests in the current folder. With --fix the
output of commands is written into the document, in the place of what stands there: read what it did!
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KINDS = ("hp5", "map", "pcubes", "console", "sh", "text")
WORDS = ("file", "in", "program", "model", "rejected", "warns", "interpreted")


class Failed(Exception):
    """An example that does not do what the document says."""


class Block:
    def __init__(self, kind, line, text, check):
        self.kind, self.line, self.text, self.check = kind, line, text, check


def blocks_of(path):
    """The fenced blocks of a document, with the words of the comments before them."""
    found, check, kind = [], {}, None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fence = re.match(r"\s*```(\w*)$", line)
        comment = re.fullmatch(r"<!-- check: (.*) -->", line)
        if kind is not None:
            if fence and not fence[1]:
                found.append(Block(kind, start, "".join(text), check))
                kind, check = None, {}
            else:
                text.append(line + "\n")
        elif fence:
            kind, start, text = fence[1], number, []
            if kind not in KINDS:
                raise Failed(f"line {number}: a block of kind '{kind}'; the kinds are {', '.join(KINDS)}")
        elif comment:
            check = dict((word.split("=") + [True])[:2] for word in comment[1].split())
            wrong = [word for word in check if word not in WORDS]
            if wrong:
                raise Failed(f"line {number}: unknown words in a check comment: {wrong}")
        elif line.strip():
            check = {}
    if kind is not None:
        raise Failed(f"line {start}: the block does not end")
    return found


class Document:
    def __init__(self, path, hp5c, folder, run_sh):
        self.path, self.hp5c, self.folder, self.run_sh = path, hp5c, pathlib.Path(folder), run_sh
        self.last_program, self.fixes = None, {}
        for name in ("programs", "mappings", "pcubes-models", "tests", "experiments"):
            os.symlink(ROOT / name, self.folder / name)
        os.symlink(hp5c.parent, self.folder / "build")
        search = [hp5c.parent, pathlib.Path(sys.executable).parent]
        self.environment = dict(os.environ, PATH=":".join([*map(str, search), os.environ["PATH"]]), LC_ALL="C.UTF-8")

    def run(self, *command):
        return subprocess.run([str(c) for c in command], cwd=self.folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)

    def keep(self, block, suffix):
        path = self.folder / block.check.get("file", f"line{block.line}{suffix}")
        path.write_text(block.text, encoding="utf-8")
        return path

    def expect_success(self, done, what, warnings=False):
        if done.returncode != 0:
            raise Failed(f"{what}: exit status {done.returncode}\n{done.stdout}")
        if not warnings and re.search(r"\bwarning\b", done.stdout):
            raise Failed(f"{what}: warnings\n{done.stdout}")

    # ---- Kinds ---------------------------------------------------------------------------------------

    def check_hp5(self, block):
        if "in" in block.check:
            frame = (HERE / "frames" / (block.check["in"] + ".hp5")).read_text(encoding="utf-8")
            if len(re.findall("^.*@@.*$", frame, re.M)) != 1:
                raise Failed(f"the frame {block.check['in']} needs one line with @@")
            block.text = re.sub("^.*@@.*$", lambda _: block.text, frame, flags=re.M)
        path = self.keep(block, ".hp5")
        if "rejected" in block.check:
            done = self.run(self.hp5c, "--check-only", path)
            if done.returncode != 1:
                raise Failed(f"hp5c should refuse the program, but its exit status is {done.returncode}")
            return
        if "warns" in block.check:
            done = self.run(self.hp5c, "--check-only", path)
            if done.returncode != 0 or "warning" not in done.stdout:
                raise Failed(f"hp5c should warn, but it says (exit status {done.returncode}):\n{done.stdout}")
            return
        self.last_program = path
        frame = "in" in block.check  # it declares more than a fragment uses
        self.expect_success(self.run(self.hp5c, "--check-only", path), "hp5c --check-only", warnings=frame)
        self.expect_success(self.run(self.hp5c, "--dump", "loops", path), "hp5c --dump loops", warnings=frame)
        if re.search(r"^Program\b", block.text, re.M) and "interpreted" not in block.check:
            self.expect_success(self.run(self.hp5c, path, "-o", path.with_suffix(".example")), "hp5c and the C compiler")

    def named(self, name, places):
        """A kept file, or one of the repository."""
        found = [p for p in [self.folder / name, *(ROOT / place / name for place in places), ROOT / name] if p.exists()]
        if not found:
            raise Failed(f"there is no file '{name}'")
        return found[0]

    def check_map(self, block):
        path = self.keep(block, ".map")
        program = self.named(block.check["program"], ["programs"]) if "program" in block.check else self.last_program
        model = self.named(block.check.get("model", "quad-8core.pcubes"), ["pcubes-models"])
        done = self.run(self.hp5c, "--check-only", program, "--map", path, "--model", model)
        if "rejected" in block.check:
            if done.returncode != 1:
                raise Failed(f"hp5c should refuse the mapping, but its exit status is {done.returncode}")
            return
        self.expect_success(done, "hp5c --map")

    def check_pcubes(self, block):
        done = self.run(self.hp5c, "--show-model", self.keep(block, ".pcubes"))
        if "rejected" in block.check:
            if done.returncode != 1:
                raise Failed(f"hp5c should refuse the model, but its exit status is {done.returncode}")
            return
        self.expect_success(done, "hp5c --show-model")

    def check_sh(self, block):
        if self.run_sh:
            self.expect_success(self.run("sh", "-ec", block.text), "the commands")
        for name in re.findall(r"^(?:sh|python3|\.) ([\w./-]+)", block.text, re.M):
            if not (ROOT / name).exists():
                raise Failed(f"there is no '{name}'")

    def check_text(self, block):
        pass

    # ---- Commands ----------------------------------------------------------------------------------------

    def check_console(self, block):
        """One shell for the block, so that variables live on; a mark with the status ends each command's output."""
        commands, expected = [], []
        for line in block.text.splitlines():
            if line.startswith("$ "):
                commands.append(line[2:])
                expected.append([])
            elif commands and not expected[-1] and unfinished(commands[-1]):
                commands[-1] += "\n" + line
            elif commands:
                expected[-1].append(line)
            else:
                raise Failed("output stands before the first command")
        script = "".join(f"{command}\nset -- $?; echo; echo \"@@mark $1\"; (exit $1)\n" for command in commands)
        done = self.run("sh", "-c", script)
        parts = re.split(r"\n@@mark (\d+)\n", done.stdout)
        outputs, statuses = parts[0:-1:2], [int(s) for s in parts[1::2]]
        if len(statuses) != len(commands):
            raise Failed(f"the shell stopped after {len(statuses)} commands\n{done.stdout}")
        found = [(c, e, o.splitlines()) for c, e, o in zip(commands, expected, outputs)]
        for i, command in enumerate(commands):
            excused = i + 1 < len(commands) and commands[i + 1] == "echo $?"
            if statuses[i] != 0 and not excused:
                raise Failed(f"$ {command}\nexit status {statuses[i]}\n{outputs[i]}")
        self.fixes[block.line] = found
        for i, command in enumerate(commands):
            if not matches(expected[i], outputs[i].splitlines()):
                raise Failed("\n".join([f"$ {command}", "says:", *outputs[i].splitlines(), "but the document:", *expected[i]]))

    def check(self, block):
        try:
            getattr(self, "check_" + block.kind)(block)
        except Failed as failure:
            return f"{self.path}:{block.line}: {failure}"
        except subprocess.TimeoutExpired as late:
            return f"{self.path}:{block.line}: no end within {late.timeout:.0f} s: {late.cmd}"
        return None


def unfinished(command):
    """Goes on in the next line: after a backslash, or until the END of a here-document."""
    return command.endswith("\\") or ("<<'END'" in command and not command.endswith("\nEND"))


def matches(expected, found):
    """Blank lines at the end do not count."""
    pattern = ""
    for line in expected:
        if line.strip() == "…":
            pattern += r"(?:.*\n)*"
        else:
            pattern += "[^\n]*".join(re.escape(piece.rstrip()) for piece in line.split("…")) + r"[ \t]*\n"
    text = "".join(line + "\n" for line in found)
    return re.fullmatch(pattern.rstrip() + r"\n*", text) is not None


def anchors(path):
    """The places of a document that links can name, as web pages of repositories make them from headings."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    titles = [title.strip().lower() for title in re.findall(r"^#+ (.*)$", text, re.M)]
    return {re.sub(r"[^\w -]", "", title).replace(" ", "-") for title in titles}


def broken_links(path):
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    for name, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", text):
        target = path.parent / name if name else path
        if name.startswith(("https:", "http:")):
            continue
        if not target.exists():
            yield f"{path}: a link to '{name}', which does not exist"
        elif anchor and anchor not in anchors(target):
            yield f"{path}: a link to '{name}#{anchor}', which has no such heading"


def fix(path, fixes):
    """Puts the found output into the console blocks whose commands say something else."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for start in sorted(fixes, reverse=True):
        end = next(i for i in range(start, len(lines)) if lines[i].strip() == "```")
        body = []
        for command, expected, found in fixes[start]:
            while found and not found[-1]:
                found.pop()
            body += ["$ " + command, *(expected if matches(expected, found) else found)]
        lines[start:end] = "\n".join(body).split("\n")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", type=pathlib.Path, required=True)
    parser.add_argument("--fix", action="store_true", help="write the output of commands into the document")
    parser.add_argument("--run-sh", action="store_true", help="run sh blocks, too")
    parser.add_argument("document", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hp5-docs-") as folder:
        document = Document(options.document, options.hp5c.resolve(), folder, options.run_sh)
        try:
            blocks = blocks_of(options.document)
        except Failed as failure:
            sys.exit(f"{options.document}: {failure}")
        problems = [problem for problem in map(document.check, blocks) if problem]
        problems += broken_links(options.document)
        if options.fix:
            fix(options.document, document.fixes)
    if problems:
        sys.exit("\n\n".join(problems))
    print(f"{options.document}: {len(blocks)} examples")


if __name__ == "__main__":
    main()
