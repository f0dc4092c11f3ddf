"""Programs made of pieces, each of which goes for something that the general programs seldom reach.

A piece has arrays, Spaces, stages and a flow of its own: piece(focus) gives them to a Focus, which puts two to four of them
into one task, some of them in one Repeat, with a stage between that reads what they wrote. FEATURES names what a
program has; run.py --counts says how often, and `ctest -R random/counts` wants each at least so often as LEAST says.
Pieces of stencils and reductions are here, those of padding in focused_halos.py, those of Spaces within Spaces in focused_turns.py and focused_deep.py, programs of several tasks in focused_tasks.py, those of loops in focused_loops.py, focused_vectors.py, focused_lanes.py, focused_rings.py, focused_records.py, focused_rounds.py and focused_rows.py, those of what processes have alike in focused_shared.py.
"""
from .focused_deep import Deep
from .focused_halos import Halos
from .focused_lanes import Lanes
from .focused_loops import Loops
from .focused_records import Records
from .focused_rings import Rings
from .focused_rounds import Rounds
from .focused_rows import WaitingRows
from .focused_shared import SharedWork
from .focused_tasks import Tasks
from .focused_turns import Turns
from .focused_vectors import Vectors
from .mappings import Mappings, MODELS


class Part:
    """A Space of the program: its name, parent, LPS dimensions, and lines of its Partition."""

    def __init__(self, name, parent, dims, lines, sub=()):
        self.name, self.parent, self.dims, self.lines, self.sub = name, parent, dims, lines, sub


class Focus(Halos, Deep, Tasks, Turns, Loops, Vectors, Lanes, Rings, Rounds, Records, WaitingRows, SharedWork, Mappings):
    def __init__(self, rng):
        self.rng, self.counter = rng, 0
        self.features, self.args, self.initial = set(), {}, {}
        self.arrays, self.scalars = [], []         # (name, rank, type, ranges); (name, type)
        self.parts, self.stages, self.starts = [], [], []
        self.inputs = {}                           # arrays that come from files: what makes them
        self.links, self.tasks, self.outputs = {}, [("T", self)], []   # how arrays come from outside; the program's tasks (focused_tasks.py)
        self.again = {}                            # other values of partition arguments
        self.functions = {}
        self.shape = None                          # of arrays that tasks share: rank, extents, smallest index

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, items):
        return items[self.rng.randrange(len(items))]

    def fresh(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    # ---- What pieces are made of ----------------------------------------------------------------------------

    def argument(self, low, high):
        """A partition argument."""
        name = self.fresh("k")
        self.args[name] = self.rng.randint(low, high)
        return name

    def value(self, low, high):
        """An argument of Initialize."""
        name = self.fresh("n")
        self.initial[name] = self.rng.randint(low, high)
        return name

    def array(self, stem, extents, kind="Real double-precision"):
        name, low = self.fresh(stem), self.pick((0, 0, 0, -2, 3)) if self.shape is None else self.shape[2]
        self.arrays.append((name, len(extents), kind, [(low, low + n - 1) for n in extents]))
        return name

    def scalar(self, stem, kind):
        name = self.fresh(stem)
        self.scalars.append((name, kind))
        return name

    def space(self, dims, lines, parent=None, sub=()):
        name = f"S{len(self.parts) + 1}"
        self.parts.append(Part(name, parent, dims, lines, sub))
        return name

    def stage(self, parameters, lines):
        name = self.fresh("stage")
        self.stages.append((name, parameters, lines))
        return name

    def whole(self, names):
        """An un-partitioned Space that has these arrays."""
        return self.space(0, [", ".join(names)])

    def start(self, name, rank, text):
        """A stage that gives every element a value; {0}, {1} … are its indices."""
        indices = [self.fresh("i") for _ in range(rank)]
        place = f"{name}[{']['.join(indices)}]"
        return self.stage([name], [f"do {{ {place} = {text.format(*indices)} }} for {', '.join(indices)} in {name}"])

    def blocks(self, extent):
        return f"block_count({self.argument(1, 3)})" if self.chance(0.4) else f"block_size({self.argument(max(1, extent // 3), extent)})"

    def turn(self, dims, clock):
        """A condition by which some LPUs take part."""
        text = " + ".join(f"lpuId[{d}]" for d in range(dims))
        return self.pick((f"({text} + {clock}) % 2 == 0", f"({text}) % 3 != {clock} % 3", f"lpuId[{dims - 1}] == {clock} % 2", f"{text} <= {clock}"))

    # ---- Stencils -------------------------------------------------------------------------------------------------

    def stencil(self):
        """An array with padding in all its dimensions; elements of a box around each, corners included; older versions."""
        rank = self.rng.choices((1, 2, 3, 4), (2, 3, 7, 1))[0]
        extents = [self.rng.randint(3, {1: 17, 2: 9, 3: 6, 4: 4}[rank]) for _ in range(rank)]
        name, lag, clock = self.array("u", extents), self.rng.choices((1, 2, 3), (4, 4, 1))[0], self.fresh("t")
        front, back = self.rng.choices(((1, 1), (2, 2), (1, 0), (0, 1), (2, 1)), (5, 2, 1, 1, 1))[0]
        replicated = self.chance(0.2)
        lines = [f"{name}: {', '.join(self.blocks(n) + f' padding({front}, {back})' for n in extents)}"]
        dims = rank
        if replicated:
            other = self.array("r", [4])
            copies = self.argument(2, 3)
            lines = [lines[0] + ", replicated", f"{other}: {', '.join(['replicated'] * rank)}, block_count({copies})"]
            dims += 1
        space = self.space(dims, lines)
        stages = [self.update(name, rank, lag, extents) for _ in range(self.rng.choices((1, 2), (4, 1))[0])]
        inner = self.nested(name, rank, extents, space, front, back) if not replicated and self.chance(0.15) else None
        calls = [f"{stage}({name})" for stage in stages]
        if self.chance(0.2):
            calls[0] = f"Where {self.turn(rank, clock)} {{ {calls[0]} }}"
            self.features.add("some LPUs take part")
        if replicated:
            one = self.pick((0, 1))
            calls = [f"Where lpuId[{rank}] == {one} {{ {call} }}" for call in calls]
            self.features.add("replicated with padding")
        body = " ".join(calls)
        if inner:
            body = f"Space {inner} {{ {body} }}"
        rounds, u = self.value(1, 5), self.fresh("u")
        many = f"Repeat for {u} in [1...{self.rng.randint(2, 3)}]"
        inside = "Epoch { " + body + " }"
        if inner is None and self.chance(0.25):
            inside = f"Where {self.turn(dims, clock)} {{ {inside} }}"
            self.features.update(("some LPUs take part", "epochs of some LPUs"))
        forms = [f"Repeat for {clock} in [1...{rounds}] {{ Epoch {{ Space {space} {{ {body} }} }} }}"] * 2
        if inner is None:
            forms += [f"Repeat for {clock} in [1...{rounds}] {{ Space {space} {{ {many} {{ {inside} }} }} }}",
                      f"Repeat for {clock} in [1...{rounds}] {{ Space {space} {{ {inside} }} }}",
                      f"Space {space} {{ Repeat for {clock} in [1...{rounds}] {{ {inside} }} }}"]
        forms += [f"Repeat for {clock} in [1...{rounds}] {{ If {clock} % 2 == 0 {{ Epoch {{ Space {space} {{ {body} }} }} }} Epoch {{ Space {space} {{ {body} }} }} }}"]
        text = self.start(name, rank, "0.25 * " + " + 0.5 * ".join("{%d}" % d for d in range(rank)) + " + 1.0")
        first = self.pick((space, None)) if not replicated and (front or back) else None
        self.starts.append(f"Space {first or self.whole([name])} {{ {text}({name}) }}")
        self.features.add("stencil")
        self.features.update({3: ["three dimensions with padding"], 4: ["three dimensions with padding", "four dimensions"]}.get(rank, []))
        if lag > 1:
            self.features.add("older versions with padding")
            if "some LPUs take part" in self.features:
                self.features.add("older versions, some LPUs")
        return self.pick(forms), [name]

    def nested(self, name, rank, extents, parent, front, back):
        self.features.add("padding on two levels")
        return self.space(rank, [f"{name}: {', '.join(self.blocks(n) + f' padding({front}, {back})' for n in extents)}"], parent)

    def update(self, name, rank, lag, extents):
        """u[i][j] = a sum of older elements around it, inside the LPU's part or the whole array."""
        names = [self.fresh("i") for _ in range(rank)]
        corner = [self.pick((-1, 1)) for _ in range(rank)]
        offsets = [corner, [-c for c in corner]] + [[self.rng.randint(-1, 1) for _ in range(rank)] for _ in range(self.rng.randint(1, 5))]
        everywhere = rank == 3 and self.chance(0.3)
        if everywhere:
            self.features.add("27 points")
            offsets = [[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]
        if rank >= 2:
            self.features.add("corners")
        where = lambda o: "".join(f"[{i}{'' if d == 0 else ' + 1' if d > 0 else ' - 1'}]" for i, d in zip(names, o))
        parts = [f"({name}{where(o)} at (current - {self.rng.randint(1, lag) if n else lag}))" for n, o in enumerate(offsets)]
        value = " + ".join(f"{round(0.75 / len(parts), 3) + 0.001 * n} * {part}" for n, part in enumerate(parts))
        tests = [f"{i} > {name}.local.dimension{d + 1}.range.min and {i} < {name}.local.dimension{d + 1}.range.max" for d, i in enumerate(names)]
        return self.stage([name], [f"do {{ {name}[{']['.join(names)}] = {value} }} for {', '.join(names)} in {name}", "    and " + " and ".join(tests)])

    # ---- Versions that change places, or must not --------------------------------------------------------------------

    def rotation(self):
        n = self.rng.randint(4, 12)
        name, flags = self.array("v", [n]), self.array("q", [n], "Integer")
        clock, rounds, limit = self.fresh("t"), self.value(1, 6), self.value(0, 3)
        low = self.arrays[-2][3][0][0]
        first = self.arrays[-1][3][0][0]
        s = self.fresh("s")
        chosen = [f"    k = {low}", f"    if ({flags}[{first}] > {limit}) {{ k = {low + 1} }}"]
        ways = [chosen, [f"    k = {low} + {clock} % 3"], [f"    k = {low}", f"    do in sequence {{ k = {low} + {s} % 3 }} for {s} in [0...{flags}[{first}]]"],
                [f"    if ({clock} > {limit}) {{ k = {low + 2} }} else {{ k = {low} }}"], [f"    k = {low} + {limit} % 3"],
                [f"    k = {low}", f"    set_if(k, {flags}[{first}], {low + 1})"], [f"    k = {low}", f"    left = {clock}", f"    do {{ k = {low} + left % 2 left = left - 2 }} while left > 0"]]
        lines = self.pick(ways)
        if any("set_if" in line for line in lines):
            self.functions["set_if"] = ["Function set_if(&place, value, other) {", "    if (value > 1) { place = other }", "}", ""]
        lines = [line.strip() for line in lines]
        i = self.fresh("i")
        lines += self.pick(([f"{name}[k] = ({name}[k] at (current - 1)) * 0.5 + 1.0"],
                            [f"do {{ {name}[{i}] = ({name}[{i}] at (current - 1)) * 0.5 + 1.0 }} for {i} in {name} and {i} >= k"],
                            [f"do {{ {name}[{i}] = ({name}[{i}] at (current - 1)) * 0.5 + k }} for {i} in {name} and {i} <= k + 1"]))
        stage = self.stage([name, flags, clock, limit], lines)
        j = self.fresh("i")
        count = self.stage([flags], [f"do {{ {flags}[{j}] = {flags}[{j}] + 1 }} for {j} in {flags} and {j} < {first + 2}"])
        space = self.space(0, [f"{name}, {flags}"])
        call = f"{stage}({name}, {flags}, {clock}, {limit})"
        forms = [f"Epoch {{ Space {space} {{ {call} }} }}", f"If {clock} % 2 == 0 {{ Epoch {{ Space {space} {{ {call} }} }} }}",
                 f"Epoch {{ Space {space} {{ If {clock} > {limit} {{ {call} }} }} }}"]
        self.features.update(("versions under conditions", "locals under conditions"))
        if any(clock in line for line in lines):
            self.features.add("versions and Repeat variables")
        return f"Repeat for {clock} in [1...{rounds}] {{ {self.pick(forms)} Space {space} {{ {count}({flags}) }} }}", [name, flags]

    # ---- Reductions -------------------------------------------------------------------------------------------------------

    def twice(self):
        """One target reduced twice, the second time by some LPUs only; a loop's start needs what its end gives."""
        n = self.rng.randint(4, 17)
        name, other, total = self.array("a", [n]), self.array("b", [n]), self.scalar("e", "Real double-precision Reduction")
        self.arrays[-1] = (other, 1, "Real double-precision", self.arrays[-2][3])
        i, j, clock, rounds = self.fresh("i"), self.fresh("i"), self.fresh("t"), self.value(1, 4)
        op = self.pick(("sum", "max", "min", "sum"))
        add = self.stage([total, name], [f"do {{ reduce({total}, \"{op}\", {name}[{i}]) }} for {i} in {name}"])
        put = self.stage([other, total], [f"do {{ {other}[{j}] = {other}[{j}] * 0.5 + {total} * 0.0625 }} for {j} in {other}"])
        change = self.stage([name, other], [f"do {{ {name}[{i}] = {name}[{i}] * 0.5 + {other}[{i}] * 0.25 }} for {i} in {name}"])
        space = self.space(1, [f"{name}, {other}: {self.blocks(n) if self.chance(0.7) else f'stride({self.argument(1, 3)})'}"])
        reduce = f"{add}(Space Root: {total}, {name})"
        some = f"Where {self.turn(1, clock)} {{ {reduce} }}"
        give, step = f"{put}({other}, {total})", f"{change}({name}, {other})"
        parts = [f"{reduce} {give} {step} {some} {give}", f"{reduce} {step} {some} {give}", f"{some} {give} {reduce} {give} {step}", f"{step} {reduce} {some} {step} {give}"]
        body = self.pick(parts)
        forms = [f"Repeat for {clock} in [1...{rounds}] {{ Space {space} {{ {body} }} }}", f"Space {space} {{ Repeat for {clock} in [1...{rounds}] {{ {body} }} }}",
                 f"Space {space} {{ {reduce} Repeat for {clock} in [1...{rounds}] {{ {give} {step} {some} }} {give} }}"]
        self.starts.append(f"Space {space} {{ {self.start(name, 1, '{0} * 0.5 + 1.0')}({name}) {self.start(other, 1, '1.0 - 0.25 * {0}')}({other}) }}")
        self.features.update(("reduced twice, by some LPUs", "some LPUs take part"))
        return self.pick(forms), [name, other]

    def lockstep(self):
        """Each LPU decides for itself, and needs what others reduce half-way."""
        n = self.rng.randint(4, 13)
        name, total, own = self.array("a", [n]), self.scalar("e", "Real double-precision Reduction"), self.scalar("g", "Integer")
        i, rounds = self.fresh("i"), self.value(1, 4)
        begin = self.stage([own], [f"{own} = lpuId[0] % 3 + {self.rng.randint(0, 2)}"])
        add = self.stage([total, name], [f"do {{ reduce({total}, \"sum\", {name}[{i}]) }} for {i} in {name}"])
        put = self.stage([name, total, own], [f"do {{ {name}[{i}] = {name}[{i}] * 0.5 + {total} * 0.03125 + {own} }} for {i} in {name}"])
        step = self.stage([own], [f"{own} = {own} + 1"])
        space = self.space(1, [f"{name}: {self.blocks(n)}"])
        both = f"{add}(Space Root: {total}, {name}) {put}({name}, {total}, {own})"
        forms = [f"Repeat for {{t}} in [1...{rounds}] {{{{ If {own} % 2 == 0 {{{{ {both} }}}} {step}({own}) }}}}", f"Repeat while {own} < 4 {{{{ {both} {step}({own}) }}}}",
                 f"If {own} > 1 {{{{ {both} If {own} > 2 {{{{ {both} }}}} }}}} {put}({name}, {total}, {own})",
                 f"Repeat while {own} < 3 {{{{ If {own} != 1 {{{{ {both} }}}} {step}({own}) }}}} {both}"]
        self.starts.append(f"Space {space} {{ {self.start(name, 1, '{0} * 0.5 + 1.0')}({name}) }}")
        self.features.update(("lockstep", "some LPUs take part"))
        return f"Space {space} {{ {begin}({own}) {self.pick(forms).format(t=self.fresh('t'))} }}", [name]

    def exchange(self):
        """A loop whose start reads what its end wrote, in another Space, with another division or replicated."""
        n = self.rng.randint(4, 15)
        name, other, clock, rounds = self.array("a", [n]), self.array("b", [n]), self.fresh("t"), self.value(2, 5)
        self.arrays[-1] = (other, 1, "Real double-precision", self.arrays[-2][3])
        i, j = self.fresh("i"), self.fresh("j")
        read = self.stage([name, other], [f"do {{ {name}[{i}] = {name}[{i}] * 0.5 + 0.03125 * {other}[{j}] }} for {i} in {name}; {j} in {other}"])
        write = self.stage([name, other], [f"do {{ {other}[{i}] = {other}[{i}] * 0.25 + {name}[{i}] }} for {i} in {other}"])
        first = self.space(1, [f"{name}: {self.blocks(n)}", f"{other}: replicated"])
        second = self.space(1, [f"{name}, {other}: {self.pick((f'stride({self.argument(1, 4)})', self.blocks(n)))}"])
        reading, writing = f"Space {first} {{ {read}({name}, {other}) }}", f"Space {second} {{ {write}({name}, {other}) }}"
        forms = [f"{reading} {writing}", f"{reading} {writing} {writing}", f"If {clock} % 2 == 0 {{ {reading} }} {writing}", f"{reading} If {clock} > 1 {{ {writing} }}"]
        self.starts.append(f"Space {second} {{ {self.start(name, 1, '{0} * 0.5 + 1.0')}({name}) {self.start(other, 1, '0.25 * {0}')}({other}) }}")
        self.features.add("a loop's start waits for its end")
        return f"Repeat for {clock} in [1...{rounds}] {{ {self.pick(forms)} }}", [name, other]

    def files(self):
        """Hundreds of arrays that come from files and go to files."""
        n, names = self.rng.randint(1, 5), []
        for _ in range(self.rng.randint(100, 200)):
            names.append(self.array("z", [n]))
            self.arrays[-1] = (names[-1], 1, "Real double-precision", [(0, n - 1)])
            self.inputs[names[-1]], self.links[names[-1]] = f"rand({n},float64,seed={len(names) % 7})", "link"
        used = self.rng.sample(names, 6)
        i = self.fresh("i")
        stage = self.stage(used, [f"do {{ {used[0]}[{i}] = {' + '.join(f'{u}[{i}]' for u in used[1:])} }} for {i} in {used[0]}"])
        space = self.space(1, [f"{', '.join(names)}: {self.blocks(n)}"])
        self.features.add("hundreds of files")
        return f"Space {space} {{ {stage}({', '.join(used)}) }}", [used[0]]

    # ---- The program ----------------------------------------------------------------------------------------------------------

    def program(self):
        pieces = [self.stencil] * 6 + [self.halos] * 3 + [self.waves] + [self.one_store] + [self.rotation] * 4 + [self.twice] * 4 + [self.lockstep] * 2 + [self.exchange] * 3
        pieces += [self.products] * 5 + [self.widths] * 4 + [self.records] + [self.draws] + [self.carried] * 4 + [self.conditions] * 2 + [self.moved] * 2
        pieces += [self.windows] * 3 + [self.cuts] * 4 + [self.called] * 3 + [self.lanes] * 3 + [self.rows] * 2 + [self.sliding] + [self.leaving, self.rings, self.butterflies, self.calling, self.walks] + [self.waiting] * 4 + [self.few, self.panels] + [self.sweeps, self.tables, self.walls] + [self.turns, self.padded_turns, self.indexed_turns]
        flows, named = [], []
        if self.chance(0.03):
            return self.several()
        if self.chance(0.012):
            pieces = [self.files]
        for piece in [self.pick(pieces) for _ in range(1 if len(pieces) == 1 else self.rng.choices((1, 2, 3, 4), (2, 4, 4, 4))[0])]:
            flow, arrays = piece()
            flows.append(flow)
            named += arrays
        if len(flows) > 1 and self.chance(0.4):
            self.features.add("several pieces in one Repeat")
            flows = [f"Repeat for {self.fresh('t')} in [1...2] {{ {' '.join(flows)} }}"]
        lines = self.text(self.starts + flows)
        return "\n".join(self.header() + lines) + "\n"

    def header(self):
        model = self.pick(("pairs", "uneven", "deep", "flat"))
        args = {k: v for _, task in self.tasks for k, v in list(task.args.items()) + list(task.again.items())}
        words = [f"{k}={v}" for k, v in list(args.items()) + [n for _, task in self.tasks for n in task.initial.items()]] + [f"{name}=%out" for name in self.outputs]
        words += [f"{name}_in=@{made}" for name, made in self.inputs.items()]
        more = [f"{k}={max(1, v + self.rng.randint(-1, 1))}" for k, v in args.items()] + words[len(args):]
        lines = ["// run", "// args: " + " ".join(words), "// args: " + " ".join(more), f"// model: {model}"]
        for _ in range(3):
            functions = {}
            tasks = [f'"{name}" {{ {task.placed(MODELS[model], functions)} }}' for name, task in self.tasks]
            if sum(text.count("decompose(") for text in functions.values()) > 2:
                self.features.add("several decomposes in one mapper")
            text = "// map-text: " + "".join(f + "\\n" for f in functions.values()) + " ".join(tasks)
            if text not in lines:
                lines.append(text)
        return lines

    def placed(self, levels, functions):
        """Where the task's Spaces run."""
        words, depth = [], {None: 0}
        for part in self.parts:
            depth[part.name] = self.rng.randint(depth[part.parent], len(levels) - 1)
            level, by = levels[depth[part.name]][0], ""
            if depth[part.name] > depth[part.parent] and part.dims > 0 and self.chance(0.5):
                by = f" by {self.decomposed(level, part.dims, functions)}"
            words.append(f"Space {part.name}: {level}{by}")
        return "  ".join(words)

    def decomposed(self, level, dims, functions):
        """A mapping function with one decompose for each of some dimensions, one after the other."""
        if self.chance(0.4) or dims < 2:
            return self.function(level, dims, functions)
        number = len(functions) + 1
        m, f = f"m{number}", f"f{number}"
        inner = self.pick(("q.decompose(2, s)", "q.decompose(1, s, halo=({}))".format(", ".join(["1"] * dims)), f"q.decompose({dims}, s)"))
        coordinates = " + ".join(f"p[{d}] * {self.rng.randint(1, 3)}" for d in range(dims))
        functions[f] = (f"{m} = Machine({level})\\ndef {f}(Tuple p, Tuple s):\\n    q = {m}.decompose(1, s)\\n    w = {inner}\\n"
                        f"    v = w.merge(0, 1).decompose(0, s)\\n    at = {coordinates}\\n    n = v.size\\n    return v[*((p + at) % n[0:{dims}]), *(n[{dims}:] - n[{dims}:])]")
        return f

    def text(self, flows):
        lines = ["Program (args) {", '    env = new TaskEnvironment(name: "T")']
        lines += [f'    bind_input(env, "{name}", args.{name}_in)' for name in self.inputs]
        execute = '    execute(task: "T"; environment: env'
        if self.initial:
            execute += "; initialize: " + ", ".join("args." + n for n in self.initial)
        if self.args:
            execute += "; partition: " + ", ".join("args." + k for k in self.args)
        lines.append(execute + ")")
        if self.chance(0.15):
            lines.append(lines[-1])
            self.features.add("executed twice")
        lines += [f'    bind_output(env, "{a[0]}", args.{a[0]})' for a in self.arrays] + ["}", ""]
        self.outputs = [a[0] for a in self.arrays]
        for text in self.functions.values():
            lines += text
        return lines + self.task_text("T", flows)

    def task_text(self, name, flows):
        lines = [f'Task "{name}":', "    Define:"] + [f"        {n}: {rank}d Array of {kind}" for n, rank, kind, _ in self.arrays]
        lines += [f"        {n}: Integer" for n in self.initial] + [f"        {n}: {kind}" for n, kind in self.scalars]
        lines += ["    Environment:"] + [f"        {a[0]}: {self.links.get(a[0], 'create')}" for a in self.arrays]
        lines.append(f"    Initialize{' (' + ', '.join(self.initial) + ')' if self.initial else ''}:")
        for name, _, _, ranges in [a for a in self.arrays if self.links.get(a[0]) != "link"]:
            lines += [f"        {name}.dimension{d + 1}.range = [{low}...{high}]" for d, (low, high) in enumerate(ranges)]
        lines.append("    Stages:")
        for name, parameters, body in self.stages:
            lines += [f"        {name}({', '.join(dict.fromkeys(parameters))}) {{"] + ["            " + line for line in body] + ["        }"]
        lines += ["    Computation:"] + ["        " + flow for flow in flows]
        lines.append(f"    Partition ({', '.join(self.args)}):" if self.args else "    Partition:")
        for part in self.parts:
            kind = f"{part.dims}d" if part.dims else "un-partitioned"
            parent = f" divides Space {part.parent} partitions" if part.parent else ""
            lines += [f"        Space {part.name} <{kind}>{parent} {{"] + ["            " + line for line in part.lines] + ["        }"]
        return lines
