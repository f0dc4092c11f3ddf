"""Pieces of loops for focused.py: loops around loops that run alike for neighbouring iterations, which go side by side then, and
their near relatives, which may not."""

DOUBLE, SINGLE = "Real double-precision", "Real single-precision"


class Lanes:
    def lanes(self):
        """do { t = 0.0  do in sequence { … t = t + … } for j in … y[i] = t } for i in y, with locals, conditions, functions and loops inside."""
        kind = self.pick((DOUBLE, DOUBLE, SINGLE))
        n, m = self.rng.randint(1, 70), self.rng.randint(1, 9)
        low = self.pick((0, 0, -3, 2))
        y, x = self.ranged("y", [(low, low + n - 1)], kind), self.ranged("x", [(low, low + n - 1)], kind)
        w, count = self.ranged("w", [(0, m - 1)], kind), self.ranged("c", [(low, low + n - 1)], self.pick(("Integer", "Integer single-precision")))
        i, j, k = self.fresh("i"), self.fresh("j"), self.fresh("k")
        near = f"{x}[{i}]"
        function = self.pick(("exp(0.0 - d * d)", "cos(d)", "sqrt(abs(d))", "d * 0.5", "1.0 / (d * d + 0.5)"))
        term = self.pick((f"{w}[{j}] * {near}", f"({w}[{j}] - {near}) * 0.25", function, f"d * {w}[{j}]", f"{near} * 0.125"))
        place = self.pick(("t", "t", f"{y}[{i}]"))
        add = f"{place} = {place} {self.pick('++-')} {term}"
        body = [f"d = {w}[{j}] - {near} * 0.5"]
        body += self.pick(([add], [f"if (d < {self.pick(('0.5', near))}) {{ {add} }}"], [f"if (d < 0.25 and {j} != {i}) {{ {add} }} else {{ number = number + 1 }}"],
                           [f"if (d > large) {{ large = d  number = {j} }}", add], [add, f"number = number + (({i} * {j}) % {self.rng.randint(2, 5)})"],
                           [f"do in sequence {{ {add} }} for {k} in [0...{self.pick(('1', j, str(m - 1)))}]", f"if (t > d) {{ seen = true }}"],
                           [f"u = 0.0", f"do {{ u = u + {w}[{k}] * {near} }} for {k} in {w}", f"t = t + u * 0.125"]))
        spoiled = self.chance(0.3)
        if spoiled:   # what keeps neighbours apart
            body += [self.pick((f"t = t + {y}[{i}] * 0.5 + {w}[{j}]  {y}[{i}] = t * 0.125", f"number = number + {i} / ({j} + 1)", f"do {{ t = t * 0.5 + 0.25 }} while t > 1.0"))]
        ends = self.pick((f"{w}.dimension.range", f"{w}.dimension.range", f"[0...{m - 1}]", f"[0...{self.pick((f'({i} - {low}) % {m}', 'last'))}]" if spoiled else f"[{m // 2}...{m - 1}]"))
        head = self.pick((f"do in sequence {{", f"do {{"))
        tail = f"}} for {j} in {ends}"
        if head == "do {" and place != "t" and self.chance(0.5):
            tail = f"}} for {j} in {w}"
        lines = ["do {", f"    last = {self.pick((str(m - 1), f'abs({i}) % {m}'))}" if "last" in ends else "    t = 0.25",
                 "    t = 0.0", f"    large = 0.0 - 8.0", "    number = 0", "    seen = false", "    " + head] + ["        " + line for line in body] + ["    " + tail]
        lines += [f"    if (seen) {{ number = number * 2 + 1 }}", f"    {y}[{i}] = {y}[{i}] * 0.5 + t * 0.25 + large * 0.125", f"    {count}[{i}] = number"]
        lines += [f"}} for {i} in {y}" + (f" and {i} {self.pick(('>', '<=', '!='))} {low + self.rng.randrange(n)}" if self.chance(0.2) else "")]
        stage = self.stage([y, x, w, count], [f"do {{ {count}[{i}] = 0 }} for {i} in {count}"] + lines)
        space = self.space(1, [f"{y}, {x}, {count}: {self.pick((self.division(n), f'block_size({self.argument(max(1, n // 2), n)})'))}", f"{w}: replicated"]) if self.chance(0.7) else self.whole([y, x, w, count])
        begin = self.whole([y, x, w])
        self.starts.append(f"Space {begin} {{ " + " ".join(f"{self.start(a, 1, self.mixed(1))}({a})" for a in (y, x, w)) + " }")
        self.features.add("lanes, nearly" if spoiled else "lanes")
        return f"Space {space} {{ {stage}({y}, {x}, {w}, {count}) }}", [y, count]

    def leaving(self):
        """do { t = x[i]  do { t = …  n = n + 1 } while n < … and …  y[i] = t } for i in y: rounds that each iteration leaves by its own condition, and relatives that
        do more in a round than set locals."""
        kind, n, m = self.pick((DOUBLE, DOUBLE, SINGLE)), self.rng.randint(1, 70), self.rng.randint(1, 20)
        low = self.pick((0, 0, -3, 2))
        y, x = (self.ranged(name, [(low, low + n - 1)], kind) for name in "yx")
        w, count = self.ranged("w", [(0, m - 1)], kind), self.ranged("c", [(low, low + n - 1)], self.pick(("Integer", "Integer single-precision")))
        i, j = self.fresh("i"), self.fresh("j")
        near = f"{x}[{i}]"
        term = self.pick((f"{near} * 0.25", f"{w}[at] * 0.5", f"{w}[{m - 1} - at] - t", f"exp(0.0 - t * t)", "0.125 / (t * t + 0.5)", f"sqrt(abs(t))"))
        body = [f"was = t", f"t = t * {self.pick(('0.5', '0.75', '-0.5'))} + {term}", "n = n + 1"]
        body += self.rng.sample((f"if (t > {self.pick(('0.25', near))}) {{ seen = not seen }}", "if (n % 2 == 0) { t = t - 0.25 } else { large = max(large, t) }", "number = number + n * 3", "number = number / 2",
                                 f"at = min(at + 1, {m - 1})", f"at = (at + {self.rng.randint(1, 3)}) % {self.pick((m, 1, 2 if m > 1 else 1))}", "kept = was", "if (large < t) { large = t  number = n }"), self.rng.randint(0, 3))
        spoiled = self.chance(0.2)
        if spoiled:
            body += [self.pick((f"{y}[{i}] = {y}[{i}] + t * 0.125", f"do in sequence {{ t = t + {w}[{j}] * 0.0625 }} for {j} in [0...{min(m - 1, 2)}]", f"number = number + 7 / n", f"do {{ t = t * 0.5 }} while t > 1.0"))]
        most = self.pick((str(self.rng.randint(1, 12)), f"abs({i}) % 5 + 1", "limit"))
        ends = f"n < {most}" + self.pick(("", f" and abs(t - was) > 0.0625", f" and {w}[at] < 0.5", " and (not seen or t < 0.5)", " and t > was"))
        if self.chance(0.3):
            body, ends = body + [f"on = {ends}"], "on"
        loop = ["do {"] + ["    " + line for line in body] + [f"}} while {ends}"]
        if self.chance(0.25):
            loop = ["do in sequence {"] + ["    " + line for line in ["n = 0"] + loop] + [f"}} for {self.fresh('r')} in [1...2]"]
        elif self.chance(0.2):
            loop = ["if (t > 0.25) {"] + ["    " + line for line in loop] + ["}"]
        lines = [f"limit = {self.rng.randint(1, 9)}", "do {", f"    t = {near}", "    n = 0", "    number = 1", "    at = 0", "    large = 0.0 - 8.0", "    kept = 0.5", "    seen = false"] + ["    " + line for line in loop]
        lines += ["    if (seen) { number = number + 1 }", f"    {y}[{i}] = {y}[{i}] * 0.5 + t * 0.25 + {self.pick(('kept', 'large', f'{w}[at]'))} * 0.125", f"    {count}[{i}] = (number + at + n) % 1000", f"}} for {i} in {y}"]
        stage = self.stage([y, x, w, count], [f"do {{ {count}[{i}] = 0 }} for {i} in {count}"] + lines)
        space = self.space(1, [f"{y}, {x}, {count}: {self.pick((self.division(n), f'block_size({self.argument(max(1, n // 2), n)})'))}", f"{w}: replicated"]) if self.chance(0.7) else self.whole([y, x, w, count])
        begin = self.whole([y, x, w])
        self.starts.append(f"Space {begin} {{ " + " ".join(f"{self.start(a, 1, self.mixed(1))}({a})" for a in (y, x, w)) + " }")
        self.features.add("left one by one, nearly" if spoiled else "left one by one")
        return f"Space {space} {{ {stage}({y}, {x}, {w}, {count}) }}", [y, count]

    def sliding(self):
        """do { t = 0.0  do { t = t + x[m] … } for m in [max(i - 3, 0)...min(i + 3, last)]  y[i] = t } for i in y: bounds that move with i, or let some
        begin later or end earlier; and loops with a step."""
        kind, n = self.pick((DOUBLE, DOUBLE, SINGLE)), self.pick((self.rng.randint(1, 31), self.rng.randint(32, 110)))
        low, r, s = self.pick((0, 0, -3, 2)), self.rng.randint(0, 12), self.rng.randint(0, 40)
        high = low + n - 1
        y, x, w = (self.ranged(name, [(first, last)], kind) for name, first, last in (("y", low, high), ("x", low, high), ("w", 0, r + s)))
        i, m = self.fresh("i"), self.fresh("m")
        form = self.pick(("moved", "moved", "moved", "conditions", "triangle", "distance", "step", "other"))
        first, last, body = f"max({i} - {r}, {low})", f"min({i} + {s}, {high})", []
        element, more = f"{x}[{m}]", self.pick(("0.5", f"{x}[{i}]", f"{w}[0]"))
        if form in ("moved", "conditions") and self.chance(0.4):
            more = f"{w}[{m} - {i} + {r}]"
        if form == "moved" and self.chance(0.5):
            body = [f"from = {first}", f"to = {last}"] if self.chance(0.5) else [f"from = {first}", f"to = min(from + {r + s}, {last})"]
            first, last = "from", "to"
        elif form == "triangle":
            first, last = self.pick(((str(low), str(i)), (str(i), str(high)), (f"max({i} - {r}, {low})", str(high)), (f"{i} + 1", str(high))))
        elif form == "distance":
            first, last, element = f"max(-{r}, {low} - {i})", f"min({s}, {high} - {i})", f"{x}[{i} + {m}]"
        elif form == "step":
            first, last = low, high
        elif form == "other":   # neither moved by one nor the same
            first, last = self.pick(((f"{low} + ({i} - {low}) % 3", str(high)), (f"max({i} - {r}, {low})", f"min(2 * {i} + {s}, {high})")))
        add = f"t = t {self.pick('++-')} {self.pick((f'{element} * {more}', f'({element} - {more}) * 0.25', element))}"
        inner = self.pick((add, add, f"if ({element} > 0.125) {{ {add} }}", f"{add} if (t > large) {{ large = t }}"))
        ends = f"{m} in {x} and {m} >= {i} - {r} and {m} <= {i} + {s}" if form == "conditions" else f"{m} in [{first}...{last}]"
        step = f" step {self.pick(('-1', '2', '-3'))}" if form == "step" else ""
        loop = f"do {{ {inner} }} for {ends}" if form == "conditions" or (not step and self.chance(0.4)) else f"do in sequence {{ {inner} }} for {ends}{step}"
        lines = ["do {", "    t = 0.0", "    large = 0.0 - 8.0"] + ["    " + line for line in body + [loop]]
        lines += [f"    {y}[{i}] = {y}[{i}] * 0.5 + t * 0.0625 + large * 0.125" + (" + (to - from) * 0.5" if first == "from" else ""), f"}} for {i} in {y}"]
        stage = self.stage([y, x, w], lines)
        space = self.space(1, [f"{y}: {self.pick((self.division(n), f'block_size({self.argument(max(1, n // 2), n)})'))}", f"{x}, {w}: replicated"]) if self.chance(0.7) else self.whole([y, x, w])
        begin = self.whole([y, x, w])
        self.starts.append(f"Space {begin} {{ " + " ".join(f"{self.start(a, 1, self.mixed(1))}({a})" for a in (y, x, w)) + " }")
        self.features.add("sliding")
        return f"Space {space} {{ {stage}({y}, {x}, {w}) }}", [y]

    def rows(self):
        """do { t = 0.0  do { t = t + a[i][j] * … } for j in …  do { a[i][j] = a[i][j] - t * a[k][j] } for j in … } for i in … and i > k"""
        kind, n, m = self.pick((DOUBLE, DOUBLE, SINGLE)), self.rng.randint(1, 30), self.rng.randint(1, 24)
        low, left = self.pick((0, 0, -2)), self.pick((0, 0, 3))
        a, y = self.ranged("a", [(low, low + n - 1), (left, left + m - 1)], kind), self.ranged("y", [(low, low + n - 1)], kind)
        i, j, k, c = (self.fresh(letter) for letter in "ijkc")
        row, at = f"{a}[{i}][{j}]", self.pick((f"{low}", f"{low + n // 2}", f"{low + n - 1}"))
        columns = self.pick((f"{a}.dimension2.range", f"{a}.dimension2.range", f"{a}.dimension2", f"[{left}...{left + m - 1}]", f"[{left}...{left} + {i} % {m}]" if low >= 0 else f"{a}.dimension2.range"))
        loop = lambda body: self.pick((f"do in sequence {{ {body} }} for {j} in {columns}", f"do {{ {body} }} for {j} in {columns}")) \
            if not columns.endswith("dimension2") else f"do {{ {body} }} for {j} in {columns}"
        term = self.pick((f"{row} * {a}[{k}][{j}]", row, f"{row} * {row}", f"({row} - {a}[{k}][{j}]) * 0.5", f"exp({row} * 0.125)", f"{row} * {y}[{i}]"))
        update = self.pick((f"{row} = {row} * 0.5 - {a}[{k}][{j}] * 0.25 - t * 0.0625", f"{row} = {row} * 0.75 + t * 0.03125", f"t = max(t, {row})", f"{row} = abs({row} - t * 0.125) - 0.25"))
        lines = [f"{k} = {at}", "do {", "    t = 0.0", "    " + loop(f"t = t {self.pick('++-')} {term}"), "    " + loop(update)]
        if self.chance(0.4):
            lines += ["    large = 0.0", "    " + loop(f"{self.pick((f'if ({row} > large) {{ large = {row} }}', f'large = large + {row} * 0.5'))}"), f"    if (large > 0.5) {{ {loop('t = t * 0.5 + ' + row)} }}", "    t = t + large"]
        bound = self.pick((f" and {i} > {k}", f" and {i} > {k}", f" and {i} < {k}", f" and {i} >= {k}", f" and {i} != {k}", ""))
        lines += [f"    {y}[{i}] = {y}[{i}] * 0.25 + t * 0.0625", f"}} for {i} in {self.pick((f'{a}.dimension1.range', f'{y}'))}{bound}"]
        stage, space = self.stage([a, y], lines), self.whole([a, y])
        begin = self.whole([a, y])
        self.starts.append(f"Space {begin} {{ {self.start(a, 2, self.mixed(2))}({a}) {self.start(y, 1, self.mixed(1))}({y}) }}")
        self.features.add("rows")
        return f"Space {space} {{ {stage}({a}, {y}) }}", [a, y]
