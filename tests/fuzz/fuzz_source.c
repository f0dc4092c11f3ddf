/* HP5 source through the whole compiler: tokens, tree, formatter (which must keep the tree and be
 * idempotent), checker, plan, loops, C text. */
#include "compiler/syntax/parse.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>

static void tree_of(Arena *arena, Text *printed, Text *tree) {
    Source *source = source_from_text(arena, "formatted.hp5", printed->data == NULL ? "" : printed->data, printed->length);
    Diags *diags = diags_new(arena, source);
    Ast *ast = syntax_parse(arena, source, diags);
    if (diags_error_count(diags) > 0) diags_print(diags, stderr, (DiagStyle){0});
    fuzz_require(diags_error_count(diags) == 0, "the formatter's text is refused");
    syntax_dump_tree(ast, tree, false);
    Text again = {0};
    syntax_print(ast, &again);
    bool same = again.length == printed->length && (again.length == 0 || memcmp(again.data, printed->data, again.length) == 0);
    fuzz_require(same, "formatting is not idempotent");
    text_free(&again);
}

static void check_format(Arena *arena, const Ast *ast) {
    Text printed = {0}, before = {0}, after = {0};
    syntax_print(ast, &printed);
    syntax_dump_tree(ast, &before, false);
    tree_of(arena, &printed, &after);
    bool same = before.length == after.length && (before.length == 0 || memcmp(before.data, after.data, before.length) == 0);
    fuzz_require(same, "the formatter changes the program");
    text_free(&printed);
    text_free(&before);
    text_free(&after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > FUZZ_LARGEST) return 0;
    Arena *arena = arena_new();
    Source *source = source_from_text(arena, "fuzz.hp5", (const char *)data, size);
    Diags *diags = diags_new(arena, source);
    Text text = {0};
    syntax_dump_tokens(source, &text);
    Ast *ast = syntax_parse(arena, source, diags);
    syntax_dump_ast(ast, &text);
    if (diags_error_count(diags) == 0) {
        check_format(arena, ast);
        Program *program = check_program(arena, ast, diags);
        fuzz_require((program == NULL) == (diags_error_count(diags) > 0), "the checker's result and its messages disagree");
        if (program != NULL) {
            program_dump(program, &text);
            fuzz_compile(arena, program, NULL, fuzz_machine(arena), diags, size % 2 == 1);
        }
    }
    text_free(&text);
    fuzz_print(diags);
    arena_free(arena);
    return 0;
}
