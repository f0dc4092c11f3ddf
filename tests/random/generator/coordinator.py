"""The Program section, a second task over the same data, mappings, arguments: the whole file."""
from .shapes import Array, INTEGER_LIMIT, NUMPY, REAL_LIMIT, Scalar


class Coordinator:
    def make_scalars(self):
        self.scalars, self.reductions, self.repeat_variables, self.counters = [], [], [], []
        for number in range(self.rng.randint(1, 4)):
            home = self.pick([n for n in self.nodes if not n.sub])
            scalar = Scalar(f"s{number + 1}", self.pick(("double", "double", "single", "int")), home)
            if self.chance(0.25):
                scalar.home, scalar.constant = self.root, True
            else:
                home.scalars.append(scalar)
                scalar.lag = self.rng.choices((0, 1, 2), (6, 3, 1))[0]
            self.scalars.append(scalar)
        for number in range(self.rng.randint(0, 4)):
            home = self.pick([n for n in self.nodes if not n.sub])
            op = self.pick(("sum", "sum", "product", "max", "min", "max_entry", "min_entry", "band", "bor", "land", "lor"))
            kind = "bool" if op in ("land", "lor") else "int" if op in ("max_entry", "min_entry", "band", "bor") else self.pick(("double", "double", "single", "int"))
            bound = {"sum": 400.0 * (INTEGER_LIMIT if kind == "int" else REAL_LIMIT), "product": 50.0,
                     "band": 2048, "bor": 2048}.get(op, INTEGER_LIMIT if kind == "int" else REAL_LIMIT)
            if op == "sum" and kind == "int":
                bound = 400000
            target = Scalar(f"q{number + 1}", kind, home, bound)
            target.op, target.space = op, home.name
            self.reductions.append(target)
            self.scalars.append(target)

    def mapping(self):
        name, levels = self.pick((("one", ["Machine", "Core"]), ("two", ["Machine", "Core"]), ("pairs", ["Machine", "Socket", "Core"]),
                                  ("uneven", ["Machine", "Board", "Socket", "Core"]), ("deep", ["Machine", "Socket", "Cache", "Core"]),
                                  ("deep", ["Machine", "Socket", "Cache", "Core"]), ("flat", ["Machine", "Core"])))
        return name, levels

    def mapping_text(self, task, levels):
        level, words = {"Root": 0}, []
        for node in self.nodes[1:]:
            if node.sub:
                continue
            low = level[node.parent.real().name]
            choice = self.rng.randint(low, len(levels) - 1)
            if self.chance(0.3):
                choice = len(levels) - 1
            level[node.name] = choice
            words.append(f"Space {node.name}: {levels[choice]}")
        return f'"{task}" {{ ' + "  ".join(words) + " }"

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
        return computation

    def second(self):
        """A generator for a task over the same data: what the first one gives can be linked."""
        other = type(self)(self.rng.randrange(10**9))
        other.prefix, other.extent, other.arrays = "m", self.extent, []
        for array in self.arrays:
            if array.env is None:
                continue
            twin = Array(array.name, array.kind, array.dims)
            twin.narrow = array.narrow
            twin.env = other.rng.choices(("link", "create"), (5, 1))[0]
            if twin.kind != "cell" and other.chance(0.5):
                twin.lag = other.rng.choices((1, 2), (5, 1))[0]
            other.arrays.append(twin)
        for extent in {e for a in other.arrays for e in a.dims}:
            having = [a for a in other.arrays if extent in a.dims]
            if all(a.env != "link" for a in having):
                having[0].env = "link"
        other.model_of = {e: next((a, a.dims.index(e)) for a in other.arrays if a.env == "link" and e in a.dims)
                          for e in {e for a in other.arrays for e in a.dims}}
        return other

    def execute_text(self, task, env, suffix=""):
        text = f'    execute(task: "{task}"; environment: {env}'
        return text + (f"; partition: {', '.join('args.' + k + suffix for k in self.args)})" if self.args else ")")

    def program(self):
        self.make_arrays()
        computation = self.finish()
        other = self.second() if self.chance(0.35) else None
        tasks = [self.task_text("T", computation)]
        if other is not None:
            tasks.append(other.task_text("U", other.finish()))
        model, levels = self.mapping()
        links = [a for a in self.arrays if a.env == "link"]
        given = [a for a in self.arrays if a.env is not None]
        words = [f"{k}={v}" for k, v in self.args.items()]
        out = ["Program (args) {", '    env = new TaskEnvironment(name: "T")']
        out += [f'    bind_input(env, "{a.name}", args.{a.name})' for a in links]
        out += [f'    bind_output(env, "{a.name}", args.{a.name}_out)' for a in given]
        out.append(self.execute_text("T", "env"))
        out += [f"    print(env.{name})" for name in self.printed]
        outputs = [a.name for a in given]
        if other is not None:
            words += [f"{k}={v}" for k, v in other.args.items()]
            out.append('    other = new TaskEnvironment(name: "U")')
            out += [f"    other.{a.name} = env.{a.name}" for a in other.arrays if a.env == "link"]
            out.append(other.execute_text("U", "other"))
            out += [f"    print(other.{name})" for name in other.printed]
            for array in other.arrays:
                if array.env == "create":
                    out.append(f'    bind_output(other, "{array.name}", args.{array.name}2_out)')
                    outputs.append(f"{array.name}2")
        if self.chance(0.35):
            other_arguments = self.chance(0.6)
            words += [f"{k}b={max(1, v + self.rng.randint(-1, 1))}" for k, v in self.args.items()] if other_arguments else []
            out.append(self.execute_text("T", "env", "b" if other_arguments else ""))
            out += [f"    print(env.{name})" for name in self.printed]
        out += ["}", ""]
        for number, array in enumerate(links):
            extents = ",".join(str(self.extent[d]) for d in array.dims)
            words.append(f"{array.name}=@ints({extents},{'int32' if array.narrow else 'int64'},low=-50,high=50,seed={number})" if array.kind == "int"
                         else f"{array.name}=@rand({extents},{NUMPY[array.kind]},seed={number})")
        words += [f"{name}_out=%out" for name in outputs]
        header = ["// run", f"// args: {' '.join(words)}", f"// model: {model}"]
        for _ in range(4):
            text = self.mapping_text("T", levels) + (" " + other.mapping_text("U", levels) if other is not None else "")
            if f"// map-text: {text}" not in header:
                header.append(f"// map-text: {text}")
        if any(a.kind == "cell" for a in self.arrays):
            out += ["Type Cell:", "    x: Real double-precision", "    hits: Integer", ""]
        if "blend" in self.functions or (other is not None and "blend" in other.functions):
            out += ["Function blend(x, y) {", "    if (x > y) { return 0.5 * x + 0.25 * y }", "    return 0.25 * x + 0.5 * y", "}", ""]
        for task in tasks:
            out += task + [""]
        return "\n".join(header + out) + "\n"
