/* Reading a mapping file: the loop that moves tokens from the lexer to the parser,
 * the message for a token that does not fit, and the way back after it.
 *
 * After a message everything is skipped up to a token that can start afresh: inside
 * a block the next line or the block's end, outside the next block. Handing it to the parser
 * makes it drop the unfinished line or block. A block that is not closed before the
 * next one starts is closed for it. */
#include "compiler/mapping/map.grammar.h"
#include "compiler/mapping/map_parse.h"
#include <stdlib.h>
#include <string.h>

void *map_parserAlloc(void *(*allocate)(size_t), MapContext *context);
void map_parserFree(void *parser, void (*release)(void *));
void map_parser(void *parser, int code, MapToken token);

/* How messages name a token; in this order they list what was expected. */
static const struct TokenName {
    int code;
    const char *name;
} token_names[] = {
    {MAP_STRING, "a task's name in double quotes"},
    {MAP_NAME, "a name"},
    {MAP_INTEGER, "a number"},
    {MAP_COLON, "':'"},
    {MAP_COMMA, "','"},
    {MAP_LBRACKET, "'['"},
    {MAP_DOTS, "'...'"},
    {MAP_RBRACKET, "']'"},
    {MAP_LBRACE, "'{'"},
    {MAP_BY, "'by'"},
    {MAP_MODEL, "'Model'"},
    {MAP_SPACE, "'Space'"},
    {MAP_LAYOUT, "a placement statement"}, /* for all of them */
    {MAP_RBRACE, "'}'"},
};
enum { TOKEN_NAMES = sizeof token_names / sizeof token_names[0] };

typedef struct Reader {
    MapContext *context;
    MapLexer lexer;
    void *parser;
    bool in_block; /* between '{' and '}' */
    Span opening;  /* of the block */
    bool skipping;
    bool space_line, behind_colon; /* a level's name comes next */
} Reader;

static bool is_statement(int code) {
    return code == MAP_LAYOUT || code == MAP_LIMIT || code == MAP_COLLECT || code == MAP_PRIORITY || code == MAP_REGION;
}

static const char *expected_tokens(Reader *reader) {
    const char *names[TOKEN_NAMES + 1];
    size_t count = 0;
    bool word = map_accepts(reader->parser, MAP_NAME);
    for (size_t i = 0; i < TOKEN_NAMES; i++) {
        int code = token_names[i].code;
        bool said = word && (code == MAP_MODEL || code == MAP_BY || code == MAP_LAYOUT);
        if (!said && map_accepts(reader->parser, code)) names[count++] = token_names[i].name;
    }
    if (map_accepts(reader->parser, 0)) names[count++] = "the end of the file";
    return text_join_or(reader->context->arena, names, count);
}

static void report_unexpected(Reader *reader, int code, MapToken token) {
    MapContext *context = reader->context;
    const char *expected = expected_tokens(reader), *found = map_slice(context, token.span);
    Diag *diag;
    if (code == 0)
        diag = diag_error(context->diags, E_MAPPING_SYNTAX, token.span,
                          "unexpected end of the file, expected %s", expected);
    else
        diag = diag_error(context->diags, E_MAPPING_SYNTAX, token.span, "unexpected '%s', expected %s", found,
                          expected);
    static const char *const keywords[] = {"Space", "Model", "Layout", "InstanceLimit", "CollectMemory", "Priority", "Region"};
    const char *near =
        code == MAP_NAME && map_accepts(reader->parser, MAP_SPACE) ? text_nearest(found, keywords, sizeof keywords / sizeof *keywords) : NULL;
    if (near) diag_help(diag, "did you mean '%s'?", near);
    if (code == MAP_SPACE && map_accepts(reader->parser, MAP_STRING) && !reader->in_block)
        diag_help(diag, "lines stand in a block: '\"Task Name\" { Space A: Core }'");
    if (reader->in_block && (code == 0 || code == MAP_STRING))
        diag_note(diag, reader->opening, "this block is not closed");
}

/* Can reading start afresh at this token? */
static bool starts_afresh(const Reader *reader, int code) {
    if (code == 0 || code == MAP_STRING) return true;
    return reader->in_block && (code == MAP_SPACE || code == MAP_MODEL || code == MAP_RBRACE || is_statement(code));
}

static void feed(Reader *reader, int code, MapToken token) {
    map_parser(reader->parser, code, token);
    if (code == MAP_LBRACE) reader->in_block = true, reader->opening = token.span;
    if (code == MAP_RBRACE) reader->in_block = false;
}

/* Index mapping functions are read by a parser of their own. */
static bool read_function(Reader *reader, int code, MapToken token) {
    if (reader->in_block) return false;
    if (code == MAP_DEF) {
        map_read_function(reader->context, &reader->lexer, token.span);
        return true;
    }
    return code == MAP_NAME && map_read_assignment(reader->context, &reader->lexer, token.span);
}

/* A level's name of several words, on one line, is one name: NUMA Node. */
static void take_words(Reader *reader, MapToken *token) {
    const char *text = reader->context->source->text;
    for (;;) {
        MapLexer ahead = reader->lexer;
        const char *at = ahead.cursor + strspn(ahead.cursor, " \t");
        MapToken next;
        bool letter = (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z') || *at == '_';
        if (!letter || map_next_token(&ahead, &next) != MAP_NAME || text + next.span.start != at) return;
        token->span = span_join(token->span, next.span);
        reader->lexer = ahead;
    }
}

static void look_for_level(Reader *reader, int code, MapToken *token) {
    if (reader->behind_colon && code == MAP_NAME) take_words(reader, token);
    reader->behind_colon = reader->space_line && code == MAP_COLON;
    if (code == MAP_SPACE) reader->space_line = true;
    else if (code == MAP_COLON || is_statement(code)) reader->space_line = false;
}

static void take(Reader *reader, int code, MapToken token) {
    if (read_function(reader, code, token)) return;
    if (!reader->skipping && map_accepts(reader->parser, code)) {
        feed(reader, code, token);
        return;
    }
    if (!reader->skipping) report_unexpected(reader, code, token);
    reader->skipping = !starts_afresh(reader, code);
    if (reader->skipping) return;
    if (reader->in_block && (code == 0 || code == MAP_STRING)) feed(reader, MAP_RBRACE, token);
    feed(reader, code, token);
}

MappingFile *mapping_parse(Arena *arena, Source *source, Diags *diags) {
    Source *outer = diags_source(diags);
    size_t errors = diags_error_count(diags);
    diags_set_source(diags, source);
    MapContext context = {
        .arena = arena, .source = source, .diags = diags, .file = ARENA_NEW(arena, MappingFile)};
    context.file->source = source;
    Reader reader = {.context = &context, .lexer = {source, diags, source->text}};
    reader.parser = map_parserAlloc(malloc, &context);
    if (!reader.parser) arena_out_of_memory();
    for (int code = -1; code != 0;) {
        MapToken token;
        code = map_next_token(&reader.lexer, &token);
        look_for_level(&reader, code, &token);
        take(&reader, code, token);
    }
    map_parserFree(reader.parser, free);
    diags_set_source(diags, outer);
    return diags_error_count(diags) == errors ? context.file : NULL;
}
