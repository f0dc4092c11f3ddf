"""Variants of a program that must give the same results, made from its text.

    renamed     all names but those of arguments; many of the new ones are words of C or of the runtime
    reordered   definitions, stages, Spaces, and the variables of a Space in another order
    dead code   stages, functions and tasks that nothing calls, steps under conditions that never hold
    foreign     a user function written in C

(Another mapping is in each program's header; parts of size 1 are argument sets of programs that say partition-free.)
"""
import re

C_NAMES = """int register auto static_ long char_ void const switch case goto union struct enum float_ short signed unsigned
volatile extern inline sizeof typedef default restrict asm typeof errno stdin NULL INT64_MAX main exit free malloc memcpy lpu worker
globals views store task part begin end lo hi version number flat group i j I Root_scalars T_flow hp5_min hp5_range a_view b_ld1
c_origin index_ linux unix signal environ printf size_t int64_t bool_ true_ Hp5View self this class template session environment line launch items some cost
last_task lpu_A leads_A part_A step_task rounds_1 task_view task_1 task_place part_1 i_end coordinate program_args has_task bounds_i""".split()
NAME = re.compile(r"(?:(?<![\w.\"])|(?<=\.\.\.))(args\.\w+|[a-hz]|[a-z]+[a-z_]*\d+|blend|order|env|other|third)(?!\w)|\"([a-hz]|[a-z]+\d+)\"|(?<=env\.|nv\d\.|her\.|ird\.)([a-hz]|[a-z]+\d+)(?!\w)|(?<=tion\.)(\w+)")
KEPT = re.compile(r"args\.|dimension|dim\d|log|\d")


def split(text):
    """Header lines, and the rest."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    return lines[:first], lines[first:]


def blocks(lines):
    """Program, Type, Function and Task sections."""
    found, block = [], []
    for line in lines + [""]:
        if line:
            block.append(line)
        elif block:
            found.append(block)
            block = []
    return found


def join(header, sections):
    return "\n".join(header + [line for section in sections for line in section + [""]]) + "\n"


def renamed(text, rng):
    header, body = split(text)
    names, used = {}, set(re.findall(r"\w+", "\n".join(body)))  # words that stay may be among the new ones

    def new(old):
        if KEPT.match(old):
            return old
        if old not in names:
            name = rng.choice(C_NAMES) if rng.random() < 0.5 else f"name_{len(names)}"
            names[old] = name if name not in used else f"{name}_{len(names)}"
            used.add(names[old])
        return names[old]

    def replace(match):
        word = match.group(1) or match.group(3) or match.group(4)
        return new(word) if word else f'"{new(match.group(2))}"'

    return "\n".join(header + [NAME.sub(replace, line) for line in body]) + "\n"


# ---- Order -----------------------------------------------------------------------------------------------------


def pieces(lines, indent):
    """Runs of lines that begin at this indentation, each with what is indented deeper and its closing brace."""
    found = []
    for line in lines:
        depth = len(line) - len(line.lstrip())
        if depth > indent or (line.strip() == "}" and found):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def shuffled(rng, items):
    items = list(items)
    rng.shuffle(items)
    return items


def reordered_space(rng, piece):
    if len(piece) < 4:
        return piece
    pad = len(piece[0]) - len(piece[0].lstrip()) + 4
    return [piece[0]] + [line for part in shuffled(rng, pieces(piece[1:-1], pad)) for line in reordered_space(rng, part)] + [piece[-1]]


def reordered_task(rng, section):
    out = [section[0]]
    for part in pieces(section[1:], 4):
        kind, inner = part[0].split()[0].rstrip(":"), pieces(part[1:], 8)
        if kind in ("Define", "Stages", "Partition"):
            inner = shuffled(rng, inner)
        if kind == "Partition":
            inner = [reordered_space(rng, piece) for piece in inner]
        out += part[:1] + [line for piece in inner for line in piece]
    return out


def reordered(text, rng):
    header, body = split(text)
    sections = [reordered_task(rng, s) if s[0].startswith("Task") else s for s in blocks(body)]
    return join(header, shuffled(rng, sections))


# ---- Dead code --------------------------------------------------------------------------------------------------------


def dead_steps(rng, lines):
    """A copy of some steps of the Computation under a condition that never holds."""
    steps = [i for i, piece in enumerate(pieces(lines, 8)) if piece[0].startswith("        Space")]
    if not steps:
        return lines
    parts = pieces(lines, 8)
    at = rng.choice(steps)
    head = rng.choice(("If 2 < 1 {", "Where 1 == 0 {", "Repeat for never in [1...0] {"))
    parts.insert(rng.choice((at, at + 1)), ["        " + head] + ["    " + line for line in parts[at]] + ["        }"])
    return [line for part in parts for line in part]


def dead_stage(rng, section):
    """A copy of a stage that nothing calls, and statements that never run in the stages."""
    out, copied = [], None
    for part in pieces(section[1:], 4):
        if part[0].strip() == "Stages:":
            stages = pieces(part[1:], 8)
            if stages:
                copied = list(rng.choice(stages))
                copied[0] = copied[0].replace("(", "_uncalled(", 1)
                stage = rng.choice(stages)
                stage.insert(1, "            if (3 < 2) { never = 1.5 }")
                stages.insert(rng.randrange(len(stages) + 1), copied)
            part = part[:1] + [line for stage in stages for line in stage]
        if part[0].strip() == "Computation:":
            part = part[:1] + dead_steps(rng, part[1:])
        out += part
    return section[:1] + out


def dead_code(text, rng):
    header, body = split(text)
    sections = blocks(body)
    tasks = [s for s in sections if s[0].startswith("Task")]
    out = [dead_stage(rng, s) if s in tasks else s for s in sections]
    if rng.random() < 0.5:
        unused = rng.choice(tasks)
        out.append(['Task "Never":'] + unused[1:])
        header = [line.replace("// map-text: ", "// map-text: ", 1) for line in header]
    if rng.random() < 0.5:
        out.append(["Function uncalled(x, &y) {", "    y = x * 2", "    return y + 1", "}"])
    return join(header, out)


# ---- Foreign code --------------------------------------------------------------------------------------------------------

BLEND = """Function blend(x, y) {
    r = 0.25 * x + 0.5 * y
    @Extern {
        @Language "C"
        @Includes { math.h }
        ${ if (x > y) { r = 0.5 * x + 0.25 * y; } }$
    }
    return r
}""".splitlines()


def foreign(text, rng):
    """None if the program does not call the function."""
    header, body = split(text)
    sections = blocks(body)
    if not any(s[0].startswith("Function blend") for s in sections):
        return None
    return join(header, [BLEND if s[0].startswith("Function blend") else s for s in sections])


MAKERS = {"renamed": renamed, "reordered": reordered, "dead code": dead_code, "foreign": foreign}


def variant(text, rng):
    """The name of a variant and its text."""
    while True:
        name = rng.choice(list(MAKERS))
        made = MAKERS[name](text, rng)
        if made is not None:
            return name, made
