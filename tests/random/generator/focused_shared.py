"""Pieces for focused.py about what processes have alike, or need of each other: sweeps whose coefficients are their own, tables that all look things up in."""

DOUBLE = "Real double-precision"


class SharedWork:
    def sweep(self, u, c, d, bounds, down):
        """Lines of a stage: along rows, or down columns, coefficients c and d of u, each made before it is used; or nearly so."""
        i, j = self.fresh("i"), self.fresh("j")
        at = (lambda array, place: f"{array}[{place}][{i}]") if down else (lambda array, place: f"{array}[{i}][{place}]")
        along, across = ("1", "2") if down else ("2", "1")
        low, high = bounds[0 if down else 1]
        last = f"{u}.dimension{along}.range.max" if self.chance(0.5) else "last"
        slips = self.chance(0.3)      # some element is not made before
        begins = low + (slips and self.chance(0.5))
        first, end = low + 1 + (slips and self.chance(0.4)), self.pick(("", "", " - 1"))
        lines = [f"{at(c, begins)} = 0.5", f"{at(d, low)} = {at(u, low)} * 0.25"]
        made = f"{at(c, j)} = 1.0 / (2.0 + {at(c, f'{j} - 1')} * {at(c, f'{j} - 1')})"
        if self.chance(0.15):
            made = f"if ({at(u, j)} > 0.25) {{ {made} }}"
            self.features.add("coefficients under conditions")
        lines += [f"do in sequence {{ {made}  {at(d, j)} = {at(u, j)} + {at(d, f'{j} - 1')} * {at(c, j)} }} for {j} in [{first}...{last}{end}]"]
        back = f"for {j} in [{low + (slips and self.chance(0.3))}...{last}{end if not slips else ''}] step -1"
        lines += [f"do in sequence {{ {at(u, j)} = {at(d, j)} * 0.5 - {at(c, j)} * 0.25 }} {back}"]
        lines = [f"last = {u}.dimension{along}.range.max"] + ["do {"] + ["    " + line for line in lines] + [f"}} for {i} in {u}.dimension{across}"]
        return lines if any("last" in line for line in lines[1:]) else lines[1:]

    def sweeps(self):
        """Rows in one Space, columns in the other, in turn."""
        n, m, low = self.rng.randint(3, 9), self.rng.randint(3, 9), self.pick((0, 0, -1))
        bounds = [(low, low + n - 1), (low, low + m - 1)]
        u, c, d = (self.ranged(name, bounds, DOUBLE) for name in "ucd")
        stages = [self.stage([u, c, d], self.sweep(u, c, d, bounds, down)) for down in (False, True)]
        spaces = [self.space(1, [f"{u}<dim{k}>, {c}<dim{k}>, {d}<dim{k}>: {self.pick((self.division(e), f'block_size({self.argument(1, e)})'))}"]) for k, e in ((1, n), (2, m))]
        self.starts.append(f"Space {self.whole([u])} {{ {self.start(u, 2, self.mixed(2))}({u}) }}")
        calls = [f"Space {space} {{ {stage}({u}, {c}, {d}) }}" for space, stage in zip(spaces, stages)]
        self.features.add("sweeps")
        return f"Repeat for {self.fresh('t')} in [1...{self.rng.randint(1, 3)}] {{ {' '.join(calls)} }}", [u, c] if self.chance(0.2) else [u]

    def tables(self):
        """A stage of an un-partitioned Space fills a line of a table from what LPUs have found in it."""
        n = self.rng.randint(2, 9)
        best, table = self.ranged("best", [(0, n - 1)], DOUBLE), self.ranged("table", [(0, n - 1)] * 2, DOUBLE)
        i, j, d = self.fresh("i"), self.fresh("j"), self.fresh("d")
        top = self.whole([best, table])
        below = self.space(1, [f"{best}: {self.pick((self.division(n), f'block_size({self.argument(1, n)})'))}"], top)
        read = self.pick((f"{table}[{i}][{j}]", f"{table}[{j}][{i}]", f"{table}[{i}][{j}] * {table}[{j}][{i}]"))
        find = self.stage([best, table], ["do {", "    t = 0.0", f"    do in sequence {{ t = t + {read} * 0.25 }} for {j} in {best}.dimension1.range",
                                          f"    {best}[{i}] = {best}[{i}] * 0.5 + t", f"}} for {i} in {best}"])
        last = f"{best}.dimension1.range.max"
        place = self.pick((f"{table}[{i}][{i}]", f"{table}[{i}][{last} - {i}]", f"{table}[d][{i}]", f"{table}[{i}][d]", f"{table}[({i} + d) % {n}][{i}]"))
        rest = self.pick(("", "", f" and {i} % 2 == 0", f" and {best}[{i}] > 0.5", f" and {i} > d"))
        fill = self.stage([best, table, "d"], [f"do {{ {place} = {best}[{i}] * 0.5 + {self.pick(('d', place, f'{table}[0][{i}]'))} * 0.125 }} for {i} in {best}{rest}"])
        call = f"{fill}({best}, {table}, {d})"
        if self.chance(0.3):
            call = f"If {d} % 2 == {self.rng.randint(0, 1)} {{ {call} }}"
        more = self.whole_again(best, table, n, top) if self.chance(0.3) else ""
        self.starts.append(f"Space {self.whole([best, table])} {{ {self.start(best, 1, self.mixed(1))}({best}) {self.start(table, 2, self.mixed(2))}({table}) }}")
        self.features.add("tables")
        return f"Space {top} {{ Repeat for {d} in [0...{n - 1}] {{ Space {below} {{ {find}({best}, {table}) }} {call} {more} }} }}", [best, table]

    def whole_again(self, best, table, n, top):
        """LPUs put elements of the table, which all have, wherever they like."""
        i = self.fresh("i")
        space = self.space(1, [f"{best}: block_size({self.argument(1, n)})", f"{table}: replicated"], top)
        put = self.stage([best, table], [f"do {{ {table}[{i}][({i} * 5 + 1) % {n}] = {best}[{i}] - 0.5 }} for {i} in {best}"])
        self.features.add("tables that LPUs change")
        return f"Space {space} {{ {put}({best}, {table}) }}"

    def walls(self):
        """Epochs of a stencil whose walls read what the stencil has just written, in the same stage or in one behind it; or what nobody has, or more than lines."""
        n, m = self.rng.randint(1, 9), self.rng.randint(1, 7)
        padded = self.chance(0.7)
        low = self.pick((0, 0, -1))
        u = self.ranged("u", [(low, low + n - 1), (low, low + m - 1)], DOUBLE)
        i, j = self.fresh("i"), self.fresh("j")
        rows, columns, lag = f"{u}.dimension1.range", f"{u}.dimension2.range", self.pick((1, 1, 1, 2))
        near = [f"({u}[{i}{a}][{j}{b}] at (current - {self.rng.randint(1, lag)}))" for a, b in self.rng.sample([("", ""), (" - 1", ""), (" + 1", ""), ("", " - 1"), ("", " + 1")], self.rng.randint(1, 3))]
        inside = f"{i} > own.min and {i} < own.max and {j} > columns.min and {j} < columns.max"
        update = [f"own = {u}.local.dimension1.range", "columns = " + columns,
                  f"do {{ {u}[{i}][{j}] = {' + '.join(near)} * 0.5 }} for {i}, {j} in {u} and {inside}"]
        if not padded:
            update[2] = update[2].replace(f"[{i} - 1]", f"[{i}]").replace(f"[{i} + 1]", f"[{i}]")
        lines = []
        for _ in range(self.rng.randint(1, 4)):
            factor = self.pick(("0.5", "0.25 + 1.0", "1.0"))
            form = self.pick(("columns", "columns", "columns", "row", "row", "fixed", "own", "wide"))
            side, step = self.pick((("min", "+"), ("max", "-")))
            by = self.rng.randint(0, 2)
            if form == "columns":
                lines += [f"do {{ {u}[{i}][{columns}.{side}] = {u}[{i}][{columns}.{side} {step} {min(by, m - 1)}] * {factor} }} for {i} in {u}.dimension1"]
            elif form == "row":
                reach = min(by, n - 1) if padded else 0
                near_row = f"{rows}.{side} {step} {min(reach, 1)}"
                lines += [f"do {{ {u}[{i}][{j}] = {u}[{near_row}][{j}] * {factor} }} for {i}, {j} in {u} and {i} == {rows}.{side}"]
            elif form == "fixed":
                place = low + self.rng.randrange(m)
                lines += [f"do {{ {u}[{i}][{place}] = {u}[{i}][{low + self.rng.randrange(m)}] * {factor} + 0.125 }} for {i} in {u}.dimension1"]
            elif form == "own":
                lines += [f"do {{ {u}[{i}][{low}] = {u}[{i}][{low}] * {factor} }} for {i} in {u}.dimension1"]
            elif self.chance(0.3):
                lines += [f"do {{ {u}[{i}][{j}] = {u}[{i}][{j}] * {factor} }} for {i}, {j} in {u} and {j} == {low}"]
        self.features.add("walls")
        if self.chance(0.5):
            calls = [f"{self.stage([u], update + lines)}({u})"]
        else:
            calls = [f"{self.stage([u], part)}({u})" for part in (update, lines) if part]
            if self.chance(0.2):
                calls.reverse()
        space = self.space(1, [f"{u}<dim1>: {self.blocks(n)}" + (" padding(1)" if padded else "")])
        self.starts.append(f"Space {self.whole([u])} {{ {self.start(u, 2, self.mixed(2))}({u}) }}")
        rounds = f"Repeat for {self.fresh('t')} in [1...{self.rng.randint(1, 5)}]"
        epoch = f"Epoch {{ {' '.join(calls)} }}"
        return (f"{rounds} {{ Space {space} {{ {epoch} }} }}" if self.chance(0.7) else f"Space {space} {{ {rounds} {{ {epoch} }} }}" if not padded
                else f"{rounds} {{ Epoch {{ Space {space} {{ {' '.join(calls)} }} }} }}"), [u]
