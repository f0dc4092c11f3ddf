/* Model files: what they mean, what is wrong with bad ones, and that written models read
 * back to the same text. */
#include "tests/unit/unit.h"

#include "compiler/machine/machine.h"
#include "tests/unit/check_text.h"
#include <stdlib.h>

static Arena *arena;
static Diags *diags;

static Machine *parse_n(const char *text, size_t length) {
    arena = arena_new();
    Source *source = source_from_text(arena, "models/m.pcubes", text, length);
    diags = diags_new(arena, NULL);
    return machine_parse(arena, source, diags);
}

static Machine *parse(const char *text) { return parse_n(text, strlen(text)); }

/* The text must be refused with exactly these messages. */
static void rejects(const char *text, const char *messages) {
    CU_ASSERT_PTR_NULL(parse(text));
    Text printed = {0};
    diags_to_text(diags, &printed, (DiagStyle){0});
    CHECK_TEXT(printed.data ? printed.data : "", messages);
    text_free(&printed);
    arena_free(arena);
}

static const char hermes[] =
    "Machine \"Hermes\"\n"
    "Space 6: Cluster (1)\n"
    "Space 5<segment><unit>: Node (4) { exchange: 50 us, move: 1.25 GB/s 1500 B 50 us }\n"
    "Space 4: CPU (4) { memory: 64 GB }\n"
    "Space 3: NUMA-Node (2)\n"
    "Space 2: Core-Pair (4) { memory: 2 MB, compute: 4 ops 2.3 GHz }\n"
    "Space 1<core>: Core (2)\n";

/* ---- Meaning ----------------------------------------------------------------------- */

static void test_values(void) {
    Machine *machine = parse(hermes);
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    CU_ASSERT_STRING_EQUAL(machine->name, "Hermes");
    const MachineModel *model = machine_find_model(machine, NULL);
    CU_ASSERT_EQUAL_FATAL(model->spaces.count, 6);
    const MachineSpace *node = &model->spaces.items[1];
    CU_ASSERT_EQUAL(node->flags, FLAG_SEGMENT | FLAG_UNIT);
    CU_ASSERT_EQUAL(node->number, 5);
    CU_ASSERT_EQUAL(node->attributes.exchange, 50e-6);
    CU_ASSERT_EQUAL(node->attributes.move_bandwidth, 1.25e9);
    CU_ASSERT_EQUAL(node->attributes.move_width, 1500);
    CU_ASSERT_EQUAL(node->attributes.move_latency, 50e-6);
    CU_ASSERT(!machine_is_stated(node->attributes.move_at_once));
    CU_ASSERT(!machine_is_stated(node->attributes.memory));
    CU_ASSERT_EQUAL(model->spaces.items[2].attributes.memory, 64.0 * 1024 * 1024 * 1024);
    CU_ASSERT_EQUAL(model->spaces.items[4].attributes.operations, 4);
    CU_ASSERT_EQUAL(model->spaces.items[4].attributes.clock, 2.3e9);
    arena_free(arena);
}

static void test_finding(void) {
    Machine *machine = parse(hermes);
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    const MachineModel *model = machine_find_model(machine, NULL);
    CU_ASSERT_EQUAL(model_find_space(model, "Core-Pair"), 4);
    CU_ASSERT_EQUAL(model_find_space(model, "2"), 4);
    CU_ASSERT_EQUAL(model_find_space(model, "7"), -1);
    CU_ASSERT_EQUAL(model_find_space(model, "core"), -1);
    CU_ASSERT_EQUAL(model_find_space(model, ""), -1);
    CU_ASSERT_STRING_EQUAL(model_nearest_space(model, "NUMANode"), "NUMA-Node");
    CU_ASSERT_PTR_NULL(model_nearest_space(model, "Rack"));
    CU_ASSERT_PTR_NULL(machine_find_model(machine, "GPU"));
    CU_ASSERT_EQUAL(model_total_ppus(model, 0), 1);
    CU_ASSERT_EQUAL(model_total_ppus(model, 5), 256);
    CU_ASSERT_EQUAL(model_ppus_between(model, 2, 4), 8);
    CU_ASSERT_EQUAL(model_ppus_between(model, 4, 4), 1);
    CU_ASSERT_EQUAL(model_segment_level(model), 1);
    arena_free(arena);
}

static void check_compute_levels(const char *text, const int *expected) {
    Machine *machine = parse(text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    const MachineModel *model = machine_find_model(machine, NULL);
    for (int level = 0; level < (int)model->spaces.count; level++)
        CU_ASSERT_EQUAL(model_compute_level(model, level), expected[level]);
    arena_free(arena);
}

static void test_capacity(void) {
    check_compute_levels(hermes, (int[]){4, 4, 4, 4, 4, 4});
    /* bare: the lowest level */
    check_compute_levels("Space 2: CPU (1)\nSpace 1: Core (8)", (int[]){1, 1});
    /* bare with a core flag: that level and those below */
    check_compute_levels("Space 3: CPU (1)\nSpace 2<core>: Core (8)\nSpace 1: Thread (2)", (int[]){1, 1, 2});
    /* below comes before above */
    check_compute_levels(
        "Space 3: A (1) { compute: 1 ops }\nSpace 2: B (2)\nSpace 1: C (2) { compute: 1 ops }",
        (int[]){0, 2, 2});
    /* 0 operations say so */
    check_compute_levels("Space 2: A (1) { compute: 0 ops }\nSpace 1: B (2) { compute: 0 ops }",
                         (int[]){-1, -1});
    /* the host's side of a GPU boundary is preferred, also upwards */
    check_compute_levels(
        "Space 5: Node (1) { compute: 8 ops }\nSpace 4: Port (1)\nSpace 3<gpu>: GPU (2)\nSpace 2: SM (8)\n"
        "Space 1: Warp (4) { compute: 32 ops }",
        (int[]){0, 0, 4, 4, 4});
    check_compute_levels(
        "Space 4: Node (1)\nSpace 3<gpu>: GPU (2)\nSpace 2: SM (8)\nSpace 1: Warp (4) { compute: 32 ops }",
        (int[]){3, 3, 3, 3});
}

static void test_gpu_levels(void) {
    Machine *machine = parse(
        "Space 4: Node (1)\nSpace 3<gpu>: GPU (2)\nSpace 2: SM (8)\nSpace 1: Warp (4) { compute: 32 ops }");
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    CU_ASSERT_STRING_EQUAL(machine->name, "m"); /* the file's name, without folder and ending */
    const MachineModel *model = machine_find_model(machine, NULL);
    CU_ASSERT(!model_is_gpu_level(model, 0));
    CU_ASSERT(model_is_gpu_level(model, 1));
    CU_ASSERT(model_is_gpu_level(model, 3));
    CU_ASSERT_EQUAL(model_segment_level(model), -1);
    arena_free(arena);
}

static void test_models(void) {
    Machine *machine = parse("Machine \"Two\" // a comment\nModel: CPU-Only Space 1: Core (4) /* another "
                             "*/\nModel: Model Space 1: Machine (2)");
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    CU_ASSERT_EQUAL(machine->models.count, 2);
    CU_ASSERT_STRING_EQUAL(machine_find_model(machine, NULL)->name, "CPU-Only");
    CU_ASSERT_PTR_EQUAL(machine_find_model(machine, "Model"), &machine->models.items[1]);
    CU_ASSERT_STRING_EQUAL(machine->models.items[1].spaces.items[0].name, "Machine");
    arena_free(arena);
}

static void test_units(void) {
    Machine *machine =
        parse("Space 1: X (1) { memory: 1.5 KB, compute: 1e9 Hz 1 op, exchange: 2.5 \xC2\xB5s, "
              "move: 64 KiB 3 at-once 4 ms 2 TB/s 12 in-flight }");
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    const MachineAttributes *a = &machine->models.items[0].spaces.items[0].attributes;
    CU_ASSERT_EQUAL(a->memory, 1536);
    CU_ASSERT_EQUAL(a->clock, 1e9);
    CU_ASSERT_EQUAL(a->operations, 1);
    CU_ASSERT_EQUAL(a->exchange, 2.5e-6);
    CU_ASSERT_EQUAL(a->move_width, 65536);
    CU_ASSERT_EQUAL(a->move_at_once, 3);
    CU_ASSERT_EQUAL(a->move_in_flight, 12);
    CU_ASSERT_EQUAL(a->move_latency, 4e-3);
    CU_ASSERT_EQUAL(a->move_bandwidth, 2e12);
    arena_free(arena);
}

/* ---- Messages ------------------------------------------------------------------------ */

#define AT(line, column) "models/m.pcubes:" #line ":" #column ": "

static void test_syntax_errors(void) {
    rejects(
        "Space 2: A (1\nSpace 1: B (2)",
        AT(2, 1) "error: unexpected 'Space', expected ')' [E1101]\n    2 | Space 1: B (2)\n      | ^~~~~\n");
    rejects("Space x: A (1)\nSpace 1<core: B (2)\nSpace",
            AT(1, 7) "error: unexpected 'x', expected an integer [E1101]\n    1 | Space x: A (1)\n      |    "
                     "   ^\n" AT(2, 13) "error: unexpected ':', expected '>' [E1101]\n    2 | Space 1<core: "
                                        "B (2)\n      |             ^\n" AT(
                                            3, 6) "error: unexpected end of the file, expected an integer "
                                                  "[E1101]\n    3 | Space\n      |      ^\n");
    rejects("Spce 1: A (1)", AT(1, 1) "error: unexpected 'Spce', expected 'Space', 'Model' or 'Machine' "
                                      "[E1101]\n    1 | Spce 1: A (1)\n      | ^~~~\n"
                                      "   help: did you mean 'Space'?\n");
    rejects("Space 1: A (1) { memory: 4 GB compute: 1 ops }",
            AT(1, 31) "error: unexpected 'compute', expected a number, ',' or '}' [E1101]\n"
                      "    1 | Space 1: A (1) { memory: 4 GB compute: 1 ops }\n      |                       "
                      "        ^~~~~~~\n");
    rejects("Space 1: A (2.5)", AT(1, 13) "error: unexpected '2.5', expected an integer [E1101]\n    1 | "
                                          "Space 1: A (2.5)\n      |             ^~~\n");
    rejects("Machine Hermes\nSpace 1: A (1)",
            AT(1, 9) "error: unexpected 'Hermes', expected a name in double quotes [E1101]\n    1 | Machine "
                     "Hermes\n      |         ^~~~~~\n");
}

static void test_lexical_errors(void) {
    rejects(
        "Space 1: A (1) @ $",
        AT(1, 16) "error: '@' has no meaning in a machine model [E1101]\n    1 | Space 1: A (1) @ $\n      | "
                  "               ^\n" AT(1, 18) "error: '$' has no meaning in a machine model [E1101]\n    "
                                                 "1 | Space 1: A (1) @ $\n      |                  ^\n");
    rejects("Space 1: A (1) \xE2\x82\xAC",
            AT(1, 16) "error: a character has no meaning in a machine model: U+20AC [E1101]\n"
                      "    1 | Space 1: A (1) \xE2\x82\xAC\n      |                ^\n");
    rejects("Space 1: A (1) /* open",
            AT(1, 16) "error: this comment does not end: '*/' is missing [E1101]\n"
                      "    1 | Space 1: A (1) /* open\n      |                ^~\n");
    rejects("Machine \"Open\nSpace 1: A (1)",
            AT(1, 9) "error: this name does not end: '\"' is missing on its line [E1101]\n"
                     "    1 | Machine \"Open\n      |         ^~~~~\n");
}

/* After a line that was dropped, the numbers of the next lines are not blamed. */
static void test_lost_lines(void) {
    rejects("Space 4: Node (1)\nSpace 3: NUMA Node 2\nSpace 2: Cache (1)\nSpace 0: Core (2)",
            AT(2, 20) "error: unexpected '2', expected a name or '(' [E1101]\n    2 | Space 3: NUMA Node 2\n"
                      "      |                    ^\n"
                      "   help: the number of units in each unit above stands in parentheses: '(2)'\n" AT(4, 7)
                "error: Space 0 follows Space 2, but numbers fall by one from line to line [E1102]\n    4 | Space 0: Core (2)\n"
                "      |       ^\n   help: this line would be Space 1\n");
}

static void test_order_errors(void) {
    rejects("Space 2: A (1)\nSpace 3: B (2)",
            AT(2, 7) "error: Space 3 follows Space 2, but numbers fall by one from line to line [E1102]\n    "
                     "2 | Space 3: B (2)\n      |       ^\n"
                     "   help: this line would be Space 1\n");
    rejects("Space 0: A (1)\nSpace 1: B (2)",
            AT(2, 7) "error: Space 1 follows Space 0, but numbers fall by one from line to line [E1102]\n    "
                     "2 | Space 1: B (2)\n      |       ^\n"
                     "   help: give the lowest space the number 1 and count upwards from there\n");
    rejects("Space 99999999999999999999: A (1)",
            AT(1, 7) "error: a space number this large makes no sense [E1102]\n    1 | Space "
                     "99999999999999999999: A (1)\n      |       ^~~~~~~~~~~~~~~~~~~~\n");
}

static void test_count_errors(void) {
    rejects("Space 2: A (1)\nSpace 1: B (0)",
            AT(2, 13) "error: a space has at least 1 PPU in each PPU above it, not 0 [E1104]\n    2 | Space "
                      "1: B (0)\n      |             ^\n"
                      "   help: leave the line out if the machine has no such level\n");
    rejects("Space 2: A (65536)\nSpace 1: B (65536)",
            AT(2, 13) "error: this makes more than 2147483648 PPUs in the whole machine [E1104]\n    2 | "
                      "Space 1: B (65536)\n      |             ^~~~~\n");
    rejects(
        "Space 1: A (99999999999999999999999)",
        AT(1,
           13) "error: this makes more than 2147483648 PPUs in the whole machine [E1104]\n"
               "    1 | Space 1: A (99999999999999999999999)\n      |             ^~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void test_too_many_levels(void) {
    Text text = {0};
    for (int number = 33; number >= 1; number--) text_printf(&text, "Space %d: S%d (1)\n", number, number);
    rejects(text.data, AT(33, 1) "error: a model has at most 32 spaces [E1104]\n   33 | Space 1: S1 (1)\n    "
                                 "  | ^~~~~~~~~~~~~~~\n");
    text_free(&text);
}

static void test_duplicates(void) {
    rejects(
        "Space 2: Core (1)\nSpace 1: Core (2)",
        AT(2, 10) "error: a second space is called 'Core' [E1103]\n    2 | Space 1: Core (2)\n      |        "
                  "  ^~~~\n"
                  "   help: mapping files tell spaces apart by their names\n" AT(
                      1,
                      1) "note: the first is here\n    1 | Space 2: Core (1)\n      | ^~~~~~~~~~~~~~~~~\n");
    rejects(
        "Space 1<core><core>: A (1) { memory: 1 B, memory: 2 B, memory: 3 B }",
        AT(1, 15) "error: flag 'core' is given twice [E1103]\n    1 | Space 1<core><core>: A (1) { memory: 1 "
                  "B, memory: 2 B, memory: 3 B }\n"
                  "      |               ^~~~\n" AT(
                      1,
                      43) "error: attribute 'memory' is given twice [E1103]\n    1 | Space 1<core><core>: A "
                          "(1) { memory: 1 B, memory: 2 B, memory: 3 B }\n"
                          "      |                                           ^~~~~~\n" AT(
                              1,
                              30) "note: the first is here\n    1 | Space 1<core><core>: A (1) { memory: 1 "
                                  "B, memory: 2 B, memory: 3 B }\n"
                                  "      |                              ^~~~~~\n" AT(
                                      1,
                                      56) "error: attribute 'memory' is given twice [E1103]\n    1 | Space "
                                          "1<core><core>: A (1) { memory: 1 B, memory: 2 B, memory: 3 B }\n"
                                          "      |                                                        "
                                          "^~~~~~\n" AT(
                                              1, 30) "note: the first is here\n    1 | Space 1<core><core>: "
                                                     "A (1) { memory: 1 B, memory: 2 B, memory: 3 B }\n"
                                                     "      |                              ^~~~~~\n");
    rejects(
        "Model: A Space 1: X (1)\nModel: A Space 1: X (1)",
        AT(2,
           8) "error: a second model is called 'A' [E1103]\n    2 | Model: A Space 1: X (1)\n      |        "
              "^\n" AT(1, 1) "note: the first is here\n    1 | Model: A Space 1: X (1)\n      | ^~~~~~~~\n");
}

static void test_flag_errors(void) {
    rejects("Space 2<segmnet>: A (1)\nSpace 1<xyz>: B (2)",
            AT(1, 9) "error: unknown flag 'segmnet' [E1105]\n    1 | Space 2<segmnet>: A (1)\n      |        "
                     " ^~~~~~~\n   help: did you mean 'segment'?\n" AT(
                         2, 9) "error: unknown flag 'xyz' [E1105]\n    2 | Space 1<xyz>: B (2)\n      |      "
                               "   ^~~\n   help: the flags are segment, unit, core and gpu\n");
    rejects(
        "Space 2<core>: A (1)\nSpace 1<segment>: B (2)",
        AT(2, 1) "error: the flag <segment> must not stand below <core> [E1106]\n    2 | Space 1<segment>: B "
                 "(2)\n      | ^~~~~~~~~~~~~~~~~~~~~~~\n" AT(
                     1,
                     1) "note: <core> is here\n    1 | Space 2<core>: A (1)\n      | ^~~~~~~~~~~~~~~~~~~~\n");
    rejects(
        "Space 2<core>: A (1)\nSpace 1<core>: B (2)",
        AT(2, 1) "error: two spaces of a model have the flag <core> [E1106]\n    2 | Space 1<core>: B (2)\n  "
                 "    | ^~~~~~~~~~~~~~~~~~~~\n" AT(1, 1) "note: the first is here\n    1 | Space 2<core>: A "
                                                         "(1)\n      | ^~~~~~~~~~~~~~~~~~~~\n");
    rejects(
        "Space 2<unit>: A (1)\nSpace 1: B (2)",
        AT(1, 1) "error: 'A' is a domain of core numbers (<unit>), but no space has the flag <core> [E1106]\n"
                 "    1 | Space 2<unit>: A (1)\n      | ^~~~~~~~~~~~~~~~~~~~\n"
                 "   help: flag the space whose PPUs the operating system numbers: 'Space 1<core>: …'\n");
    rejects("Space 2<gpu>: A (1)\nSpace 1: B (2)",
            AT(1, 1) "error: 'A' is a GPU with 1 space below it instead of two [E1106]\n    1 | Space "
                     "2<gpu>: A (1)\n      | ^~~~~~~~~~~~~~~~~~~\n"
                     "   help: below the cards come their multiprocessors and the warps of those\n");
}

static void test_attribute_errors(void) {
    rejects("Space 1: A (1) { memroy: 1 GB, speed: 3 GHz }",
            AT(1, 18) "error: unknown attribute 'memroy' [E1107]\n    1 | Space 1: A (1) { memroy: 1 GB, "
                      "speed: 3 GHz }\n"
                      "      |                  ^~~~~~\n   help: did you mean 'memory'?\n" AT(
                          1, 32) "error: unknown attribute 'speed' [E1107]\n    1 | Space 1: A (1) { memroy: "
                                 "1 GB, speed: 3 GHz }\n"
                                 "      |                                ^~~~~\n   help: the attributes are "
                                 "memory, compute, cycles, exchange and move\n");
    rejects(
        "Space 1: A (1) { memory: 64, exchange: 5 nss }",
        AT(1,
           26) "error: this number has no unit [E1108]\n    1 | Space 1: A (1) { memory: 64, exchange: 5 nss "
               "}\n"
               "      |                          ^~\n   help: 'memory' takes a size (B, KB, MB, GB, TB) and a bandwidth (MB/s, "
               "GB/s)\n" AT(
                   1,
                   42) "error: unknown unit 'nss' [E1108]\n    1 | Space 1: A (1) { memory: 64, exchange: 5 "
                       "nss }\n"
                       "      |                                          ^~~\n   help: did you mean 'ns'?\n");
    rejects(
        "Space 1: A (1) { compute: 4 GB, memory: 1 GB 2 GB, exchange: 5 parsecs }",
        AT(1, 27) "error: 'compute' does not take a size (B, KB, MB, GB, TB), but operations (ops) and a "
                  "clock (MHz, GHz) [E1108]\n"
                  "    1 | Space 1: A (1) { compute: 4 GB, memory: 1 GB 2 GB, exchange: 5 parsecs }\n      | "
                  "                          ^~~~\n" AT(
                      1,
                      46) "error: 'memory' takes only one of this kind: a size (B, KB, MB, GB, TB) [E1108]\n"
                          "    1 | Space 1: A (1) { compute: 4 GB, memory: 1 GB 2 GB, exchange: 5 parsecs "
                          "}\n      |                                              ^~~~\n" AT(
                              1, 64) "error: unknown unit 'parsecs' [E1108]\n"
                                     "    1 | Space 1: A (1) { compute: 4 GB, memory: 1 GB 2 GB, exchange: 5 "
                                     "parsecs }\n"
                                     "      |                                                                "
                                     "^~~~~~~\n   help: 'exchange' takes a time (ns, us, ms)\n");
    rejects(
        "Space 1: A (1) { compute: 1.5 ops, memory: 0.3 B, move: 2.5 at-once 1e999 GB/s }",
        AT(1, 27) "error: this must be a whole number of operations [E1108]\n"
                  "    1 | Space 1: A (1) { compute: 1.5 ops, memory: 0.3 B, move: 2.5 at-once 1e999 GB/s "
                  "}\n      |                           ^~~~~~~\n" AT(
                      1, 44) "error: this must be a whole number of bytes [E1108]\n"
                             "    1 | Space 1: A (1) { compute: 1.5 ops, memory: 0.3 B, move: 2.5 at-once "
                             "1e999 GB/s }\n      |                                            ^~~~~\n" AT(
                                 1, 57) "error: this must be a whole number of transactions [E1108]\n"
                                        "    1 | Space 1: A (1) { compute: 1.5 ops, memory: 0.3 B, move: 2.5 "
                                        "at-once 1e999 GB/s }\n"
                                        "      |                                                         "
                                        "^~~~~~~~~~~\n" AT(
                                            1, 69) "error: this number is too large [E1108]\n"
                                                   "    1 | Space 1: A (1) { compute: 1.5 ops, memory: 0.3 "
                                                   "B, move: 2.5 at-once 1e999 GB/s }\n"
                                                   "      |                                                  "
                                                   "                   ^~~~~~~~~~\n");
}

static void test_heading_errors(void) {
    rejects("", AT(1, 1) "error: the machine has no spaces [E1109]\n    1 |\n      | ^\n   help: a small "
                         "model: 'Space 1: Core (4)'\n");
    rejects("Model: A\nModel: B Space 1: X (1)",
            AT(1, 1) "error: model 'A' has no spaces [E1109]\n    1 | Model: A\n      | ^~~~~~~~\n");
    rejects(
        "Space 1: A (1)\nMachine \"X\"\nMachine \"Y\"",
        AT(2, 1) "error: the 'Machine' line must come first in the file [E1110]\n    2 | Machine \"X\"\n     "
                 " | ^~~~~~~~~~~\n"
                 "   help: move it above the first 'Space' or 'Model' line\n" AT(
                     3,
                     1) "error: a second 'Machine' line [E1110]\n    3 | Machine \"Y\"\n      | ^~~~~~~~~~~\n"
                        "   help: one file describes one machine; several descriptions of it get headings: "
                        "'Model: Name'\n" AT(
                            2, 1) "note: the first is here\n    2 | Machine \"X\"\n      | ^~~~~~~~~~~\n");
    rejects("Space 1: A (1)\nModel: B Space 1: X (1)",
            AT(1, 1) "error: these spaces belong to no model, but the file has 'Model' headings [E1110]\n    "
                     "1 | Space 1: A (1)\n      | ^~~~~~~~~~~~~~\n"
                     "   help: write a line 'Model: Name' above them\n");
    rejects(
        "Machine \"\"\nSpace 1: A (1)",
        AT(1, 9) "error: the machine's name is empty [E1101]\n    1 | Machine \"\"\n      |         ^~\n");
}

/* ---- Writing ----------------------------------------------------------------------------- */

static void check_round_trip(Machine *machine) {
    Text first = {0}, second = {0};
    machine_write(machine, &first);
    Source *source = source_from_text(arena, "again", first.data, first.length);
    Machine *again = machine_parse(arena, source, diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(again);
    machine_write(again, &second);
    CHECK_TEXT(second.data, first.data);
    text_free(&first);
    text_free(&second);
}

static void test_repository_models(void) {
    static const char *const names[] = {"hermes", "k20",    "mira",      "gpu-cluster",
                                        "h200",   "laptop", "quad-8core"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        arena = arena_new();
        diags = diags_new(arena, NULL);
        Source *source = source_read(arena, arena_printf(arena, "pcubes-models/%s.pcubes", names[i]));
        CU_ASSERT_PTR_NOT_NULL_FATAL(source);
        Machine *machine = machine_parse(arena, source, diags);
        diags_print(diags, stderr, (DiagStyle){0});
        CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
        check_round_trip(machine);
        arena_free(arena);
    }
}

static void test_quantities(void) {
    static const struct {
        UnitKind kind;
        double value;
        const char *text;
    } cases[] = {
        {UNIT_BYTES, 0, "0 B"},
        {UNIT_BYTES, 1, "1 B"},
        {UNIT_BYTES, 1024, "1 KB"},
        {UNIT_BYTES, 1500, "1500 B"},
        {UNIT_BYTES, 1536, "1.5 KB"},
        {UNIT_BYTES, 6.0 * 1024 * 1024, "6 MB"},
        {UNIT_BYTES, 512.0 * 1024 * 1024, "512 MB"},
        {UNIT_RATE, 51.2e9, "51.2 GB/s"},
        {UNIT_RATE, 140e9, "140 GB/s"},
        {UNIT_RATE, 4.8e12, "4.8 TB/s"},
        {UNIT_SECONDS, 90e-9, "90 ns"},
        {UNIT_SECONDS, 59e-9, "59 ns"},
        {UNIT_SECONDS, 1, "1 s"},
        {UNIT_SECONDS, 0.25e-3, "250 us"},
        {UNIT_HERTZ, 2.3e9, "2.3 GHz"},
        {UNIT_HERTZ, 44.125e6, "44.125 MHz"},
        {UNIT_OPERATIONS, 16, "16 ops"},
        {UNIT_AT_ONCE, 150, "150 at-once"},
        {UNIT_IN_FLIGHT, 12, "12 in-flight"},
        {UNIT_SECONDS, 1e-30, "1e-18 ps"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Text text = {0};
        machine_write_quantity(&text, cases[i].kind, cases[i].value);
        CHECK_TEXT(text.data, cases[i].text);
        text_free(&text);
    }
}

static void test_random_quantities(void) {
    unsigned long long seed = 12345;
    for (int i = 0; i < 2000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double value = (double)(seed >> 11) * (i % 2 ? 1e-18 : 1e-3);
        arena = arena_new();
        diags = diags_new(arena, NULL);
        Text text = {0};
        text_append(&text, "Space 1: A (1) { exchange: ");
        machine_write_quantity(&text, UNIT_SECONDS, value);
        text_append(&text, ", move: ");
        machine_write_quantity(&text, UNIT_RATE, value);
        text_append(&text, " }");
        Machine *machine = machine_parse(arena, source_from_text(arena, "x", text.data, text.length), diags);
        CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
        CU_ASSERT_EQUAL(machine->models.items[0].spaces.items[0].attributes.exchange, value);
        CU_ASSERT_EQUAL(machine->models.items[0].spaces.items[0].attributes.move_bandwidth, value);
        text_free(&text);
        arena_free(arena);
    }
}

static void test_drawings(void) {
    Machine *machine =
        parse("Machine \"A & B\"\nSpace 2<segment>: Node (2) { memory: 64 GB }\nSpace 1<core>: Core (40)");
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    Text text = {0}, svg = {0};
    machine_draw_text(machine, &text);
    CHECK_TEXT(
        text.data,
        "A & B\n"
        "2 × Node                                 Space 2, 2 in all, one process each\n"
        "│  memory: 64 GB\n"
        "└─ 40 × Core                             Space 1, 80 in all, numbered by the system, computes\n");
    machine_draw_svg(machine, &svg);
    CU_ASSERT_PTR_NOT_NULL(strstr(svg.data, "A &amp; B"));
    CU_ASSERT_PTR_NOT_NULL(strstr(svg.data, "40 × Core (16 drawn)"));
    CU_ASSERT_PTR_NOT_NULL(strstr(svg.data, "</svg>\n"));
    CU_ASSERT_PTR_NULL(strstr(svg.data, "nan"));
    text_free(&text);
    text_free(&svg);
    arena_free(arena);
}

/* ---- Bad input of every kind ------------------------------------------------------------ */

static void survive(const char *text, size_t length) {
    Machine *machine = parse_n(text, length);
    Text printed = {0};
    diags_to_text(diags, &printed, (DiagStyle){0});
    CU_ASSERT(machine || printed.length > 0); /* refused: there is a message */
    text_free(&printed);
    if (machine) check_round_trip(machine);
    arena_free(arena);
}

static void test_truncations(void) {
    for (size_t length = 0; length <= strlen(hermes); length++) survive(hermes, length);
}

static void test_mutations(void) {
    static const char alphabet[] = "\0\n \"{}()<>:,/*#0919.eE-AaZz\x80\xC2\xB5\xFF@Space Model";
    unsigned long long seed = 42;
    for (int i = 0; i < 3000; i++) {
        char text[sizeof hermes];
        memcpy(text, hermes, sizeof hermes);
        for (int change = 0; change <= i % 4; change++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text[(seed >> 33) % (sizeof hermes - 1)] = alphabet[(seed >> 20) % (sizeof alphabet - 1)];
        }
        survive(text, sizeof hermes - 1);
    }
}

/* A long file of nothing but errors must not take long or say too much. */
static void test_floods(void) {
    static const char *const pieces[] = {"Space ", "<",  "{",          "1 ", "Space 1: A (1) {memory:1}",
                                         "\"",     "/*", "Model: A\n", "x,", "a: 1 B, "};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        Text text = {0};
        if (pieces[i][0] == 'a') text_append(&text, "Space 1: A (1) { ");
        while (text.length < 65536) text_append(&text, pieces[i]);
        CU_ASSERT_PTR_NULL(parse_n(text.data, text.length));
        Text printed = {0};
        diags_to_text(diags, &printed, (DiagStyle){0});
        CU_ASSERT(printed.length > 0 && printed.length < 40000);
        text_free(&printed);
        text_free(&text);
        arena_free(arena);
    }
}

UNIT_MAIN("machine models", {"values", test_values}, {"lost lines", test_lost_lines}, {"finding", test_finding}, {"capacity", test_capacity},
          {"GPU levels", test_gpu_levels}, {"several models", test_models}, {"units", test_units},
          {"syntax errors", test_syntax_errors}, {"lexical errors", test_lexical_errors},
          {"order errors", test_order_errors}, {"count errors", test_count_errors},
          {"too many levels", test_too_many_levels}, {"duplicates", test_duplicates},
          {"flag errors", test_flag_errors}, {"attribute errors", test_attribute_errors},
          {"heading errors", test_heading_errors}, {"models of the repository", test_repository_models},
          {"quantities", test_quantities}, {"random quantities", test_random_quantities},
          {"drawings", test_drawings}, {"truncations", test_truncations}, {"mutations", test_mutations},
          {"floods", test_floods})
