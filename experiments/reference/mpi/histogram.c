/* Histogram of values between low and high in equal bins with MPI: each process counts its values, and the counts are added up.
 *
 *     histogram values=FILE counts=FILE bins=N low=R high=R [--task-times]
 */
#include <math.h>
#include <stdlib.h>
#include "processes.h"

int main(int argc, char **argv) {
    Processes processes = processes_begin(argc, argv, "values bins low high k b counts");
    Rows values = rows_open("values", "<f8", 1);
    int64_t begin = share(values.extent[0], processes.rank, processes.count), count = share(values.extent[0], processes.rank + 1, processes.count) - begin;
    Array counts = vector_new("<i8", argument_integer("bins"));
    double *own = memory_new((size_t)(count + 1) * sizeof *own), low = argument_real("low"), high = argument_real("high");
    int64_t *tally = memory_new((size_t)counts.count * sizeof *tally);
    rows_read(&values, begin, 1, count, own);

    double start = clock_together();
    for (int64_t i = 0; i < count; i++) {
        double place = floor((own[i] - low) / (high - low) * (double)counts.count);
        if (place >= 0 && place < (double)counts.count) tally[(int64_t)place]++;
    }
    MPI_Reduce(tally, counts.data, (int)counts.count, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    timing_print_together(processes, "Histogram", start);

    if (processes.rank == 0) array_store("counts", counts);
    rows_close(&values);
    array_free(&counts);
    free(own);
    free(tally);
    MPI_Finalize();
    return 0;
}
