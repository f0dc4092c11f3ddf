/* The lexer of mapping files. Besides C's comments it knows `#` comments, which index
 * mapping functions use. Functions themselves are made into tokens by func.re. */
#include "compiler/mapping/map_parse.h"
#include "compiler/mapping/map.grammar.h"

static Span span_of(const MapLexer *lexer, const char *start, const char *end) {
    const char *text = lexer->source->text;
    return (Span){(uint32_t)(start - text), (uint32_t)(end - text)};
}

static void report_character(MapLexer *lexer, const char *start) {
    uint32_t character;
    const char *end = lexer->source->text + lexer->source->length;
    size_t size = text_utf8_decode(start, (size_t)(end - start), &character);
    Span span = span_of(lexer, start, start + size);
    lexer->cursor = start + size;
    if (character > 0x20 && character < 0x7F)
        diag_error(lexer->diags, E_MAPPING_SYNTAX, span, "'%c' has no meaning in a mapping file", (char)character);
    else
        diag_error(lexer->diags, E_MAPPING_SYNTAX, span, "a character has no meaning in a mapping file: U+%04X",
                   (unsigned)character);
}

int map_next_token(MapLexer *lexer, MapToken *token) {
    const char *YYCURSOR = lexer->cursor, *YYMARKER, *start;
    const char *const limit = lexer->source->text + lexer->source->length;
    for (;;) {
        start = YYCURSOR;
        int code;
        /*!re2c
        re2c:define:YYCTYPE = "unsigned char";
        re2c:yyfill:enable = 0;

        letter = [A-Za-z_];
        digit  = [0-9];

        "\x00" {
            if (start < limit) { report_character(lexer, start); YYCURSOR = lexer->cursor; continue; }
            lexer->cursor = start;
            token->span = span_of(lexer, limit, limit);
            return 0;
        }
        [ \t\r\n\f]+      { continue; }
        ("//" | "#") [^\n\x00]* { continue; }
        "/*" ([^*\x00] | "*"+ [^*/\x00])* "*"+ "/" { continue; }
        "/*" {
            diag_error(lexer->diags, E_MAPPING_SYNTAX, span_of(lexer, start, start + 2), "this comment does not end: '*/' is missing");
            YYCURSOR = limit;
            continue;
        }
        "Model"    { code = MAP_MODEL; goto found; }
        "Space"    { code = MAP_SPACE; goto found; }
        "by"       { code = MAP_BY; goto found; }
        "def"      { code = MAP_DEF; goto found; }
        "Layout"   { code = MAP_LAYOUT; goto found; }
        "InstanceLimit" { code = MAP_LIMIT; goto found; }
        "CollectMemory" { code = MAP_COLLECT; goto found; }
        "Priority" { code = MAP_PRIORITY; goto found; }
        "Region"   { code = MAP_REGION; goto found; }
        "\"" [^"\n\x00]* "\"" { code = MAP_STRING; goto found; }
        "\"" [^"\n\x00]* {
            diag_error(lexer->diags, E_MAPPING_SYNTAX, span_of(lexer, start, YYCURSOR), "this name does not end: '\"' is missing on its line");
            code = MAP_STRING;
            goto found;
        }
        letter (letter | digit | "-")* { code = MAP_NAME; goto found; }
        digit+ { code = MAP_INTEGER; goto found; }
        "..." { code = MAP_DOTS; goto found; }
        "," { code = MAP_COMMA; goto found; }
        ":" { code = MAP_COLON; goto found; }
        "[" { code = MAP_LBRACKET; goto found; }
        "]" { code = MAP_RBRACKET; goto found; }
        "{" { code = MAP_LBRACE; goto found; }
        "}" { code = MAP_RBRACE; goto found; }
        * { report_character(lexer, start); YYCURSOR = lexer->cursor; continue; }
        */
    found:
        lexer->cursor = YYCURSOR;
        token->span = span_of(lexer, start, YYCURSOR);
        return code;
    }
}
