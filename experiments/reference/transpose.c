/* Transpose, b[j][i] = a[i][j], with Pthreads: each thread takes a band of a's rows and walks it in squares that
 * fit into a cache.
 *
 *     transpose a=FILE b=FILE [--threads=N] [--task-times]
 */
#include "common.h"
#include "threads.h"

enum { EDGE = 64 }; /* of a square */

typedef struct Work {
    const double *a;
    double *b;
    int64_t rows, columns;
    int threads;
} Work;

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

static void turn_square(const Work *work, int64_t i_begin, int64_t i_end, int64_t j_begin, int64_t j_end) {
    double *restrict b = work->b;
    const double *restrict a = work->a;
    const int64_t rows = work->rows, columns = work->columns;
    for (int64_t j = j_begin; j < j_end; j++)
        for (int64_t i = i_begin; i < i_end; i++) b[j * rows + i] = a[i * columns + j];
}

static void turn(int rank, void *data) {
    const Work *work = data;
    int64_t squares = (work->rows + EDGE - 1) / EDGE;
    int64_t begin = share(0, squares, rank, work->threads) * EDGE;
    int64_t end = lesser(share(0, squares, rank + 1, work->threads) * EDGE, work->rows);
    for (int64_t i = begin; i < end; i += EDGE)
        for (int64_t j = 0; j < work->columns; j += EDGE)
            turn_square(work, i, lesser(i + EDGE, end), j, lesser(j + EDGE, work->columns));
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a b k l");
    Array a = array_load("a", "<f8", 2);
    Array b = matrix_new("<f8", a.extent[1], a.extent[0]);
    Work work = {a.data, b.data, a.extent[0], a.extent[1], argument_threads()};
    double begin = clock_now();
    threads_run(work.threads, turn, &work);
    timing_print("transpose", begin);
    array_store("b", b);
    array_free(&a);
    array_free(&b);
    return 0;
}
