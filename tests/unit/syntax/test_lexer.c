/* The lexer: every keyword and mark, literals, comments, white space. */
#include "tests/unit/syntax/syntax_testing.h"

static char *tokens_of(const char *text, Text *out) {
    Arena *arena = arena_new();
    syntax_dump_tokens(source_from_text(arena, "t.hp5", text, strlen(text)), out);
    arena_free(arena);
    return out->data;
}

#define ASSERT_TOKENS(text, expected)                                                                        \
    do {                                                                                                     \
        Text out_ = {0};                                                                                     \
        CU_ASSERT(same_text(tokens_of(text, &out_), expected));                                              \
        text_free(&out_);                                                                                    \
    } while (0)

/* The rules of hp5.re and the table tokens.def spell the same words. */
static void test_table(void) {
    static const struct {
        const char *name, *text;
    } table[] = {
#define KEYWORD(name, text) {#name, text},
#define MARK(name, text) {#name, text},
#define CLASS(name, text)
#include "compiler/syntax/tokens.def"
#undef KEYWORD
#undef MARK
#undef CLASS
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        Text out = {0}, expected = {0};
        text_printf(&expected, "1:1 %s %s\n1:%zu END\n", table[i].name, table[i].text,
                    strlen(table[i].text) + 1);
        CU_ASSERT(same_text(tokens_of(table[i].text, &out), expected.data));
        text_free(&out);
        text_free(&expected);
    }
}

static void test_other_spellings(void) {
    ASSERT_TOKENS("If Class && || ! TRUE FALSE link-or-create",
                  "1:1 IF If\n1:4 TYPE Class\n1:10 AND &&\n1:13 OR ||\n1:16 NOT !\n1:18 BOOLEAN TRUE\n1:23 "
                  "BOOLEAN FALSE\n"
                  "1:29 LINK_OR_CREATE link-or-create\n1:43 END\n");
    ASSERT_TOKENS("relative to Space", "1:1 RELATIVE_TO relative to\n1:13 SPACE Space\n1:18 END\n");
    ASSERT_TOKENS("relative to me", "1:1 NAME relative\n1:10 NAME to\n1:13 NAME me\n1:15 END\n");
}

static void test_names(void) {
    ASSERT_TOKENS("partition space task _x a1 dimension1 local index Partition1",
                  "1:1 NAME partition\n1:11 NAME space\n1:17 NAME task\n1:22 NAME _x\n1:25 NAME a1\n1:28 "
                  "NAME dimension1\n"
                  "1:39 NAME local\n1:45 NAME index\n1:51 NAME Partition1\n1:61 END\n");
}

static void test_numbers(void) {
    ASSERT_TOKENS(
        "0 42 0x2aF 1.5 2e-3 1.5E+10 2d 1...3 1.5...2",
        "1:1 INTEGER 0\n1:3 INTEGER 42\n1:6 INTEGER 0x2aF\n1:12 REAL 1.5\n1:16 REAL 2e-3\n1:21 REAL 1.5E+10\n"
        "1:29 DIMENSIONALITY 2d\n1:32 INTEGER 1\n1:33 ELLIPSIS ...\n1:36 INTEGER 3\n1:38 REAL 1.5\n"
        "1:41 ELLIPSIS ...\n1:44 INTEGER 2\n1:45 END\n");
}

static void test_literals(void) {
    ASSERT_TOKENS("\"a\\\"b\" 'x' '\\n' '\\''",
                  "1:1 STRING \"a\\\"b\"\n1:8 CHARACTER 'x'\n1:12 CHARACTER '\\n'\n"
                  "1:17 CHARACTER '\\''\n1:21 END\n");
}

static void test_white_space(void) {
    ASSERT_TOKENS("a \\\r\n b // c\n /* d\n e */ f\n", "1:1 NAME a\n2:2 NAME b\n4:7 NAME f\n5:1 END\n");
    ASSERT_TOKENS("\xEF\xBB\xBFx", "1:2 NAME x\n1:3 END\n");
    ASSERT_TOKENS("", "1:1 END\n");
}

static void test_extern(void) {
    ASSERT_TOKENS(
        "@Extern { @Includes { sys/time.h, cstdlib, <vector> } ${ a { \" }$ }",
        "1:1 EXTERN @Extern\n1:9 LBRACE {\n1:11 INCLUDES @Includes\n1:21 LBRACE {\n1:23 WORD sys/time.h\n"
        "1:33 COMMA ,\n1:35 WORD cstdlib\n1:42 COMMA ,\n1:44 WORD <vector>\n1:53 RBRACE }\n"
        "1:55 CODE ${ a { \" }$\n1:67 RBRACE }\n1:68 END\n");
    ASSERT_TOKENS("@Libraries x", "1:1 LIBRARIES @Libraries\n1:12 NAME x\n1:13 END\n");
}

static void test_decode(void) {
    static const char text[] = "a\\n\\x41\\101\\0\\\\\\\"\\?\\1012\\x414"; /* at most three octal, two hexadecimal digits */
    char out[sizeof text];
    size_t length = lex_decode(text, sizeof text - 1, out);
    CU_ASSERT_EQUAL(length, 12);
    CU_ASSERT(memcmp(out, "a\nAA\0\\\"?A2A4", 12) == 0);
}

static void test_comments(void) {
    Parsed r = parse_text("// one\nProgram (args) { // two\n    /* three */ x = 1 /* four */\n}\n");
    CU_ASSERT_EQUAL(r.ast->comments.count, 4);
    CU_ASSERT(r.ast->comments.items[0].own_line && !r.ast->comments.items[0].block);
    CU_ASSERT(!r.ast->comments.items[1].own_line && !r.ast->comments.items[1].block);
    CU_ASSERT(r.ast->comments.items[2].own_line && r.ast->comments.items[2].block);
    CU_ASSERT(!r.ast->comments.items[3].own_line && r.ast->comments.items[3].block);
    parsed_free(&r);
}

UNIT_MAIN("syntax lexer", {"rules and table agree", test_table}, {"other spellings", test_other_spellings},
          {"names", test_names}, {"numbers", test_numbers}, {"literals", test_literals},
          {"white space", test_white_space}, {"extern", test_extern}, {"escapes", test_decode},
          {"comments", test_comments})
