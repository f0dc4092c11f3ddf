/* The lexer of index mapping functions, over a part of a mapping file. A line's end is a token
 * outside brackets only; inside them, and before the first token, it is a blank. */
#include "compiler/mapping/func_parse.h"
#include "compiler/mapping/func.grammar.h"

static Span span_of(const FuncLexer *lexer, const char *start, const char *end) {
    return (Span){(uint32_t)(start - lexer->source->text), (uint32_t)(end - lexer->source->text)};
}

static void report_character(FuncLexer *lexer, const char *start) {
    uint32_t character;
    size_t size = text_utf8_decode(start, (size_t)(lexer->limit - start), &character);
    Span span = span_of(lexer, start, start + size);
    lexer->cursor = start + size;
    if (character > 0x20 && character < 0x7F)
        diag_error(lexer->diags, E_FUNC_SYNTAX, span, "'%c' has no meaning in a mapping function", (char)character);
    else diag_error(lexer->diags, E_FUNC_SYNTAX, span, "a character has no meaning in a mapping function: U+%04X", (unsigned)character);
}

int func_next_token(FuncLexer *lexer, FuncToken *token) {
    const char *YYCURSOR = lexer->cursor, *YYMARKER, *start;
    for (;;) {
        start = YYCURSOR;
        int code;
        if (start >= lexer->limit) {
            token->span = span_of(lexer, lexer->limit, lexer->limit);
            return 0;
        }
        /*!re2c
        re2c:define:YYCTYPE = "unsigned char";
        re2c:yyfill:enable = 0;

        letter = [A-Za-z_];
        digit  = [0-9];

        [ \t\r\f]+ { continue; }
        "\n" {
            if (lexer->depth > 0) continue;
            code = FN_SEPARATOR;
            goto found;
        }
        ";" { code = FN_SEPARATOR; goto found; }
        ("//" | "#") [^\n\x00]* { continue; }
        "/*" ([^*\x00] | "*"+ [^*/\x00])* "*"+ "/" { continue; }
        "def"      { code = FN_DEF; goto found; }
        "return"   { code = FN_RETURN; goto found; }
        "for"      { code = FN_FOR; goto found; }
        "in"       { code = FN_IN; goto found; }
        letter (letter | digit)* { code = FN_NAME; goto found; }
        digit+ { code = FN_NUMBER; goto found; }
        "(" { lexer->depth++; code = FN_LPAREN; goto found; }
        ")" { lexer->depth--; code = FN_RPAREN; goto found; }
        "[" { lexer->depth++; code = FN_LBRACKET; goto found; }
        "]" { lexer->depth--; code = FN_RBRACKET; goto found; }
        "{" { code = FN_LBRACE; goto found; }
        "}" { code = FN_RBRACE; goto found; }
        "," { code = FN_COMMA; goto found; }
        ":" { code = FN_COLON; goto found; }
        "." { code = FN_DOT; goto found; }
        "?" { code = FN_QUESTION; goto found; }
        "+" { code = FN_PLUS; goto found; }
        "-" { code = FN_MINUS; goto found; }
        "*" { code = FN_STAR; goto found; }
        "/" { code = FN_SLASH; goto found; }
        "%" { code = FN_PERCENT; goto found; }
        "<" { code = FN_LESS; goto found; }
        ">" { code = FN_GREATER; goto found; }
        "<=" { code = FN_AT_MOST; goto found; }
        ">=" { code = FN_AT_LEAST; goto found; }
        "==" { code = FN_EQUAL; goto found; }
        "!=" { code = FN_DIFFERENT; goto found; }
        "=" { code = FN_ASSIGN; goto found; }
        * { report_character(lexer, start); YYCURSOR = lexer->cursor; continue; }
        */
    found:
        lexer->cursor = YYCURSOR;
        token->span = span_of(lexer, start, YYCURSOR);
        return code;
    }
}
