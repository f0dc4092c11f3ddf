"""Makes a failing program smaller while it fails the same way: deletes blocks and lines, simplifies, greedily.

shrink(text, kind, place, options, toolchain, folder, seconds) tries each candidate with failure(); kind_of() says which
failures are taken for the same.
"""
import os
import re
import time

from case import Discarded, Failed


def kind_of(reason):
    """Failures of one kind are taken for the same while a program shrinks."""
    lines = str(reason).splitlines()
    kind = lines[0].split(":")[0]
    if kind in ("check", "compile"):
        found = re.findall(r"error: (.*)", str(reason))
        kind += re.sub(r"[‘'].*?[’']|\d+", "#", found[0]) if found else ""
    return kind


def failure(text, options, toolchain, folder, salt=None, only=None):
    """The kind of failure and its Place, or None twice."""
    path = os.path.join(folder, "case.hp5")
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    case = options.case(path, options, toolchain, folder)
    try:
        case.check(salt, None, only)
    except Discarded:
        return None, None
    except Failed as reason:
        return kind_of(reason), case.at
    except Exception:  # a header that shrinking broke
        return None, None
    return None, None


def block_end(lines, start):
    depth = 0
    for at in range(start, len(lines)):
        depth += lines[at].count("{") - lines[at].count("}")
        if at == start and depth <= 0:
            return start
        if depth <= 0:
            return at
    return start


def candidates(lines):
    """Smaller programs, largest steps first."""
    first = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    spans = sorted(((block_end(lines, i) - i, i) for i in range(first, len(lines))), reverse=True)
    for length, i in spans:
        yield lines[:i] + lines[i + length + 1:]
    for length, i in spans:
        guard = re.search(r"lpuId|\bif \(|\bdo \{|Partition|Space [A-E] <|Sub-part", lines[i])
        if length >= 1 and not guard:
            yield lines[:i] + lines[i + 1:i + length] + lines[i + length + 1:]
    for i in range(len(lines)):
        for old, new in ((r" and [^{]*?(?=( and |$))", ""), (r" padding\([^)]*\)", ""), (r"\bpadding\([^)]*\)", "padding(1)"),
                         (r"= .*", "= 0.5"), (r"= .*", "= 1"), (r" step -?\d", ""), (r"\[1\.\.\.\w+(\.\w+)?\]", "[1...2]"),
                         (r"stride\(\w+\)|block_stride\([^)]*\)|block_count\(\w+\)", "block_size(2)"), (r"Real single-precision", "Real double-precision"),
                         (r"\(current - [23]\)", "(current - 1)")):
            if i >= first and re.search(old, lines[i]) and re.sub(old, new, lines[i]) != lines[i]:
                yield lines[:i] + [re.sub(old, new, lines[i])] + lines[i + 1:]


def parameter_candidates(text):
    """Without one parameter of a stage, in its definition and its calls; smaller extents and arguments."""
    for name, parameters in re.findall(r"^        (\w+)\(([^()]*)\) \{$", text, re.M):
        names = parameters.split(", ")
        if len(names) < 2:
            continue
        for drop in range(len(names)):
            def without(match):
                words = match.group(2).split(", ")
                if len(words) != len(names):
                    return match.group(0)
                return f"{match.group(1)}({', '.join(words[:drop] + words[drop + 1:])})"
            yield re.sub(rf"\b({name})\(([^()]*)\)", without, text)
    head, _, rest = text.partition("\nProgram")
    for match in re.finditer(r"\bk\d+=(\d+)", head):
        for value in {1, 2, int(match.group(1)) - 1}:
            if 0 < value < int(match.group(1)):
                yield head[:match.start(1)] + str(value) + head[match.end(1):] + "\nProgram" + rest
    for extent in {int(n) for n in re.findall(r"(?<=[(,])(\d+)(?=,)", head)}:
        for value in {2, 3, extent // 2, extent - 1}:
            if 0 < value < extent:
                yield re.sub(rf"(?<=[(,]){extent}(?=,)", str(value), head) + "\nProgram" + rest
    for name in "abcdefgh":
        yield re.sub(rf" {name}=@\S+", "", head) + "\nProgram" + re.sub(rf"\n    bind_input\(env, \"{name}\".*", "", rest)
        yield re.sub(rf" {name}_out=\S+", "", head) + "\nProgram" + re.sub(rf"\n    bind_output\(env, \"{name}\".*", "", rest)
    for name in re.findall(r"\b(k\d+)=", head):
        value = re.search(rf"\b{name}=(\d+)", head).group(1)
        body = re.sub(rf",? ?\bargs\.{name}\b(?=[,)])", "", rest)
        body = re.sub(rf"Partition \((.*)\):", lambda m: "Partition (" + ", ".join(w for w in m.group(1).split(", ") if w != name) + "):", body)
        body = re.sub(rf"\bpartition\.{name}\b|\b{name}\b", value, body)
        yield re.sub(rf" {name}=\d+", "", head) + "\nProgram" + body.replace("; partition: ,", "; partition:").replace("; partition:)", ")").replace("Partition ():", "Partition:")


def shrink(text, kind, place, options, toolchain, folder, seconds):
    """The smallest program found in that time."""
    end = time.time() + seconds
    changed = True
    while changed and time.time() < end:
        changed = False
        lines = text.splitlines()
        for found in (lambda: ("\n".join(c) + "\n" for c in candidates(lines)), lambda: parameter_candidates(text)):
            progress = True
            while progress and time.time() < end:
                progress = False
                lines = text.splitlines()
                for smaller in found():
                    if time.time() > end:
                        break
                    if smaller != text and failure(smaller, options, toolchain, folder, None, place)[0] == kind:
                        text, changed, progress = smaller, True, True
                        break
    return text


def with_one_mapping(text, mapping):
    """The program with only this mapping in its header."""
    lines, number, out = text.splitlines(), -1, []
    for line in lines:
        if line.startswith("// map-text:"):
            number += 1
            if number != mapping:
                continue
        out.append(line)
    return "\n".join(out) + "\n"
