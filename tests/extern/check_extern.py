#!/usr/bin/env python3
"""Extern blocks, which the reference interpreter cannot run: their results, and what is said of wrong ones.

    check_extern.py HP5C
"""
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

PROGRAM = """Program (args) {
    env = new TaskEnvironment(name: "Roots")
    bind_input(env, "a", args.a)
    bind_input(env, "x", args.x)
    execute(task: "Roots"; environment: env; partition: args.k)
    bind_output(env, "g", args.g)
    print(env.largest)
}

Type Pair:
    first: Real double-precision
    second: Integer

Task "Roots":
    Define:
        a: 1d Array of Integer
        x, g: 1d Array of Real double-precision
        scale: Real double-precision
        largest: Real double-precision Reduction
    Environment:
        a, x: link
        g, largest: create
    Initialize:
        g.dimension = x.dimension
        scale = 2.0
    Stages:
        compute(a, g, x, scale, largest) {
            do {
                pair = new Pair(first: x[i], second: a[i])
                value = 0.0
                @Extern {
                    @Language "C"
                    @Includes { math.h, stdlib.h }
                    @Libraries { m }
                    ${
                        double root = cbrt(pair.first) * scale;
                        value = root + (double)llabs(pair.second);
                        pair.second = 1;
                    }$
                }
                g[i] = value + pair.second
                reduce(largest, "max", g[i])
            } for i in a
        }
    Computation:
        Space A { compute(a, g, x, scale, Space Root: largest) }
    Partition (k):
        Space A <1d> { a, g, x: block_size(k) }
"""


CPLUSPLUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cplusplus.hp5")


def compiled(hp5c, folder, text, *options):
    with open(os.path.join(folder, "p.hp5"), "w", encoding="utf-8") as file:
        file.write(text)
    environment = dict(os.environ, TMPDIR=folder, LC_ALL="C.UTF-8")
    done = subprocess.run([hp5c, "p.hp5", "-o", "p", *options], cwd=folder, capture_output=True, text=True, env=environment)
    left = [name for name in os.listdir(folder) if name.startswith("hp5c-")]
    assert not left, f"files were left: {left}"
    return done


def check_results(hp5c, folder):
    done = compiled(hp5c, folder, PROGRAM)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    a, x = np.arange(-40, 57), np.random.default_rng(1).random(97)
    np.save(os.path.join(folder, "a.npy"), a)
    np.save(os.path.join(folder, "x.npy"), x)
    for threads in (1, 2, 3, 8):
        said = subprocess.run(["./p", "a=a.npy", "x=x.npy", "g=g.npy", "k=5", f"--threads={threads}"], cwd=folder, check=True,
                              capture_output=True, text=True).stdout
        g = np.load(os.path.join(folder, "g.npy"))
        assert np.allclose(g, np.cbrt(x) * 2 + np.abs(a) + 1), threads
        assert float(said) == g.max(), said


def check_cplusplus(hp5c, folder, options):
    with open(CPLUSPLUS, encoding="utf-8") as file:
        done = compiled(hp5c, folder, file.read(), *options)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    a, x = np.arange(30).reshape(15, 2), np.arange(15) / 7
    np.save(os.path.join(folder, "a.npy"), a)
    np.save(os.path.join(folder, "x.npy"), x)
    for threads in (1, 2, 3, 8):
        said = subprocess.run(["./p", "a=a.npy", "x=x.npy", "g=g.npy", "k=4", f"--threads={threads}"], cwd=folder, check=True,
                              capture_output=True, text=True).stdout.split()
        g = np.load(os.path.join(folder, "g.npy"))
        assert np.allclose(g, 7 + np.cbrt(x) * 3 + a.max(1) + 4), threads
        assert said == [repr(float(g.max())), "7.0", "105", "15"], said


def refused(hp5c, folder, text, message, *options):
    """The whole text that hp5c prints, or its end after the compiler's own messages."""
    done = compiled(hp5c, folder, text, *options)
    assert done.returncode == 1 and done.stderr.endswith(message), f"{done.returncode}\n{done.stderr}"
    return done.stderr[: -len(message)]


def check_messages(hp5c, folder, cc="cc", cxx="c++"):
    options = ["--cc", cc, "--cxx", cxx]
    said = refused(hp5c, folder, PROGRAM.replace("root = cbrt", "root = = cbrt"), f"""p.hp5:35:23: error: the C compiler '{cc}' refuses this extern code [E1505]
   35 |                     ${{
      |                       ^
   help: its messages are above; the line numbers are those of this file
""", *options)
    assert "p.hp5:36:39: error: " in said, said
    said = refused(hp5c, folder, PROGRAM.replace("@Libraries { m }", "@Libraries { m, no_such_library }"), """p.hp5:34:37: error: the library 'no_such_library' was not found [E1506]
   34 |                     @Libraries { m, no_such_library }
      |                                     ^~~~~~~~~~~~~~~
   help: install it, or say where it is: --cc-flag -L/its/folder
""", *options)
    assert said == "", said
    said = refused(hp5c, folder, PROGRAM.replace("stdlib.h", "no_such_header.h"), """p.hp5:33:41: error: the header 'no_such_header.h' was not found [E1505]
   33 |                     @Includes { math.h, no_such_header.h }
      |                                         ^~~~~~~~~~~~~~~~
   help: install the library that it belongs to, or say where it is: --cc-flag -I/its/folder
""", *options)
    assert said == "", said
    with open(CPLUSPLUS, encoding="utf-8") as file:
        text = file.read()
    said = refused(hp5c, folder, text.replace("std::cbrt(", "std::no_such_function("), f"""p.hp5:60:23: error: the C++ compiler '{cxx}' refuses this extern code [E1505]
   60 |                     ${{
      |                       ^
   help: its messages are above; the line numbers are those of this file
""", *options)
    assert "p.hp5:61:44: error: " in said, said
    said = refused(hp5c, folder, text.replace("cmath", "no_such_header"), """p.hp5:58:33: error: the header 'no_such_header' was not found [E1505]
   58 |                     @Includes { no_such_header, algorithm }
      |                                 ^~~~~~~~~~~~~~
   help: install the library that it belongs to, or say where it is: --cc-flag -I/its/folder
""", *options)
    assert said == "", said
    said = refused(hp5c, folder, text.replace("{ m }", "{ m, no_such_library }"), """p.hp5:59:37: error: the library 'no_such_library' was not found [E1506]
   59 |                     @Libraries { m, no_such_library }
      |                                     ^~~~~~~~~~~~~~~
   help: install it, or say where it is: --cc-flag -L/its/folder
""", *options)
    assert said == "", said
    done = compiled(hp5c, folder, text, "--cxx", "no-such-compiler")
    assert done.returncode == 2 and done.stderr == """hp5c: error: cannot start the C++ compiler 'no-such-compiler': No such file or directory [E1504]
   help: install one (Debian: apt-get install build-essential) or name another with --cxx
""", done.stderr


def check_texts(hp5c, folder):
    """-S writes both files, and they can be compiled by hand."""
    done = subprocess.run([hp5c, CPLUSPLUS, "-S", "-o", "two.c"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    subprocess.run(["c++", "-std=gnu++17", "-Wall", "-Wextra", "-Werror", "-c", "two.cc", "-o", "two.o"], cwd=folder, check=True)
    with open(os.path.join(folder, "two.c"), encoding="utf-8") as file:
        assert "hp5_extern_4(" in file.read()


def main():
    hp5c = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        check_results(hp5c, folder)
        check_cplusplus(hp5c, folder, [])
        check_cplusplus(hp5c, folder, ["--checked", "-g"])
        check_messages(hp5c, folder)
        check_texts(hp5c, folder)
        if shutil.which("clang") and shutil.which("clang++"):
            check_cplusplus(hp5c, folder, ["--cc", "clang", "--cxx", "clang++"])
            check_messages(hp5c, folder, "clang", "clang++")


if __name__ == "__main__":
    sys.exit(main())
