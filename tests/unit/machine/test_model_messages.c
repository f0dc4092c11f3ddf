/* Model files that are wrong: every message, letter by letter. */
#include "tests/unit/machine/model_fixture.h"

/* The text must be refused with exactly these messages. */
static void rejects(const char *text, const char *messages) {
    CU_ASSERT_PTR_NULL(parse(text));
    Text printed = {0};
    diags_to_text(diags, &printed, (DiagStyle){0});
    CHECK_TEXT(printed.data ? printed.data : "", messages);
    text_free(&printed);
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
            AT(1, 1) "error: 'A' is a GPU with 1 space below it instead of two or three [E1106]\n    1 | Space "
                     "2<gpu>: A (1)\n      | ^~~~~~~~~~~~~~~~~~~\n"
                     "   help: below the cards come their multiprocessors, the warps of those and, if Spaces are to have single threads, the 32 lanes of a warp\n");
    rejects("Space 4<gpu>: A (1)\nSpace 3: B (2)\nSpace 2: C (4)\nSpace 1: D (8)",
            AT(4, 1) "error: 'D' are the lanes of a warp, of which there are 32, not 8 [E1106]\n    4 | Space 1: D (8)\n      | ^~~~~~~~~~~~~~\n"
                     "   help: write (32)\n");
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

UNIT_MAIN("machine models, messages", {"lost lines", test_lost_lines}, {"syntax errors", test_syntax_errors},
          {"lexical errors", test_lexical_errors}, {"order errors", test_order_errors},
          {"count errors", test_count_errors}, {"too many levels", test_too_many_levels},
          {"duplicates", test_duplicates}, {"flag errors", test_flag_errors},
          {"attribute errors", test_attribute_errors}, {"heading errors", test_heading_errors})
