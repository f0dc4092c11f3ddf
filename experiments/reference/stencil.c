/* Hand-written 5-point stencil: two buffers, one band of rows for each pinned thread, a spinning
 * barrier between refinements. The opponent of programs/stencil in experiments/compare.py.
 *
 *     stencil INPUT.npy OUTPUT.npy ITERATIONS THREADS
 *
 * Prints the seconds of the refinements alone. Reads and writes what NumPy writes: version 1, '<f8', C order.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

typedef struct Plate {
    char header[256];
    size_t header_length;
    int64_t rows, columns;
    double *data;
} Plate;

typedef struct Work {
    double *buffer[2];
    int64_t rows, columns, iterations;
    int threads;
    _Alignas(64) atomic_int arrived;
    _Alignas(64) atomic_int phase;
} Work;
typedef struct Worker {
    Work *work;
    int rank;
    pthread_t thread;
} Worker;

static void barrier(Work *work) {
    int phase = atomic_load_explicit(&work->phase, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&work->arrived, 1, memory_order_acq_rel) == work->threads - 1) {
        atomic_store_explicit(&work->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&work->phase, phase + 1, memory_order_release);
        return;
    }
    for (int spins = 0; atomic_load_explicit(&work->phase, memory_order_acquire) == phase; spins++)
        if (spins > 100000) sched_yield();
}

static void refine(double *restrict new, const double *restrict old, int64_t columns, int64_t first,
                   int64_t last) {
    for (int64_t i = first; i < last; i++) {
        double *restrict out = new + i *columns;
        const double *restrict up = old + (i - 1) * columns, *restrict down = old + (i + 1) * columns;
        const double *restrict here = old + i * columns;
        for (int64_t j = 1; j < columns - 1; j++)
            out[j] = 0.25 * (up[j] + down[j] + here[j - 1] + here[j + 1]);
    }
}

static void *run(void *data) {
    Worker *worker = data;
    Work *work = worker->work;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(worker->rank, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    int64_t inner = work->rows - 2, first = 1 + inner * worker->rank / work->threads;
    int64_t last = 1 + inner * (worker->rank + 1) / work->threads;
    for (int64_t step = 0; step < work->iterations; step++) {
        refine(work->buffer[(step + 1) % 2], work->buffer[step % 2], work->columns, first, last);
        barrier(work);
    }
    return NULL;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

/* In large pages where the system has them, as the hp5 runtime does. */
static double *buffer_new(size_t bytes) {
    size_t page = (size_t)2 << 20, whole = (bytes + page - 1) / page * page;
    double *buffer = aligned_alloc(page, whole);
    if (buffer == NULL) fail("aligned_alloc");
    madvise(buffer, whole, MADV_HUGEPAGE);
    return buffer;
}

static Plate load(const char *path) {
    Plate plate = {0};
    FILE *file = fopen(path, "rb");
    if (file == NULL) fail(path);
    unsigned char start[10];
    if (fread(start, 1, 10, file) != 10) fail(path);
    plate.header_length = 10u + start[8] + 256u * start[9];
    if (plate.header_length > sizeof plate.header) fail("header");
    memcpy(plate.header, start, 10);
    if (fread(plate.header + 10, 1, plate.header_length - 10, file) != plate.header_length - 10) fail(path);
    const char *shape = strstr(plate.header + 10, "'shape': (");
    long long rows, columns;
    if (shape == NULL || sscanf(shape, "'shape': (%lld, %lld)", &rows, &columns) != 2) fail("shape");
    plate.rows = rows;
    plate.columns = columns;
    plate.data = buffer_new((size_t)(rows * columns) * sizeof(double));
    if (fread(plate.data, 8, (size_t)(rows * columns), file) != (size_t)(rows * columns)) fail(path);
    fclose(file);
    return plate;
}

int main(int argc, char **argv) {
    if (argc != 5) return fprintf(stderr, "usage: stencil INPUT.npy OUTPUT.npy ITERATIONS THREADS\n"), 2;
    Plate plate = load(argv[1]);
    size_t bytes = (size_t)(plate.rows * plate.columns) * sizeof(double);
    Work work = {
        .rows = plate.rows, .columns = plate.columns, .iterations = atoll(argv[3]), .threads = atoi(argv[4])};
    work.buffer[0] = plate.data;
    work.buffer[1] = buffer_new(bytes);
    memcpy(work.buffer[1], plate.data, bytes);
    Worker *workers = calloc((size_t)work.threads, sizeof *workers);
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int t = 0; t < work.threads; t++) {
        workers[t] = (Worker){.work = &work, .rank = t};
        if (pthread_create(&workers[t].thread, NULL, run, &workers[t]) != 0) fail("pthread_create");
    }
    for (int t = 0; t < work.threads; t++) pthread_join(workers[t].thread, NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.6f\n", (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9);
    FILE *file = fopen(argv[2], "wb");
    if (file == NULL || fwrite(plate.header, 1, plate.header_length, file) != plate.header_length ||
        fwrite(work.buffer[work.iterations % 2], 1, bytes, file) != bytes || fclose(file) != 0)
        fail(argv[2]);
    free(work.buffer[0]);
    free(work.buffer[1]);
    free(workers);
    return 0;
}
