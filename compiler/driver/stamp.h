/* Which runtime a program is compiled for. Generated C includes the runtime's headers and is linked with libhp5.a; if the two
 * are of different states, structs have other layouts and the program fails in strange ways. So the build takes a
 * checksum of each header (stamp_tool.c), and libhp5.a has a symbol whose name holds the checksum of them all. hp5c
 * checks the headers before it runs the C compiler, and the program asks for the symbol (runtime/generated.h). */
#ifndef HP5_DRIVER_STAMP_H
#define HP5_DRIVER_STAMP_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* FNV-1a, 64 bits. */
#define STAMP_START UINT64_C(0xcbf29ce484222325)
static inline uint64_t stamp_add(uint64_t sum, const void *data, size_t length) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < length; i++) sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

/* Checksum of the file's bytes; 0 when it cannot be read. */
static inline uint64_t stamp_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return 0;
    uint64_t sum = STAMP_START;
    char buffer[4096];
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;) sum = stamp_add(sum, buffer, got);
    int failed = ferror(file);
    fclose(file);
    return failed ? 0 : sum;
}

#endif
