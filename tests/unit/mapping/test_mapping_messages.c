/* Mapping files that are wrong, or do not fit: every message, letter by letter. */
#include "tests/unit/mapping/mapping_fixture.h"

/* ---- Messages of the reader -------------------------------------------------------------------- */

static void test_syntax_errors(void) {
    rejects(laptop, "\"T\" Space A: Core }\n\"U\" { }",
            "x.map:1:5: error: unexpected 'Space', expected '{' [E1201]\n    1 | \"T\" Space A: Core }\n     "
            " |     ^~~~~\n");
    rejects(laptop, "\"T\" {\n  Spce A: Core\n  Space A Core\n  Space B: }\n",
            "x.map:2:3: error: unexpected 'Spce', expected 'Model', 'Space', a placement statement or '}' [E1201]\n    2 |   Spce "
            "A: Core\n      |   ^~~~\n"
            "   help: did you mean 'Space'?\n"
            "x.map:3:11: error: unexpected 'Core', expected ':' [E1201]\n    3 |   Space A Core\n      |     "
            "      ^~~~\n"
            "x.map:4:12: error: unexpected '}', expected a name or a number [E1201]\n    4 |   Space B: }\n  "
            "    |            ^\n");
    rejects(laptop, "\"T\" {\n  Space A: Core\n\"U\" { Space }",
            "x.map:3:1: error: unexpected '\"U\"', expected '[', 'by', 'Model', 'Space', a placement statement or '}' [E1201]\n    "
            "3 | \"U\" { Space }\n      | ^~~\n"
            "x.map:1:5: note: this block is not closed\n    1 | \"T\" {\n      |     ^\n"
            "x.map:3:13: error: unexpected '}', expected a name [E1201]\n    3 | \"U\" { Space }\n      |    "
            "         ^\n");
    rejects(laptop, "\"T\" { Space A: Core[0..1] }",
            "x.map:1:22: error: '.' has no meaning in a mapping file [E1201]\n    1 | \"T\" { Space A: "
            "Core[0..1] }\n      |                      ^\n"
            "x.map:1:23: error: '.' has no meaning in a mapping file [E1201]\n    1 | \"T\" { Space A: "
            "Core[0..1] }\n      |                       ^\n"
            "x.map:1:24: error: unexpected '1', expected '...' or ']' [E1201]\n    1 | \"T\" { Space A: "
            "Core[0..1] }\n      |                        ^\n");
    rejects(laptop, "Space A: Core",
            "x.map:1:1: error: unexpected 'Space', expected a task's name in double quotes or the end of the "
            "file [E1201]\n"
            "    1 | Space A: Core\n      | ^~~~~\n   help: lines stand in a block: '\"Task Name\" { Space "
            "A: Core }'\n");
    rejects(laptop, "\"T\" {",
            "x.map:1:6: error: unexpected end of the file, expected 'Model', 'Space', a placement statement or '}' [E1201]\n    1 | "
            "\"T\" {\n      |      ^\n"
            "x.map:1:5: note: this block is not closed\n    1 | \"T\" {\n      |     ^\n");
}

static void test_lexical_errors(void) {
    rejects(laptop, "\"T { Space A: Core\n}",
            "x.map:1:1: error: this name does not end: '\"' is missing on its line [E1201]\n"
            "    1 | \"T { Space A: Core\n      | ^~~~~~~~~~~~~~~~~~\n"
            "x.map:2:1: error: unexpected '}', expected '{' [E1201]\n    2 | }\n      | ^\n");
    rejects(laptop, "\"T\" { } /* open",
            "x.map:1:9: error: this comment does not end: '*/' is missing [E1201]\n"
            "    1 | \"T\" { } /* open\n      |         ^~\n");
    rejects(laptop, "\"T\" { \xC3\xA9 }",
            "x.map:1:7: error: a character has no meaning in a mapping file: U+00E9 [E1201]\n"
            "    1 | \"T\" { \xC3\xA9 }\n      |       ^\n");
}

/* Braced and indented bodies, brackets over lines, comments with brackets in them. */
static void test_functions(void) {
    static const char text[] = "m = Machine(Core)  # the machine }\ndef f(Tuple ipoint,\n      Tuple ispace):\n    a = (0,\n0)\n\n# in between\n"
                               "    return m[*a]\ndef g(Task task) {\n  # no }\n  return m[0, 0];\n}\nmcpu = Machine(Core);\n\"T\" {\n    Space A: Core by f\n}\n";
    begin(laptop);
    MappingFile *file = read_map(text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL(file->functions.count, 4);
    CU_ASSERT_EQUAL(func_find(&file->functions, "f")->body.count, 2);
    CU_ASSERT_EQUAL(func_find(&file->functions, "g")->params.count, 1);
    CU_ASSERT_STRING_EQUAL(file->tasks.items[0].lines.items[0].function, "f");
    arena_free(arena);
}

/* A file that ends inside a function ends there. */
static void test_unfinished_functions(void) {
    static const char *const texts[] = {
        "def",        "def f", "def f(", "def f(a):",        "def f(a):\n  return",  "def f() {",
        "def f()\n{", "m =",   "m = (",  "def f() # no end", "def f() { # no end }", "def f():\n    g() {"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        begin(laptop);
        CU_ASSERT_PTR_NULL(read_map(texts[i]));
        CU_ASSERT_EQUAL(diags_error_count(diags), 1);
        arena_free(arena);
    }
}

static void test_duplicates(void) {
    rejects(gpu_node, "\"T\" {\n Model: GPU\n Model: CPU-Only\n Space A: Core\n Space A: Node\n}",
            "x.map:3:9: error: a second 'Model' line for task 'T' [E1207]\n    3 |  Model: CPU-Only\n      | "
            "        ^~~~~~~~\n"
            "x.map:2:9: note: the first is here\n    2 |  Model: GPU\n      |         ^~~\n"
            "x.map:5:8: error: a second line for Space A [E1207]\n    5 |  Space A: Node\n      |        ^\n"
            "x.map:4:2: note: the first is here\n    4 |  Space A: Core\n      |  ^~~~~~~~~~~~~\n");
    rejects(laptop, "\"T\" { }\n\"T\" { }",
            "x.map:2:1: error: a second block for task 'T' [E1207]\n    2 | \"T\" { }\n      | ^~~\n"
            "x.map:1:1: note: the first is here\n    1 | \"T\" { }\n      | ^~~\n");
}

/* ---- Messages of the resolution ------------------------------------------------------------------- */

static void test_unknown_names(void) {
    rejects(laptop, "\"t\" { }",
            "x.map:1:1: error: the program has no task 't' [E1203]\n    1 | \"t\" { }\n      | ^~~\n   help: "
            "did you mean 'T'?\n");
    rejects(laptop, "\"Stencil\" { }",
            "x.map:1:1: error: the program has no task 'Stencil' [E1203]\n    1 | \"Stencil\" { }\n      | "
            "^~~~~~~~~\n   help: its task is 'T'\n");
    rejects(hermes, "\"T\" { Space C: Core-Par Space Rot: Rack }",
            "x.map:1:13: error: task 'T' has no Space C [E1204]\n    1 | \"T\" { Space C: Core-Par Space "
            "Rot: Rack }\n      |             ^\n"
            "   help: expected Root, A or B\n"
            "x.map:1:16: error: machine 'Hermes' has no space 'Core-Par' [E1205]\n    1 | \"T\" { Space C: "
            "Core-Par Space Rot: Rack }\n"
            "      |                ^~~~~~~~\n   help: did you mean 'Core-Pair'?\n"
            "x.map:1:31: error: task 'T' has no Space Rot [E1204]\n    1 | \"T\" { Space C: Core-Par Space "
            "Rot: Rack }\n"
            "      |                               ^~~\n   help: did you mean 'Root'?\n"
            "x.map:1:36: error: machine 'Hermes' has no space 'Rack' [E1205]\n    1 | \"T\" { Space C: "
            "Core-Par Space Rot: Rack }\n"
            "      |                                    ^~~~\n   help: expected Cluster, Node, CPU, "
            "NUMA-Node, Core-Pair or Core\n");
    rejects(laptop, "\"T\" { Space A: 3 }",
            "x.map:1:16: error: machine 'Laptop' has no space '3' [E1205]\n    1 | \"T\" { Space A: 3 }\n"
            "      |                ^\n   help: expected Machine or Core\n");
}

/* A space of another model of the machine. */
static void test_spaces_of_other_models(void) {
    rejects(gpu_node, "\"T\" { Space A: Core }",
            "x.map:1:16: error: model 'GPU' of machine 'Node' has no space 'Core' [E1205]\n    1 | \"T\" { Space A: Core }\n"
            "      |                ^~~~\n   help: model 'CPU-Only' has it: write 'Model: CPU-Only'\n");
    rejects(gpu_node, "\"T\" { Model: CPU-Only Space A: Card }",
            "x.map:1:32: error: model 'CPU-Only' of machine 'Node' has no space 'Card' [E1205]\n"
            "    1 | \"T\" { Model: CPU-Only Space A: Card }\n      |                                ^~~~\n"
            "   help: model 'GPU' has it: write 'Model: GPU'\n");
    rejects(gpu_node, "\"T\" { Model: CPU-Only Space A: Cores }",
            "x.map:1:32: error: model 'CPU-Only' of machine 'Node' has no space 'Cores' [E1205]\n"
            "    1 | \"T\" { Model: CPU-Only Space A: Cores }\n      |                                ^~~~~\n"
            "   help: did you mean 'Core'?\n");
}

static void test_unknown_models(void) {
    rejects(laptop, "\"T\" { Model: X }",
            "x.map:1:14: error: machine 'Laptop' has no model 'X' [E1211]\n    1 | \"T\" { Model: X }\n"
            "      |              ^\n   help: the machine has one model without a name; leave the 'Model' "
            "line out\n");
    rejects(gpu_node, "\"T\" { Model: X }",
            "x.map:1:14: error: machine 'Node' has no model 'X' [E1211]\n    1 | \"T\" { Model: X }\n"
            "      |              ^\n   help: expected GPU or CPU-Only\n");
    rejects(gpu_node, "\"T\" { Model: CPU_only }",
            "x.map:1:14: error: machine 'Node' has no model 'CPU_only' [E1211]\n"
            "    1 | \"T\" { Model: CPU_only }\n      |              ^~~~~~~~\n   help: did you mean "
            "'CPU-Only'?\n");
}

static void test_order_errors(void) {
    rejects(
        hermes, "\"T\" { Space Root: Node Space A: Cluster Space B: CPU }",
        "x.map:1:24: error: Space A is mapped to Cluster, above its parent Space Root on Node [E1206]\n"
        "    1 | \"T\" { Space Root: Node Space A: Cluster Space B: CPU }\n      |                        "
        "^~~~~~~~~~~~~~~~\n"
        "   help: map Space A to Node or a level below it\n"
        "x.map:1:7: note: Space Root is mapped here\n"
        "    1 | \"T\" { Space Root: Node Space A: Cluster Space B: CPU }\n      |       ^~~~~~~~~~~~~~~~\n");
    /* a level that there is not is all that is wrong */
    rejects(hermes, "\"T\" { Space A: Core Space B: Cor }",
            "x.map:1:30: error: machine 'Hermes' has no space 'Cor' [E1205]\n"
            "    1 | \"T\" { Space A: Core Space B: Cor }\n      |                              ^~~\n"
            "   help: did you mean 'Core'?\n");
}

static void test_subset_errors(void) {
    rejects(hermes, "\"T\" { Space A: CPU[0...16] Space B: Core-Pair[5...4] }",
            "x.map:1:19: error: the PPU of Space Root has 16 PPUs of CPU, numbered from 0 to 15 [E1208]\n"
            "    1 | \"T\" { Space A: CPU[0...16] Space B: Core-Pair[5...4] }\n      |                   "
            "^~~~~~~~\n"
            "x.map:1:46: error: the subset is empty: 5 is more than 4 [E1208]\n"
            "    1 | \"T\" { Space A: CPU[0...16] Space B: Core-Pair[5...4] }\n      |                       "
            "                       ^~~~~~~\n");
    rejects(hermes, "\"T\" { Space Root: Node[0...1] Space A: CPU Space B: CPU[1] }",
            "x.map:1:23: error: Space Root is one LPU, so it is confined to one PPU [E1208]\n"
            "    1 | \"T\" { Space Root: Node[0...1] Space A: CPU Space B: CPU[1] }\n      |                 "
            "      ^~~~~~~\n"
            "   help: write 'Space Root: Node[0]', or give the subset to the spaces that are divided\n"
            "x.map:1:56: error: the PPU of Space A has 1 PPU of CPU, numbered from 0 to 0 [E1208]\n"
            "    1 | \"T\" { Space Root: Node[0...1] Space A: CPU Space B: CPU[1] }\n"
            "      |                                                        ^~~\n");
    rejects(hermes, "\"T\" { Space Root: Node[99999999999999999999] Space A: CPU Space B: CPU }",
            "x.map:1:23: error: the machine has 4 PPUs of Node, numbered from 0 to 3 [E1208]\n"
            "    1 | \"T\" { Space Root: Node[99999999999999999999] Space A: CPU Space B: CPU }\n"
            "      |                       ^~~~~~~~~~~~~~~~~~~~~~\n");
    begin(hermes);
    CU_ASSERT_PTR_NULL(resolve_tree("\"T\" { Space A: CPU Space B: Core[8...9] }", &chain_tree));
    check_messages(
        "x.map:1:20: warning: Core cannot compute: Space B runs on Core-Pair, the nearest level above that "
        "can [W1292]\n"
        "    1 | \"T\" { Space A: CPU Space B: Core[8...9] }\n      |                    "
        "^~~~~~~~~~~~~~~~~~~~\n"
        "   help: map Space B to Core-Pair\n"
        "x.map:1:33: error: the PPU of Space A has 8 PPUs of Core-Pair, numbered from 0 to 7 [E1208]\n"
        "    1 | \"T\" { Space A: CPU Space B: Core[8...9] }\n      |                                 "
        "^~~~~~~\n"
        "   help: Core-Pair stands in for Core here, which cannot compute\n");
    arena_free(arena);
}

static void test_capacity_errors(void) {
    static const char nothing[] = "Space 2: A (1) { compute: 0 ops }\nSpace 1: B (2)";
    rejects(nothing, "\"T\" { Space A: A Space B: B }",
            "x.map:1:1: error: no level of machine 'm' can compute [E1209]\n"
            "    1 | \"T\" { Space A: A Space B: B }\n      | ^~~\n");
    rejects(nothing, NULL, "hp5c: error: no level of machine 'm' can compute outside its GPUs [E1209]\n");
    rejects("Space 4: N (1)\nSpace 3<gpu>: G (1)\nSpace 2: S (2)\nSpace 1: W (4) { compute: 32 ops }", NULL,
            "hp5c: error: no level of machine 'm' can compute outside its GPUs [E1209]\n");
}

UNIT_MAIN("mappings, messages", {"syntax errors", test_syntax_errors}, {"lexical errors", test_lexical_errors},
          {"functions", test_functions}, {"unfinished functions", test_unfinished_functions},
          {"duplicates", test_duplicates}, {"unknown names", test_unknown_names},
          {"unknown models", test_unknown_models}, {"spaces of other models", test_spaces_of_other_models},
          {"order errors", test_order_errors}, {"subset errors", test_subset_errors},
          {"capacity errors", test_capacity_errors})
