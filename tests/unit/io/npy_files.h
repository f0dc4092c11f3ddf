/* Makes .npy files byte by byte for the tests of reading and writing, in the
 * folder of scratch.h. */
#ifndef HP5_TESTS_NPY_FILES_H
#define HP5_TESTS_NPY_FILES_H
#include "tests/unit/scratch.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static inline void put_file(const char *path, const void *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) abort();
}

/* Magic, version, the header's length and text, then the data; returns the size. */
static inline size_t put_npy(const char *path, int version, const char *header, const void *data, size_t length) {
    size_t text = strlen(header), prefix = version == 1 ? 10 : 12;
    unsigned char *bytes = malloc(prefix + text + length);
    if (!bytes) abort();
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (unsigned char)version;
    bytes[7] = 0;
    for (size_t i = 8; i < prefix; i++) bytes[i] = (unsigned char)(text >> 8 * (i - 8));
    memcpy(bytes + prefix, header, text);
    if (length > 0) memcpy(bytes + prefix + text, data, length);
    put_file(path, bytes, prefix + text + length);
    free(bytes);
    return prefix + text + length;
}

static inline size_t get_file(const char *path, void *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    size_t length = fread(bytes, 1, room, file);
    fclose(file);
    return length;
}
#endif
