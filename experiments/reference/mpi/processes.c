#define _GNU_SOURCE
#include "processes.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Processes processes_begin(int argc, char **argv, const char *names) {
    Processes processes;
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &processes.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes.count);
    arguments_read(argc, argv, names);
    return processes;
}

static size_t row_bytes(const char *type, int dimensions, const int64_t *extent) {
    size_t bytes = (size_t)atoll(type + 2);
    for (int d = 1; d < dimensions; d++) bytes *= (size_t)extent[d];
    return bytes;
}

Rows rows_open(const char *argument, const char *type, int dimensions) {
    Rows rows = {0};
    rows.file = array_open(argument, type, dimensions, rows.extent);
    rows.start = ftell(rows.file);
    rows.bytes = row_bytes(type, dimensions, rows.extent);
    return rows;
}

Rows rows_create(Processes processes, const char *argument, const char *type, int dimensions, const int64_t *extent) {
    Rows rows = {.bytes = row_bytes(type, dimensions, extent)};
    memcpy(rows.extent, extent, (size_t)dimensions * sizeof *extent);
    if (processes.rank == 0) {
        Array array = {.dimensions = dimensions};
        strcpy(array.type, type);
        memcpy(array.extent, extent, (size_t)dimensions * sizeof *extent);
        rows.file = array_create(argument, array);
        rows.start = ftell(rows.file);
        fflush(rows.file);
        if (ftruncate(fileno(rows.file), rows.start + extent[0] * (int64_t)rows.bytes) != 0) fail(1, "%s: no room", argument_text(argument));
    }
    MPI_Bcast(&rows.start, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (processes.rank > 0) rows.file = fopen(argument_text(argument), "r+b");
    if (rows.file == NULL) fail(1, "%s: cannot be opened", argument_text(argument));
    return rows;
}

static void transfer(const Rows *rows, int64_t first, size_t bytes, char *data, bool writes) {
    int64_t at = rows->start + first * (int64_t)rows->bytes;
    while (bytes > 0) {
        ssize_t done = writes ? pwrite(fileno(rows->file), data, bytes, at) : pread(fileno(rows->file), data, bytes, at);
        if (done <= 0) fail(1, "a file of rows cannot be %s", writes ? "written" : "read");
        data += done, at += done, bytes -= (size_t)done;
    }
}

static void transfer_rows(const Rows *rows, int64_t first, int64_t step, int64_t count, char *data, bool writes) {
    if (step == 1) {
        transfer(rows, first, (size_t)count * rows->bytes, data, writes);
        return;
    }
    for (int64_t i = 0; i < count; i++) transfer(rows, first + i * step, rows->bytes, data + (size_t)i * rows->bytes, writes);
}

void rows_read(const Rows *rows, int64_t first, int64_t step, int64_t count, void *to) {
    transfer_rows(rows, first, step, count, to, false);
}

void rows_write(const Rows *rows, int64_t first, int64_t step, int64_t count, const void *from) {
    transfer_rows(rows, first, step, count, (char *)(uintptr_t)from, true);
}

void rows_close(Rows *rows) {
    if (fclose(rows->file) != 0) fail(1, "a file of rows cannot be closed");
}

double clock_together(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    return clock_now();
}

void timing_print_together(Processes processes, const char *task, double begin) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (processes.rank == 0) timing_print(task, begin);
}
