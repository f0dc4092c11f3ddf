/* Text buffers, files, and the string helpers. */
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include "compiler/base/source.h"
#include "compiler/base/text.h"
#include "tests/unit/check_text.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_append(void) {
    Text text = {0};
    text_append(&text, "a");
    text_append_n(&text, "bcd", 2);
    text_char(&text, '!');
    text_printf(&text, "%d %s", 5, "x");
    text_indent(&text, 3);
    text_append_n(&text, "", 0);
    CHECK_TEXT(text.data, "abc!5 x   ");
    for (int i = 0; i < 10000; i++) text_append(&text, "0123456789");
    CU_ASSERT_EQUAL(text.length, 10 + 100000);
    CU_ASSERT_EQUAL(text.data[text.length], '\0');
    text_free(&text);
    CU_ASSERT_PTR_NULL(text.data);
}

static void test_write_file(void) {
    const char *path = scratch("out.c"), *link_path = scratch("link.c");
    Text text = {0};
    text_append(&text, "first");
    CU_ASSERT(text_write_file(&text, path));
    text_append(&text, " second");
    CU_ASSERT_EQUAL(symlink(path, link_path), 0);
    CU_ASSERT(text_write_file(&text, link_path));
    struct stat status;
    CU_ASSERT(lstat(link_path, &status) == 0 && S_ISLNK(status.st_mode));
    Arena *arena = arena_new();
    Source *source = source_read(arena, path);
    CHECK_TEXT(source->text, "first second");
    arena_free(arena);
    unlink(link_path);
    unlink(path);
    CU_ASSERT_EQUAL(scratch_count(), 0); /* nothing else was left there */
    text_free(&text);
}

static void test_write_file_fails(void) {
    Text text = {0};
    text_append(&text, "x");
    CU_ASSERT(!text_write_file(&text, scratch_folder()) && errno == EISDIR);
    CU_ASSERT(!text_write_file(&text, scratch("missing/out")) && errno == ENOENT);
    CU_ASSERT(!text_write_file(&text, "/dev/full") && errno == ENOSPC);
    CU_ASSERT(text_write_file(&text, "/dev/null"));
    struct stat status;
    CU_ASSERT(stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode));
    CU_ASSERT_EQUAL(scratch_count(), 0);
    text_free(&text);
}

static void check_json(const char *bytes, size_t length, const char *expected) {
    Text text = {0};
    text_json_string(&text, bytes, length);
    CHECK_TEXT(text.data, expected);
    text_free(&text);
}

static void test_json(void) {
    check_json("plain", 5, "\"plain\"");
    check_json("q\"b\\n\nt\tr\r", 10, "\"q\\\"b\\\\n\\nt\\tr\\r\"");
    check_json("\0\x1b\x7f", 3, "\"\\u0000\\u001b\\u007f\"");
    check_json("caf\xC3\xA9", 5, "\"caf\xC3\xA9\"");
    check_json("\xC3", 1, "\"\xEF\xBF\xBD\"");
    check_json("", 0, "\"\"");
}

static void test_utf8(void) {
    static const struct {
        const char *bytes;
        size_t length, size;
        uint32_t character;
    } cases[] = {
        {"a", 1, 1, 'a'},
        {"\xC3\xA9", 2, 2, 0xE9},
        {"\xE6\xBC\xA2", 3, 3, 0x6F22},
        {"\xF0\x9F\x98\x80", 4, 4, 0x1F600},
        {"\xC3", 1, 1, 0xFFFD},
        {"\xC3(", 2, 1, 0xFFFD},
        {"\xC0\x80", 2, 1, 0xFFFD},
        {"\xE0\x80\x80", 3, 1, 0xFFFD},
        {"\xED\xA0\x80", 3, 1, 0xFFFD},
        {"\xF4\x90\x80\x80", 4, 1, 0xFFFD},
        {"\xFF", 1, 1, 0xFFFD},
        {"\x80", 1, 1, 0xFFFD},
        {"\xF0\x9F\x98", 3, 1, 0xFFFD},
        {"\0", 1, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t character;
        CU_ASSERT_EQUAL(text_utf8_decode(cases[i].bytes, cases[i].length, &character), cases[i].size);
        CU_ASSERT_EQUAL(character, cases[i].character);
    }
}

static void test_nearest(void) {
    static const char *const words[] = {"memory", "compute", "exchange", "move", "Core-Pair", "A", "B"};
    static const struct {
        const char *word, *nearest;
    } cases[] = {
        {"memroy", "memory"},
        {"mov", "move"},
        {"Exchange", "exchange"},
        {"core_pair", "Core-Pair"},
        {"CorePair", "Core-Pair"},
        {"exchnage", "exchange"},
        {"bandwidth", NULL},
        {"C", NULL},
        {"a", "A"},
        {"", NULL},
        {"computation", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *found = text_nearest(cases[i].word, words, 7);
        CHECK_TEXT(found ? found : "none", cases[i].nearest ? cases[i].nearest : "none");
    }
    CU_ASSERT_PTR_NULL(text_nearest("x", NULL, 0));
    char longest[200];
    memset(longest, 'x', 199);
    longest[199] = '\0';
    const char *one[] = {longest};
    CU_ASSERT_PTR_NULL(text_nearest(longest, one, 1));
}

static void test_join(void) {
    static const char *const items[] = {"a", "b", "c"};
    Arena *arena = arena_new();
    CHECK_TEXT(text_join_or(arena, items, 0), "");
    CHECK_TEXT(text_join_or(arena, items, 1), "a");
    CHECK_TEXT(text_join_or(arena, items, 2), "a or b");
    CHECK_TEXT(text_join_or(arena, items, 3), "a, b or c");
    arena_free(arena);
}

static void test_real(void) {
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0.0"},
        {-0.0, "-0.0"},
        {1, "1.0"},
        {0.1, "0.1"},
        {1.0 / 3, "0.3333333333333333"},
        {1e6, "1e+06"},
        {123456, "123456.0"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
        {0.1 + 0.2, "0.30000000000000004"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Text text = {0};
        text_real(&text, cases[i].value);
        CHECK_TEXT(text.data, cases[i].text);
        if (!isnan(cases[i].value)) CU_ASSERT_EQUAL(strtod(text.data, NULL), cases[i].value);
        text_free(&text);
    }
}

UNIT_MAIN("text", {"append", test_append}, {"write a file", test_write_file},
          {"write fails", test_write_file_fails}, {"JSON strings", test_json}, {"UTF-8", test_utf8},
          {"nearest word", test_nearest}, {"join", test_join}, {"shortest reals", test_real})
