/* See common.h. How to read it: arguments first, then memory, then .npy files (format version 1 to 3, C order, little
 * endian: what NumPy and HP5 programs write). */
#include "common.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static const char *program = "program";
static int argument_count;
static char **arguments;

void fail(int status, const char *format, ...) {
    va_list values;
    fprintf(stderr, "%s: ", program);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    exit(status);
}

/* ---- Arguments ------------------------------------------------------------------------------------------ */

/* What stands behind "name=" in `argument`, or NULL. */
static const char *value_in(const char *argument, const char *name) {
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1 : NULL;
}

static bool known(const char *argument, const char *names) {
    size_t length = strcspn(argument, "=");
    if (argument[length] != '=') return false;
    for (const char *name = names; *name != '\0'; name += strcspn(name, " "), name += strspn(name, " "))
        if (strcspn(name, " ") == length && strncmp(name, argument, length) == 0) return true;
    return false;
}

static const char *find(const char *name) {
    const char *found = NULL;
    for (int i = 1; i < argument_count; i++) {
        const char *value = value_in(arguments[i], name);
        if (value != NULL && found != NULL) fail(2, "%s is given twice", name);
        if (value != NULL) found = value;
    }
    return found;
}

void arguments_read(int argc, char **argv, const char *names) {
    const char *slash = strrchr(argv[0], '/');
    program = slash ? slash + 1 : argv[0];
    argument_count = argc;
    arguments = argv;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--task-times") != 0 && !value_in(argv[i], "--threads") && !known(argv[i], names))
            fail(2, "unknown argument %s; expected NAME=VALUE with a name of: %s; or --threads=N, --task-times", argv[i], names);
}

const char *argument_text(const char *name) {
    const char *value = find(name);
    if (value == NULL) fail(2, "argument %s is missing; give %s=VALUE", name, name);
    return value;
}

int64_t argument_any_integer(const char *name) {
    const char *text = argument_text(name);
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0) fail(2, "%s=%s: expected an integer", name, text);
    return value;
}

int64_t argument_integer(const char *name) {
    int64_t value = argument_any_integer(name);
    if (value < 1) fail(2, "%s=%s: expected at least 1", name, argument_text(name));
    return value;
}

double argument_real(const char *name) {
    const char *text = argument_text(name);
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0') fail(2, "%s=%s: expected a number", name, text);
    return value;
}

int argument_threads(void) {
    if (find("--threads") == NULL) return 1;
    int64_t threads = argument_integer("--threads");
    if (threads > 1024) fail(2, "--threads=%s: expected at most 1024", find("--threads"));
    return (int)threads;
}

/* ---- Memory and time ------------------------------------------------------------------------------------- */

void *memory_new(size_t bytes) {
    enum { LARGE_PAGE = 2 << 20, LARGE_BYTES = 4 << 20, LINE = 64 };
    size_t alignment = bytes >= LARGE_BYTES ? LARGE_PAGE : LINE;
    size_t whole = (bytes / alignment + 1) * alignment;
    void *memory = aligned_alloc(alignment, whole);
    if (memory == NULL) fail(1, "no memory for %zu bytes", bytes);
    if (alignment == LARGE_PAGE) madvise(memory, whole, MADV_HUGEPAGE); /* only a hint: failing is fine */
    memset(memory, 0, whole);
    return memory;
}

double clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void timing_print(const char *task, double begin) {
    double seconds = clock_now() - begin;
    for (int i = 1; i < argument_count; i++)
        if (strcmp(arguments[i], "--task-times") == 0)
            fprintf(stderr, "task %s on %d thread%s in %.6f s\n", task, argument_threads(), argument_threads() == 1 ? "" : "s",
                    seconds);
}

/* ---- Arrays ------------------------------------------------------------------------------------------------ */

static Array allocate(const char *type, size_t size, int dimensions, const int64_t *extent) {
    Array array = {.dimensions = dimensions, .count = 1, .extent = {1, 1, 1, 1}, .size = size};
    snprintf(array.type, sizeof array.type, "%s", type);
    for (int d = 0; d < dimensions; d++) {
        array.extent[d] = extent[d];
        array.count *= extent[d];
    }
    array.data = memory_new((size_t)array.count * array.size);
    return array;
}

Array array_new(const char *type, int dimensions, const int64_t *extent) {
    return allocate(type, (size_t)atoi(type + 2), dimensions, extent);
}

Array vector_new(const char *type, int64_t count) { return array_new(type, 1, &count); }

Array matrix_new(const char *type, int64_t rows, int64_t columns) {
    return array_new(type, 2, (int64_t[]){rows, columns});
}

void array_free(Array *array) {
    free(array->data);
    array->data = NULL;
}

/* The header's text, from its beginning '{'. */
static void read_header(FILE *file, const char *path, char *text, size_t room) {
    unsigned char start[12];
    if (fread(start, 1, 10, file) != 10 || memcmp(start, "\x93NUMPY", 6) != 0) fail(1, "%s: not a .npy file", path);
    size_t length = start[8] + 256u * start[9];
    if (start[6] > 1) {
        if (fread(start + 10, 1, 2, file) != 2) fail(1, "%s: the header is cut off", path);
        length += 65536u * start[10] + 16777216u * start[11];
    }
    if (length >= room) fail(1, "%s: a header of %zu bytes", path, length);
    if (fread(text, 1, length, file) != length) fail(1, "%s: the header is cut off", path);
    text[length] = '\0';
}

static int read_extents(const char *header, int64_t *extent) {
    const char *shape = strstr(header, "'shape': (");
    if (shape == NULL) return -1;
    int dimensions = 0;
    char *end;
    for (const char *at = shape + strlen("'shape': ("); *at != ')'; at = end + strspn(end, ", ")) {
        long long value = strtoll(at, &end, 10);
        if (end == at || value < 0 || dimensions == ARRAY_DIMENSIONS) return -1;
        extent[dimensions++] = value;
    }
    return dimensions;
}

/* The file, whose next byte is the first element's. `descr`: the type as the header has it. */
static FILE *open_array(const char *argument, const char *type, const char *descr, int dimensions, int64_t *extent) {
    const char *path = argument_text(argument);
    FILE *file = fopen(path, "rb");
    if (file == NULL) fail(1, "%s: %s", path, strerror(errno));
    char header[4096], expected[256];
    read_header(file, path, header, sizeof header);
    snprintf(expected, sizeof expected, "'descr': %s,", descr);
    if (strstr(header, expected) == NULL) fail(1, "%s: expected elements of type %s in %s", path, type, header);
    if (strstr(header, "'fortran_order': False") == NULL) fail(1, "%s: expected C order", path);
    if (read_extents(header, extent) != dimensions) fail(1, "%s: expected %d dimensions in %s", path, dimensions, header);
    return file;
}

FILE *array_open(const char *argument, const char *type, int dimensions, int64_t *extent) {
    char descr[32];
    snprintf(descr, sizeof descr, "'%s'", type);
    return open_array(argument, type, descr, dimensions, extent);
}

static Array load(const char *argument, const char *type, const char *descr, size_t size, int dimensions) {
    int64_t extent[ARRAY_DIMENSIONS];
    FILE *file = open_array(argument, type, descr, dimensions, extent);
    Array array = allocate(type, size, dimensions, extent);
    if (fread(array.data, array.size, (size_t)array.count, file) != (size_t)array.count)
        fail(1, "%s: the file is cut off", argument_text(argument));
    fclose(file);
    return array;
}

Array array_load(const char *argument, const char *type, int dimensions) {
    char descr[32];
    snprintf(descr, sizeof descr, "'%s'", type);
    return load(argument, type, descr, (size_t)atoi(type + 2), dimensions);
}

Array array_load_records(const char *argument, size_t size, const char *fields, ...) {
    char type[sizeof((Array *)NULL)->type];
    va_list values;
    va_start(values, fields);
    vsnprintf(type, sizeof type, fields, values);
    va_end(values);
    return load(argument, type, type, size, 1);
}

Array array_load_record_matrix(const char *argument, size_t size, const char *fields) {
    return load(argument, fields, fields, size, 2);
}

FILE *array_create(const char *argument, Array array) {
    const char *path = argument_text(argument);
    FILE *file = fopen(path, "wb");
    if (file == NULL) fail(1, "%s: %s", path, strerror(errno));
    char text[512];
    const char *quote = array.type[0] == '[' ? "" : "'";
    int length = snprintf(text, sizeof text, "{'descr': %s%s%s, 'fortran_order': False, 'shape': (", quote, array.type, quote);
    for (int d = 0; d < array.dimensions; d++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%lld%s", d > 0 ? " " : "", (long long)array.extent[d],
                           d == 0 || d + 1 < array.dimensions ? "," : "");
    length += snprintf(text + length, sizeof text - (size_t)length, "), }");
    while ((10 + length) % 64 != 63) text[length++] = ' ';
    text[length++] = '\n';
    const unsigned char start[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(length % 256), (unsigned char)(length / 256)};
    if (fwrite(start, 1, 10, file) != 10 || fwrite(text, 1, (size_t)length, file) != (size_t)length)
        fail(1, "%s: %s", path, strerror(errno));
    return file;
}

void array_store(const char *argument, Array array) {
    FILE *file = array_create(argument, array);
    if (fwrite(array.data, array.size, (size_t)array.count, file) != (size_t)array.count || fclose(file) != 0)
        fail(1, "%s: %s", argument_text(argument), strerror(errno));
}
