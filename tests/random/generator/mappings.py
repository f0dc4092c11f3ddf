"""Machines and mappings: levels, some PPUs of a level, confined tasks, index mapping functions."""

MODELS = {  # name: levels from the top down, PPUs of each in one above
    "one": (("Machine", 1), ("Core", 1)),
    "two": (("Machine", 1), ("Core", 2)),
    "pairs": (("Machine", 1), ("Socket", 2), ("Core", 2)),
    "uneven": (("Machine", 1), ("Board", 1), ("Socket", 3), ("Core", 2)),
    "deep": (("Machine", 1), ("Socket", 2), ("Cache", 2), ("Core", 2)),
    "flat": (("Machine", 1), ("Core", 7)),
}


class Mappings:
    def choose_model(self):
        return self.rng.choices(list(MODELS), (1, 2, 3, 3, 5, 3))[0]

    def mapping_texts(self, tasks, model, count):
        """`count` mappings of tasks, a list of (name, generator); equal ones once."""
        found = []
        for _ in range(count):
            functions, blocks = {}, []
            for name, generator in tasks:
                blocks.append(f'"{name}" {{ {generator.mapping_lines(MODELS[model], functions)} }}')
            text = "".join(function + "\\n" for function in functions.values()) + " ".join(blocks)
            if text not in found:
                found.append(text)
        return found

    def mapping_lines(self, levels, functions):
        level, words, total = {"Root": 0}, [], 1
        totals = [total := total * count for _, count in levels]
        if len(levels) > 2 and self.chance(0.1):  # the task keeps to one PPU of a level
            level["Root"] = self.rng.randint(1, len(levels) - 2)
            words.append(f"Space Root: {levels[level['Root']][0]}[{self.rng.randrange(totals[level['Root']])}]")
        for node in self.nodes[1:]:
            if node.sub:
                continue
            low = level[node.parent.real().name]
            choice = self.rng.randint(low, len(levels) - 1)
            if self.chance(0.3):
                choice = len(levels) - 1
            level[node.name] = choice
            words.append(f"Space {node.name}: {levels[choice][0]}" + self.place(node, choice, low, levels, totals, functions))
        return "  ".join(words)

    def place(self, node, choice, low, levels, totals, functions):
        """Nothing, or which PPUs: [some of them], or `by` a function."""
        name = levels[choice][0]
        if choice > low and node.dims > 0 and not node.dynamic and self.chance(0.3):
            return f" by {self.function(name, node.dims, functions)}"
        if low == 0 == node.parent.real().dims and node.parent is self.root and totals[choice] > 1 and self.chance(0.15):
            last = self.rng.randrange(totals[choice])
            return f"[{self.rng.randint(0, last)}...{last}]"
        return ""

    def function(self, level, dims, functions):
        """The name of a mapping function for that many dimensions; its text goes into `functions`."""
        number = len(functions) + 1
        m, f, factor, add = f"m{number}", f"f{number}", self.rng.randint(1, 7), self.rng.randint(0, 9)
        head = f"{m} = Machine({level})\\ndef {f}(Tuple p, Tuple s):\\n    "
        coordinate = [f"p[{d}] * q.size[{d + 1}] / s[{d}]" for d in range(dims)]
        bodies = [
            f"at = sum(p * {factor}) + {add}\\n    return {m}[0, at % {m}.size[1]]",
            f"return {m}[0, p[{dims - 1}] * {m}.size[1] / s[{dims - 1}]]",
            f"q = {m}.merge(0, 1)\\n    return q[(p[0] + {add}) % q.size[0]]",
            f"q = {m}.swap(0, 1)\\n    return q[p[0] % {m}.size[1], 0]",
            f"q = {m}.decompose(1, s)\\n    return q[0, {', '.join(coordinate)}]",
            f"q = {m}.decompose(1, s, halo=({', '.join(['1'] * dims)}{',' if dims == 1 else ''}))\\n    return q[0, {', '.join(coordinate)}]",
            f"return {m}[0, (p[0] > 0 ? {m}.size[1] - 1 : 0)]",
        ]
        functions[f] = head + self.pick(bodies)
        return f
