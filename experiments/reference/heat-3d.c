/* Heat in a solid, 7-point stencil: each thread has a slab of planes; two copies of the solid take turns. */
#include <string.h>
#include "common.h"
#include "threads.h"

typedef struct Heat {
    double *now, *next;
    int64_t planes, rows, columns, steps;
    double rate;
    int threads;
    Barrier barrier;
} Heat;

static void advance_row(double *restrict next, const double *restrict now, int64_t row, int64_t plane, int64_t columns,
                        double rate) {
    for (int64_t k = 1; k < columns - 1; k++)
        next[k] = now[k] + rate * (now[k - plane] + now[k + plane] + now[k - row] + now[k + row] + now[k - 1] + now[k + 1] -
                                   6 * now[k]);
}

static void heat(int rank, void *data) {
    Heat *solid = data;
    int64_t row = solid->columns, plane = solid->rows * solid->columns;
    int64_t begin = share(1, solid->planes - 1, rank, solid->threads), end = share(1, solid->planes - 1, rank + 1, solid->threads);
    double *now = solid->now, *next = solid->next;
    for (int64_t step = 0; step < solid->steps; step++) {
        for (int64_t i = begin; i < end; i++)
            for (int64_t j = 1; j < solid->rows - 1; j++) {
                int64_t at = i * plane + j * row;
                advance_row(next + at, now + at, row, plane, solid->columns, solid->rate);
            }
        double *other = now;
        now = next;
        next = other;
        barrier_wait(&solid->barrier);
    }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "solid steps rate k l m p result");
    Array solid = array_load("solid", "<f8", 3);
    Array other = array_new("<f8", 3, solid.extent);
    int threads = argument_threads();
    Heat state = {.now = solid.data, .next = other.data, .planes = solid.extent[0], .rows = solid.extent[1],
                  .columns = solid.extent[2], .steps = argument_any_integer("steps"), .rate = argument_real("rate"),
                  .threads = threads, .barrier.threads = threads};
    memcpy(other.data, solid.data, (size_t)solid.count * solid.size); /* the surface of the second copy */

    double begin = clock_now();
    if (state.planes < 3 || state.rows < 3 || state.columns < 3) state.steps = 0; /* nothing but surface */
    threads_run(threads, heat, &state);
    timing_print("Heat 3d", begin);

    array_store("result", state.steps % 2 == 0 ? solid : other);
    array_free(&solid);
    array_free(&other);
    return 0;
}
