"""The Program section: tasks over shared data, their arguments, inputs and outputs; the whole file."""
import re

from .shapes import Array, CELL, INTEGER_LIMIT, NUMPY, REAL_LIMIT, Scalar

FUNCTIONS = {
    "blend": ["Function blend(x, y) {", "    if (x > y) { return 0.5 * x + 0.25 * y }", "    return 0.25 * x + 0.5 * y", "}", ""],
    "order": ["Function order(&x, &y) {", "    if (x > y) {", "        t = x", "        x = y", "        y = t", "    }", "}", ""],
}


class Coordinator:
    def make_scalars(self):
        self.scalars, self.reductions, self.repeat_variables, self.counters = [], [], [], []
        homes = [self.root] if self.free else [n for n in self.nodes if not n.sub]
        for number in range(self.rng.randint(1, 4)):
            home = self.pick(homes)
            scalar = Scalar(f"s{number + 1}", self.pick(("double", "double", "single", "int")), home)
            if self.chance(0.25):
                scalar.home, scalar.constant = self.root, True
            else:
                home.scalars.append(scalar)
                scalar.lag = self.rng.choices((0, 1, 2), (6, 3, 1))[0]
            self.scalars.append(scalar)
        for number in range(self.rng.randint(0, 4)):
            self.make_reduction(f"q{number + 1}", self.pick(homes))

    def make_reduction(self, name, home):
        op = self.pick(("sum", "sum", "product", "max", "min", "max_entry", "min_entry", "band", "bor", "land", "lor"))
        kind = self.pick(("double", "double", "single", "int"))
        if op in ("land", "lor"):
            kind = "bool"
        elif op in ("max_entry", "min_entry", "band", "bor") or (self.free and op in ("sum", "product")):
            kind = "int"
        bound = {"sum": 400.0 * (INTEGER_LIMIT if kind == "int" else REAL_LIMIT), "product": 50.0,
                 "band": 2048, "bor": 2048}.get(op, INTEGER_LIMIT if kind == "int" else REAL_LIMIT)
        if op == "sum" and kind == "int":
            bound = 400000
        target = Scalar(name, kind, home, bound)
        target.op, target.space = op, home.name
        self.reductions.append(target)
        self.scalars.append(target)

    def finish(self):
        """The flow, once arrays and LPSes are there."""
        self.make_tree()
        self.make_scalars()
        self.budget = self.rng.choice((4, 8, 12, 20))
        computation = []
        while not computation:
            computation = self.flow(self.root, frozenset(), 0, 0, False, 8)
            self.budget = max(self.budget, 3)
        self.printed = [s.name for s in self.scalars if s.name in self.touched and s.home.is_single()]
        starts = [s for s in self.scalars if s.kind in ("int", "double") and self.has_start(s) and s.name not in self.printed]
        if starts and self.chance(0.3):
            self.initial.append(self.pick(starts))
        return computation

    def has_start(self, scalar):
        return scalar not in self.reductions and scalar not in self.repeat_variables and scalar not in self.counters

    # ---- More tasks over the same data ------------------------------------------------------------------------

    def second(self, prefix):
        """A generator for a task over the same data: what this one gives can be linked."""
        other = type(self)(self.rng.randrange(10**9))
        other.prefix, other.extent, other.lower, other.arrays, other.free = prefix, self.extent, self.lower, [], self.free
        for array in self.arrays:
            if array.env is None or array.name not in array.given_as:
                continue
            twin = Array(array.name, array.kind, array.dims)
            twin.narrow = array.narrow
            twin.env = other.rng.choices(("link", "create", "link_or_create"), (10, 2, 1))[0]
            if twin.kind not in ("cell", "bool") and other.chance(0.5):
                twin.lag = other.rng.choices((1, 2), (5, 1))[0]
            other.arrays.append(twin)
        for extent in {e for a in other.arrays for e in a.dims}:
            having = [a for a in other.arrays if extent in a.dims]
            if all(a.env != "link" for a in having):
                having[0].env = "link"
        if other.chance(0.3):
            other.link_twice()
        other.model_of = {e: next((a, a.dims.index(e)) for a in other.arrays if a.env == "link" and e in a.dims)
                          for e in {e for a in other.arrays for e in a.dims}}
        return other

    def link_twice(self):
        """One array under two names: both can only be read."""
        array = self.pick(self.arrays)
        array.env, array.lag, array.read_only = "link", 0, True
        again = Array("z", array.kind, array.dims)
        again.narrow, again.read_only, again.given_as = array.narrow, True, {array.name}
        self.arrays.append(again)

    # ---- The whole ----------------------------------------------------------------------------------------------

    def program(self):
        self.make_arrays()
        tasks = [Task("T", "env", self, None)]
        if self.chance(0.4):
            tasks.append(Task("U", "other", self.second("m"), tasks[0]))
            if self.chance(0.35):
                source = self.pick(tasks)
                tasks.append(Task("V", "third", source.generator.second("l"), source))
        out = ["Program (args) {"]
        words, outputs = {}, []
        for task in tasks:
            task.write_start(out, words, outputs)
        if self.chance(0.35):
            tasks[0].write_again(out, words)
        out += ["}", ""]
        if any(a.kind == "cell" for a in self.arrays):
            out += CELL
        for name, lines in FUNCTIONS.items():
            if any(name in task.generator.functions for task in tasks):
                out += lines
        for task in tasks:
            out += task.lines + [""]
        return "\n".join(self.header(tasks, words, outputs) + out) + "\n"

    def header(self, tasks, words, outputs):
        model, inputs = self.choose_model(), []
        for number, array in enumerate(a for a in self.arrays if a.env == "link"):
            extents = ",".join(str(self.extent[d]) for d in array.dims)
            inputs.append(f"{array.name}=@ints({extents},{'int32' if array.narrow else 'int64'},low=-50,high=50,seed={number})" if array.kind == "int"
                          else f"{array.name}=@rand({extents},{NUMPY[array.kind]},seed={number})")
        inputs += [f"{name}_out=%out" for name in outputs]
        lines = ["// run"]
        partitions = [words] + [{k: n if k[0] in "kml" else v for k, v in words.items()} for n in (1, 97) if self.free]
        if self.free:
            lines.append("// partition-free: all argument sets give the same results")
        for values in partitions:
            lines.append("// args: " + " ".join([f"{k}={v}" for k, v in values.items()] + inputs))
        if self.chance(0.1):
            empty = re.sub(rf"(?<=[(,]){self.extent['N']}(?=,)", "0", " ".join(inputs))
            lines.append("// empty-args: " + " ".join([f"{k}={v}" for k, v in words.items()] + [empty]))
        lines.append(f"// model: {model}")
        lines += [f"// map-text: {text}" for text in self.mapping_texts([(t.name, t.generator) for t in tasks], model, 4)]
        return lines


class Task:
    """One task, its environment, and the task whose data it gets."""

    def __init__(self, name, env, generator, source):
        self.name, self.env, self.generator, self.source = name, env, generator, source
        self.lines = generator.task_text(name, generator.finish())

    def execute_text(self, suffix):
        generator = self.generator
        text = f'    execute(task: "{self.name}"; environment: {self.env}'
        if generator.initial:
            text += "; initialize: " + ", ".join(f"args.init_{generator.prefix}{n}" for n in range(len(generator.initial)))
        if generator.args:
            text += "; partition: " + ", ".join("args." + k + suffix for k in generator.args)
        return text + ")"

    def write_start(self, out, words, outputs):
        """The environment, what it gets, the execution, what it gives."""
        generator, env = self.generator, self.env
        out.append(f'    {env} = new TaskEnvironment(name: "{self.name}")')
        for array in generator.arrays:
            if array.env == "link" or (array.env == "link_or_create" and self.source and generator.chance(0.5)):
                given = next(iter(array.given_as))
                out.append(f"    {env}.{array.name} = {self.source.env}.{given}" if self.source
                           else f'    bind_input({env}, "{array.name}", args.{array.name})')
        number = "" if self.source is None else self.name.lower()
        for array in generator.arrays:
            if array.env is not None and (self.source is None or array.env == "create"):
                out.append(f'    bind_output({env}, "{array.name}", args.{array.name}{number}_out)')
                outputs.append(f"{array.name}{number}")
        words.update(generator.args)
        for n, scalar in enumerate(generator.initial):
            words[f"init_{generator.prefix}{n}"] = generator.rng.randint(1, 6) if scalar.kind == "int" else generator.rng.randint(1, 9) / 4
        out.append(self.execute_text(""))
        out += [f"    print({env}.{name})" for name in generator.printed]

    def write_again(self, out, words):
        generator, suffix = self.generator, ""
        if generator.chance(0.6):
            suffix = "b"
            words.update({f"{k}b": max(1, v + generator.rng.randint(-1, 1)) for k, v in generator.args.items()})
        out.append(self.execute_text(suffix))
        out += [f"    print({self.env}.{name})" for name in generator.printed]
