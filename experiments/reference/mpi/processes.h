/* What the MPI references share: who has which rows, parts of .npy files, the clock. */
#ifndef HP5_REFERENCE_PROCESSES_H
#define HP5_REFERENCE_PROCESSES_H
#include <mpi.h>
#include "../common.h"

typedef struct Processes {
    int rank, count;
} Processes;

/* A .npy file of which every process reads or writes rows (elements of a vector). */
typedef struct Rows {
    FILE *file;
    int64_t extent[ARRAY_DIMENSIONS], start; /* start: of the first element in the file */
    size_t bytes;                            /* of a row */
} Rows;

Processes processes_begin(int argc, char **argv, const char *names);
/* The first index of part `part` of `parts` nearly equal parts of 0 … count - 1; that of part + 1 is its end. */
static inline int64_t share(int64_t count, int64_t part, int64_t parts) { return count * part / parts; }

Rows rows_open(const char *argument, const char *type, int dimensions);
/* By all processes: the first one creates the file. */
Rows rows_create(Processes processes, const char *argument, const char *type, int dimensions, const int64_t *extent);
/* Rows first, first + step, … */
void rows_read(const Rows *rows, int64_t first, int64_t step, int64_t count, void *to);
void rows_write(const Rows *rows, int64_t first, int64_t step, int64_t count, const void *from);
void rows_close(Rows *rows);

double clock_together(void); /* when all processes are there */
/* With --task-times, the first process prints how long it took until all were done. */
void timing_print_together(Processes processes, const char *task, double begin);
#endif
