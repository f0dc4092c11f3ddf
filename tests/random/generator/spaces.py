"""Arrays, the tree of LPSes, and who may write what.

Tree: Root and the LPSes below it, at most five, with their sub-partitions. fill() lets an LPS divide arrays together
only if their parts have one signature, so that the numbers of parts agree.
"""
from .shapes import Array, Entry, EXTENTS, LONG_EXTENTS, Node


class Spaces:
    def make_arrays(self):
        self.extent = {e: self.pick(EXTENTS) for e in "NMP"}
        if self.chance(0.12):
            self.extent = {e: self.rng.randint(1, 4) for e in "NMP"}
            self.extent[self.pick("NMP")] = self.pick(LONG_EXTENTS)
        self.lower = {"N": 0, "M": 0, "P": self.rng.randint(-7, 9)}
        self.arrays = []
        shapes = [("N",), ("N",), ("M",), ("N", "M"), ("N", "M"), ("N", "M"), ("N", "N")]
        if self.chance(0.35):
            shapes += [("P",), ("P", "N"), ("M", "P")]
        if self.chance(0.15):
            shapes += [("N", "M", "N")] if max(self.extent.values()) < 8 else []
        for number in range(self.rng.randint(3, 6)):
            dims = self.pick(shapes)
            kind = self.rng.choices(("double", "single", "int", "cell", "bool"), (10, 4, 4, 2, 2))[0]
            self.arrays.append(Array("abcdefgh"[number], kind, dims))
        for array in self.arrays:
            array.narrow = array.kind == "int" and self.chance(0.4)
            array.env = self.rng.choices(("link", "create", None, "link_or_create"), (24, 12, 4, 1))[0]
            if "P" in array.dims and array.env == "link":
                array.env = "create"
            if array.kind not in ("cell", "bool") and self.chance(0.5):
                array.lag = self.rng.choices((1, 2, 3), (6, 3, 1))[0]
        have = {extent: [(a, d) for a in self.arrays if a.env == "link" for d in range(a.rank) if a.dims[d] == extent]
                for extent in "NM"}
        for extent in "NM":
            if not have[extent]:
                array = Array("abcdefgh"[len(self.arrays)], "double", (extent,))
                self.arrays.append(array)
                have[extent] = [(array, 0)]
        self.model_of = {extent: have[extent][0] for extent in "NM"}

    def argument(self, low, high):
        if self.chance(0.25):
            return str(self.rng.randint(low, high))
        reusable = [name for name, value in self.args.items() if low <= value <= high]
        if reusable and self.chance(0.3):
            return self.pick(reusable)
        name = f"{self.prefix}{len(self.args) + 1}"
        self.args[name] = self.rng.randint(low, high)
        return name

    def instruction(self, size):
        function = self.rng.choices(("block_size", "block_count", "stride", "block_stride"), (4, 4, 2, 1))[0]
        most = max(2, size)
        if self.free and function in ("stride", "block_stride") and self.chance(0.5):
            return "stride()" if function == "stride" else f"block_stride({self.argument(1, 3)})"
        if function == "block_size":
            return f"block_size({self.argument(max(1, size // 5), most)})"
        if function == "block_count":
            return f"block_count({self.argument(1, 5)})"
        if function == "stride":
            return f"stride({self.argument(1, 5)})"
        return f"block_stride({self.argument(1, 3)}, {self.argument(1, 4)})"

    def make_tree(self):
        self.root = Node("Root", None, 0)
        self.nodes = [self.root]
        names = list("ABCDE")
        self.make_children(self.root, names, 0)
        while not any(node.dims > 0 for node in self.nodes):
            self.nodes = [self.root]
            self.root.children = []
            self.make_children(self.root, list("ABCDE"), 0)

    def make_children(self, parent, names, depth):
        count = self.rng.choices((0, 1, 2), ((0, 6, 3) if depth == 0 else (4, 6, 1) if depth < 2 else (8, 3, 0)))[0]
        for _ in range(count):
            if not names:
                return
            dims = self.rng.choices((0, 1, 2), (2, 7, 4))[0]
            if dims == 2 and self.chance(0.06):
                dims = 3
            self.make_node(parent, names, dims, depth)
        if parent.sub_node is not None and names and self.chance(0.5):
            self.make_node(parent.sub_node, names, self.rng.choices((1, 2), (3, 1))[0], depth)

    def make_node(self, parent, names, dims, depth):
        node = Node(names.pop(0), parent, dims)
        self.fill(node)
        node.dynamic = dims > 0 and self.chance(0.05)
        node.guard = [self.rng.choice((0, 0, 1)) for _ in range(dims)]
        parent.children.append(node)
        self.nodes.append(node)
        if dims > 0 and not self.free and self.chance(0.25):
            sub = Node(node.name, node, self.rng.choices((1, 2), (4, 1))[0], True)
            sub.ordered = self.chance(0.5)
            sub.order = self.pick(("", " ascends", " descends"))
            self.fill(sub, only=list(node.entries.values()))
            if any(i is not None for e in sub.entries.values() for i in e.dims):
                node.sub_node = sub
                self.nodes.append(sub)
        self.make_children(node, names, depth + 1)

    def fill(self, node, only=None):
        """Chooses what the LPS lists, and how."""
        arrays = [entry.array for entry in only] if only is not None else self.arrays
        listed = [array for array in arrays if self.chance(0.85)] or [self.pick(arrays)]
        if node.dims == 0:
            for array in listed:
                node.entries[array.name] = Entry(array, [])
            return
        node.instructions, wanted = [], []
        for d in range(node.dims):
            lead = self.pick(listed)
            dim = self.rng.randrange(lead.rank)
            if lead.rank == 2 == node.dims and self.chance(0.8):
                dim = d
            wanted.append(node.parent.signature(lead, dim))
            node.instructions.append(self.instruction(self.extent[lead.dims[dim]]))
        for array in listed:
            dims, used = [], set()
            for d in range(node.dims):
                fitting = [k for k in range(array.rank) if k not in used and node.parent.signature(array, k) == wanted[d]]
                if array.rank == node.dims > 1:  # by position
                    fitting = [k for k in fitting if k == d]
                elif array.rank < node.dims:      # one by one, in order
                    fitting = [k for k in fitting if k == len(used)]
                if not fitting or self.chance(0.12):
                    dims.append(None)
                    continue
                k = self.pick(fitting)
                used.add(k)
                dims.append((k, node.instructions[d]))
            order = [i[0] for i in dims if i is not None]
            if order != sorted(order):
                dims = [dims[0]] + [None] * (node.dims - 1)
            node.entries[array.name] = Entry(array, dims)
        self.pad(node)

    def pad(self, node):
        if node.sub or self.free:
            return
        for array in [entry.array for entry in node.entries.values()]:
            entry = node.entries[array.name]
            divided = [i for i in entry.dims if i is not None]
            blocks = all(i[1].startswith(("block_size", "block_count")) for i in divided)
            chain = all(isinstance(s, str) or s[2].startswith(("block_size", "block_count"))
                        for k, _ in divided for s in node.parent.signature(array, k))
            if not divided or not blocks or not chain or not self.chance(0.45):
                continue
            for k, _ in divided:
                if self.chance(0.85):
                    front = self.argument(0 if self.chance(0.2) else 1, 3)
                    entry.padding[k] = (front, front if self.chance(0.6) else self.argument(0 if self.chance(0.3) else 1, 2))
            if len(divided) == 2 and self.chance(0.5):
                first = entry.padding.get(divided[0][0])
                entry.padding = {k: first for k, _ in divided} if first else {}
            self.features.add("padding")

    def is_exclusive(self, node, array, guards):
        """Every element that an active LPU of `node` holds is held by it alone, padding aside.

        guards: (LPS, dimension) of which one coordinate takes part."""
        if array.read_only:
            return False
        if node.parent is not None and array.name not in node.entries and not (node.sub and array.name in node.parent.entries):
            return False
        for level in node.path():
            if level.sub:
                continue
            entry = level.entries.get(array.name)
            for d in range(level.dims):
                divided = entry is not None and entry.dims[d] is not None
                if not divided and (level.name, d) not in guards:
                    return False
        return True
