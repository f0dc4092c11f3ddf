/* InstanceLimit: at most so many LPUs of an LPS at once. A thread that leads an LPU's group takes one of the limit's places
 * when the LPU is entered and gives it back when it is left; the group's other threads wait for it both times. Nobody
 * waits for another LPU of the same LPS while holding a place, and places of a child LPS are taken while holding one of its
 * parent, never the other way round, so that threads cannot wait for each other in a circle. */
#include "runtime/run/private.h"
#include <stdio.h>

typedef struct Hp5Limit {
    pthread_mutex_t lock;
    pthread_cond_t free_place;
    int64_t places;      /* 0: no limit */
    int64_t taken, most; /* now, and the most of this execution */
} Hp5Limit;

void hp5_limits_create(Hp5TaskRun *run) {
    const Hp5TaskDesc *desc = run->desc;
    if (desc->limits == NULL) return;
    Hp5Limit *limits = run->hidden->limits = hp5_alloc_zeroed((int64_t)sizeof(Hp5Limit) * desc->lps_count, "limits");
    for (int x = 0; x < desc->lps_count; x++) {
        limits[x].places = desc->limits[x];
        pthread_mutex_init(&limits[x].lock, NULL);
        pthread_cond_init(&limits[x].free_place, NULL);
    }
}

void hp5_limits_free(Hp5TaskRun *run) {
    for (int x = 0; run->hidden->limits != NULL && x < run->desc->lps_count; x++) {
        pthread_mutex_destroy(&run->hidden->limits[x].lock);
        pthread_cond_destroy(&run->hidden->limits[x].free_place);
    }
    hp5_free(run->hidden->limits);
}

void hp5_limits_start(Hp5TaskRun *run) {
    for (int x = 0; run->hidden->limits != NULL && x < run->desc->lps_count; x++) run->hidden->limits[x].most = 0;
}

void hp5_limit_reached(Hp5TaskRun *run, int lps, int64_t most) { run->hidden->limits[lps].most = most; }

static void take_place(Hp5Limit *limit) {
    pthread_mutex_lock(&limit->lock);
    while (limit->taken == limit->places) pthread_cond_wait(&limit->free_place, &limit->lock);
    limit->taken++;
    if (limit->taken > limit->most) limit->most = limit->taken;
    pthread_mutex_unlock(&limit->lock);
}

static void give_place(Hp5Limit *limit) {
    pthread_mutex_lock(&limit->lock);
    limit->taken--;
    pthread_cond_signal(&limit->free_place);
    pthread_mutex_unlock(&limit->lock);
}

/* For a card's prediction one thread walks the flow. */
static bool is_walked_alone(const Hp5Worker *w) { return w->run->desc->card != NULL; }

void hp5_enter(Hp5Worker *w, int lps) {
    if (is_walked_alone(w)) return;
    if (hp5_leads(w, lps)) take_place(&w->run->hidden->limits[lps]);
    hp5_sync(w, lps);
}

void hp5_leave(Hp5Worker *w, int lps) {
    if (is_walked_alone(w)) return;
    hp5_sync(w, lps);
    if (hp5_leads(w, lps)) give_place(&w->run->hidden->limits[lps]);
}

void hp5_limits_report(const Hp5TaskRun *run) {
    for (int x = 0; run->hidden->limits != NULL && x < run->desc->lps_count; x++) {
        const Hp5Limit *limit = &run->hidden->limits[x];
        if (limit->places == 0) continue;
        fprintf(stderr, "  LPUs of Space %s at once: %lld at most (limit %lld)\n", run->desc->lpses[x].name,
                (long long)limit->most, (long long)limit->places);
    }
}
