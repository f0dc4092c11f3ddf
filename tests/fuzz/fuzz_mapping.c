/* Mapping files, applied to a program with three LPSes. */
#include "compiler/mapping/mapping.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > FUZZ_LARGEST) return 0;
    static const char *const tasks[] = {"Heat"};
    Arena *arena = arena_new();
    Source *source = source_from_text(arena, "fuzz.map", (const char *)data, size);
    Diags *diags = diags_new(arena, source);
    MappingFile *file = mapping_parse(arena, source, diags);
    fuzz_require((file == NULL) == (diags_error_count(diags) > 0), "the mapping and its messages disagree");
    if (file != NULL && mapping_check_tasks(file, tasks, 1, diags))
        fuzz_compile(arena, fuzz_program(arena), file, fuzz_machine(arena), diags, false);
    fuzz_print(diags);
    arena_free(arena);
    return 0;
}
