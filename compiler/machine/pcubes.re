/* The lexer of machine models. Comments and white space separate tokens and mean
 * nothing else. The source ends with a NUL sentinel, so nothing is ever refilled. */
#include "compiler/machine/pcubes_parse.h"
#include "compiler/machine/pcubes.grammar.h"

static Span span_of(const PcubesLexer *lexer, const char *start, const char *end) {
    const char *text = lexer->source->text;
    return (Span){(uint32_t)(start - text), (uint32_t)(end - text)};
}

static void report_character(PcubesLexer *lexer, const char *start) {
    uint32_t character;
    const char *end = lexer->source->text + lexer->source->length;
    size_t size = text_utf8_decode(start, (size_t)(end - start), &character);
    Span span = span_of(lexer, start, start + size);
    lexer->cursor = start + size;
    if (character > 0x20 && character < 0x7F)
        diag_error(lexer->diags, E_MODEL_SYNTAX, span, "'%c' has no meaning in a machine model", (char)character);
    else
        diag_error(lexer->diags, E_MODEL_SYNTAX, span, "a character has no meaning in a machine model: U+%04X",
                   (unsigned)character);
}

int pcubes_next_token(PcubesLexer *lexer, PcubesToken *token) {
    const char *YYCURSOR = lexer->cursor, *YYMARKER, *start;
    const char *const limit = lexer->source->text + lexer->source->length;
    for (;;) {
        start = YYCURSOR;
        int code;
        /*!re2c
        re2c:define:YYCTYPE = "unsigned char";
        re2c:yyfill:enable = 0;
        re2c:flags:case-ranges = 0;

        letter = [A-Za-z_] | "\xC2\xB5" | "\xCE\xBC";
        digit  = [0-9];
        word   = letter (letter | digit | "-")*;

        "\x00" {
            if (start < limit) { report_character(lexer, start); YYCURSOR = lexer->cursor; continue; }
            lexer->cursor = start;
            token->span = span_of(lexer, limit, limit);
            return 0;
        }
        [ \t\r\n\f]+      { continue; }
        "//" [^\n\x00]*   { continue; }
        "/*" ([^*\x00] | "*"+ [^*/\x00])* "*"+ "/" { continue; }
        "/*" {
            diag_error(lexer->diags, E_MODEL_SYNTAX, span_of(lexer, start, start + 2), "this comment does not end: '*/' is missing");
            lexer->cursor = limit;
            YYCURSOR = limit;
            continue;
        }
        "Machine"  { code = PCUBES_MACHINE; goto found; }
        "Model"    { code = PCUBES_MODEL; goto found; }
        "Space"    { code = PCUBES_SPACE; goto found; }
        "\"" [^"\n\x00]* "\"" { code = PCUBES_STRING; goto found; }
        "\"" [^"\n\x00]* {
            diag_error(lexer->diags, E_MODEL_SYNTAX, span_of(lexer, start, YYCURSOR), "this name does not end: '\"' is missing on its line");
            code = PCUBES_STRING;
            goto found;
        }
        word ("/" letter+)? { code = PCUBES_NAME; goto found; }
        digit+ { code = PCUBES_INTEGER; goto found; }
        digit+ "." digit+ ([eE] [-+]? digit+)? | digit+ [eE] [-+]? digit+ { code = PCUBES_REAL; goto found; }
        ":" { code = PCUBES_COLON; goto found; }
        "," { code = PCUBES_COMMA; goto found; }
        "(" { code = PCUBES_LPAREN; goto found; }
        ")" { code = PCUBES_RPAREN; goto found; }
        "{" { code = PCUBES_LBRACE; goto found; }
        "}" { code = PCUBES_RBRACE; goto found; }
        "<" { code = PCUBES_LESS; goto found; }
        ">" { code = PCUBES_GREATER; goto found; }
        * { report_character(lexer, start); YYCURSOR = lexer->cursor; continue; }
        */
    found:
        lexer->cursor = YYCURSOR;
        token->span = span_of(lexer, start, YYCURSOR);
        return code;
    }
}
