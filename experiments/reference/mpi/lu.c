/* LU factorization with partial pivoting and MPI, one column after the other: rows p of a, in that order, are l u. Rows are dealt
 * out one by one. A process finds its best pivot of the next column while it eliminates the one before. One message to everybody
 * carries the pivot's row; row k goes to where that row was.
 *
 *     lu a=FILE lu=FILE p=FILE [--task-times]
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "processes.h"

typedef struct Candidate {
    double size;
    int row;
} Candidate; /* MPI_DOUBLE_INT */

typedef struct Work {
    Processes processes;
    int64_t n, rows;
    double *lu, *pivot_row; /* row r is the matrix's row r * count + rank */
    int64_t *p;             /* everybody's, all of it */
    Candidate best;
} Work;

static double *row_of(const Work *work, int64_t i) { return work->lu + i / work->processes.count * work->n; }

static int owner(const Work *work, int64_t i) { return (int)(i % work->processes.count); }

static void consider(Candidate *best, double value, int64_t row) {
    double size = fabs(value);
    if (size > best->size) *best = (Candidate){size, (int)row};
}

/* Exchanges rows k and pivot; the pivot's row, which is row k then, comes to everybody. */
static void exchange(Work *work, int64_t k, int64_t pivot) {
    const int me = work->processes.rank, n = (int)work->n, of_pivot = owner(work, pivot), of_k = owner(work, k);
    MPI_Request request = MPI_REQUEST_NULL;
    if (me == of_pivot) memcpy(work->pivot_row, row_of(work, pivot), (size_t)n * sizeof(double));
    if (pivot != k && of_k != of_pivot && me == of_k) MPI_Isend(row_of(work, k), n, MPI_DOUBLE, of_pivot, 1, MPI_COMM_WORLD, &request);
    if (pivot != k && of_k != of_pivot && me == of_pivot) MPI_Irecv(row_of(work, pivot), n, MPI_DOUBLE, of_k, 1, MPI_COMM_WORLD, &request);
    if (pivot != k && of_k == of_pivot && me == of_k) memcpy(row_of(work, pivot), row_of(work, k), (size_t)n * sizeof(double));
    MPI_Bcast(work->pivot_row, n, MPI_DOUBLE, of_pivot, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (me == of_k && pivot != k) memcpy(row_of(work, k), work->pivot_row, (size_t)n * sizeof(double));
    int64_t keep = work->p[k];
    work->p[k] = work->p[pivot];
    work->p[pivot] = keep;
}

static void eliminate(Work *work, int64_t k) {
    const int64_t n = work->n, count = work->processes.count, rank = work->processes.rank;
    const double *restrict pivot_row = work->pivot_row;
    work->best = (Candidate){-1, (int)n};
    for (int64_t r = k < rank ? 0 : (k - rank) / count + 1; r < work->rows; r++) {
        double *restrict row = work->lu + r * n;
        const double factor = row[k] / pivot_row[k];
        row[k] = factor;
        for (int64_t j = k + 1; j < n; j++) row[j] = __builtin_fma(-factor, pivot_row[j], row[j]);
        if (k + 1 < n) consider(&work->best, row[k + 1], r * count + rank);
    }
}

static void factor(Work *work) {
    for (int64_t k = 0; k + 1 < work->n; k++) {
        Candidate best;
        MPI_Allreduce(&work->best, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
        exchange(work, k, best.row);
        eliminate(work, k);
    }
}

int main(int argc, char **argv) {
    Processes processes = processes_begin(argc, argv, "a lu p parts");
    Rows a = rows_open("a", "<f8", 2);
    int64_t n = a.extent[0], rows = (n - processes.rank + processes.count - 1) / processes.count;
    if (n != a.extent[1]) fail(1, "a is not square");
    Work work = {.processes = processes, .n = n, .rows = rows, .lu = memory_new((size_t)(rows * n) * sizeof(double)),
                 .pivot_row = memory_new((size_t)n * sizeof(double)), .p = memory_new((size_t)n * sizeof(int64_t)), .best = {-1, (int)n}};
    rows_read(&a, processes.rank, processes.count, rows, work.lu);

    double begin = clock_together();
    for (int64_t i = 0; i < n; i++) work.p[i] = i;
    for (int64_t r = 0; r < rows; r++) consider(&work.best, work.lu[r * n], r * processes.count + processes.rank);
    factor(&work);
    timing_print_together(processes, "LU Factorization", begin);

    Rows lu = rows_create(processes, "lu", "<f8", 2, a.extent), p = rows_create(processes, "p", "<i8", 1, a.extent);
    rows_write(&lu, processes.rank, processes.count, rows, work.lu);
    if (processes.rank == 0) rows_write(&p, 0, 1, n, work.p);
    rows_close(&lu);
    rows_close(&p);
    rows_close(&a);
    free(work.lu);
    free(work.pivot_row);
    free(work.p);
    MPI_Finalize();
    return 0;
}
