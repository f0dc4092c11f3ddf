/* Source buffers and positions. */
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include "compiler/base/source.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Source *from(Arena *arena, const char *text) {
    return source_from_text(arena, "t", text, strlen(text));
}

static void check_position(Source *source, uint32_t offset, int line, int column) {
    int found_line, found_column;
    source_position(source, offset, &found_line, &found_column);
    CU_ASSERT_EQUAL(found_line, line);
    CU_ASSERT_EQUAL(found_column, column);
}

static void check_line(Source *source, int line, const char *expected) {
    size_t length;
    const char *text = source_line(source, line, &length);
    CU_ASSERT_EQUAL(length, strlen(expected));
    CU_ASSERT(strncmp(text, expected, length) == 0);
}

static void test_positions(void) {
    Arena *arena = arena_new();
    Source *source = from(arena, "ab\ncaf\xC3\xA9!\r\n\nend");
    check_position(source, 0, 1, 1);
    check_position(source, 2, 1, 3);
    check_position(source, 3, 2, 1);
    check_position(source, 8, 2, 5); /* after the two bytes of é */
    check_position(source, 7, 2, 4); /* inside them */
    check_position(source, 11, 3, 1);
    check_position(source, 12, 4, 1);
    check_position(source, 15, 4, 4);
    check_position(source, 1000, 4, 4);
    check_line(source, 1, "ab");
    check_line(source, 2, "caf\xC3\xA9!");
    check_line(source, 3, "");
    check_line(source, 4, "end");
    check_line(source, 5, "");
    check_line(source, 0, "");
    arena_free(arena);
}

static void test_empty(void) {
    Arena *arena = arena_new();
    Source *source = from(arena, "");
    check_position(source, 0, 1, 1);
    check_line(source, 1, "");
    Source *newline = from(arena, "\n");
    check_position(newline, 1, 2, 1);
    check_line(newline, 1, "");
    arena_free(arena);
}

static void test_nul_bytes(void) {
    Arena *arena = arena_new();
    Source *source = source_from_text(arena, "t", "a\0b\nc", 5);
    CU_ASSERT_EQUAL(source->length, 5);
    CU_ASSERT_EQUAL(source->text[5], '\0');
    check_position(source, 4, 2, 1);
    arena_free(arena);
}

static void test_read(void) {
    const char *path = scratch("long.hp5");
    int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    char block[1000];
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 300; i++) CU_ASSERT_EQUAL(write(file, block, sizeof block), (ssize_t)sizeof block);
    Arena *arena = arena_new();
    Source *source = source_read(arena, path);
    CU_ASSERT_PTR_NOT_NULL_FATAL(source);
    CU_ASSERT_EQUAL(source->length, 300000);
    CU_ASSERT_STRING_EQUAL(source->name, path);
    CU_ASSERT_EQUAL(ftruncate(file, 257L << 20), 0);
    CU_ASSERT_PTR_NULL(source_read(arena, path));
    CU_ASSERT_EQUAL(errno, EFBIG);
    close(file);
    unlink(path);
    CU_ASSERT_PTR_NULL(source_read(arena, path));
    CU_ASSERT_EQUAL(errno, ENOENT);
    CU_ASSERT_PTR_NULL(source_read(arena, "/tmp"));
    CU_ASSERT_EQUAL(errno, EISDIR);
    Source *empty = source_read(arena, "/dev/null");
    CU_ASSERT(empty && empty->length == 0);
    arena_free(arena);
}

UNIT_MAIN("source", {"positions", test_positions}, {"empty", test_empty}, {"NUL bytes", test_nul_bytes},
          {"read", test_read})
