/* Poisson's equation on a square by red-black SOR: each thread has a band of rows, and all meet after each colour. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "common.h"
#include "threads.h"

typedef struct Largest {
    _Alignas(64) double value; /* of one thread, on a cache line of its own */
} Largest;

typedef struct Relax {
    double *u;
    const double *f;
    int64_t edge_rows, edge_columns, max_rounds, rounds;
    double omega, tolerance, change;
    int threads;
    Barrier barrier;
    Largest *largest;
} Relax;

static double residual(const double *u, const double *f, int64_t at, int64_t row) {
    return u[at - row] + u[at + row] + u[at - 1] + u[at + 1] - 4 * u[at] - f[at];
}

static void relax_row(double *restrict u, const double *restrict f, int64_t row, int64_t first, double factor) {
    for (int64_t j = first; j < row - 1; j += 2) u[j] += factor * residual(u, f, j, row);
}

static double measure_row(const double *restrict u, const double *restrict f, int64_t row) {
    double largest = 0;
    for (int64_t j = 1; j < row - 1; j++) {
        double size = fabs(residual(u, f, j, row));
        largest = size > largest ? size : largest;
    }
    return largest;
}

static void relax(int rank, void *data) {
    Relax *state = data;
    int64_t row = state->edge_columns;
    int64_t begin = share(1, state->edge_rows - 1, rank, state->threads), end = share(1, state->edge_rows - 1, rank + 1, state->threads);
    double change = state->change;
    int64_t rounds = 0;
    while (change > state->tolerance && rounds < state->max_rounds) {
        for (int colour = 0; colour < 2; colour++) {
            for (int64_t i = begin; i < end; i++)
                relax_row(state->u + i * row, state->f + i * row, row, 1 + (i + 1 + colour) % 2, state->omega * 0.25);
            barrier_wait(&state->barrier);
        }
        double largest = 0;
        for (int64_t i = begin; i < end; i++) largest = fmax(largest, measure_row(state->u + i * row, state->f + i * row, row));
        state->largest[rank].value = largest;
        barrier_wait(&state->barrier);
        change = 0;
        for (int other = 0; other < state->threads; other++) change = fmax(change, state->largest[other].value);
        rounds++;
        barrier_wait(&state->barrier); /* before anybody changes what others still read */
    }
    if (rank == 0) {
        state->change = change;
        state->rounds = rounds;
    }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "u f omega tolerance max_rounds k l result");
    Array u = array_load("u", "<f8", 2), f = array_load("f", "<f8", 2);
    if (u.extent[0] != f.extent[0] || u.extent[1] != f.extent[1]) fail(1, "u and f differ in shape");
    int threads = argument_threads();
    Relax state = {.u = u.data, .f = f.data, .edge_rows = u.extent[0], .edge_columns = u.extent[1],
                   .max_rounds = argument_integer("max_rounds"), .omega = argument_real("omega"),
                   .tolerance = argument_real("tolerance"), .threads = threads, .barrier.threads = threads,
                   .largest = memory_new((size_t)threads * sizeof(Largest))};
    state.change = state.tolerance + 1;

    double begin = clock_now();
    threads_run(threads, relax, &state);
    timing_print("Red-Black SOR", begin);

    array_store("result", u);
    printf("%lld %.17g\n", (long long)state.rounds, state.change);
    array_free(&u);
    array_free(&f);
    free(state.largest);
    return 0;
}
