/* Timing a machine: a few short experiments, each bounded in time, together under two
 * seconds. They give the order of magnitude that a model needs, on a machine that may be
 * busy with other things; the best of the attempts counts where noise can only harm. */
#include "compiler/machine/probe.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Measurements are not more exact than this. */
static double two_digits(double value) {
    if (!(value > 0)) return MACHINE_UNSTATED;
    double scale = pow(10, floor(log10(value)) - 1);
    char digits[32];
    snprintf(digits, sizeof digits, "%.1e", round(value / scale) * scale);
    return strtod(digits, NULL);
}

/* ---- A core: clock and operations ------------------------------------------------------ */

/* A chain of additions advances by one in each cycle. */
static double time_clock(void) {
    enum { ROUNDS = 400000, UNROLLED = 16 };
    double best = 1e9;
    for (int attempt = 0; attempt < 5; attempt++) {
        unsigned long sum = 1, step = 3;
        double start = now();
        for (int i = 0; i < ROUNDS; i++) {
            for (int j = 0; j < UNROLLED; j++) {
                sum += step;
                __asm__ volatile("" : "+r"(sum), "+r"(step));
            }
        }
        double elapsed = now() - start;
        if (elapsed < best) best = elapsed;
    }
    return (double)ROUNDS * UNROLLED / best;
}

enum { CHAINS = 12, FLOP_ROUNDS = 100000 };

/* CHAINS independent chains of multiply-adds on vectors of `width` doubles, compiled for
 * the instruction set in `options`. Variables, not an array, so that each stays in a register. */
#define EACH_CHAIN(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define DECLARE_CHAIN(j) Lanes c##j = scale * (1.0 + (j));
#define ADVANCE_CHAIN(j) c##j = ADVANCE(c##j, scale);
#define ADD_CHAIN(j) sum += c##j[0];
#define DEFINE_MULTIPLY_ADDS(name, options, width)                                                           \
    options static double name(void) {                                                                       \
        typedef double Lanes __attribute__((vector_size((width) * sizeof(double))));                         \
        Lanes scale = {0};                                                                                   \
        double sum = 0;                                                                                      \
        scale += 0.999999;                                                                                   \
        EACH_CHAIN(DECLARE_CHAIN)                                                                            \
        for (int i = 0; i < FLOP_ROUNDS; i++) { EACH_CHAIN(ADVANCE_CHAIN) }                                  \
        EACH_CHAIN(ADD_CHAIN)                                                                                \
        return sum;                                                                                          \
    }
#define ADVANCE(x, y) ((x) * (y) + (y))
DEFINE_MULTIPLY_ADDS(multiply_adds_2, , 2)
#if defined(__x86_64__)
#include <immintrin.h>
#undef ADVANCE
#define ADVANCE(x, y) ((Lanes)_mm256_fmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(y)))
DEFINE_MULTIPLY_ADDS(multiply_adds_4, __attribute__((target("avx2,fma"))), 4)
#undef ADVANCE
#define ADVANCE(x, y) ((Lanes)_mm512_fmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(y)))
DEFINE_MULTIPLY_ADDS(multiply_adds_8, __attribute__((target("avx512f"))), 8)
#endif

/* Operations in one cycle with the widest vectors that this processor has: a whole
 * number of multiply-adds on whole vectors. */
static double time_operations(double clock) {
    double (*work)(void) = multiply_adds_2;
    double width = 2, best = 1e9;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) work = multiply_adds_8, width = 8;
    else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        work = multiply_adds_4, width = 4;
#endif
    volatile double sink = 0;
    for (int attempt = 0; attempt < 20; attempt++) {
        double start = now();
        sink = sink + work();
        double elapsed = now() - start;
        if (elapsed < best) best = elapsed;
    }
    double vectors = (double)CHAINS * FLOP_ROUNDS / best / clock;
    return fmax(1, round(vectors)) * 2 * width;
}

/* ---- Bandwidth ---------------------------------------------------------------------------- */

typedef uint64_t Words __attribute__((vector_size(32)));
enum { WORDS_A_ROUND = 16, MOST_READERS = 256 };
static const double bandwidth_seconds = 0.05;

typedef struct Reader {
    const ProbeTopology *probe;
    hwloc_const_cpuset_t set;
    Words *chunk;
    size_t words; /* a multiple of WORDS_A_ROUND */
    atomic_int *waiting;
    double bandwidth;
    pthread_t thread;
} Reader;

static uint64_t read_once(const Words *chunk, size_t words) {
    Words a = {0}, b = {0}, c = {0}, d = {0};
    for (size_t i = 0; i < words; i += 4) {
        a ^= chunk[i];
        b ^= chunk[i + 1];
        c ^= chunk[i + 2];
        d ^= chunk[i + 3];
    }
    a ^= b ^ c ^ d;
    return a[0] ^ a[1] ^ a[2] ^ a[3];
}

static void *run_reader(void *argument) {
    Reader *reader = argument;
    hwloc_set_cpubind(reader->probe->topology, reader->set, HWLOC_CPUBIND_THREAD);
    memset(reader->chunk, 1, reader->words * sizeof *reader->chunk); /* first touch, and into the cache */
    atomic_fetch_sub(reader->waiting, 1);
    while (atomic_load(reader->waiting) > 0) sched_yield();
    volatile uint64_t sink = 0;
    double start = now(), elapsed = 0, bytes = 0;
    while (elapsed < bandwidth_seconds) {
        sink = sink ^ read_once(reader->chunk, reader->words);
        bytes += (double)(reader->words * sizeof *reader->chunk);
        elapsed = now() - start;
    }
    reader->bandwidth = bytes / elapsed;
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
    Words *memory = aligned_alloc(sizeof(Words), words * (size_t)count * sizeof(Words));
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

/* ---- Latency ---------------------------------------------------------------------------------- */

/* Seconds of one read that depends on the one before, in `bytes` of memory. */
static double time_latency(size_t bytes, size_t line) {
    size_t count = bytes / line, stride = line / sizeof(size_t);
    size_t *memory = count > 1 ? malloc(count * line) : NULL;
    if (!memory) return 0;
    /* Sattolo's shuffle: one cycle through all lines */
    for (size_t i = 0; i < count; i++) memory[i * stride] = i;
    uint64_t random = 88172645463325252u;
    for (size_t i = count - 1; i > 0; i--) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        size_t j = random % i, kept = memory[i * stride];
        memory[i * stride] = memory[j * stride];
        memory[j * stride] = kept;
    }
    size_t at = 0, reads = 0;
    double start = now(), elapsed = 0;
    while (elapsed < 0.03) {
        for (int i = 0; i < 10000; i++) at = memory[at * stride];
        __asm__ volatile("" : "+r"(at));
        reads += 10000;
        elapsed = now() - start;
    }
    free(memory);
    return elapsed / (double)reads;
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

static const double rally_seconds = 0.015;

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
    double opened = now(), start = 0, end = opened;
    long first = 0, ball = 0;
    while (end - opened < rally_seconds * 4 && (first == 0 || end - start < rally_seconds)) {
        for (int i = 0; i < 1000; i++) {
            ball = atomic_load(&rally->exchange.ball);
            if (!(ball & 1)) atomic_store(&rally->exchange.ball, ball + 1);
        }
        end = now();
        if (first == 0 && ball >= 1000) first = ball, start = end;
    }
    atomic_store(&rally->exchange.ball, -1);
    pthread_join(partner, NULL);
    if (first > 0 && ball > first) rally->seconds = (end - start) / (double)(ball - first);
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
 * a memory nearer; 0 when no level above has a memory. */
static size_t working_set(const MachineAttributes *attributes, size_t level) {
    size_t above = level;
    while (above > 0 && !machine_is_stated(attributes[above - 1].memory)) above--;
    if (above-- == 0) return 0;
    double nearer = machine_is_stated(attributes[level].memory) ? attributes[level].memory : 0;
    double memory = attributes[above].memory, largest = 256.0 * 1024 * 1024;
    double wanted = memory > 1e9 ? 4 * nearer : memory / 2;
    if (memory > 1e9 && wanted < 64.0 * 1024 * 1024) wanted = 64.0 * 1024 * 1024;
    if (wanted > largest) wanted = largest;
    return (size_t)(wanted < memory / 4 || memory <= 1e9 ? wanted : memory / 4);
}

static void measure_level(const ProbeTopology *probe, MachineAttributes *attributes, size_t i) {
    const ProbeLevel *level = &probe->levels.items[i], *above = &probe->levels.items[i - 1];
    MachineAttributes *out = &attributes[i];
    int64_t siblings = level->count / above->count;
    size_t bytes = working_set(attributes, i);
    double one = bytes > 0 ? time_bandwidth(probe, level->sets[0], bytes) : 0;
    if (one > 0) {
        double all = siblings > 1 ? time_bandwidth(probe, above->sets[0], bytes) : one;
        double at_once = round(all / one);
        out->move_bandwidth = two_digits(one);
        out->move_width = probe->line;
        double latency = time_latency(bytes < 96u << 20 ? bytes : 96u << 20, (size_t)probe->line);
        out->move_latency = two_digits(latency);
        if (siblings > 1) out->move_at_once = fmax(1, fmin(at_once, (double)siblings));
    }
    if (siblings > 1) out->exchange = two_digits(time_exchange(probe, level->sets[0], level->sets[1]));
}

void probe_measure(const ProbeTopology *probe, MachineAttributes *attributes) {
    size_t core = 0;
    while (probe->levels.items[core].type != probe->core_type) core++;
    double clock = time_clock();
    attributes[core].clock = two_digits(clock);
    attributes[core].operations = time_operations(clock);
    for (size_t i = 1; i < probe->levels.count; i++) measure_level(probe, attributes, i);
}
