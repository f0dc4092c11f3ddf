/* Game of life with MPI on a board whose border never changes: a band of rows for each process, two boards take turns. The loop over a
 * row works on bytes alone, so that the C compiler turns it into vector instructions.
 *
 *     game-of-life board=FILE result=FILE generations=N [--task-times]
 *
 * Prints how many live in the end.
 */
#include <stdlib.h>
#include <string.h>
#include "band.h"

typedef struct Board {
    char *now, *next;
    int64_t columns;
} Board;

static void live_row(char *restrict next, const char *restrict above, const char *restrict row, const char *restrict below, int64_t columns) {
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

static void live(const void *state, int64_t first, int64_t last) {
    const Board *board = state;
    const int64_t columns = board->columns;
    for (int64_t i = first; i < last; i++) {
        const char *row = board->now + i * columns;
        live_row(board->next + i * columns, row - columns, row, row + columns, columns);
    }
}

static int64_t count_cells(const char *cells, int64_t count) {
    int64_t living = 0;
    for (int64_t i = 0; i < count; i++) living += cells[i] == '#';
    return living;
}

int main(int argc, char **argv) {
    Processes processes = processes_begin(argc, argv, "board generations k l p result");
    Rows rows = rows_open("board", "|S1", 2);
    Band band = band_of(processes, &rows);
    Board board = {band_load(&band, &rows), band_load(&band, &rows), rows.extent[1]};
    MPI_Request requests[2][BAND_REQUESTS];
    band_prepare(&band, board.next, requests[0]);
    band_prepare(&band, board.now, requests[1]);
    int64_t generations = argument_any_integer("generations"), own, all = 0;

    double start = clock_together();
    for (int64_t generation = 0; generation < generations; generation++) {
        band_step(&band, requests[generation % 2], live, &board);
        board = (Board){board.next, board.now, board.columns};
    }
    own = count_cells(board.now + board.columns, band.rows * board.columns);
    MPI_Reduce(&own, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    timing_print_together(processes, "Game of Life", start);

    band_free(requests[0]);
    band_free(requests[1]);
    Rows result = rows_create(processes, "result", "|S1", 2, rows.extent);
    rows_write(&result, band.begin, 1, band.rows, board.now + board.columns);
    if (processes.rank == 0) printf("%lld\n", (long long)all);
    rows_close(&result);
    rows_close(&rows);
    free(board.now);
    free(board.next);
    MPI_Finalize();
    return 0;
}
