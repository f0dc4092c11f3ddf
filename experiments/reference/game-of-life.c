/* Game of life on a board whose border never changes: each thread has a band of rows; two boards take turns.
 * The loop over a row works on bytes alone, so that the C compiler turns it into vector instructions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common.h"
#include "threads.h"

typedef struct Life {
    char *now, *next;
    int64_t rows, columns, generations;
    int threads;
    Barrier barrier;
    int64_t *population; /* of each thread's rows */
} Life;

static void live_row(char *restrict next, const char *restrict above, const char *restrict row, const char *restrict below,
                     int64_t columns) {
    for (int64_t j = 1; j < columns - 1; j++) {
        unsigned char around = 0;
        around += above[j - 1] == '#';
        around += above[j] == '#';
        around += above[j + 1] == '#';
        around += row[j - 1] == '#';
        around += row[j + 1] == '#';
        around += below[j - 1] == '#';
        around += below[j] == '#';
        around += below[j + 1] == '#';
        char old = row[j], cell = around == 3 ? '#' : '.';
        next[j] = around == 2 ? old : cell;
    }
}

static int64_t count_row(const char *row, int64_t columns) {
    int64_t count = 0;
    for (int64_t j = 0; j < columns; j++) count += row[j] == '#';
    return count;
}

static void live(int rank, void *data) {
    Life *life = data;
    int64_t columns = life->columns;
    int64_t begin = share(1, life->rows - 1, rank, life->threads), end = share(1, life->rows - 1, rank + 1, life->threads);
    char *now = life->now, *next = life->next;
    for (int64_t generation = 0; generation < life->generations; generation++) {
        for (int64_t i = begin; i < end; i++)
            live_row(next + i * columns, now + (i - 1) * columns, now + i * columns, now + (i + 1) * columns, columns);
        char *other = now;
        now = next;
        next = other;
        barrier_wait(&life->barrier);
    }
    begin = share(0, life->rows, rank, life->threads);
    end = share(0, life->rows, rank + 1, life->threads);
    int64_t count = 0;
    for (int64_t i = begin; i < end; i++) count += count_row(now + i * columns, columns);
    life->population[rank] = count;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "board generations k l p result");
    Array board = array_load("board", "|S1", 2);
    Array other = array_new("|S1", 2, board.extent);
    int threads = argument_threads();
    Life life = {.now = board.data, .next = other.data, .rows = board.extent[0], .columns = board.extent[1],
                 .generations = argument_any_integer("generations"), .threads = threads, .barrier.threads = threads,
                 .population = memory_new((size_t)threads * sizeof(int64_t))};
    memcpy(other.data, board.data, (size_t)board.count); /* the border of the second board */

    double begin = clock_now();
    if (life.rows < 3 || life.columns < 3) life.generations = 0; /* nothing but border */
    threads_run(threads, live, &life);
    int64_t population = 0;
    for (int rank = 0; rank < threads; rank++) population += life.population[rank];
    timing_print("Game of Life", begin);

    array_store("result", life.generations % 2 == 0 ? board : other);
    printf("%lld\n", (long long)population);
    array_free(&board);
    array_free(&other);
    free(life.population);
    return 0;
}
