/* Text buffers: append-only strings in ordinary memory, and writing one to a
 * file whole or not at all. The string helpers are in words.c. */
#include "compiler/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void text_free(Text *text) {
    free(text->data);
    *text = (Text){0};
}

/* Makes room for `more` bytes and the NUL. */
static void reserve(Text *text, size_t more) {
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity) return;
    size_t capacity = text->capacity < 256 ? 256 : text->capacity;
    while (capacity < needed && capacity <= SIZE_MAX / 2) capacity *= 2;
    char *data = needed <= capacity && needed > more ? realloc(text->data, capacity) : NULL;
    if (!data) arena_out_of_memory();
    text->data = data;
    text->capacity = capacity;
}

void text_append_n(Text *text, const char *bytes, size_t count) {
    reserve(text, count);
    if (count > 0) memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void text_append(Text *text, const char *string) { text_append_n(text, string, strlen(string)); }

void text_char(Text *text, char c) { text_append_n(text, &c, 1); }

void text_printf(Text *text, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vprintf(text, format, args);
    va_end(args);
}

void text_vprintf(Text *text, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length < 0) length = 0; /* an encoding error: only %ls and %lc can cause one */
    reserve(text, (size_t)length);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
    text->length += (size_t)length;
    text->data[text->length] = '\0';
    va_end(again);
}

void text_indent(Text *text, int columns) {
    for (int i = 0; i < columns; i++) text_char(text, ' ');
}

/* ---- Files ------------------------------------------------------------------- */

static bool write_all(int file, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

/* Writes everything and closes; errno is that of the first failure. */
static bool write_and_close(int file, const Text *text) {
    bool good = write_all(file, text->data, text->length);
    int reason = errno;
    if (close(file) != 0 && good) return false; /* a full disk may only show here */
    errno = reason;
    return good;
}

/* A new file beside `path`; `name` gets its name. open, not mkstemp, so that the
 * file gets the permissions the user's umask gives to any new file. */
static int open_beside(const char *path, char *name, size_t size) {
    for (int attempt = 0; attempt < 100; attempt++) {
        snprintf(name, size, "%s.%ld.%d.tmp", path, (long)getpid(), attempt);
        int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

static bool write_and_rename(const Text *text, const char *path) {
    size_t size = strlen(path) + 64;
    char *name = malloc(size);
    if (!name) return false;
    int file = open_beside(path, name, size);
    bool good = file >= 0 && write_and_close(file, text);
    if (good) good = rename(name, path) == 0;
    int reason = errno;
    if (!good && file >= 0) unlink(name);
    free(name);
    errno = reason;
    return good;
}

bool text_write_file(const Text *text, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return write_and_rename(text, path);
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (!S_ISREG(status.st_mode)) { /* a device or a pipe must not be replaced by a file */
        int file = open(path, O_WRONLY | O_CLOEXEC);
        return file >= 0 && write_and_close(file, text);
    }
    char *target = realpath(path, NULL); /* a symbolic link stays one */
    if (!target) return false;
    bool good = write_and_rename(text, target);
    int reason = errno;
    free(target);
    errno = reason;
    return good;
}
