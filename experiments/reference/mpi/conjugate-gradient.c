/* Conjugate gradients with MPI for a sparse symmetric positive definite matrix in compressed rows. A process has a band of rows.
 * It finds out once which elements of others its rows touch, and tells their owners; in each round only these travel, while the
 * rows that touch none of them are multiplied.
 *
 *     conjugate-gradient values=FILE columns=FILE ends=FILE b=FILE x=FILE precision=E max_rounds=N [--task-times]
 *
 * Prints the rounds and the size of the residual.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "processes.h"

typedef struct Run {
    int64_t first, last; /* rows */
    bool inside;         /* they touch own elements alone */
} Run;

typedef struct Work {
    Processes processes;
    int64_t total, begin, count, run_count; /* rows of all, own ones */
    double *values, *direction, *residual, *x, *product;
    int32_t *columns, *ends; /* from the band's first entry; columns of others are count, count + 1, … */
    Run *runs;
    /* Of each process: how many elements come from it and go to it, and where they begin. */
    int *come, *come_at, *go, *go_at, peers;
    int32_t *go_list;
    double *packed;
    MPI_Request *requests;
} Work;

static int64_t begin_of(const Work *work, int rank) { return share(work->total, rank, work->processes.count); }

static int owner_of(const Work *work, int64_t column) {
    int rank = (int)(column * work->processes.count / work->total);
    while (begin_of(work, rank) > column) rank--;
    while (begin_of(work, rank + 1) <= column) rank++;
    return rank;
}

static int by_value(const void *left, const void *right) {
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return a < b ? -1 : a > b;
}

/* ---- What travels ----------------------------------------------------------------------------------------------- */

static bool is_own(const Work *work, int64_t column) { return column >= work->begin && column < work->begin + work->count; }

/* The columns of others, each once, ascending. */
static int32_t *others(const Work *work, int32_t entries, int *count) {
    int32_t *found = memory_new(((size_t)entries + 1) * sizeof *found);
    int all = 0;
    for (int32_t j = 0; j < entries; j++)
        if (!is_own(work, work->columns[j])) found[all++] = work->columns[j];
    qsort(found, (size_t)all, sizeof *found, by_value);
    *count = 0;
    for (int i = 0; i < all; i++)
        if (*count == 0 || found[*count - 1] != found[i]) found[(*count)++] = found[i];
    return found;
}

static void number_columns(Work *work, int32_t entries, const int32_t *wanted, int count) {
    for (int32_t j = 0; j < entries; j++) {
        int32_t column = work->columns[j];
        if (is_own(work, column))
            work->columns[j] = (int32_t)(column - work->begin);
        else
            work->columns[j] = (int32_t)work->count + (int32_t)((int32_t *)bsearch(&column, wanted, (size_t)count, sizeof column, by_value) - wanted);
    }
}

static void inspect(Work *work) {
    int size = work->processes.count, wants, gives = 0;
    int32_t entries = work->count > 0 ? work->ends[work->count - 1] : 0, *wanted = others(work, entries, &wants);
    work->come = calloc((size_t)size * 4, sizeof *work->come);
    work->come_at = work->come + size, work->go = work->come + 2 * size, work->go_at = work->come + 3 * size;
    for (int i = 0; i < wants; i++) work->come[owner_of(work, wanted[i])]++;
    MPI_Alltoall(work->come, 1, MPI_INT, work->go, 1, MPI_INT, MPI_COMM_WORLD);
    for (int rank = 0, at = 0; rank < size; rank++) {
        work->come_at[rank] = at, at += work->come[rank];
        work->go_at[rank] = gives, gives += work->go[rank];
        work->peers += (work->come[rank] > 0) + (work->go[rank] > 0);
    }
    work->go_list = memory_new(((size_t)gives + 1) * sizeof *work->go_list);
    work->packed = memory_new(((size_t)gives + 1) * sizeof *work->packed);
    MPI_Alltoallv(wanted, work->come, work->come_at, MPI_INT32_T, work->go_list, work->go, work->go_at, MPI_INT32_T, MPI_COMM_WORLD);
    for (int i = 0; i < gives; i++) work->go_list[i] -= (int32_t)work->begin;
    number_columns(work, entries, wanted, wants);
    work->direction = memory_new((size_t)(work->count + wants + 1) * sizeof *work->direction);
    free(wanted);
}

static void prepare_messages(Work *work) {
    int at = 0;
    work->requests = malloc((size_t)(work->peers + 1) * sizeof *work->requests);
    for (int rank = 0; rank < work->processes.count; rank++) {
        if (work->come[rank] > 0)
            MPI_Recv_init(work->direction + work->count + work->come_at[rank], work->come[rank], MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, &work->requests[at++]);
        if (work->go[rank] > 0)
            MPI_Send_init(work->packed + work->go_at[rank], work->go[rank], MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, &work->requests[at++]);
    }
}

static void find_runs(Work *work) {
    work->runs = memory_new((size_t)(work->count + 1) * sizeof *work->runs);
    for (int64_t i = 0; i < work->count; i++) {
        bool inside = true;
        for (int32_t j = i > 0 ? work->ends[i - 1] : 0; j < work->ends[i]; j++) inside = inside && work->columns[j] < work->count;
        if (work->run_count == 0 || work->runs[work->run_count - 1].inside != inside) work->runs[work->run_count++] = (Run){i, i, inside};
        work->runs[work->run_count - 1].last = i + 1;
    }
}

/* ---- Rounds -------------------------------------------------------------------------------------------------------- */

static double multiply_rows(const Work *work, int64_t first, int64_t last) {
    const double *restrict values = work->values, *restrict direction = work->direction;
    const int32_t *restrict columns = work->columns, *restrict ends = work->ends;
    double *restrict product = work->product;
    double curvature = 0;
    int32_t j = first > 0 ? ends[first - 1] : 0;
    for (int64_t i = first; i < last; i++) {
        double total = 0;
        for (; j < ends[i]; j++) total += values[j] * direction[columns[j]];
        product[i] = total;
        curvature += total * direction[i];
    }
    return curvature;
}

static double multiply(Work *work) {
    int gives = work->go_at[work->processes.count - 1] + work->go[work->processes.count - 1];
    for (int i = 0; i < gives; i++) work->packed[i] = work->direction[work->go_list[i]];
    MPI_Startall(work->peers, work->requests);
    double curvature = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) MPI_Waitall(work->peers, work->requests, MPI_STATUSES_IGNORE);
        for (int64_t r = 0; r < work->run_count; r++)
            if (work->runs[r].inside == (pass == 0)) curvature += multiply_rows(work, work->runs[r].first, work->runs[r].last);
    }
    return curvature;
}

static double advance(const Work *work, double step) {
    double *restrict x = work->x, *restrict residual = work->residual;
    const double *restrict direction = work->direction, *restrict product = work->product;
    double lanes[8] = {0};
    int64_t i = 0, end = work->count;
    for (; i + 8 <= end; i += 8)
        for (int l = 0; l < 8; l++) {
            x[i + l] += step * direction[i + l];
            residual[i + l] -= step * product[i + l];
            lanes[l] += residual[i + l] * residual[i + l];
        }
    for (; i < end; i++) {
        x[i] += step * direction[i];
        residual[i] -= step * product[i];
        lanes[0] += residual[i] * residual[i];
    }
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

static double sum(double own) {
    double all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static int64_t solve(Work *work, double precision, int64_t max_rounds, double *square) {
    double own = 0;
    int64_t rounds = 0;
    for (int64_t i = 0; i < work->count; i++) {
        work->direction[i] = work->residual[i];
        own += work->residual[i] * work->residual[i];
    }
    *square = sum(own);
    while (*square > precision * precision && rounds < max_rounds) {
        double curvature = sum(multiply(work)), last = *square;
        *square = sum(advance(work, *square / curvature));
        double part = *square / last, *restrict direction = work->direction;
        const double *restrict residual = work->residual;
        for (int64_t i = 0; i < work->count; i++) direction[i] = residual[i] + part * direction[i];
        rounds++;
    }
    return rounds;
}

/* ---- Files ------------------------------------------------------------------------------------------------------------ */

static void load(Work *work) {
    Rows ends = rows_open("ends", "<i4", 1), values = rows_open("values", "<f8", 1), columns = rows_open("columns", "<i4", 1), b = rows_open("b", "<f8", 1);
    work->total = ends.extent[0];
    work->begin = begin_of(work, work->processes.rank);
    work->count = begin_of(work, work->processes.rank + 1) - work->begin;
    work->ends = memory_new((size_t)(work->count + 1) * sizeof *work->ends);
    int32_t first = 0;
    if (work->begin > 0) rows_read(&ends, work->begin - 1, 1, 1, &first);
    rows_read(&ends, work->begin, 1, work->count, work->ends);
    for (int64_t i = 0; i < work->count; i++) work->ends[i] -= first;
    int64_t entries = work->count > 0 ? work->ends[work->count - 1] : 0;
    work->values = memory_new((size_t)(entries + 1) * sizeof *work->values);
    work->columns = memory_new((size_t)(entries + 1) * sizeof *work->columns);
    rows_read(&values, first, 1, entries, work->values);
    rows_read(&columns, first, 1, entries, work->columns);
    size_t bytes = (size_t)(work->count + 1) * sizeof(double);
    work->x = memory_new(bytes), work->residual = memory_new(bytes), work->product = memory_new(bytes);
    rows_read(&b, work->begin, 1, work->count, work->residual);
    rows_close(&ends), rows_close(&values), rows_close(&columns), rows_close(&b);
}

int main(int argc, char **argv) {
    Work work = {.processes = processes_begin(argc, argv, "values columns ends b x precision max_rounds k")};
    double square;
    load(&work);

    double begin = clock_together();
    inspect(&work);
    prepare_messages(&work);
    find_runs(&work);
    int64_t rounds = solve(&work, argument_real("precision"), argument_integer("max_rounds"), &square);
    timing_print_together(work.processes, "Conjugate Gradient", begin);

    if (work.processes.rank == 0) printf("%lld %.17g\n", (long long)rounds, sqrt(square));
    Rows x = rows_create(work.processes, "x", "<f8", 1, &work.total);
    rows_write(&x, work.begin, 1, work.count, work.x);
    rows_close(&x);
    for (int i = 0; i < work.peers; i++) MPI_Request_free(&work.requests[i]);
    MPI_Finalize();
    return 0;
}
