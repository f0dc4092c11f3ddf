/* What the hand-written programs share that has nothing to do with parallelism: arguments, .npy files,
 * memory, the clock. Everything that fails ends the program with a message: status 2 for arguments, else 1. */
#ifndef HP5_REFERENCE_COMMON_H
#define HP5_REFERENCE_COMMON_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Arguments: name=value, --threads=N, --task-times. `names`: all that the program knows, with blanks between them. */
void arguments_read(int argc, char **argv, const char *names);
const char *argument_text(const char *name);
int64_t argument_integer(const char *name); /* at least 1, as all sizes and counts are */
int64_t argument_any_integer(const char *name);
double argument_real(const char *name);
int argument_threads(void); /* 1 without --threads */

enum { ARRAY_DIMENSIONS = 4 };
typedef struct Array {
    void *data; /* rows one after the other, zero in a new array */
    int dimensions;
    int64_t extent[ARRAY_DIMENSIONS]; /* 1 above `dimensions` */
    int64_t count;                    /* elements */
    char type[192];                   /* NumPy's name, "<f8", or the list of fields of a record */
    size_t size;                      /* bytes of an element */
} Array;

/* The array in the file that the argument names: of this type and so many dimensions, in C order. */
Array array_load(const char *argument, const char *type, int dimensions);
/* A vector of records of `size` bytes, whose fields are written as NumPy does: "[('x', '<f8'), ('n', '<i8')]". */
Array array_load_records(const char *argument, size_t size, const char *fields, ...) __attribute__((format(printf, 3, 4)));
/* A matrix of such records. */
Array array_load_record_matrix(const char *argument, size_t size, const char *fields);
Array array_new(const char *type, int dimensions, const int64_t *extent);
Array vector_new(const char *type, int64_t count);
Array matrix_new(const char *type, int64_t rows, int64_t columns);
void array_store(const char *argument, Array array);
/* For those who read or write parts: the file, whose next byte is the first element's, with its extents; and one whose header has
 * been written. */
FILE *array_open(const char *argument, const char *type, int dimensions, int64_t *extent);
FILE *array_create(const char *argument, Array array);
void array_free(Array *array);

/* Zeroed memory that begins at a large page and asks for large pages, as HP5's runtime has it. free() releases it. */
void *memory_new(size_t bytes);

double clock_now(void); /* seconds */
/* With --task-times: the line that says how long the computation took. */
void timing_print(const char *task, double begin);

/* Prints "PROGRAM: message" and ends the program with this status. */
_Noreturn void fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
