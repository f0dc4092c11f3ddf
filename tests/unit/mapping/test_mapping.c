/* Mapping files and their resolution: results, the default mapping, printing, and bad input of every kind. */
#include "tests/unit/mapping/mapping_fixture.h"

#include <stdlib.h>

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
          {"default, other trees", test_default_shapes}, {"print", test_print}, {"truncations", test_truncations},
          {"mutations", test_mutations}, {"floods", test_floods})
