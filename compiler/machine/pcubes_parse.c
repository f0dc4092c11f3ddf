/* Reading a model file: the loop that moves tokens from the lexer to the parser,
 * the message for a token that does not fit, and the way back after it.
 *
 * A token is offered to the parser only when the parser would take it. Otherwise
 * the message is made from the tokens that it would take, and everything up to the
 * next line that starts with a keyword is skipped; handing that keyword to the
 * parser makes it drop the unfinished line. */
#include "compiler/machine/pcubes.grammar.h"
#include "compiler/machine/pcubes_parse.h"
#include <stdlib.h>
#include <string.h>

void *pcubes_parserAlloc(void *(*allocate)(size_t), PcubesContext *context);
void pcubes_parserFree(void *parser, void (*release)(void *));
void pcubes_parser(void *parser, int code, PcubesToken token);

/* How messages name a token; in this order they list what was expected. */
static const struct TokenName {
    int code;
    const char *name;
} token_names[] = {
    {PCUBES_STRING, "a name in double quotes"},
    {PCUBES_NAME, "a name"},
    {PCUBES_INTEGER, "an integer"},
    {PCUBES_REAL, "a number"},
    {PCUBES_COLON, "':'"},
    {PCUBES_LESS, "'<'"},
    {PCUBES_GREATER, "'>'"},
    {PCUBES_LPAREN, "'('"},
    {PCUBES_RPAREN, "')'"},
    {PCUBES_COMMA, "','"},
    {PCUBES_LBRACE, "'{'"},
    {PCUBES_RBRACE, "'}'"},
    {PCUBES_SPACE, "'Space'"},
    {PCUBES_MODEL, "'Model'"},
    {PCUBES_MACHINE, "'Machine'"},
};
enum { TOKEN_NAMES = sizeof token_names / sizeof token_names[0] };

static const char *expected_tokens(void *parser, Arena *arena) {
    const char *names[TOKEN_NAMES];
    size_t count = 0;
    bool word = pcubes_accepts(parser, PCUBES_NAME), real = pcubes_accepts(parser, PCUBES_REAL);
    for (size_t i = 0; i < TOKEN_NAMES; i++) {
        int code = token_names[i].code;
        bool said =
            (word && (code == PCUBES_MODEL || code == PCUBES_MACHINE)) || (real && code == PCUBES_INTEGER);
        if (!said && pcubes_accepts(parser, code)) names[count++] = token_names[i].name;
    }
    return text_join_or(arena, names, count);
}

static void report_unexpected(PcubesContext *context, void *parser, int code, PcubesToken token) {
    context->lines_lost = true;
    const char *expected = expected_tokens(parser, context->arena);
    const char *found = pcubes_slice(context, token.span);
    Diag *diag;
    if (code == 0)
        diag = diag_error(context->diags, E_MODEL_SYNTAX, token.span,
                          "unexpected end of the file, expected %s", expected);
    else
        diag = diag_error(context->diags, E_MODEL_SYNTAX, token.span, "unexpected '%s', expected %s", found,
                          expected);
    static const char *const keywords[] = {"Space", "Model", "Machine"};
    const char *near =
        code == PCUBES_NAME && pcubes_accepts(parser, PCUBES_SPACE) ? text_nearest(found, keywords, 3) : NULL;
    if (near) diag_help(diag, "did you mean '%s'?", near);
    if (code == PCUBES_INTEGER && pcubes_accepts(parser, PCUBES_LPAREN))
        diag_help(diag, "the number of units in each unit above stands in parentheses: '(%s)'", found);
}

static bool starts_line(int code) {
    return code == 0 || code == PCUBES_SPACE || code == PCUBES_MODEL || code == PCUBES_MACHINE;
}

/* True when `code` can be handed to the parser. Sets *skipping until a line starts. */
static bool may_shift(PcubesContext *context, void *parser, int code, PcubesToken token, bool *skipping) {
    if (*skipping) {
        *skipping = !starts_line(code);
        return !*skipping;
    }
    if (pcubes_accepts(parser, code)) return true;
    report_unexpected(context, parser, code, token);
    *skipping = !starts_line(code);
    return !*skipping;
}

static void parse_tokens(PcubesContext *context) {
    PcubesLexer lexer = {context->source, context->diags, context->source->text};
    void *parser = pcubes_parserAlloc(malloc, context);
    if (!parser) arena_out_of_memory();
    bool skipping = false;
    for (int code = -1; code != 0;) {
        PcubesToken token;
        code = pcubes_next_token(&lexer, &token);
        if (may_shift(context, parser, code, token, &skipping)) pcubes_parser(parser, code, token);
    }
    pcubes_parserFree(parser, free);
}

/* "machines/quad.pcubes" → "quad". */
static const char *name_from_path(Arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    return arena_copy(arena, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

Machine *machine_parse(Arena *arena, Source *source, Diags *diags) {
    Source *outer = diags_source(diags);
    size_t errors = diags_error_count(diags);
    diags_set_source(diags, source);
    PcubesContext context = {
        .arena = arena, .source = source, .diags = diags, .machine = ARENA_NEW(arena, Machine)};
    parse_tokens(&context);
    if (diags_error_count(diags) == errors) pcubes_check_models(&context);
    if (!context.machine->name) context.machine->name = name_from_path(arena, source->name);
    diags_set_source(diags, outer);
    return diags_error_count(diags) == errors ? context.machine : NULL;
}
