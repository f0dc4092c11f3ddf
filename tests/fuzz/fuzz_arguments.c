/* Command lines, an argument a line: of a compiled program when the first byte is even, else of hp5c. */
#include "compiler/driver/options.h"
#include "runtime/io/args.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>

enum { MOST = 200 };

static void of_program(int argc, char **argv) {
    static const Hp5ArgSpec specs[] = {{"a", HP5_ARG_INPUT, "input file"},    {"out", HP5_ARG_OUTPUT, "output file"},
                                       {"k", HP5_ARG_INTEGER, "an Integer"},  {"x", HP5_ARG_REAL, "a Real"},
                                       {"flag", HP5_ARG_BOOLEAN, "a Boolean"}, {"text", HP5_ARG_STRING, NULL}};
    static const Hp5Program program = {"fuzz", "a program", "fuzz.hp5", specs, 6};
    Hp5ArgValue values[6];
    Hp5Options options;
    if (FUZZ_SURVIVES()) hp5_args_parse(&program, argc, argv, values, &options);
    fuzz_end();
}

static void of_compiler(int argc, char **argv) {
    Arena *arena = arena_new();
    Diags *diags = diags_new(arena, NULL);
    Options options = {0};
    options_parse(arena, argc, argv, &options, diags);
    fuzz_print(diags);
    arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1 || size > FUZZ_LARGEST) return 0;
    Arena *arena = arena_new();
    char *text = arena_copy(arena, (const char *)data + 1, size - 1), *argv[MOST + 2] = {(char *)"fuzz"};
    int argc = 1;
    while (argc <= MOST && text != NULL && *text != '\0') argv[argc++] = strsep(&text, "\n");
    if (data[0] % 2 == 0) of_program(argc, argv);
    else of_compiler(argc, argv);
    arena_free(arena);
    return 0;
}
