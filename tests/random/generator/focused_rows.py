"""Pieces of loops for focused.py: rows, or columns, whose rounds wait for the one before, loops around short ones with literal bounds, and rows that
are computed from others."""

DOUBLE, SINGLE = "Real double-precision", "Real single-precision"


class WaitingRows:
    def waiting(self):
        """do { a[i][0] = …  do in sequence { a[i][j] = a[i][j - 1] * 0.5 + b[i][j] } for j in …  do in sequence { … } … step -1 } for i in …: along rows or down
        columns, with locals that live on, conditions, parallel loops between, and sums of a few elements."""
        kind, n, m = self.pick((DOUBLE, DOUBLE, SINGLE)), self.rng.randint(1, 13), self.rng.randint(4, 24)
        low, left = self.pick((0, 0, -2)), self.pick((0, 0, 3))
        down = self.chance(0.4)
        bounds = [(low, low + n - 1), (left, left + m - 1)]
        a, b, c = (self.ranged(name, bounds[::-1] if down else bounds, kind) for name in "abc")
        i, j, q = self.fresh("i"), self.fresh("j"), self.fresh("q")
        at = (lambda array, place: f"{array}[{place}][{i}]") if down else (lambda array, place: f"{array}[{i}][{place}]")
        along, across = ("1", "2") if down else ("2", "1")
        near = self.rng.randint(1, 2)
        lines = ["t = 0.0", "large = 0.0 - 4.0"]
        for _ in range(self.rng.randint(1, 4)):
            back = self.chance(0.4)
            ahead = self.chance(0.2)   # nobody waits
            other = f"{j} {'+' if back != ahead else '-'} {near}"
            first, last = left + (0 if "+" in other else near), left + m - 1 - (near if "+" in other else 0)
            tail = f"for {j} in [{first}...{last}]" + (" step -1" if back else "")
            value = f"{at(a, other)} * 0.5 + {at(b, j)} * 0.25"
            form = self.pick(("element", "element", "element", "local", "branch", "parallel", "few", "set"))
            if form == "element":
                lines += [f"do in sequence {{ {at(a, j)} = {value} }} {tail}"]
            elif form == "local":
                lines += [f"do in sequence {{ t = t * 0.5 + {at(b, j)}  {at(a, j)} = {at(a, j)} * 0.25 + t }} {tail}"]
            elif form == "branch":
                lines += [f"do in sequence {{ if ({at(b, j)} > 0.125) {{ {at(a, j)} = {value} }} else {{ {at(a, j)} = {at(a, other)}  if ({at(b, j)} > large) {{ large = {at(b, j)} }} }} }} {tail}"]
            elif form == "parallel":
                lines += [f"do {{ {at(c, j)} = {at(a, j)} * 0.5 + {self.pick(('t', 'large', at(b, j)))} * 0.125 }} for {j} in {c}.dimension{along}"]
            elif form == "few":
                lines += [f"do {{ t = t + {at(a, f'{left} + {q}')} * 0.125 }} for {q} in [0...{self.rng.randint(0, 3)}]"]
            else:
                lines += [f"{at(a, left + self.rng.randrange(m))} = {self.pick(('t', at(b, left), '0.5'))} * 0.5"]
        lines += [f"{at(c, left)} = {at(c, left)} * 0.5 + t * 0.125 + large * 0.0625"]
        lines = ["do {"] + ["    " + line for line in lines] + [f"}} for {i} in {a}.dimension{across}"]
        stage = self.stage([a, b, c], lines)
        cut = f"<dim{across}>"
        space = self.space(1, [f"{a}{cut}, {b}{cut}, {c}{cut}: {self.pick((self.division(n), f'block_size({self.argument(max(1, n // 2), n)})'))}"]) if self.chance(0.7) else self.whole([a, b, c])
        begin = self.whole([a, b, c])
        self.starts.append(f"Space {begin} {{ " + " ".join(f"{self.start(array, 2, self.mixed(2))}({array})" for array in (a, b, c)) + " }")
        self.features.add("waiting columns" if down else "waiting rows")
        return f"Space {space} {{ {stage}({a}, {b}, {c}) }}", [a, c]

    def few(self):
        """do { t = 0.0  do { t = t + w[q] * x[i + q] } for q in [0...3]  y[i] = t } for i in …: gcc writes the loop inside out."""
        kind, n, r = self.pick((DOUBLE, DOUBLE, SINGLE)), self.rng.randint(1, 40), self.rng.randint(1, 9)
        x, y, w = self.ranged("x", [(0, n + r)], kind), self.ranged("y", [(0, n - 1)], kind), self.ranged("w", [(0, r)], kind)
        i, q = self.fresh("i"), self.fresh("q")
        term = self.pick((f"{w}[{q}] * {x}[{i} + {q}]", f"{x}[{i} + {q}] * 0.5", f"{w}[{q}] * {x}[({i} * 3) % {n}]", f"{w}[({i} + {q}) % {r + 1}]"))
        body = self.pick((f"t = t + {term}", f"t = t + {term}", f"t = max(t, {term})", f"if ({term} > 0.125) {{ t = t + {term} }}", f"t = t * 0.5 + {y}[{i}] * {w}[{q}]",
                          f"t = t + {y}[{self.pick((i, '0'))}] * {w}[{q}]"))
        head = self.pick(("do", "do in sequence"))
        lines = ["do {", "    t = 0.0", f"    {head} {{ {body} }} for {q} in [0...{r}]", f"    {y}[{i}] = {y}[{i}] * 0.5 + t * 0.25", f"}} for {i} in {y}"]
        stage = self.stage([y, x, w], lines)
        space = self.space(1, [f"{y}: {self.pick((self.division(n), f'block_size({self.argument(max(1, n // 2), n)})'))}", f"{x}, {w}: replicated"]) if self.chance(0.7) else self.whole([y, x, w])
        begin = self.whole([y, x, w])
        self.starts.append(f"Space {begin} {{ " + " ".join(f"{self.start(array, 1, self.mixed(1))}({array})" for array in (y, x, w)) + " }")
        self.features.add("few rounds")
        return f"Space {space} {{ {stage}({y}, {x}, {w}) }}", [y]

    def panels(self):
        """do in sequence { x[i][j] = x[i][j] - a[i][k] * x[k][j] for k < i … } for i …: rows from those before or behind, or that change all behind, with bounds that leave some out, and statements
        that let them go panel by panel or not."""
        kind, n, m = self.pick((DOUBLE, DOUBLE, SINGLE)), self.pick((self.rng.randint(1, 60), self.rng.randint(49, 105))), self.rng.randint(1, 9)
        low = self.pick((0, 0, -2, 3))
        behind = self.chance(0.4)
        x = self.ranged("x", [(low, low + n - 1)] * 2 if behind else [(low, low + n - 1), (0, m - 1)], kind)
        a = self.ranged("a", [(low, low + n - 1)] * 2, kind)
        i, j, k = self.fresh("i"), self.fresh("j"), self.fresh("k")
        off = self.pick(("", "", "", " + 1", " + 2", " - 1"))
        if behind:
            bounds = f"{i} > {k}{off} and {j} > {k}{self.pick(('', '', ' + 1'))}" + self.pick(("", "", f" and {j} <= {i}", f" and {i} < {k} + 60", f" and {j} != {i}"))
            terms = self.pick((f"0.25 * {x}[{i}][{k}] * {x}[{k}][{j}]", f"{x}[{i}][{k}] * {x}[{k}][{j}]", f"0.25 * {x}[{i}][{k}] * {x}[{j}][{k}]", f"{a}[{i}][{k}] * {x}[{k}][{j}]"))
            body = self.pick(([], [f"do {{ {x}[{i}][{k}] = {x}[{i}][{k}] * 0.25 }} for {i} in {x}.dimension1 and {i} > {k}"], [f"{x}[{k}][{k}] = {x}[{k}][{k}] * 0.5 + 0.25"],
                              [f"do {{ {x}[{i}][{j}] = {x}[{i}][{j}] * 0.5 }} for {i}, {j} in {x} and {i} > {k} and {j} > {k}"]))
            body = body + [f"do {{ {x}[{i}][{j}] = {x}[{i}][{j}] - {terms} }} for {i}, {j} in {x} and {bounds}"]
            if self.chance(0.2):
                body += [f"do {{ {x}[{i}][{k}] = {x}[{i}][{k}] * 0.5 }} for {i} in {x}.dimension1 and {i} > {k}"]
            row = k
        else:
            side = self.pick((f"{k} < {i}{off}", f"{k} > {i}{off}")) if off != " - 1" else f"{k} < {i} - 1"
            side += self.pick(("", "", "", f" and {k} >= {i} - 60", f" and {k} <= {i} + 55", f" and {k} % 3 != 1"))
            term = self.pick((f"0.03125 * {a}[{i}][{k}] * {x}[{k}][{j}]", f"0.03125 * {a}[{k}][{i}] * {x}[{k}][{j}]"))
            add = f"{x}[{i}][{j}] = {x}[{i}][{j}] {self.pick('+-')} {term}"
            along = f"for {j} in {x}.dimension2"
            scale = f"{x}[{i}][{j}] = {x}[{i}][{j}] * 0.5 + 0.125"
            body = self.pick(([f"do {{ {add} }} {along}; {k} in {x}.dimension1 and {side}", f"do {{ {scale} }} {along}"], [f"do {{ {add} }} {along}; {k} in {x}.dimension1 and {side}"],
                              [f"do {{ {scale} }} {along}", f"do {{ {add} }} {along}; {k} in {x}.dimension1 and {side}"],
                              ["do {", f"    do {{ {add} }} for {k} in {x}.dimension1 and {side}", f"    {scale}", f"}} {along}"]))
            if self.chance(0.2):
                body = body + [f"do {{ {x}[{i}][{j}] = {x}[{i}][{j}] + 0.125 * {x}[{self.pick((low, low + n - 1))}][{j}] }} {along}"]
            row = i
        stage = self.stage([x, a], ["do in sequence {"] + ["    " + line for line in body] + [f"}} for {row} in {x}.dimension1.range"])
        space = self.whole([x, a])
        self.starts.append(f"Space {space} {{ " + " ".join(f"{self.start(array, 2, self.mixed(2))}({array})" for array in (x, a)) + " }")
        self.features.add("rows from others")
        return f"Space {space} {{ {stage}({x}, {a}) }}", [x]
