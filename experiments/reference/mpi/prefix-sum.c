/* Prefix sum with MPI: each process adds up its part, hears the total of the parts before it, and sums its part up from there.
 *
 *     prefix-sum values=FILE sums=FILE [--task-times]
 */
#include <stdlib.h>
#include "processes.h"

enum { LANES = 16 };

/* In several lanes, so that the additions do not wait for each other. */
static double add_up(const double *values, int64_t count) {
    double lanes[LANES] = {0}, total = 0;
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int l = 0; l < LANES; l++) lanes[l] += values[i + l];
    for (; i < count; i++) total += values[i];
    for (int l = 0; l < LANES; l++) total += lanes[l];
    return total;
}

int main(int argc, char **argv) {
    Processes processes = processes_begin(argc, argv, "values k sums");
    Rows values = rows_open("values", "<f8", 1);
    int64_t begin = share(values.extent[0], processes.rank, processes.count), count = share(values.extent[0], processes.rank + 1, processes.count) - begin;
    double *own = memory_new((size_t)(count + 1) * sizeof *own), *sums = memory_new((size_t)(count + 1) * sizeof *sums);
    rows_read(&values, begin, 1, count, own);

    double start = clock_together();
    double all = add_up(own, count), total = 0;
    MPI_Exscan(&all, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (processes.rank == 0) total = 0; /* MPI leaves it undefined there */
    for (int64_t i = 0; i < count; i++) {
        total += own[i];
        sums[i] = total;
    }
    timing_print_together(processes, "Prefix Sum", start);

    Rows file = rows_create(processes, "sums", "<f8", 1, values.extent);
    rows_write(&file, begin, 1, count, sums);
    rows_close(&file);
    rows_close(&values);
    free(own);
    free(sums);
    MPI_Finalize();
    return 0;
}
