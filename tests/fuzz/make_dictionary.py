#!/usr/bin/env python3
"""Prints a libFuzzer dictionary for a target: the words of its keyword tables in the compiler's own source.

    make_dictionary.py source|mapping|model|npy|arguments
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def strings(path, pattern=r'"((?:[^"\\\n]|\\.)+)"'):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return re.findall(pattern, file.read())


WORDS = {
    "source": lambda: strings("compiler/syntax/tokens.def", r'(?:KEYWORD|MARK)\(\w+, "((?:[^"\\]|\\.)+)"') + strings("compiler/check/reduce.c", r'"([a-z_]+)"') + [
        "block_size(k)", "block_count(k)", "stride()", "block_stride(k)", "padding(1)", "dim1", "dimension1", ".range", ".local", ".min", ".max", "lpuId[0]",
        "at (current - 1)", "sqrt", "pow", "TaskEnvironment", "bind_input", "bind_output", "load_array", "print", "args.", "initialize:", "environment:", "task:"],
    "mapping": lambda: strings("compiler/mapping/map.re", r'"([A-Za-z]+)"') + ['"Heat"', "Root", "Core", "Core-Pair", "NUMA-Node", "CPU", "Node", "A:", "B:", "C:", "[0...1]",
        "by f", "def f(Tuple ipoint, Tuple ispace):", "Machine(Core)", ".split(0, 2)", ".merge(0, 1)", ".swap(0, 1)", ".slice(0, 1, 2)", ".decompose(0, ispace)", ".size", "tuple(", "for i in (0, 1)",
        "return", "len(", "min(", "max(", "sum(", "ipoint[0]", "*t", "?", ":", "halo=", "transpose="],
    "model": lambda: [word for word in strings("compiler/machine/units.c") + strings("compiler/machine/pcubes_build.c") + strings("compiler/machine/pcubes.re", r'"([A-Za-z]+)"')
                      if re.fullmatch(r"[A-Za-z/]{1,12}", word)] + ["Space 1", "<core>", "<gpu>", "<segment>", "<unit>", "(1)", "memory:", "compute:", "exchange:", "move:"],
    "npy": lambda: ["\\x93NUMPY", "'descr'", "'fortran_order'", "'shape'", "True", "False", "'<f8'", "'>f4'", "'|b1'", "'<i8'", "'|S1'", "('x', '<f8')", "(3,)", ", }"],
    "arguments": lambda: strings("compiler/driver/options.def", r'"(-[^"]*)"') + ["--help", "--threads", "--machine", "--timing", "--trace", "Core=2", "a=", "out=", "k=", "x=1.5", "flag=true",
                                                                                  "text=", "\\x0a", "1e400", "9223372036854775808"],
}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in WORDS:
        sys.exit(__doc__)
    for number, word in enumerate(dict.fromkeys(WORDS[sys.argv[1]]())):
        plain = re.sub(r"\\(?![x\\])", r"\\\\", word.replace('\\"', '"')).replace('"', '\\"')
        print(f'word{number}="{plain}"')


if __name__ == "__main__":
    main()
