/* A team of threads that runs one task: pinned with hwloc where there are as many
 * cores as threads, sharing (and then waiting with futexes, not spinning) where not.
 * All synchronisation is C11 atomics with acquire/release on the variables themselves (no
 * fences), so that ThreadSanitizer sees it. */
#ifndef HP5_RUNTIME_TEAM_H
#define HP5_RUNTIME_TEAM_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Hp5Team Hp5Team;

/* Consecutive threads of a team that run one PPU: `first` leads. Groups of one never wait. */
typedef struct Hp5Group {
    int first, count;
    bool spin;                           /* false: oversubscribed, wait in the kernel */
    _Alignas(64) _Atomic uint32_t arrived;
    _Alignas(64) _Atomic uint32_t phase; /* futex word */
    _Atomic uint32_t sleepers;
} Hp5Group;

/* Threads are created once and kept; thread 0 is the caller. `pin`: bind thread t to core t of the allowed set. */
Hp5Team *hp5_team_create(int threads, bool pin);
/* The same beside other teams that run `others` threads at the same time, spinning only where all of them have a processor.
 * The threads are pinned to cores first … first + span - 1, evenly spread: so a thread that stands for a socket is bound to a core
 * of that socket. Where there are not so many cores (or `span` is less than `threads`) they take one core after the other. */
Hp5Team *hp5_team_create_at(int first, int span, int threads, int others, bool pin);
/* A team without threads, for looking at what one would do: it cannot run anything, and its tasks have no elements. */
Hp5Team *hp5_team_imagine(int threads);
bool hp5_team_is_imagined(const Hp5Team *team);
/* A caller with several teams is bound to the place of thread 0 of one of them at a time. */
void hp5_team_enter(const Hp5Team *team);
void hp5_team_leave(const Hp5Team *team);
int hp5_team_size(const Hp5Team *team);
/* Hardware threads that the process may use. */
int hp5_team_processors(const Hp5Team *team);
/* The hardware thread (the system's number) that a thread is bound to; -1: to none. */
int hp5_team_place(const Hp5Team *team, int rank);
/* Runs work(rank, data) on every thread and returns when all are done. */
void hp5_team_run(Hp5Team *team, void (*work)(int rank, void *data), void *data);
void hp5_team_destroy(Hp5Team *team);

void hp5_group_init(Hp5Group *group, const Hp5Team *team, int first, int count);
/* Everybody in the group arrives before anybody leaves. */
void hp5_barrier(Hp5Group *group);
/* The same; the last to arrive runs then(data) before all are let go. */
void hp5_barrier_then(Hp5Group *group, void (*then)(void *data), void *data);

/* A counter on a cache line of its own: one thread raises it, others wait until it has reached a value. */
typedef struct Hp5Signal { _Alignas(64) _Atomic uint32_t value; _Atomic uint32_t sleepers; } Hp5Signal;
void hp5_signal_raise(Hp5Signal *signal);                             /* value + 1, release */
void hp5_signal_wait(Hp5Signal *signal, uint32_t at_least, bool spin); /* acquire; wraps safely */
#endif
