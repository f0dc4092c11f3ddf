/* Diagnostics: what is printed, letter by letter. */
#include "tests/unit/unit.h"

#include "compiler/base/diag.h"
#include "tests/unit/check_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static Arena *arena;
static Diags *diags;
static Text printed;

static Source *start(const char *text) {
    arena = arena_new();
    Source *source = source_from_text(arena, "p.hp5", text, strlen(text));
    diags = diags_new(arena, source);
    return source;
}

/* Compares what is printed, and ends the test's arena. */
static void finish(DiagStyle style, const char *expected) {
    diags_to_text(diags, &printed, style);
    CHECK_TEXT(printed.data ? printed.data : "", expected);
    text_free(&printed);
    arena_free(arena);
}

static void test_parts(void) {
    start("Program {\n    plat[i] = 0\n}\n");
    Diag *diag = diag_error(diags, E_UNKNOWN_NAME, (Span){14, 18}, "unknown name '%s'", "plat");
    diag_label(diag, "not %s", "declared");
    diag_help(diag, "did you mean '%s'?", "plate");
    diag_help(diag, "or declare it");
    diag_note(diag, (Span){0, 7}, "in this %s", "program");
    CU_ASSERT_EQUAL(diags_error_count(diags), 1);
    CU_ASSERT_EQUAL(diags_warning_count(diags), 0);
    finish((DiagStyle){0}, "p.hp5:2:5: error: unknown name 'plat' [E0201]\n"
                           "    2 |     plat[i] = 0\n"
                           "      |     ^~~~ not declared\n"
                           "   help: did you mean 'plate'?\n"
                           "   help: or declare it\n"
                           "p.hp5:1:1: note: in this program\n"
                           "    1 | Program {\n"
                           "      | ^~~~~~~\n");
}

static void test_order(void) {
    Source *first = start("abcdef\nghi\n");
    Source *second = source_from_text(arena, "m.map", "xyz", 3);
    diags_set_source(diags, second);
    diag_warning(diags, E_UNKNOWN_NAME, (Span){1, 2}, "in the map");
    diags_set_source(diags, first);
    diag_error(diags, E_UNKNOWN_NAME, (Span){8, 9}, "late");
    diag_error(diags, E_UNKNOWN_NAME, (Span){2, 3}, "early, first");
    diag_error(diags, E_SYNTAX, (Span){2, 4}, "early, second");
    diag_error_plain(diags, E_FILE, "no file");
    diag_warning_plain(diags, E_FILE, "no position");
    diag_remark(diags, E_FILE, (Span){0, 1}, "hidden");
    CU_ASSERT_PTR_EQUAL(diags_source(diags), first);
    CU_ASSERT_EQUAL(diags_error_count(diags), 4);
    CU_ASSERT_EQUAL(diags_warning_count(diags), 2);
    finish((DiagStyle){0}, "hp5c: error: no file [E1501]\n"
                           "hp5c: warning: no position [E1501]\n"
                           "p.hp5:1:3: error: early, first [E0201]\n"
                           "    1 | abcdef\n"
                           "      |   ^\n"
                           "p.hp5:1:3: error: early, second [E0101]\n"
                           "    1 | abcdef\n"
                           "      |   ^~\n"
                           "p.hp5:2:2: error: late [E0201]\n"
                           "    2 | ghi\n"
                           "      |  ^\n"
                           "m.map:1:2: warning: in the map [E0201]\n"
                           "    1 | xyz\n"
                           "      |  ^\n");
}

static void test_remarks(void) {
    start("abc");
    diag_remark(diags, E_FILE, (Span){0, 1}, "shown");
    finish((DiagStyle){.remarks = true}, "p.hp5:1:1: remark: shown [E1501]\n    1 | abc\n      | ^\n");
}

static void test_duplicates(void) {
    start("abc");
    for (int i = 0; i < 3; i++) {
        Diag *diag = diag_error(diags, E_SYNTAX, (Span){0, 1}, "message %d", i);
        diag_help(diag, "help %d", i);
    }
    diag_error(diags, E_SYNTAX, (Span){0, 2}, "longer");
    CU_ASSERT_EQUAL(diags_error_count(diags), 2);
    finish((DiagStyle){0}, "p.hp5:1:1: error: message 0 [E0101]\n    1 | abc\n      | ^\n   help: help 0\n"
                           "p.hp5:1:1: error: longer [E0101]\n    1 | abc\n      | ^~\n");
}

static void test_limit(void) {
    char text[2001];
    memset(text, 'x', 1000);
    text[1000] = '\0';
    start(text);
    for (uint32_t i = 0; i < 500; i++) diag_error(diags, E_SYNTAX, (Span){i, i + 1}, "no");
    diag_warning(diags, E_SYNTAX, (Span){600, 601}, "a warning is still shown");
    CU_ASSERT_EQUAL(diags_error_count(diags), 500);
    diags_to_text(diags, &printed, (DiagStyle){0});
    int errors = 0;
    for (const char *at = printed.data; (at = strstr(at, "error:")); at++) errors++;
    CU_ASSERT_EQUAL(errors, 20);
    CU_ASSERT_PTR_NOT_NULL(strstr(printed.data, "warning: a warning is still shown"));
    CU_ASSERT_STRING_EQUAL(printed.data + printed.length - strlen("480 more errors are not shown\n"),
                           "480 more errors are not shown\n");
    text_free(&printed);
    diags_to_text(diags, &printed, (DiagStyle){.json = true});
    CU_ASSERT_PTR_NOT_NULL(strstr(printed.data, "{\"severity\":\"error\",\"code\":null,\"message\":\"480 "
                                                "more errors are not shown\",\"file\":null,"));
    text_free(&printed);
    arena_free(arena);
}

static void test_one_more(void) {
    char text[100];
    memset(text, 'x', 99);
    text[99] = '\0';
    start(text);
    for (uint32_t i = 0; i < 21; i++) diag_error(diags, E_SYNTAX, (Span){i, i + 1}, "no");
    diags_to_text(diags, &printed, (DiagStyle){0});
    CU_ASSERT_STRING_EQUAL(printed.data + printed.length - strlen("1 more error is not shown\n"),
                           "1 more error is not shown\n");
    text_free(&printed);
    arena_free(arena);
}

static void test_tabs_and_width(void) {
    start("\tx\ty = \xE6\xBC\xA2 z\n");
    diag_error(diags, E_SYNTAX, (Span){3, 4}, "y");
    diag_error(diags, E_SYNTAX, (Span){7, 10}, "wide");
    diag_error(diags, E_SYNTAX, (Span){11, 12}, "z");
    finish((DiagStyle){0}, "p.hp5:1:4: error: y [E0101]\n"
                           "    1 |     x   y = \xE6\xBC\xA2 z\n"
                           "      |         ^\n"
                           "p.hp5:1:8: error: wide [E0101]\n"
                           "    1 |     x   y = \xE6\xBC\xA2 z\n"
                           "      |             ^~\n"
                           "p.hp5:1:10: error: z [E0101]\n"
                           "    1 |     x   y = \xE6\xBC\xA2 z\n"
                           "      |                ^\n");
}

static void test_hostile_bytes(void) {
    start("a\x1b[31m\xFF"
          "b\n");
    diag_error(diags, E_SYNTAX, (Span){7, 8}, "escape \x1b and \xFF");
    finish((DiagStyle){0}, "p.hp5:1:8: error: escape \xEF\xBF\xBD and \xEF\xBF\xBD [E0101]\n"
                           "    1 | a\xEF\xBF\xBD[31m\xEF\xBF\xBD"
                           "b\n"
                           "      |        ^\n");
}

static void test_multi_line(void) {
    start("one {\n  two\n}\nthree\n");
    diag_error(diags, E_SYNTAX, (Span){4, 13}, "block");
    diag_label(diag_error(diags, E_SYNTAX, (Span){3, 14}, "with label"), "here");
    finish((DiagStyle){0}, "p.hp5:1:4: error: with label [E0101]\n"
                           "    1 | one {\n"
                           "      |    ^~... to line 3 here\n"
                           "p.hp5:1:5: error: block [E0101]\n"
                           "    1 | one {\n"
                           "      |     ^... to line 3\n");
}

static void test_ends(void) {
    start("ab\n\ncd");
    diag_error(diags, E_SYNTAX, (Span){2, 3}, "newline");
    diag_error(diags, E_SYNTAX, (Span){3, 3}, "empty line");
    diag_error(diags, E_SYNTAX, (Span){6, 6}, "end");
    diag_error(diags, E_SYNTAX, (Span){60, 2}, "out of range");
    finish((DiagStyle){0}, "p.hp5:1:3: error: newline [E0101]\n"
                           "    1 | ab\n"
                           "      |   ^\n"
                           "p.hp5:2:1: error: empty line [E0101]\n"
                           "    2 |\n"
                           "      | ^\n"
                           "p.hp5:3:3: error: end [E0101]\n"
                           "    3 | cd\n"
                           "      |   ^\n");
}

static void test_long_line(void) {
    enum { LENGTH = 1000000 };
    char *text = malloc(LENGTH + 1);
    for (int i = 0; i < LENGTH; i++) text[i] = (char)('a' + i % 26);
    text[LENGTH] = '\0';
    start(text);
    diag_error(diags, E_SYNTAX, (Span){500000, 500003}, "middle");
    diags_to_text(diags, &printed, (DiagStyle){0});
    CU_ASSERT(printed.length < 400);
    CU_ASSERT_PTR_NOT_NULL(strstr(printed.data, "p.hp5:1:500001: error: middle"));
    const char *line = strstr(printed.data, "    1 | ...");
    const char *mark = strstr(printed.data, "^~~");
    CU_ASSERT_FATAL(line && mark);
    const char *mark_line = strstr(line, "\n") + 1;
    CU_ASSERT_EQUAL(line[mark - mark_line], 'a' + 500000 % 26); /* the caret stands under the character */
    text_free(&printed);
    arena_free(arena);
    free(text);
}

static void test_color(void) {
    start("abc");
    diag_help(diag_error(diags, E_SYNTAX, (Span){0, 1}, "m"), "h");
    finish((DiagStyle){.color = true}, "\033[1mp.hp5:1:1:\033[0m \033[1;31merror:\033[0m \033[1mm\033[0m "
                                       "[E0101]\n    1 | abc\n      | \033[1;32m^\033[0m\n"
                                       "   \033[1;36mhelp:\033[0m h\n");
}

static void test_json(void) {
    start("ab\ncd\n");
    Diag *diag = diag_error(diags, E_UNKNOWN_NAME, (Span){3, 5}, "say \"%s\"", "x");
    diag_label(diag, "l");
    diag_help(diag, "h1");
    diag_help(diag, "h2");
    diag_note(diag, (Span){0, 2}, "n");
    diag_error_plain(diags, E_FILE, "plain");
    finish((DiagStyle){.json = true},
           "{\"severity\":\"error\",\"code\":\"E1501\",\"message\":\"plain\",\"file\":null,\"line\":null,"
           "\"column\":null,"
           "\"endLine\":null,\"endColumn\":null,\"label\":null,\"help\":[],\"notes\":[]}\n"
           "{\"severity\":\"error\",\"code\":\"E0201\",\"message\":\"say "
           "\\\"x\\\"\",\"file\":\"p.hp5\",\"line\":2,\"column\":1,"
           "\"endLine\":2,\"endColumn\":3,\"label\":\"l\",\"help\":[\"h1\",\"h2\"],\"notes\":[{\"message\":"
           "\"n\",\"file\":\"p.hp5\","
           "\"line\":1,\"column\":1,\"endLine\":1,\"endColumn\":3}]}\n");
}

static void test_print(void) {
    start("abc");
    diag_error(diags, E_SYNTAX, (Span){0, 1}, "m");
    char buffer[200] = "";
    FILE *file = fmemopen(buffer, sizeof buffer, "w");
    diags_print(diags, file, (DiagStyle){0});
    fclose(file);
    CHECK_TEXT(buffer, "p.hp5:1:1: error: m [E0101]\n    1 | abc\n      | ^\n");
    arena_free(arena);
}

/* Every code is unique, well formed, explained, and found in any case. */
static void test_explain(void) {
    for (int i = 0; i < DIAG_CODE_COUNT; i++) {
        const char *code = diag_code_text((DiagCode)i);
        CU_ASSERT(strlen(code) == 5 && strchr("EWR", code[0]) && isdigit(code[1]) && isdigit(code[2]) &&
                  isdigit(code[3]) && isdigit(code[4]));
        for (int j = 0; j < i; j++) {
            if (strcmp(code, diag_code_text((DiagCode)j)) == 0) CU_FAIL("a code is used twice");
        }
        Text text = {0};
        CU_ASSERT(diag_explain(code, &text));
        CU_ASSERT(text.length > 40 && strncmp(text.data, code, 5) == 0);
        text_free(&text);
    }
    Text text = {0};
    CU_ASSERT(diag_explain("e1501", &text));
    CU_ASSERT_PTR_NOT_NULL(strstr(text.data, "E1501: file cannot be read or written\n\n"));
    text_free(&text);
    CU_ASSERT(!diag_explain("E9999", &text));
    CU_ASSERT(!diag_explain("", &text));
}

static void test_internal_error(void) {
    int ends[2];
    CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        internal_error("plan", "lost %d", 3);
    }
    close(ends[1]);
    char output[500] = "";
    size_t length = 0;
    for (ssize_t count; (count = read(ends[0], output + length, sizeof output - 1 - length)) > 0;)
        length += (size_t)count;
    int status;
    waitpid(child, &status, 0);
    CU_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 70);
    CHECK_TEXT(output,
               "hp5c: internal error in plan: lost 3\n"
               "This is a fault in hp5c itself, not in your program. Please report it together with the\n"
               "source file, the command line and the output of 'hp5c --version'.\n");
    close(ends[0]);
}

static void test_many(void) {
    char *text = calloc(1, 200001);
    memset(text, 'x', 200000);
    start(text);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 200000; i++) diag_error(diags, E_SYNTAX, (Span){i, i + 1}, "no");
    }
    CU_ASSERT_EQUAL(diags_error_count(diags), 200000);
    arena_free(arena);
    free(text);
}

UNIT_MAIN("diag", {"all parts", test_parts}, {"order", test_order}, {"remarks", test_remarks},
          {"duplicates", test_duplicates}, {"at most 20 errors", test_limit},
          {"one more error", test_one_more}, {"tabs and wide characters", test_tabs_and_width},
          {"hostile bytes", test_hostile_bytes}, {"spans over lines", test_multi_line}, {"ends", test_ends},
          {"long line", test_long_line}, {"color", test_color}, {"JSON", test_json}, {"print", test_print},
          {"explain", test_explain}, {"internal error", test_internal_error}, {"many", test_many})
