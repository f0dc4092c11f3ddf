"""The Computation section: spaces entered, repetitions, conditions, epochs, stage calls."""
from .expressions import Scope
from .shapes import Scalar


class Flow:
    def flow(self, node, guards, depth, repeats, in_epoch, indent):
        pad, lines = " " * indent, []
        for _ in range(self.rng.randint(2, 5) if node is self.root else self.rng.randint(1, 3)):
            roll = self.rng.random()
            if node is self.root and roll < 0.55:
                roll = 0.5 if roll < 0.3 else 0.76
            if self.budget <= 0:
                break
            part = None
            if roll < 0.4 or depth > 6:
                self.budget -= 1
                call = self.stage_call(node, guards)
                part = [pad + call] if call else None
            elif roll < 0.75:
                part = self.enter(node, guards, depth, repeats, in_epoch, indent)
            elif roll < 0.78 and node is self.root:
                part = self.rounds(indent) if not in_epoch and repeats < 2 else None
            elif roll < 0.83 and repeats < 2:
                part = self.repeat(node, guards, depth, repeats, in_epoch, indent)
            elif roll < 0.91:
                part = self.conditional(node, guards, depth, repeats, in_epoch, indent)
            elif not in_epoch:
                self.epoch_node = node.real()
                inner = self.flow(node, guards, depth + 1, repeats, True, indent + 4)
                self.epoch_node = None
                part = [f"{pad}Epoch {{"] + inner + [f"{pad}}}"] if inner else None
                self.features.add("epoch")
            if part:
                lines += part
        return lines

    def enter(self, node, guards, depth, repeats, in_epoch, indent):
        pad = " " * indent
        choices = list(node.children) + ([node.sub_node] if node.sub_node is not None else [])
        if not choices:
            return None
        child = self.pick(choices)
        inner = self.flow(child, guards, depth + 1, repeats + child.sub, in_epoch, indent + 4)
        if not inner:
            return None
        if child.sub:
            self.features.add("sub-partition")
        return [pad + ("Repeat foreach sub-partition {" if child.sub else f"Space {child.name} {{")] + inner + [pad + "}"]

    def rounds(self, indent):
        """Rounds of an epoch in an LPS with padding: the usual stencil."""
        padded = [(n, e.array) for n in self.nodes for e in n.entries.values()
                  if e.padding and e.array.lag > 0 and self.is_exclusive(n, e.array, frozenset())]
        if not padded:
            return None
        node, array = self.pick(padded)
        pad = " " * 12
        scope = Scope(self, node)
        name, lines = self.fresh("stencil"), []
        inner = scope.inner()
        indices = self.loop_over(inner, array, "i")
        inner.written[array.name] = indices
        lines.append(f"{pad}do {{")
        lines.append(f"{pad}    sum = 0.0" if array.kind != "int" else f"{pad}    sum = 0")
        place = inner.name(array)
        for dim in range(array.rank):
            for shift in ("- 1", "+ 1"):
                index = f"{indices[dim]} {shift}"
                where = "".join(f"[{index if d == dim else indices[d]}]" for d in range(array.rank))
                lag = self.rng.randint(1, array.lag)
                lines.append(f"{pad}    if ({index} in {place}.local.dimension{dim + 1}.range) {{ sum = sum + {place}{where} at (current - {lag}) }}")
        whole = place + "".join(f"[{i}]" for i in indices)
        last = f"0.2 * (sum + {whole} at (current - 1))" if array.kind != "int" else f"(sum + {whole} at (current - 1)) % 199"
        lines.append(f"{pad}    {whole} = {last}")
        lines.append(f"{pad}}} for {', '.join(indices)} in {place}{self.restrictions(inner, array, indices)}")
        self.stages[name] = ([f for f, _ in scope.parameters], lines)
        self.features.add("stencil")
        call = f"{name}({', '.join(what.name for _, what in scope.parameters)})"
        text = [f"Epoch {{ {call} }}"]
        path = [n for n in node.path()]
        outer, inside = Scalar(self.fresh("r"), "int", self.root), Scalar(self.fresh("r"), "int", self.root)
        where = self.rng.randrange(len(path))
        for number, level in enumerate(path):
            if number == where:
                self.repeat_variables.append(inside)
                text = [f"Repeat for {inside.name} in [1...{self.rng.randint(1, 3)}] {{"] + text + ["}"]
            if number == 0 and self.chance(0.5):
                call = self.stage_call(node, frozenset())
                if call:
                    text.insert(self.rng.randint(0, len(text)) if len(text) == 1 else len(text), call)
            text = ["Repeat foreach sub-partition {" if level.sub else f"Space {level.name} {{"] + text + ["}"]
        self.repeat_variables.append(outer)
        text = [f"Repeat for {outer.name} in [1...{self.rng.randint(1, 3)}] {{"] + text + ["}"]
        depth, lines = 0, []
        for line in text:
            depth -= line.startswith("}")
            lines.append(" " * (indent + 4 * depth) + line)
            depth += line.endswith("{")
        return lines

    def decides(self, node):
        """Enters a condition or loop in which each LPU decides for itself; False, mostly, where the compiler would refuse
        it (E1302): LPUs of two levels that decide, or of a <dynamic> LPS."""
        level = node.real()
        refused = any(other is not level for other in self.controls) or any(n.dynamic for n in level.path())
        if level is not self.root and refused and not self.chance(0.06):
            return False
        self.controls.append(level)
        return True

    def repeat(self, node, guards, depth, repeats, in_epoch, indent):
        pad = " " * indent
        if self.chance(0.65):
            inner_scope = Scope(self, node)
            inner_scope.in_stage = False
            variable = Scalar(self.fresh("r"), "int", node)
            self.repeat_variables.append(variable)
            variable.constant = True
            last = self.pick(("2", "3", "1", "0", "4"))
            if self.chance(0.2) and self.args and not self.free:
                last = f"partition.{self.pick(sorted(self.args))}"
            step = self.pick(("", "", "", " step 2"))
            self.scalars.append(variable)
            inner = self.flow(node, guards, depth + 1, repeats + 1, in_epoch, indent + 4)
            if self.chance(0.6):
                self.scalars.remove(variable)
            if not inner:
                if variable in self.scalars:
                    self.scalars.remove(variable)
                self.repeat_variables.remove(variable)
                return None
            self.features.add("repeat")
            return [f"{pad}Repeat for {variable.name} in [1...{last}]{step} {{"] + inner + [pad + "}"]
        if not self.decides(node):
            return None
        counter = Scalar(self.fresh("n"), "int", node)
        counter.constant = True
        self.counters.append(counter)
        self.scalars.append(counter)
        scope = Scope(self, node)
        scope.in_stage = False
        also = f" and {self.condition(scope, 0)}" if self.chance(0.4) else ""
        inner = self.flow(node, guards, depth + 1, repeats + 1, in_epoch, indent + 4)
        self.controls.pop()
        self.stages.setdefault("count", (["n"], [" " * 12 + "n = n + 1"]))
        self.stages.setdefault("reset", (["n"], [" " * 12 + "n = 0"]))
        self.features.add("while")
        return ([f"{pad}reset({counter.name})", f"{pad}Repeat while {counter.name} < {self.rng.randint(1, 3)}{also} {{",
                 f"{pad}    count({counter.name})"] + inner + [pad + "}"])

    def conditional(self, node, guards, depth, repeats, in_epoch, indent):
        pad, real = " " * indent, node.real()
        if not self.decides(node):
            return None
        scope = Scope(self, node)
        scope.in_stage = False
        if real.dims > 0 and not node.sub and not self.free and self.chance(0.6):
            dims = [d for d in range(real.dims) if self.chance(0.7)] or [0]
            padded = any(entry.padding for entry in real.entries.values())
            tests = " and ".join(f"lpuId[{d}] == {real.guard[d] if padded else self.rng.choice((0, 0, 1))}" for d in dims)
            guards = guards | {(real.name, d) for d in dims}
        else:
            tests = self.condition(scope)
        inner = self.flow(node, guards, depth + 1, repeats, in_epoch, indent + 4)
        self.controls.pop()
        if not inner:
            return None
        self.features.add("if")
        return [f"{pad}{self.pick(('If', 'Where'))} {tests} {{"] + inner + [pad + "}"]
