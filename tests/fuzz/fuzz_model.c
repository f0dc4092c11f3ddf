/* Machine models: parsed, drawn, written and read back, and given to a program. */
#include "compiler/machine/draw.h"
#include "tests/fuzz/fuzz.h"

static Machine *read_back(Arena *arena, const Machine *machine, Text *written) {
    machine_write(machine, written);
    Source *source = source_from_text(arena, "written.pcubes", written->data, written->length);
    Diags *diags = diags_new(arena, source);
    Machine *again = machine_parse(arena, source, diags);
    if (again == NULL) diags_print(diags, stderr, (DiagStyle){0});
    fuzz_require(again != NULL, "a written model is refused");
    return again;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > FUZZ_LARGEST) return 0;
    Arena *arena = arena_new();
    Source *source = source_from_text(arena, "fuzz.pcubes", (const char *)data, size);
    Diags *diags = diags_new(arena, source);
    Machine *machine = machine_parse(arena, source, diags);
    fuzz_require((machine == NULL) == (diags_error_count(diags) > 0), "the machine and its messages disagree");
    if (machine != NULL) {
        Text text = {0}, written = {0};
        machine_draw_text(machine, &text);
        machine_draw_svg(machine, &text);
        machine_write(read_back(arena, machine, &written), &text);
        fuzz_compile(arena, fuzz_program(arena), NULL, machine, diags, false);
        text_free(&text);
        text_free(&written);
    }
    fuzz_print(diags);
    arena_free(arena);
    return 0;
}
