/* Barriers and signals (team.h). How to read it: a waiter looks at one futex word, first by
 * spinning (only where every thread has a core), then in the kernel. Whoever changes the
 * word looks at `sleepers` afterwards. Both sides use sequentially consistent operations for that
 * pair, so that either the waker sees the sleeper or the sleeper sees the new value; the kernel checks the
 * word once more before it puts anybody to sleep. */
#include "runtime/team/team.h"
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_SPINS = 4000 };

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void futex_wait(_Atomic uint32_t *word, uint32_t expected) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

static void futex_wake_all(_Atomic uint32_t *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void hp5_barrier_then(Hp5Group *group, void (*then)(void *data), void *data) {
    if (group->count <= 1) {
        if (then) then(data);
        return;
    }
    uint32_t phase = atomic_load_explicit(&group->phase, memory_order_relaxed);
    uint32_t before = atomic_fetch_add_explicit(&group->arrived, 1, memory_order_acq_rel);
    if (before + 1 == (uint32_t)group->count) {
        if (then) then(data);
        atomic_store_explicit(&group->arrived, 0, memory_order_relaxed);
        atomic_store(&group->phase, phase + 1);
        if (atomic_load(&group->sleepers) > 0) futex_wake_all(&group->phase);
        return;
    }
    for (int spins = group->spin ? MOST_SPINS : 0; spins > 0; spins--) {
        if (atomic_load_explicit(&group->phase, memory_order_acquire) != phase) return;
        relax();
    }
    atomic_fetch_add(&group->sleepers, 1);
    while (atomic_load(&group->phase) == phase) futex_wait(&group->phase, phase);
    atomic_fetch_sub(&group->sleepers, 1);
}

void hp5_barrier(Hp5Group *group) { hp5_barrier_then(group, NULL, NULL); }

void hp5_signal_raise(Hp5Signal *signal) {
    atomic_fetch_add(&signal->value, 1);
    if (atomic_load(&signal->sleepers) > 0) futex_wake_all(&signal->value);
}

/* The difference as a signed number: right as long as the two are less than 2^31 apart. */
static bool reached(uint32_t value, uint32_t at_least) { return (int32_t)(value - at_least) >= 0; }

void hp5_signal_wait(Hp5Signal *signal, uint32_t at_least, bool spin) {
    for (int spins = spin ? MOST_SPINS : 1; spins > 0; spins--) {
        if (reached(atomic_load_explicit(&signal->value, memory_order_acquire), at_least)) return;
        relax();
    }
    atomic_fetch_add(&signal->sleepers, 1);
    for (;;) {
        uint32_t value = atomic_load(&signal->value);
        if (reached(value, at_least)) break;
        futex_wait(&signal->value, value);
    }
    atomic_fetch_sub(&signal->sleepers, 1);
}
