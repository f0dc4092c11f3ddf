/* The lexer: the whole source becomes an array of tokens before parsing starts.
 *
 * How to read it: lex_source at the end is the entry; lex_token holds the rules, one
 * re2c block for the language; the list of file names after @Includes and @Libraries
 * has a block of its own, because `sys/time.h` is one word there. lex_literals.c and
 * lex_mistakes.c have what longer rules do.
 *
 * The text ends with a NUL sentinel, so there is no refill. Text with NUL bytes or bad
 * UTF-8 is refused before lexing: no rule has to think of them. Every lexical error is
 * reported here and still yields the token that was most probably meant, so that the
 * parser has nothing more to say about it. */
#include <string.h>
#include "compiler/syntax/lexer.h"

static void record_comment(Lexer *x, bool block) {
    AstComment comment = {lexer_span(x), block, x->blank_line};
    vec_push(x->p->arena, &x->p->ast->comments, comment);
    x->blank_line = false;
}

/* ---- Comments and foreign code -------------------------------------------------------- */

/* From the opening two characters to `close`; what is missing is reported. */
static bool scan_to(Lexer *x, const char *close) {
    const char *found = strstr(x->cursor, close);
    x->cursor = found ? found + 2 : x->limit;
    return found != NULL;
}

static void lex_block_comment(Lexer *x) {
    const char *after = x->cursor;
    bool closed = scan_to(x, "*/");
    record_comment(x, true);
    if (closed) return;
    x->cursor = after;
    Diag *d = diag_error(x->p->diags, E_UNTERMINATED_COMMENT, lexer_span(x), "this comment is never closed");
    diag_help(d, "close it with '*/'");
    x->cursor = x->limit;
    x->after_error = true;
}

static void lex_code(Lexer *x) {
    const char *after = x->cursor;
    if (!scan_to(x, "}$")) {
        x->cursor = after;
        Diag *d = diag_error(x->p->diags, E_UNTERMINATED_CODE, lexer_span(x), "this block of foreign code is never closed");
        diag_help(d, "close it with '}$'");
        x->cursor = x->limit;
        emit(x, HP5_CODE);
        x->after_error = true;
        return;
    }
    emit(x, HP5_CODE);
}

/*!re2c
    re2c:api:style = free-form;
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYCURSOR = x->cursor;
    re2c:define:YYMARKER = x->marker;
    re2c:define:YYCTXMARKER = x->context;
    re2c:yyfill:enable = 0;
    re2c:eof = -1;

    end      = "\x00";
    space    = [ \t\r\f\v];
    digit    = [0-9];
    letter   = [A-Za-z_];
    name     = letter (letter | digit)*;
    exponent = [eE] [+-]? digit+;
    inside_s = [^"\\\n\x00] | "\\" [^\n\x00];
    inside_c = [^'\\\n\x00] | "\\" [^\n\x00];
*/

/* After @Includes or @Libraries: '{', words and commas, '}'. Stops before anything else. */
static void lex_file_names(Lexer *x) {
    bool open = false;
    for (;;) {
        x->start = x->cursor;
        /*!re2c
        space+            { continue; }
        "\n"              { x->first_on_line = x->blank_line = true; continue; }
        "//" [^\n\x00]*   { record_comment(x, false); continue; }
        "{"               { if (open) { x->cursor = x->start; return; } open = true; emit(x, HP5_LBRACE); continue; }
        "}"               { if (open) emit(x, HP5_RBRACE); else x->cursor = x->start; return; }
        ","               { if (!open) { x->cursor = x->start; return; } emit(x, HP5_COMMA); continue; }
        "\"" inside_s* "\"" { if (!open) { x->cursor = x->start; return; } lex_string(x); continue; }
        [A-Za-z0-9_<./] [A-Za-z0-9_.+/>\-]* { if (!open) { x->cursor = x->start; return; } emit(x, HP5_WORD); continue; }
        *                 { x->cursor = x->start; return; }
        */
    }
}

/* One token or one piece of white space; false at the end of the source. */
static bool lex_token(Lexer *x) {
    x->start = x->cursor;
    /*!re2c
    end               { x->cursor = x->start; return false; }
    space+            { return true; }
    "\n"              { x->first_on_line = x->blank_line = true; return true; }
    "\\" space* / "\n"  { return true; }
    "//" [^\n\x00]*   { record_comment(x, false); return true; }
    "/*"              { lex_block_comment(x); return true; }
    "${"              { lex_code(x); return true; }

    "Program"         { emit(x, HP5_PROGRAM); return true; }
    "Task"            { emit(x, HP5_TASK); return true; }
    "Type" | "Class"  { emit(x, HP5_TYPE); return true; }
    "Function"        { emit(x, HP5_FUNCTION); return true; }
    "Define"          { emit(x, HP5_DEFINE); return true; }
    "Environment"     { emit(x, HP5_ENVIRONMENT); return true; }
    "Initialize"      { emit(x, HP5_INITIALIZE); return true; }
    "Stages"          { emit(x, HP5_STAGES); return true; }
    "Computation"     { emit(x, HP5_COMPUTATION); return true; }
    "Partition"       { emit(x, HP5_PARTITION); return true; }
    "Space"           { emit(x, HP5_SPACE); return true; }
    "Repeat"          { emit(x, HP5_REPEAT); return true; }
    "Where"           { emit(x, HP5_WHERE); return true; }
    "Epoch"           { emit(x, HP5_EPOCH); return true; }
    "Sub-partition"   { emit(x, HP5_SUB_PARTITION_HEAD); return true; }
    "Reduction"       { emit(x, HP5_REDUCTION); return true; }
    "Array"           { emit(x, HP5_ARRAY); return true; }
    "List"            { emit(x, HP5_LIST); return true; }
    "Integer"         { emit(x, HP5_INTEGER_TYPE); return true; }
    "Real"            { emit(x, HP5_REAL_TYPE); return true; }
    "Character"       { emit(x, HP5_CHARACTER_TYPE); return true; }
    "Boolean"         { emit(x, HP5_BOOLEAN_TYPE); return true; }
    "String"          { emit(x, HP5_STRING_TYPE); return true; }
    "Range"           { emit(x, HP5_RANGE_TYPE); return true; }
    "Format"          { emit(x, HP5_FORMAT); return true; }
    "single-precision" { emit(x, HP5_SINGLE); return true; }
    "double-precision" { emit(x, HP5_DOUBLE); return true; }
    "do"              { emit(x, HP5_DO); return true; }
    "for"             { emit(x, HP5_FOR); return true; }
    "in"              { emit(x, HP5_IN); return true; }
    "and" | "&&"      { emit(x, HP5_AND); return true; }
    "or" | "||"       { emit(x, HP5_OR); return true; }
    "not" | "!"       { emit(x, HP5_NOT); return true; }
    "if" | "If"       { emit(x, HP5_IF); return true; }
    "else"            { emit(x, HP5_ELSE); return true; }
    "while"           { emit(x, HP5_WHILE); return true; }
    "step"            { emit(x, HP5_STEP); return true; }
    "at"              { emit(x, HP5_AT); return true; }
    "current"         { emit(x, HP5_CURRENT); return true; }
    "return"          { emit(x, HP5_RETURN); return true; }
    "reduce"          { emit(x, HP5_REDUCE); return true; }
    "new"             { emit(x, HP5_NEW); return true; }
    "execute"         { emit(x, HP5_EXECUTE); return true; }
    "foreach"         { emit(x, HP5_FOREACH); return true; }
    "divides"         { emit(x, HP5_DIVIDES); return true; }
    "partitions"      { emit(x, HP5_PARTITIONS); return true; }
    "sub-partitions"  { emit(x, HP5_SUB_PARTITIONS); return true; }
    "sub-partition"   { emit(x, HP5_SUB_PARTITION); return true; }
    "replicated"      { emit(x, HP5_REPLICATED); return true; }
    "padding"         { emit(x, HP5_PADDING); return true; }
    "ordered"         { emit(x, HP5_ORDERED); return true; }
    "unordered"       { emit(x, HP5_UNORDERED); return true; }
    "ascends"         { emit(x, HP5_ASCENDS); return true; }
    "descends"        { emit(x, HP5_DESCENDS); return true; }
    "dynamic"         { emit(x, HP5_DYNAMIC); return true; }
    "un-partitioned"  { emit(x, HP5_UN_PARTITIONED); return true; }
    "relative-to"     { emit(x, HP5_RELATIVE_TO); return true; }
    "relative" (space | "\n")+ "to" / (space | "\n")+ "Space" { emit(x, HP5_RELATIVE_TO); return true; }
    "link"            { emit(x, HP5_LINK); return true; }
    "create"          { emit(x, HP5_CREATE); return true; }
    "link_or_create" | "link-or-create" { emit(x, HP5_LINK_OR_CREATE); return true; }
    "of"              { emit(x, HP5_OF); return true; }
    "sequence"        { emit(x, HP5_SEQUENCE); return true; }
    "true" | "false" | "TRUE" | "FALSE" { emit(x, HP5_BOOLEAN); return true; }

    'single-precision' { lex_wrong_case(x, HP5_SINGLE); return true; }
    'double-precision' { lex_wrong_case(x, HP5_DOUBLE); return true; }
    'sub-partition'    { lex_wrong_case(x, HP5_SUB_PARTITION_HEAD); return true; }
    'sub-partitions'   { lex_wrong_case(x, HP5_SUB_PARTITIONS); return true; }
    'un-partitioned'   { lex_wrong_case(x, HP5_UN_PARTITIONED); return true; }
    'relative-to'      { lex_wrong_case(x, HP5_RELATIVE_TO); return true; }

    "@Extern"         { emit(x, HP5_EXTERN); return true; }
    "@Language"       { emit(x, HP5_LANGUAGE); return true; }
    "@Includes"       { emit(x, HP5_INCLUDES); lex_file_names(x); return true; }
    "@Libraries"      { emit(x, HP5_LIBRARIES); lex_file_names(x); return true; }
    "@" name?         { lex_bad_annotation(x); return true; }

    "("               { emit(x, HP5_LPAREN); return true; }
    ")"               { emit(x, HP5_RPAREN); return true; }
    "["               { emit(x, HP5_LBRACKET); return true; }
    "]"               { emit(x, HP5_RBRACKET); return true; }
    "{"               { emit(x, HP5_LBRACE); return true; }
    "}"               { emit(x, HP5_RBRACE); return true; }
    ","               { emit(x, HP5_COMMA); return true; }
    ";"               { emit(x, HP5_SEMICOLON); return true; }
    ":"               { emit(x, HP5_COLON); return true; }
    "."               { emit(x, HP5_DOT); return true; }
    "..."             { emit(x, HP5_ELLIPSIS); return true; }
    "="               { emit(x, HP5_ASSIGN); return true; }
    "=="              { emit(x, HP5_EQ); return true; }
    "!="              { emit(x, HP5_NE); return true; }
    "<"               { emit(x, HP5_LT); return true; }
    ">"               { emit(x, HP5_GT); return true; }
    "<="              { emit(x, HP5_LE); return true; }
    ">="              { emit(x, HP5_GE); return true; }
    "<<"              { emit(x, HP5_SHL); return true; }
    ">>"              { emit(x, HP5_SHR); return true; }
    "+"               { emit(x, HP5_PLUS); return true; }
    "-"               { emit(x, HP5_MINUS); return true; }
    "*"               { emit(x, HP5_STAR); return true; }
    "/"               { emit(x, HP5_SLASH); return true; }
    "%"               { emit(x, HP5_PERCENT); return true; }
    "**"              { emit(x, HP5_POWER); return true; }
    "|"               { emit(x, HP5_PIPE); return true; }
    "^"               { emit(x, HP5_CARET); return true; }
    "&"               { emit(x, HP5_AMPERSAND); return true; }

    digit+ "d"        { lex_dimensionality(x); return true; }
    digit+            { lex_integer(x); return true; }
    "0" [xX] [0-9a-fA-F]+ { lex_integer(x); return true; }
    digit+ "." digit+ exponent? { lex_real(x); return true; }
    digit+ exponent   { lex_real(x); return true; }
    digit+ "." / [^.0-9A-Za-z_] { lex_bad_number(x, HP5_REAL); return true; }
    digit (digit | letter)*          { lex_bad_number(x, HP5_INTEGER); return true; }
    digit+ "." digit (digit | letter)* { lex_bad_number(x, HP5_REAL); return true; }

    "\"" inside_s* "\"" { lex_string(x); return true; }
    "\"" inside_s*    { lex_unterminated_string(x); return true; }
    "'" inside_c* "'" { lex_character(x); return true; }
    "'" inside_c*     { lex_unterminated_character(x); return true; }

    name              {
        const char *end = x->cursor;
        if ((unsigned char)*end >= 0x80 && take_foreign_word(x, end)) lex_foreign_name(x);
        else { x->cursor = end; emit(x, HP5_NAME); }
        return true;
    }
    *                 {
        if ((unsigned char)*x->start >= 0x80 && take_foreign_word(x, x->start)) lex_foreign_name(x);
        else lex_bad_character(x);
        return true;
    }
    */
}

/* Refuses what is not text, with one message. */
static bool check_encoding(Parse *p) {
    const char *text = p->source->text;
    for (size_t i = 0; i < p->source->length;) {
        if (text[i] > 0) {
            i++;
            continue;
        }
        Span at = {(uint32_t)i, (uint32_t)i + 1};
        uint32_t c;
        size_t size = text_utf8_decode(text + i, p->source->length - i, &c);
        if (text[i] == 0) {
            Diag *d = diag_error(p->diags, E_NUL_BYTE, at, "this file has a NUL byte: it is not a text file");
            diag_help(d, "if an editor wrote it as UTF-16, save it as UTF-8");
            return false;
        }
        if (size == 1) {
            Diag *d = diag_error(p->diags, E_NOT_UTF8, at, "the byte 0x%02X is not valid UTF-8", (unsigned char)text[i]);
            diag_help(d, "save the file as UTF-8");
            return false;
        }
        i += size;
    }
    return true;
}

bool lex_source(Parse *p) {
    const char *text = p->source->text;
    Lexer x = {.p = p, .cursor = text, .limit = text + p->source->length, .first_on_line = true, .blank_line = true};
    if (p->source->length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) x.cursor += 3;
    bool is_text = check_encoding(p);
    if (!is_text) x.cursor = x.limit;
    while (lex_token(&x)) continue;
    x.first_on_line = true;
    emit(&x, 0);
    return is_text;
}
