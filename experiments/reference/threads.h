/* What every Pthreads program needs: pinned threads, a barrier that spins, a share of a range. */
#ifndef HP5_REFERENCE_THREADS_H
#define HP5_REFERENCE_THREADS_H
#include <stdatomic.h>
#include <stdint.h>

typedef struct Barrier {
    _Alignas(64) atomic_int arrived;
    _Alignas(64) atomic_int phase;
    int threads;
} Barrier;

/* Runs work(rank, data) for ranks 0 … threads - 1 on a thread each, rank r on core r; returns when all have ended. */
void threads_run(int threads, void (*work)(int rank, void *data), void *data);
/* All threads of the barrier meet here: what any wrote before is visible to all after. */
void barrier_wait(Barrier *barrier);
/* The first index of part `part` of `parts` nearly equal parts of begin … end - 1; that of part + 1 is its end. */
static inline int64_t share(int64_t begin, int64_t end, int64_t part, int64_t parts) {
    return begin + (end - begin) * part / parts;
}
#endif
