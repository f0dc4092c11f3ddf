/* A band of rows for each process, and the rows of its neighbours beside it: what the stencils share. A row is what lies together for
 * one index of the first dimension, a plane of a solid. */
#ifndef HP5_REFERENCE_BAND_H
#define HP5_REFERENCE_BAND_H
#include "processes.h"

/* In memory, row 0 and row `rows + 1` are the neighbours', where there are any. */
typedef struct Band {
    int64_t begin, rows, total; /* row 1 is the array's row `begin`, of `total` */
    int64_t first, last;        /* rows first … last - 1 change: not the array's own border */
    size_t bytes;               /* of a row */
    int above, below;           /* processes, or MPI_PROC_NULL */
} Band;

enum { BAND_REQUESTS = 4 };

static inline Band band_of(Processes processes, const Rows *rows) {
    Band band = {.total = rows->extent[0], .bytes = rows->bytes, .begin = share(rows->extent[0], processes.rank, processes.count)};
    int64_t end = share(band.total, processes.rank + 1, processes.count);
    band.rows = end - band.begin;
    if (band.rows < 1) fail(2, "more processes than rows");
    band.first = band.begin == 0 ? 2 : 1;
    band.last = band.rows + (end == band.total ? 0 : 1);
    band.above = processes.rank > 0 ? processes.rank - 1 : MPI_PROC_NULL;
    band.below = processes.rank + 1 < processes.count ? processes.rank + 1 : MPI_PROC_NULL;
    return band;
}

/* Memory for a band, and what the file has of it, the neighbours' rows included. */
static inline void *band_load(const Band *band, const Rows *rows) {
    bool has_above = band->begin > 0, has_below = band->begin + band->rows < band->total;
    char *memory = memory_new((size_t)(band->rows + 2) * band->bytes);
    rows_read(rows, band->begin - has_above, 1, band->rows + has_above + has_below, memory + (has_above ? 0 : band->bytes));
    return memory;
}

/* The messages of a band in this memory: its ends go out, the neighbours' come in. */
static inline void band_prepare(const Band *band, void *memory, MPI_Request requests[BAND_REQUESTS]) {
    char *row = memory;
    int count = (int)band->bytes;
    size_t bytes = band->bytes;
    MPI_Recv_init(row, count, MPI_BYTE, band->above, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(row + (size_t)(band->rows + 1) * bytes, count, MPI_BYTE, band->below, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Send_init(row + bytes, count, MPI_BYTE, band->above, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Send_init(row + (size_t)band->rows * bytes, count, MPI_BYTE, band->below, 1, MPI_COMM_WORLD, &requests[3]);
}

/* Rows first … last - 1 by compute(state, from, to): the ends first, which travel while the others are computed. */
static inline void band_step(const Band *band, MPI_Request *requests, void (*compute)(const void *state, int64_t from, int64_t to), const void *state) {
    if (band->first < band->last) compute(state, band->first, band->first + 1);
    if (band->last - 1 > band->first) compute(state, band->last - 1, band->last);
    MPI_Startall(BAND_REQUESTS, requests);
    if (band->last - 1 > band->first + 1) compute(state, band->first + 1, band->last - 1);
    MPI_Waitall(BAND_REQUESTS, requests, MPI_STATUSES_IGNORE);
}

static inline void band_free(MPI_Request requests[BAND_REQUESTS]) {
    for (int i = 0; i < BAND_REQUESTS; i++) MPI_Request_free(&requests[i]);
}
#endif
