/* c = a b with MPI and OpenBLAS. Processes form a grid, as square as can be; one has a block of c, and reads the rows of a and the
 * columns of b that it needs from the files: with as much memory as that, no message is needed.
 *
 *     matrix-multiply a=FILE b=FILE c=FILE [--task-times]
 */
#include <cblas.h>
#include <stdlib.h>
#include "processes.h"

void openblas_set_num_threads(int threads);

int main(int argc, char **argv) {
    Processes processes = processes_begin(argc, argv, "a b c k l q");
    Rows a = rows_open("a", "<f8", 2), b = rows_open("b", "<f8", 2);
    int grid[2] = {0, 0};
    MPI_Dims_create(processes.count, 2, grid);
    int64_t rows = a.extent[0], inner = a.extent[1], columns = b.extent[1];
    if (inner != b.extent[0]) fail(1, "the matrices do not fit each other");
    int64_t top = share(rows, processes.rank / grid[1], grid[0]), height = share(rows, processes.rank / grid[1] + 1, grid[0]) - top;
    int64_t left = share(columns, processes.rank % grid[1], grid[1]), width = share(columns, processes.rank % grid[1] + 1, grid[1]) - left;
    double *x = memory_new((size_t)(height * inner) * sizeof *x), *y = memory_new((size_t)(inner * columns) * sizeof *y);
    double *z = memory_new((size_t)(height * width) * sizeof *z);
    rows_read(&a, top, 1, height, x);
    rows_read(&b, 0, 1, inner, y);
    openblas_set_num_threads(1);

    double begin = clock_together();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)height, (int)width, (int)inner, 1.0, x, (int)inner, y + left, (int)columns, 0.0, z, (int)width);
    timing_print_together(processes, "Matrix Multiply", begin);

    Rows c = rows_create(processes, "c", "<f8", 2, (int64_t[]){rows, columns});
    Rows parts = c; /* a row of the block is a piece of a row of c */
    parts.bytes = (size_t)width * sizeof *z;
    for (int64_t i = 0; i < height; i++) {
        parts.start = c.start + ((top + i) * columns + left) * (int64_t)sizeof *z;
        rows_write(&parts, 0, 1, 1, z + i * width);
    }
    rows_close(&c);
    rows_close(&a);
    rows_close(&b);
    free(x);
    free(y);
    free(z);
    MPI_Finalize();
    return 0;
}
