/* Mapping files and their resolution: results, messages letter by letter, the default
 * mapping, printing, and bad input of every kind. */
#include "tests/unit/unit.h"

#include "compiler/mapping/mapping.h"
#include "tests/unit/check_text.h"
#include <stdlib.h>

static Arena *arena;
static Diags *diags;
static Machine *machine;
static Source *program;

static const char hermes[] =
    "Machine \"Hermes\"\nSpace 6: Cluster (1)\nSpace 5<segment><unit>: Node (4)\nSpace 4: CPU (4)\n"
    "Space 3: NUMA-Node (2)\nSpace 2: Core-Pair (4) { compute: 4 ops }\nSpace 1<core>: Core (2)\n";
static const char laptop[] = "Machine \"Laptop\"\nSpace 2: Machine (1)\nSpace 1<core>: Core (2)\n";
static const char gpu_node[] =
    "Machine \"Node\"\nModel: GPU\nSpace 4: Node (1)\nSpace 3<gpu>: Card (2)\nSpace 2: SM (13)\n"
    "Space 1: Warp (16) { compute: 32 ops }\nModel: CPU-Only\nSpace 2: Node (1)\nSpace 1: Core (8)\n";

/* Root - A - B */
static const MappingLps chain[] = {
    {"Root", -1, false, 1, false, false, {0, 0}}, {"A", 0, false, 1, false, false, {0, 7}}, {"B", 1, false, 1, false, false, {8, 15}}};
static const MappingTree chain_tree = {"T", NULL, chain, 3};

static void begin(const char *model) {
    arena = arena_new();
    diags = diags_new(arena, NULL);
    machine = machine_parse(arena, source_from_text(arena, "m.pcubes", model, strlen(model)), diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    program = source_from_text(arena, "p.hp5", "Space A\nSpace B\n", 16);
}

static void check_messages(const char *expected) {
    Text printed = {0};
    diags_to_text(diags, &printed, (DiagStyle){0});
    CHECK_TEXT(printed.data ? printed.data : "", expected);
    text_free(&printed);
}

static MappingFile *read_map(const char *text) {
    return mapping_parse(arena, source_from_text(arena, "x.map", text, strlen(text)), diags);
}

static ResolvedMapping *resolve_tree(const char *text, const MappingTree *tree) {
    MappingFile *file = text ? read_map(text) : NULL;
    if (text && !file) return NULL;
    if (file && !mapping_check_tasks(file, &tree->task, 1, diags)) return NULL;
    return mapping_resolve(arena, file, machine, tree, diags);
}

/* "A=CPU:16@0 B=…": level, PPUs, first PPU of each LPS but Root, then the totals. */
static void check_mapping(const ResolvedMapping *mapping, const char *expected) {
    Text text = {0};
    CU_ASSERT_PTR_NOT_NULL_FATAL(mapping);
    for (size_t i = 0; i < mapping->count; i++) {
        const MappedLps *lps = &mapping->lpses[i];
        text_printf(&text, "%s=%s:%lld@%lld ", mapping->tree->lpses[i].name, lps->level_name,
                    (long long)lps->ppus, (long long)lps->first);
    }
    text_printf(&text, "threads=%lld segments=%lld", (long long)mapping->threads,
                (long long)mapping->segments);
    CHECK_TEXT(text.data, expected);
    text_free(&text);
}

/* A printed mapping resolves to the same mapping. */
static void check_print(const ResolvedMapping *mapping) {
    Text first = {0}, second = {0};
    mapping_print(mapping, &first);
    ResolvedMapping *again = resolve_tree(first.data, mapping->tree);
    CU_ASSERT_PTR_NOT_NULL_FATAL(again);
    mapping_print(again, &second);
    CHECK_TEXT(second.data, first.data);
    CU_ASSERT_EQUAL(again->threads, mapping->threads);
    CU_ASSERT_EQUAL(again->segments, mapping->segments);
    text_free(&first);
    text_free(&second);
}

static void accepts(const char *model, const MappingTree *tree, const char *map, const char *expected) {
    begin(model);
    ResolvedMapping *mapping = resolve_tree(map, tree);
    check_messages("");
    check_mapping(mapping, expected);
    check_print(mapping);
    arena_free(arena);
}

static void rejects(const char *model, const char *map, const char *messages) {
    begin(model);
    CU_ASSERT_PTR_NULL(resolve_tree(map, &chain_tree));
    check_messages(messages);
    arena_free(arena);
}

/* ---- Results ---------------------------------------------------------------------------- */

/* The three cases of highp5.txt, Table 1. */
static void test_paper_cases(void) {
    accepts(hermes, &chain_tree, "\"T\" { Space A: CPU Space B: Core-Pair }",
            "Root=Cluster:1@0 A=CPU:16@0 B=Core-Pair:8@0 threads=128 segments=4");
    accepts(hermes, &chain_tree, "\"T\" { Space A: NUMA-Node Space B: NUMA-Node }",
            "Root=Cluster:1@0 A=NUMA-Node:32@0 B=NUMA-Node:1@0 threads=32 segments=4");
    accepts(hermes, &chain_tree, "\"T\" { Space Root: Node Space A: CPU Space B: Core-Pair }",
            "Root=Node:1@0 A=CPU:4@0 B=Core-Pair:8@0 threads=32 segments=1");
}

static void test_forms(void) {
    accepts(hermes, &chain_tree, "# comment\n\"T\" { // another\n Space A: 4 /* and */ Space B: 2 }",
            "Root=Cluster:1@0 A=CPU:16@0 B=Core-Pair:8@0 threads=128 segments=4");
    accepts(hermes, &chain_tree, "\"T\" { Space Root: Node[3] Space A: CPU[1...2] Space B: Core-Pair[7] }",
            "Root=Node:1@3 A=CPU:2@1 B=Core-Pair:1@7 threads=2 segments=1");
    accepts(gpu_node, &chain_tree, "\"T\" { Model: CPU-Only Space A: Core Space B: Core }",
            "Root=Node:1@0 A=Core:8@0 B=Core:1@0 threads=8 segments=1");
}

/* Levels of several words, in models and mappings; a segment may be a part of a unit. */
static void test_words(void) {
    const char *numa = "Space 4<unit>: Node (1)\nSpace 3<segment>: NUMA\n  Node (2)\nSpace 2: Core /* of two */ Pair (2)\nSpace 1<core>: Core (2)";
    accepts(numa, &chain_tree, "\"T\" { Space A: NUMA Node[1] Space B: Core \t Pair }",
            "Root=Node:1@0 A=NUMA-Node:1@1 B=Core-Pair:2@0 threads=2 segments=1");
    accepts(numa, &chain_tree, "\"T\" { Space A: NUMA-Node Space B: Core }", "Root=Node:1@0 A=NUMA-Node:2@0 B=Core:4@0 threads=8 segments=2");
    rejects(numa, "\"T\" { Space A: NUMA Nod\n Space B: Core }",
            "x.map:1:16: error: machine 'm' has no space 'NUMA-Nod' [E1205]\n    1 | \"T\" { Space A: NUMA Nod\n"
            "      |                ^~~~~~~~\n   help: did you mean 'NUMA-Node'?\n");
    rejects(numa, "\"T\" { Space A: Core\n Pair Space B: Core }",
            "x.map:2:2: error: unexpected 'Pair', expected '[', 'by', 'Model', 'Space', a placement statement or '}' [E1201]\n"
            "    2 |  Pair Space B: Core }\n      |  ^~~~\n");
}

/* Which segments a subset touches. */
static void test_segments(void) {
    accepts(hermes, &chain_tree, "\"T\" { Space A: CPU[0...3] Space B: CPU }",
            "Root=Cluster:1@0 A=CPU:4@0 B=CPU:1@0 threads=4 segments=1");
    accepts(hermes, &chain_tree, "\"T\" { Space A: CPU[3...4] Space B: CPU }",
            "Root=Cluster:1@0 A=CPU:2@3 B=CPU:1@0 threads=2 segments=2");
    accepts(hermes, &chain_tree, "\"T\" { Space A: Cluster Space B: Node[1...3] }",
            "Root=Cluster:1@0 A=Cluster:1@0 B=Node:3@1 threads=3 segments=3");
    accepts("Space 3: Rack (2)\nSpace 2<segment>: Node (3)\nSpace 1: Core (4)", &chain_tree,
            "\"T\" { Space A: Rack Space B: Core[3...4] }",
            "Root=m:1@0 A=Rack:2@0 B=Core:2@3 threads=4 segments=4");
}

/* The PPUs stay those of the level; one computing PPU below works for each. */
static void test_compute_level(void) {
    begin(hermes);
    ResolvedMapping *mapping = resolve_tree("\"T\" { Space A: CPU Space B: Core-Pair }", &chain_tree);
    CU_ASSERT_PTR_NOT_NULL_FATAL(mapping);
    CU_ASSERT_EQUAL(mapping->lpses[1].level, 2);
    CU_ASSERT_EQUAL(mapping->lpses[1].asked_level, 2);
    CU_ASSERT_EQUAL(mapping->lpses[1].compute_level, 4);
    CU_ASSERT_EQUAL(mapping->lpses[1].parallelism, 16);
    CU_ASSERT_EQUAL(mapping->lpses[2].compute_level, 4);
    CU_ASSERT(!mapping->lpses[2].inherited);
    CU_ASSERT(!mapping->is_default);
    CU_ASSERT_EQUAL(diags_warning_count(diags), 0);
    arena_free(arena);
}

static void test_substitution_from_above(void) {
    begin(hermes);
    ResolvedMapping *mapping = resolve_tree("\"T\" {\n    Space A: CPU\n    Space B: Core\n}", &chain_tree);
    check_messages("x.map:3:5: warning: Core cannot compute: Space B runs on Core-Pair, the nearest level "
                   "above that can [W1292]\n"
                   "    3 |     Space B: Core\n      |     ^~~~~~~~~~~~~\n"
                   "   help: map Space B to Core-Pair\n");
    check_mapping(mapping, "Root=Cluster:1@0 A=CPU:16@0 B=Core-Pair:8@0 threads=128 segments=4");
    CU_ASSERT_EQUAL(mapping->lpses[2].asked_level, 5);
    arena_free(arena);
}

static void test_inherited(void) {
    begin(hermes);
    MappingTree tree = chain_tree;
    tree.source = program;
    ResolvedMapping *mapping = resolve_tree("\"T\" { Space A: CPU }", &tree);
    check_messages("x.map:1:1: warning: no line for Space B: it runs where Space A runs, on CPU [W1291]\n"
                   "    1 | \"T\" { Space A: CPU }\n      | ^~~\n"
                   "   help: write 'Space B: …' to choose\n"
                   "p.hp5:2:1: note: Space B is defined here\n"
                   "    2 | Space B\n      | ^~~~~~~\n");
    check_mapping(mapping, "Root=Cluster:1@0 A=CPU:16@0 B=CPU:1@0 threads=16 segments=4");
    CU_ASSERT(mapping->lpses[2].inherited);
    arena_free(arena);
}

static void test_no_block(void) {
    begin(laptop);
    MappingFile *file = read_map("\"Other\" { Space A: Core }");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    static const char *const tasks[] = {"T", "Other"};
    CU_ASSERT(mapping_check_tasks(file, tasks, 2, diags));
    ResolvedMapping *mapping = mapping_resolve(arena, file, machine, &chain_tree, diags);
    check_messages("hp5c: warning: x.map: no block for task 'T', which gets the default mapping [W1293]\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mapping);
    CU_ASSERT(mapping->is_default);
    arena_free(arena);
}

/* Sub-partitions stay with the PPU of their LPS, and what divides them is placed inside it. */
static void test_sub_partitions(void) {
    static const MappingLps lpses[] = {{"Root", -1, false, 1, false, false, {0, 0}},
                                       {"A", 0, false, 1, false, false, {0, 7}},
                                       {"A sub-partition", 1, false, 1, false, true, {0, 7}},
                                       {"B", 2, false, 1, false, false, {8, 15}}};
    static const MappingTree tree = {"T", NULL, lpses, 4};
    accepts(hermes, &tree, "\"T\" { Space A: Node Space B: CPU }",
            "Root=Cluster:1@0 A=Node:4@0 A sub-partition=Node:1@0 B=CPU:4@0 threads=16 segments=4");
    begin(hermes);
    CU_ASSERT_PTR_NULL(resolve_tree("\"T\" { Space A: CPU Space B: Node }", &tree));
    check_messages("x.map:1:20: error: Space B is mapped to Node, above its parent Space A on CPU [E1206]\n"
                   "    1 | \"T\" { Space A: CPU Space B: Node }\n      |                    ^~~~~~~~~~~~~\n"
                   "   help: map Space B to CPU or a level below it\n");
    arena_free(arena);
}

/* ---- The default mapping ------------------------------------------------------------------ */

static void test_default(void) {
    accepts(laptop, &chain_tree, NULL, "Root=Machine:1@0 A=Core:2@0 B=Core:1@0 threads=2 segments=1");
    accepts(hermes, &chain_tree, NULL,
            "Root=Cluster:1@0 A=NUMA-Node:32@0 B=Core-Pair:4@0 threads=128 segments=4");
    accepts(gpu_node, &chain_tree, NULL, "Root=Node:1@0 A=Core:8@0 B=Core:1@0 threads=8 segments=1");
    accepts("Space 1: Core (4)", &chain_tree, NULL, "Root=m:1@0 A=Core:4@0 B=Core:1@0 threads=4 segments=1");
    accepts("Space 1: Core (1)", &chain_tree, NULL,
            "Root=Core:1@0 A=Core:1@0 B=Core:1@0 threads=1 segments=1");
    accepts("Space 3: M (1)\nSpace 2: S (2)\nSpace 1: C (1)", &chain_tree, NULL,
            "Root=M:1@0 A=C:2@0 B=C:1@0 threads=2 segments=1");
}

static void test_default_shapes(void) {
    static const char machine_text[] = "Space 3: M (1)\nSpace 2: S (2)\nSpace 1: C (3)";
    static const MappingLps one[] = {{"Root", -1, false, 1, false, false, {0, 0}}, {"A", 0, false, 1, false, false, {0, 0}}};
    accepts(machine_text, &(MappingTree){"T", NULL, one, 2}, NULL, "Root=M:1@0 A=C:6@0 threads=6 segments=1");
    static const MappingLps root[] = {{"Root", -1, false, 1, false, false, {0, 0}}};
    accepts(machine_text, &(MappingTree){"T", NULL, root, 1}, NULL, "Root=M:1@0 threads=1 segments=1");
    /* four deep: the upper two share the uppermost dividing level */
    static const MappingLps deep[] = {{"Root", -1, false, 1, false, false, {0, 0}},
                                      {"A", 0, false, 1, false, false, {0, 0}},
                                      {"B", 1, false, 1, false, false, {0, 0}},
                                      {"C", 2, false, 1, false, false, {0, 0}},
                                      {"D", 3, true, 0, false, false, {0, 0}}};
    accepts(machine_text, &(MappingTree){"T", NULL, deep, 5}, NULL,
            "Root=M:1@0 A=S:2@0 B=S:1@0 C=C:3@0 D=C:1@0 threads=6 segments=1");
    /* un-partitioned at the top stays with Root; siblings of unequal height */
    static const MappingLps mixed[] = {
        {"Root", -1, false, 1, false, false, {0, 0}}, {"U", 0, true, 0, false, false, {0, 0}},
        {"A", 1, false, 1, false, false, {0, 0}},     {"A sub-partition", 2, false, 1, false, true, {0, 0}},
        {"B", 3, false, 1, false, false, {0, 0}},     {"E", 1, false, 1, false, false, {0, 0}}};
    accepts(machine_text, &(MappingTree){"T", NULL, mixed, 6}, NULL,
            "Root=M:1@0 U=M:1@0 A=S:2@0 A sub-partition=S:1@0 B=C:3@0 E=C:6@0 threads=6 segments=1");
}

static void test_print(void) {
    begin(hermes);
    ResolvedMapping *mapping =
        resolve_tree("\"T\" { Space Root: Node[1] Space A: CPU[1...2] Space B: Core-Pair }", &chain_tree);
    CU_ASSERT_PTR_NOT_NULL_FATAL(mapping);
    Text text = {0};
    mapping_print(mapping, &text);
    CHECK_TEXT(text.data, "\"T\" {\n    Space Root: Node[1]\n    Space A: CPU[1...2]    // 2 at once\n    "
                          "Space B: Core-Pair    // 16 at once\n}\n");
    text_free(&text);
    arena_free(arena);
    begin(gpu_node);
    mapping = resolve_tree(NULL, &chain_tree);
    CU_ASSERT_PTR_NOT_NULL_FATAL(mapping);
    mapping_print(mapping, &text);
    CHECK_TEXT(text.data, "\"T\" {\n    Model: CPU-Only\n    Space A: Core    // 8 at once\n    Space B: "
                          "Core    // 8 at once\n}\n");
    text_free(&text);
    arena_free(arena);
}

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
            "   help: it belongs to a GPU of model 'GPU', which no backend can use yet; expected Node or Core\n");
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

static void test_backend_errors(void) {
    rejects(gpu_node, "\"T\" {\n Space A: Card\n Space B: SM\n}",
            "x.map:2:2: error: no backend can run Space A on Card: it is a GPU [E1210]\n    2 |  Space A: "
            "Card\n      |  ^~~~~~~~~~~~~\n"
            "   help: map it to a level of the host, or choose another model with 'Model: …'\n"
            "x.map:3:2: error: no backend can run Space B on SM: it is part of a GPU [E1210]\n    3 |  Space "
            "B: SM\n      |  ^~~~~~~~~~~\n"
            "   help: map it to a level of the host, or choose another model with 'Model: …'\n");
    rejects("Space 4: N (1)\nSpace 3<gpu>: G (1)\nSpace 2: S (2)\nSpace 1: W (4) { compute: 32 ops }",
            "\"T\" { Space A: N Space B: N }",
            "x.map:1:7: error: no backend can run Space A on N: only its GPUs can compute [E1210]\n    1 | "
            "\"T\" { Space A: N Space B: N }\n"
            "      |       ^~~~~~~~~~\n   help: map it to a level of the host that can compute\n"
            "x.map:1:18: error: no backend can run Space B on N: only its GPUs can compute [E1210]\n    1 | "
            "\"T\" { Space A: N Space B: N }\n"
            "      |                  ^~~~~~~~~~\n   help: map it to a level of the host that can compute\n");
}

/* ---- Bad input of every kind -------------------------------------------------------------------------- */

static const char sample[] =
    "# mapping\ndef f(a, b):\n    return (a,\n  b)\nm = Machine(CPU)\n\"T\" {\n    Model: CPU-Only // one\n"
    "    Space Root: Node[0]\n    Space A: Core[0...5]\n    Space B: 1 by f\n}\n";

static void survive(const char *text, size_t length) {
    begin(gpu_node);
    MappingFile *file = mapping_parse(arena, source_from_text(arena, "x.map", text, length), diags);
    if (file && mapping_check_tasks(file, &chain_tree.task, 1, diags)) {
        ResolvedMapping *mapping = mapping_resolve(arena, file, machine, &chain_tree, diags);
        if (mapping) check_print(mapping);
    }
    Text printed = {0};
    diags_to_text(diags, &printed, (DiagStyle){0});
    CU_ASSERT(file || printed.length > 0);
    text_free(&printed);
    arena_free(arena);
}

static void test_truncations(void) {
    const char *block = strstr(sample, "\"T\"");
    for (size_t length = 0; length <= strlen(sample); length++) survive(sample, length);
    for (size_t length = 0; length <= strlen(block); length++) survive(block, length);
}

static void test_mutations(void) {
    static const char alphabet[] = "\0\n \"{}()[]:,/*#019.-ABTaz=\x80\xFFSpace Model by def";
    unsigned long long seed = 7;
    for (int i = 0; i < 3000; i++) {
        char text[sizeof sample];
        memcpy(text, sample, sizeof sample);
        const size_t skipped = i % 2 ? (size_t)(strstr(sample, "\"T\"") - sample) : 0;
        for (int change = 0; change <= i % 4; change++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text[skipped + (seed >> 33) % (sizeof sample - 1 - skipped)] =
                alphabet[(seed >> 20) % (sizeof alphabet - 1)];
        }
        survive(text + skipped, sizeof sample - 1 - skipped);
    }
}

static void test_floods(void) {
    static const char *const pieces[] = {
        "\"T\"",   "\"T\" {", "{",  "}",  "Space ",   "\"T\" { Space A: Core } ", "def f(a):\n  x\n", "def ",
        "m = (\n", "[0...",   "\"", "/*", "def f() {"};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        Text text = {0};
        while (text.length < 65536) text_append(&text, pieces[i]);
        survive(text.data, text.length);
        text_free(&text);
    }
}

UNIT_MAIN("mappings", {"cases of the paper", test_paper_cases}, {"forms", test_forms}, {"words", test_words},
          {"segments", test_segments}, {"compute level", test_compute_level},
          {"substitution from above", test_substitution_from_above}, {"inherited", test_inherited},
          {"no block", test_no_block}, {"sub-partitions", test_sub_partitions}, {"default", test_default},
          {"default, other trees", test_default_shapes}, {"print", test_print},
          {"syntax errors", test_syntax_errors}, {"lexical errors", test_lexical_errors},
          {"functions", test_functions}, {"unfinished functions", test_unfinished_functions},
          {"duplicates", test_duplicates}, {"unknown names", test_unknown_names},
          {"unknown models", test_unknown_models},
          {"spaces of other models", test_spaces_of_other_models},
          {"spaces of other models", test_spaces_of_other_models}, {"order errors", test_order_errors},
          {"subset errors", test_subset_errors}, {"capacity errors", test_capacity_errors},
          {"backend errors", test_backend_errors}, {"truncations", test_truncations},
          {"mutations", test_mutations}, {"floods", test_floods})
