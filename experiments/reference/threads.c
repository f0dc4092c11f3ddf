/* See threads.h. */
#define _GNU_SOURCE /* pthread_setaffinity_np */
#include "threads.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Member {
    int rank;
    void (*work)(int rank, void *data);
    void *data;
    pthread_t thread;
} Member;

static void *member_main(void *argument) {
    Member *member = argument;
    cpu_set_t core;
    CPU_ZERO(&core);
    CPU_SET((unsigned)member->rank, &core);
    pthread_setaffinity_np(pthread_self(), sizeof core, &core); /* without the core it runs where it may */
    member->work(member->rank, member->data);
    return NULL;
}

void threads_run(int threads, void (*work)(int rank, void *data), void *data) {
    Member *members = calloc((size_t)threads, sizeof *members);
    if (members == NULL) {
        perror("threads");
        exit(1);
    }
    for (int rank = 0; rank < threads; rank++) {
        members[rank] = (Member){.rank = rank, .work = work, .data = data};
        if (pthread_create(&members[rank].thread, NULL, member_main, &members[rank]) != 0) {
            perror("pthread_create");
            exit(1);
        }
    }
    for (int rank = 0; rank < threads; rank++) pthread_join(members[rank].thread, NULL);
    free(members);
}

void barrier_wait(Barrier *barrier) {
    int phase = atomic_load_explicit(&barrier->phase, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) + 1 == barrier->threads) {
        atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&barrier->phase, phase + 1, memory_order_release);
        return;
    }
    for (int spins = 0; atomic_load_explicit(&barrier->phase, memory_order_acquire) == phase; spins++)
        if (spins > 100000) sched_yield();
}
