"""The Task section as text."""
from .shapes import TYPES


class Printing:
    def entry_text(self, node, entry):
        divided = [i for i in entry.dims if i is not None]
        name = entry.array.name
        if node.dims == 0:
            return name
        if not divided:
            return f"{name}: " + ", ".join(["replicated"] * node.dims)
        if entry.array.rank > node.dims:
            name += "<" + ", ".join(f"dim{k + 1}" for k, _ in divided) + ">"
        return f"{name}: {', '.join(self.instruction_texts(entry))}"

    def instruction_texts(self, entry):
        """Each instruction with its padding; two of one function may share it: f(a, b) padding(p)."""
        dims = entry.dims
        if len(dims) == 2 and None not in dims and self.chance(0.6):
            names = [i[1].split("(")[0] for i in dims]
            arguments = [i[1].split("(")[1][:-1] for i in dims]
            padding = [entry.padding.get(i[0]) for i in dims]
            if names[0] == names[1] and names[0] in ("block_size", "block_count") and (None not in padding or padding == [None, None]):
                text = f"{names[0]}({', '.join(arguments)})"
                if padding[0] is None:
                    return [text]
                (a, b), (c, d) = padding
                if a == b == c == d and self.chance(0.8):
                    return [f"{text} padding({a})"]
                return [f"{text} padding({a}, {c})" if a == b and c == d else f"{text} padding({a}, {b}, {c}, {d})"]
        words = []
        for i in dims:
            text = "replicated" if i is None else i[1]
            padding = entry.padding.get(i[0]) if i is not None else None
            if padding is not None:
                text += f" padding({padding[0]})" if padding[0] == padding[1] else f" padding({padding[0]}, {padding[1]})"
            words.append(text)
        return words

    def partition_text(self, node, indent):
        pad = " " * indent
        kind = "un-partitioned" if node.dims == 0 else f"{node.dims}d"
        dynamic = " <dynamic>" if node.dynamic else ""
        if node.sub:
            lines = [f"{pad}Sub-partition <{kind}> <{'ordered' if node.ordered else 'unordered'}> {{"]
        else:
            parent = "" if node.parent is self.root else f" divides Space {node.parent.name} {'sub-partitions' if node.parent.sub else 'partitions'}"
            lines = [f"{pad}Space {node.name} <{kind}>{dynamic}{parent} {{"]
        if node.dims == 0:
            lines.append(f"{pad}    {', '.join(node.entries)}")
        else:
            for entry in node.entries.values():
                text = self.entry_text(node, entry)
                if node.sub and node.ordered and ":" in text and node.dims == 1 and "replicated" not in text:
                    text += node.order
                lines.append(f"{pad}    {text}")
        if node.sub_node is not None:
            lines += self.partition_text(node.sub_node, indent + 4)
        return lines + [pad + "}"]

    def bounds_text(self, array, d):
        extent, name = array.dims[d], f"        {array.name}.dimension{d + 1}"
        if extent in self.model_of and (extent != "P" or self.chance(0.7)):
            source, k = self.model_of[extent]
            return [f"{name} = {source.name}.dimension{k + 1}"]
        low = self.lower[extent]
        high = low + self.extent[extent] - 1
        if self.chance(0.3):
            return [f"{name}.range.min = {low}", f"{name}.range.max = {high}"]
        return [f"{name}.range = [{low}...{high}]"]

    def task_text(self, name, computation):
        """The Task section."""
        links = [a for a in self.arrays if a.env == "link"]
        created = [a.name for a in self.arrays if a.env == "create"] + self.printed
        either = [a.name for a in self.arrays if a.env == "link_or_create"]
        out = [f'Task "{name}":', "    Define:"]
        for array in self.arrays:
            out.append(f"        {array.name}: {array.rank}d Array of {TYPES[array.kind]}{' single-precision' if array.narrow else ''}")
        for scalar in self.scalars + [v for v in self.repeat_variables if v not in self.scalars]:
            kind = TYPES[scalar.kind]
            out.append(f"        {scalar.name}: {kind}{' Reduction' if scalar in self.reductions else ''}")
        out.append("    Environment:")
        if links:
            out.append(f"        {', '.join(a.name for a in links)}: link")
        if created:
            out.append(f"        {', '.join(created)}: create")
        if either:
            out.append(f"        {', '.join(either)}: link_or_create")
        out.append(f"    Initialize{' (' + ', '.join(s.name for s in self.initial) + ')' if self.initial else ''}:")
        for array in self.arrays:
            if array.env != "link":
                for d in range(array.rank):
                    out += self.bounds_text(array, d)
        for scalar in self.scalars:
            if self.has_start(scalar) and scalar not in self.initial:
                value = self.rng.randint(1, 6)
                out.append(f"        {scalar.name} = {value if scalar.kind == 'int' else value / 4}")
        if out[-1] == "    Initialize:":
            out.pop()
        out.append("    Stages:")
        for stage, (parameters, lines) in self.stages.items():
            out += [f"        {stage}({', '.join(parameters)}) {{"] + lines + ["        }"]
        out += ["    Computation:"] + computation
        out.append(f"    Partition ({', '.join(self.args)}):" if self.args else "    Partition:")
        for node in self.nodes[1:]:
            if not node.sub:
                out += self.partition_text(node, 8)
        return out
