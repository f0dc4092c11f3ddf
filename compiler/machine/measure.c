/* Timing what lies between cores and memories: a few short experiments, each bounded in time, together a few
 * seconds. They give the order of magnitude that a model needs, on a machine that may be busy with other things; the
 * best of the attempts counts where noise can only harm. The core by itself is timed in measure_core.c. */
#include "compiler/machine/probe.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* ---- Bandwidth ---------------------------------------------------------------------------- */

typedef uint64_t Words __attribute__((vector_size(32)));
enum { WORDS_A_ROUND = 16, MOST_READERS = 256 };
static const double bandwidth_seconds = 0.05;
/* The best stretch counts: on a busy machine a thread is interrupted every few milliseconds. */
static const double stretch_seconds = 0.0005;

/* As compiled programs keep their arrays; free() frees it. */
static void *large_pages(size_t bytes) {
    static const size_t page = 2u << 20;
    size_t whole = (bytes + page - 1) / page * page;
    void *memory = aligned_alloc(page, whole);
    if (memory) madvise(memory, whole, MADV_HUGEPAGE);
    return memory;
}

typedef struct Reader {
    const ProbeTopology *probe;
    hwloc_const_cpuset_t set;
    Words *chunk;
    size_t words; /* a multiple of WORDS_A_ROUND */
    atomic_int *waiting;
    double bandwidth;
    pthread_t thread;
} Reader;

#define DEFINE_READ(name, options)                                          \
    options static uint64_t name(const Words *chunk, size_t words) {        \
        Words a = {0}, b = {0}, c = {0}, d = {0};                           \
        for (size_t i = 0; i < words; i += 4) {                             \
            a ^= chunk[i];                                                  \
            b ^= chunk[i + 1];                                              \
            c ^= chunk[i + 2];                                              \
            d ^= chunk[i + 3];                                              \
        }                                                                   \
        a ^= b ^ c ^ d;                                                     \
        return a[0] ^ a[1] ^ a[2] ^ a[3];                                   \
    }
DEFINE_READ(read_words, )
#if defined(__x86_64__)
DEFINE_READ(read_wide, __attribute__((target("avx2"))))
#endif

static uint64_t read_once(const Words *chunk, size_t words) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return read_wide(chunk, words);
#endif
    return read_words(chunk, words);
}

static void *run_reader(void *argument) {
    Reader *reader = argument;
    hwloc_set_cpubind(reader->probe->topology, reader->set, HWLOC_CPUBIND_THREAD);
    memset(reader->chunk, 1, reader->words * sizeof *reader->chunk); /* first touch, and into the cache */
    atomic_fetch_sub(reader->waiting, 1);
    while (atomic_load(reader->waiting) > 0) sched_yield();
    volatile uint64_t sink = 0;
    double opened = probe_now(), start = opened, end = opened, bytes = 0;
    while (end - opened < bandwidth_seconds) {
        sink = sink ^ read_once(reader->chunk, reader->words);
        bytes += (double)(reader->words * sizeof *reader->chunk);
        end = probe_now();
        if (end - start < stretch_seconds) continue;
        if (bytes / (end - start) > reader->bandwidth) reader->bandwidth = bytes / (end - start);
        start = end;
        bytes = 0;
    }
    return NULL;
}

/* Bytes a second that the cores in `set` read together from `bytes` of memory; 0: failed. */
static double time_bandwidth(const ProbeTopology *probe, hwloc_const_cpuset_t set, size_t bytes) {
    static const size_t round = WORDS_A_ROUND;
    int count = hwloc_get_nbobjs_inside_cpuset_by_type(probe->topology, set, probe->core_type);
    if (count < 1) return 0;
    if (count > MOST_READERS) count = MOST_READERS;
    Reader *readers = calloc((size_t)count, sizeof *readers);
    size_t words = bytes / sizeof(Words) / (size_t)count / round * round;
    if (words < round) words = round;
    Words *memory = large_pages(words * (size_t)count * sizeof(Words));
    atomic_int waiting = count;
    int started = 0;
    double sum = 0;
    for (; readers && memory && started < count; started++) {
        hwloc_obj_t core =
            hwloc_get_obj_inside_cpuset_by_type(probe->topology, set, probe->core_type, (unsigned)started);
        readers[started] = (Reader){.probe = probe,
                                    .set = core->cpuset,
                                    .chunk = memory + words * (size_t)started,
                                    .words = words,
                                    .waiting = &waiting};
        if (pthread_create(&readers[started].thread, NULL, run_reader, &readers[started]) != 0) break;
    }
    bool complete = readers && memory && started == count;
    if (!complete) atomic_store(&waiting, 0); /* let those that wait go */
    for (int i = 0; i < started; i++) {
        pthread_join(readers[i].thread, NULL);
        sum += readers[i].bandwidth;
    }
    free(memory);
    free(readers);
    return complete ? sum : 0;
}

/* Others on the machine only take away: the best of some attempts. */
static double best_bandwidth(const ProbeTopology *probe, hwloc_const_cpuset_t set, size_t bytes) {
    double best = 0;
    for (int attempt = 0; attempt < 3; attempt++) best = fmax(best, time_bandwidth(probe, set, bytes));
    return best;
}

/* ---- Latency ---------------------------------------------------------------------------------- */

typedef struct Latency {
    double dependent, independent; /* seconds of one read in `bytes` of memory: that waits for the one before; that does not */
} Latency;

static Latency time_latency(size_t bytes, size_t line) {
    size_t count = bytes / line, stride = line / sizeof(size_t);
    size_t *memory = count > 1 ? large_pages(count * line) : NULL;
    if (!memory) return (Latency){0, 0};
    /* Sattolo's shuffle: one cycle through all lines */
    for (size_t i = 0; i < count; i++) memory[i * stride] = i;
    uint64_t random = 88172645463325252u;
    for (size_t i = count - 1; i > 0; i--) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        size_t j = random % i, kept = memory[i * stride];
        memory[i * stride] = memory[j * stride];
        memory[j * stride] = kept;
    }
    enum { READS = 5000 };
    size_t at = 0;
    Latency best = {1e9, 1e9};
    for (double opened = probe_now(), start = opened, end; start - opened < 0.06; start = end) {
        for (int i = 0; i < READS; i++) at = memory[at * stride];
        __asm__ volatile("" : "+r"(at));
        end = probe_now();
        best.dependent = fmin(best.dependent, end - start);
    }
    for (double opened = probe_now(), start = opened, end; start - opened < 0.06; start = end) {
        for (int i = 0; i < READS; i++) { /* where to read next does not come from memory */
            random = random * 6364136223846793005u + 1442695040888963407u;
            at += memory[(size_t)((random >> 32) * count >> 32) * stride];
        }
        __asm__ volatile("" : "+r"(at));
        end = probe_now();
        best.independent = fmin(best.independent, end - start);
    }
    free(memory);
    return (Latency){best.dependent / READS, best.independent / READS};
}

/* ---- Exchange ------------------------------------------------------------------------------------ */

typedef struct Exchange {
    const ProbeTopology *probe;
    hwloc_const_cpuset_t set;
    _Alignas(128) atomic_long ball; /* even: ours, odd: theirs; negative: stop */
} Exchange;

static void *run_partner(void *argument) {
    Exchange *exchange = argument;
    hwloc_set_cpubind(exchange->probe->topology, exchange->set, HWLOC_CPUBIND_THREAD);
    for (;;) {
        long seen = atomic_load(&exchange->ball);
        if (seen < 0) return NULL;
        if (seen & 1) atomic_compare_exchange_strong(&exchange->ball, &seen, seen + 1);
    }
}

static const double rally_seconds = 0.05;

typedef struct Rally {
    Exchange exchange;
    hwloc_const_cpuset_t own_set;
    double seconds;
} Rally;

static void *run_rally(void *argument) {
    Rally *rally = argument;
    hwloc_set_cpubind(rally->exchange.probe->topology, rally->own_set, HWLOC_CPUBIND_THREAD);
    pthread_t partner;
    if (pthread_create(&partner, NULL, run_partner, &rally->exchange) != 0) return NULL;
    /* The partner has started once the ball comes back; then the clock runs. */
    double opened = probe_now(), start = opened, end = opened;
    long first = 0, ball = 0;
    while (end - opened < rally_seconds) {
        for (int i = 0; i < 1000; i++) {
            ball = atomic_load(&rally->exchange.ball);
            if (!(ball & 1)) atomic_store(&rally->exchange.ball, ball + 1);
        }
        end = probe_now();
        if (ball - first < 1000) continue;
        double each = (end - start) / (double)(ball - first);
        if (first > 0 && (rally->seconds == 0 || each < rally->seconds)) rally->seconds = each;
        first = ball;
        start = end;
    }
    atomic_store(&rally->exchange.ball, -1);
    pthread_join(partner, NULL);
    return NULL;
}

/* Seconds for one message between the first cores of two sets; 0: failed. */
static double time_exchange(const ProbeTopology *probe, hwloc_const_cpuset_t a, hwloc_const_cpuset_t b) {
    hwloc_obj_t first = hwloc_get_obj_inside_cpuset_by_type(probe->topology, a, HWLOC_OBJ_PU, 0);
    hwloc_obj_t second = hwloc_get_obj_inside_cpuset_by_type(probe->topology, b, HWLOC_OBJ_PU, 0);
    double best = 0;
    for (int attempt = 0; attempt < 3; attempt++) {
        Rally rally = {.exchange = {.probe = probe, .set = second->cpuset}, .own_set = first->cpuset};
        pthread_t thread;
        if (pthread_create(&thread, NULL, run_rally, &rally) != 0) return best;
        pthread_join(thread, NULL);
        if (rally.seconds > 0 && (best == 0 || rally.seconds < best)) best = rally.seconds;
    }
    return best;
}

/* ---- All together ------------------------------------------------------------------------------------ */

/* Bytes to read so that they come from the memory of a level above `level`, and not from
 * a memory nearer; 0 when no level above has a memory. Of a cache, as much as is far from both ends: others have lines in it, too. */
static size_t working_set(const MachineAttributes *attributes, size_t level) {
    size_t above = level;
    while (above > 0 && !machine_is_stated(attributes[above - 1].memory)) above--;
    if (above-- == 0) return 0;
    double nearer = machine_is_stated(attributes[level].memory) ? attributes[level].memory : 0;
    double memory = attributes[above].memory, largest = 256.0 * 1024 * 1024;
    double wanted = memory > 1e9 ? 4 * nearer : nearer > 0 ? fmin(memory / 2, sqrt(memory * nearer)) : memory / 2;
    if (memory > 1e9 && wanted < 64.0 * 1024 * 1024) wanted = 64.0 * 1024 * 1024;
    if (wanted > largest) wanted = largest;
    return (size_t)(wanted < memory / 4 || memory <= 1e9 ? wanted : memory / 4);
}

static void measure_level(const ProbeTopology *probe, MachineAttributes *attributes, size_t i) {
    const ProbeLevel *level = &probe->levels.items[i], *above = &probe->levels.items[i - 1];
    MachineAttributes *out = &attributes[i];
    int64_t siblings = level->count / above->count;
    size_t bytes = working_set(attributes, i);
    double one = bytes > 0 ? best_bandwidth(probe, level->sets[0], bytes) : 0;
    if (one > 0) {
        double all = siblings > 1 ? best_bandwidth(probe, above->sets[0], bytes) : one;
        double at_once = round(all / one);
        out->move_bandwidth = probe_two_digits(one);
        out->move_width = probe->line;
        Latency latency = time_latency(bytes < 96u << 20 ? bytes : 96u << 20, (size_t)probe->line);
        out->move_latency = probe_two_digits(latency.dependent);
        if (latency.independent > 0) out->move_in_flight = fmax(1, round(latency.dependent / latency.independent));
        if (siblings > 1) out->move_at_once = fmax(1, fmin(at_once, (double)siblings));
    }
    if (siblings > 1) out->exchange = probe_two_digits(time_exchange(probe, level->sets[0], level->sets[1]));
}

void probe_measure(const ProbeTopology *probe, MachineAttributes *attributes) {
    size_t core = 0;
    while (probe->levels.items[core].type != probe->core_type) core++;
    probe_measure_core(&attributes[core]);
    for (size_t i = 1; i < probe->levels.count; i++) measure_level(probe, attributes, i);
}
