"""What a random program is made of: arrays, scalars, and the tree of LPSes that divides them."""


REAL_LIMIT, INTEGER_LIMIT = 8.0, 1000
INDEX_LIMIT = 128  # of indices, extents, LPU numbers
TYPES = {"double": "Real double-precision", "single": "Real single-precision", "int": "Integer", "cell": "Cell", "bool": "Boolean"}
NUMPY = {"double": "float64", "single": "float32", "cell": "x:float64+hits:int64+v:3f8+on:bool", "bool": "bool"}
CELL = ["Type Cell:", "    x: Real double-precision", "    hits: Integer", "    v: Array[3] of Real double-precision", "    on: Boolean", ""]
EXTENTS = (1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19)
LONG_EXTENTS = (23, 31, 37, 53, 64, 97)  # the other ones are short then: 400 elements at most


class Array:
    def __init__(self, name, kind, dims):
        self.name, self.kind, self.dims = name, kind, dims  # dims: extents' names, "N", "M" or "P" (P does not start at 0)
        self.rank = len(dims)
        self.lag = 0
        self.env = "link"
        self.narrow = False      # integers in 32 bits
        self.read_only = False   # linked under two names
        self.given_as = {name}   # its names in the environment that it comes from


class Scalar:
    def __init__(self, name, kind, home, bound=None):
        self.name, self.kind, self.home = name, kind, home
        self.bound = bound if bound is not None else (INTEGER_LIMIT if kind == "int" else REAL_LIMIT)
        self.constant = False
        self.lag = 0


class Entry:
    """How one LPS divides one array: for each LPS dimension None (replicated) or (array dimension, instruction)."""

    def __init__(self, array, dims):
        self.array, self.dims, self.padding = array, dims, {}


class Node:
    """Root, an LPS, or the sub-partitions of one (sub)."""

    def __init__(self, name, parent, dims, sub=False):
        self.name, self.parent, self.dims, self.sub = name, parent, dims, sub
        self.entries, self.children, self.sub_node, self.ordered = {}, [], None, False
        self.instructions = []
        self.scalars = []
        self.dynamic = False
        self.guard = None        # the coordinate of the one LPU that may write replicated copies

    def path(self):
        node, found = self, []
        while node.parent is not None:
            found.append(node)
            node = node.parent
        return found

    def is_within(self, other):
        node = self
        while node is not None:
            if node is other:
                return True
            node = node.parent
        return False

    def real(self):
        return self.parent if self.sub else self

    def signature(self, array, dim):
        """What determines the LPU's part of the array in that dimension."""
        signature = [array.dims[dim]]
        for node in reversed(self.path()):
            entry = node.entries.get(array.name)
            if entry is None:
                continue
            for d, instruction in enumerate(entry.dims):
                if instruction is not None and instruction[0] == dim:
                    space = f"{node.name} sub" if node.sub else node.name  # a Space and its sub-partitions divide differently
                    signature.append((space, d, instruction[1], entry.padding.get(dim)))
        return tuple(signature)

    def is_single(self):
        return all(node.dims == 0 and not node.sub for node in self.path())
