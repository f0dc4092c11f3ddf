/* Source buffers: reading a file whole, and finding lines. The table of line
 * starts is built the first time a position is asked for; a compilation without
 * messages never pays for it. */
#include "compiler/base/source.h"

#include "compiler/base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_SOURCE = 256 * 1024 * 1024 };

Source *source_from_text(Arena *arena, const char *name, const char *text, size_t length) {
    Source *source = ARENA_NEW(arena, Source);
    source->name = arena_strdup(arena, name);
    source->text = arena_copy(arena, text, length);
    source->length = length;
    source->arena = arena;
    return source;
}

/* Appends all of `file` to `text`; false with errno set when that fails. */
static bool read_all(int file, Text *text) {
    char buffer[64 * 1024];
    for (;;) {
        ssize_t count = read(file, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count == 0;
        if (text->length + (size_t)count > LARGEST_SOURCE) {
            errno = EFBIG;
            return false;
        }
        text_append_n(text, buffer, (size_t)count);
    }
}

Source *source_read(Arena *arena, const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    struct stat status;
    Text text = {0};
    bool good = fstat(file, &status) == 0;
    if (good && S_ISREG(status.st_mode) && status.st_size > LARGEST_SOURCE) {
        errno = EFBIG;
        good = false;
    }
    good = good && read_all(file, &text);
    int reason = errno;
    close(file);
    Source *source = good ? source_from_text(arena, path, text.data, text.length) : NULL;
    text_free(&text);
    errno = reason;
    return source;
}

static void find_lines(Source *source) {
    if (source->line_starts) return;
    size_t count = 1;
    for (size_t i = 0; i < source->length; i++) count += source->text[i] == '\n';
    source->line_starts = ARENA_ARRAY(source->arena, uint32_t, count);
    source->line_count = 1; /* line 1 starts at 0: the arena's memory is zeroed */
    for (size_t i = 0; i < source->length; i++) {
        if (source->text[i] == '\n') source->line_starts[source->line_count++] = (uint32_t)(i + 1);
    }
}

/* The index of the last line that starts at or before `offset`. */
static size_t line_index(const Source *source, uint32_t offset) {
    size_t low = 0, high = source->line_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (source->line_starts[middle] <= offset) low = middle;
        else high = middle;
    }
    return low;
}

int source_line_number(Source *source, uint32_t offset) {
    find_lines(source);
    return (int)line_index(source, offset > source->length ? (uint32_t)source->length : offset) + 1;
}

void source_position(Source *source, uint32_t offset, int *line, int *column) {
    find_lines(source);
    if (offset > source->length) offset = (uint32_t)source->length;
    size_t index = line_index(source, offset);
    size_t at = source->line_starts[index];
    int characters = 0;
    while (at < offset) {
        uint32_t character;
        at += text_utf8_decode(source->text + at, source->length - at, &character);
        characters += at <= offset; /* an offset inside a sequence belongs to that character */
    }
    *line = (int)index + 1;
    *column = characters + 1;
}

const char *source_line(Source *source, int line, size_t *length) {
    find_lines(source);
    *length = 0;
    if (line < 1 || (size_t)line > source->line_count) return "";
    size_t start = source->line_starts[line - 1];
    size_t end = (size_t)line < source->line_count ? source->line_starts[line] - 1 : source->length;
    if (end > start && source->text[end - 1] == '\r') end--;
    *length = end - start;
    return source->text + start;
}
