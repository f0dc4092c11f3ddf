/* Messages, word for word: the headers of the language tests in tests/language/syntax
 * (each file says which errors, helps and notes it gets), and the few that no text file
 * can hold. Also: every code explains itself. */
#include "tests/unit/syntax/syntax_testing.h"

/* The lines of a report that a header repeats, in the form of a header. */
static void append_report(Diags *diags, Text *out) {
    Text report = {0};
    diags_to_text(diags, &report, (DiagStyle){0});
    for (char *line = report.data ? strtok(report.data, "\n") : NULL; line; line = strtok(NULL, "\n")) {
        int row, column, used = 0;
        char kind[8];
        if (strncmp(line, "   help: ", 9) == 0) text_printf(out, "// %s\n", line + 3);
        else if (strstr(line, " not shown")) text_printf(out, "// error: %s\n", line);
        else if (sscanf(line, "%*[^:]:%d:%d: %7[a-z]: %n", &row, &column, kind, &used) == 3 && used > 0)
            text_printf(out, "// %s: %d:%d: %s\n", kind, row, column, line + used);
    }
    text_free(&report);
}

static void append_header(const Source *source, Text *out) {
    static const char *const words[] = {"// error: ", "// help: ", "// note: "};
    for (const char *line = source->text; line[0] == '/' && line[1] == '/'; line = strchr(line, '\n') + 1) {
        size_t length = strcspn(line, "\n");
        for (int i = 0; i < 3; i++)
            if (strncmp(line, words[i], strlen(words[i])) == 0) text_printf(out, "%.*s\n", (int)length, line);
        if (!line[length]) return;
    }
}

static void test_language_files(void) {
    glob_t files;
    CU_ASSERT_FATAL(glob("tests/language/syntax/*.hp5", 0, NULL, &files) == 0);
    CU_ASSERT(files.gl_pathc >= 60);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        Arena *arena = arena_new();
        Source *source = source_read(arena, files.gl_pathv[i]);
        Diags *diags = diags_new(arena, source);
        syntax_parse(arena, source, diags);
        Text got = {0}, expected = {0};
        append_report(diags, &got);
        append_header(source, &expected);
        bool same = same_text(got.data, expected.data ? expected.data : "");
        if (!same) fprintf(stderr, "in %s\n", files.gl_pathv[i]);
        CU_ASSERT(same);
        text_free(&got);
        text_free(&expected);
        arena_free(arena);
    }
    globfree(&files);
}

static bool report_is(const char *text, size_t length, const char *expected) {
    Parsed r = parse_bytes(text, length);
    Text got = {0};
    append_report(r.diags, &got);
    bool same = same_text(got.data, expected);
    text_free(&got);
    parsed_free(&r);
    return same;
}

static void test_not_text(void) {
    static const char nul[] = "Program (args) {\n  x = 1\0\n}", byte[] = "// \xFF\n", cut[] = "// \xC3\n";
    CU_ASSERT(report_is(nul, sizeof nul - 1,
                        "// error: 2:8: this file has a NUL byte: it is not a text file [E0111]\n"
                        "// help: if an editor wrote it as UTF-16, save it as UTF-8\n"));
    CU_ASSERT(report_is(
        byte, sizeof byte - 1,
        "// error: 1:4: the byte 0xFF is not valid UTF-8 [E0112]\n// help: save the file as UTF-8\n"));
    CU_ASSERT(report_is(
        cut, sizeof cut - 1,
        "// error: 1:4: the byte 0xC3 is not valid UTF-8 [E0112]\n// help: save the file as UTF-8\n"));
}

static void test_invisible(void) {
    static const char text[] = "Program (args) {\n  x\xE2\x80\x8B = 1\n  y\xC2\xA0= 2\n}\n";
    CU_ASSERT(report_is(text, sizeof text - 1,
                        "// error: 2:4: unexpected invisible character U+200B [E0110]\n// help: remove it\n"
                        "// error: 3:4: unexpected invisible character U+00A0 [E0110]\n// help: replace it "
                        "with a plain space\n"));
}

static void test_explanations(void) {
    static const char *const codes[] = {
#define CODE(id, text, title, explanation) text,
#include "compiler/base/codes/syntax.def"
#undef CODE
    };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        Text out = {0};
        CU_ASSERT(diag_explain(codes[i], &out));
        CU_ASSERT(out.length > 80);
        text_free(&out);
    }
}

UNIT_MAIN("syntax messages", {"language files", test_language_files}, {"not text", test_not_text},
          {"invisible characters", test_invisible}, {"explanations", test_explanations})
