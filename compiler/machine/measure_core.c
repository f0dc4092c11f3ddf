/* Timing a core by itself: its clock, its operations in vectors, and the cycles of what programs do one by one. Each loop
 * runs some milliseconds; of several attempts the fastest counts, because everything else on the machine only delays. */
#include "compiler/machine/probe.h"
#include <math.h>
#include <stdlib.h>
#include <time.h>

double probe_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double probe_two_digits(double value) {
    if (!(value > 0)) return MACHINE_UNSTATED;
    double scale = pow(10, floor(log10(value)) - 1);
    char digits[32];
    snprintf(digits, sizeof digits, "%.1e", round(value / scale) * scale);
    return strtod(digits, NULL);
}

/* ---- Clock and operations ---------------------------------------------------------------------- */

/* A chain of additions advances by one in each cycle. */
static double time_clock(void) {
    enum { ROUNDS = 400000, UNROLLED = 16 };
    double best = 1e9;
    for (int attempt = 0; attempt < 5; attempt++) {
        unsigned long sum = 1, step = 3;
        double start = probe_now();
        for (int i = 0; i < ROUNDS; i++) {
            for (int j = 0; j < UNROLLED; j++) {
                sum += step;
                __asm__ volatile("" : "+r"(sum), "+r"(step));
            }
        }
        double elapsed = probe_now() - start;
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
        double start = probe_now();
        sink = sink + work();
        double elapsed = probe_now() - start;
        if (elapsed < best) best = elapsed;
    }
    double vectors = (double)CHAINS * FLOP_ROUNDS / best / clock;
    return fmax(1, round(vectors)) * 2 * width;
}

/* ---- Cycles ---------------------------------------------------------------------------------------------------- */
/* Before the compiler's eyes a value may have changed: no vectors, nothing is moved out of the loop. */
#define OPAQUE(value) __asm__ volatile("" : "+x"(value))
#if !defined(__x86_64__)
#undef OPAQUE
#define OPAQUE(value) __asm__ volatile("" : "+w"(value))
#endif
enum { NUMBERS = 1024, ATTEMPTS = 15, SWEEPS = 40 };

typedef struct Numbers {
    double a[NUMBERS], b[NUMBERS], c[NUMBERS];
} Numbers;

/* Two loads, a product, a sum, a comparison, a store, and the loop itself (two): the mixture of scalar loops. */
enum { SCALAR_OPERATIONS = 8 };
static void run_scalar(Numbers *numbers) {
    for (int i = 0; i < NUMBERS; i++) {
        double value = numbers->a[i] * 1.0001;
        OPAQUE(value);
        value += numbers->b[i];
        if (value < 0) value = 1;
        numbers->c[i] = value;
    }
}

static void run_dependent(Numbers *numbers) {
    double sum = numbers->c[0];
    for (int i = 0; i < NUMBERS; i++) {
        sum += 1.5;
        OPAQUE(sum);
    }
    numbers->c[0] = sum > 1e9 ? 0 : sum;
}

static void run_divide(Numbers *numbers) {
    for (int i = 0; i < NUMBERS; i++) {
        double value = numbers->a[i] / numbers->b[i];
        OPAQUE(value);
        numbers->c[i] = value;
    }
}

static void run_function(Numbers *numbers) {
    for (int i = 0; i + 2 < NUMBERS; i += 3) {
        numbers->c[i] = exp(numbers->a[i]);
        numbers->c[i + 1] = sin(numbers->a[i + 1]);
        numbers->c[i + 2] = log(numbers->a[i + 2]);
    }
}

/* Loops of one to seven iterations, prepared for vectors (this file is compiled at -O3, as programs are), of lengths
 * that no processor foresees; what they take beyond as many iterations of a long loop is the start. */
static __attribute__((noinline)) void add_row(double *restrict to, const double *restrict from, int64_t count) {
    for (int64_t i = 0; i < count; i++) to[i] = to[i] * 0.5 + from[i];
}

static int run_loops(Numbers *numbers) {
    uint64_t random = 88172645463325252u;
    int loops = 0;
    for (int i = 0, count; i + 7 < NUMBERS; i += count, loops++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        count = 1 + (int)((random >> 33) % 7);
        add_row(numbers->c + i, numbers->a + i, count);
    }
    return loops;
}

static void run_short_loops(Numbers *numbers) { numbers->b[0] += 1e-9 * run_loops(numbers); }

static void run_long_loop(Numbers *numbers) { add_row(numbers->c, numbers->a, NUMBERS); }

/* Vectors from two arrays into a third: what a core loads and stores. */
#if defined(__x86_64__)
__attribute__((noinline, target("avx2"))) static void combine_wide(double *restrict c, const double *a, const double *b, size_t count) {
    for (size_t i = 0; i < count; i++) c[i] = a[i] + b[i];
}
#endif
__attribute__((noinline)) static void combine(double *restrict c, const double *a, const double *b, size_t count) {
    for (size_t i = 0; i < count; i++) c[i] = a[i] + b[i];
}

/* Seconds of one call. */
static double best_of(void (*run)(Numbers *numbers), Numbers *numbers) {
    double best = 1e9;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        double start = probe_now();
        for (int sweep = 0; sweep < SWEEPS; sweep++) run(numbers);
        double elapsed = (probe_now() - start) / SWEEPS;
        if (elapsed < best) best = elapsed;
    }
    return best;
}

/* Bytes a second of vectors that go through half of the core's memory: what a program's parts are like that fit into it. */
static double time_own_memory(double memory) {
    enum { LEAST = 3 * 8 * NUMBERS, MOST = 4 << 20 };
    double half = machine_is_stated(memory) ? memory / 2 : 0;
    size_t count = (size_t)fmin(fmax(half, LEAST), MOST) / (3 * sizeof(double)) / 4 * 4;
    double *a = calloc(3 * count, sizeof *a), best = 1e9;
    if (!a) return 0;
    void (*combining)(double *restrict, const double *, const double *, size_t) = combine;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) combining = combine_wide;
#endif
    for (size_t i = 0; i < 3 * count; i++) a[i] = 1; /* zeros that nobody has written share one page */
    for (int attempt = 0; attempt < ATTEMPTS * SWEEPS; attempt++) {
        double start = probe_now();
        combining(a + 2 * count, a, a + count, count);
        best = fmin(best, probe_now() - start);
    }
    free(a);
    return 3.0 * (double)count * sizeof *a / best;
}

static void time_cycles(double clock, MachineAttributes *out) {
    Numbers *numbers = calloc(1, sizeof *numbers);
    if (!numbers) return;
    for (int i = 0; i < NUMBERS; i++) numbers->a[i] = 1 + i * 1e-3, numbers->b[i] = 2 + i * 1e-3;
    double each = clock / NUMBERS;
    out->memory_bandwidth = probe_two_digits(time_own_memory(out->memory));
    out->scalar = probe_two_digits(best_of(run_scalar, numbers) * each / SCALAR_OPERATIONS);
    out->dependent = probe_two_digits(best_of(run_dependent, numbers) * each);
    out->divide = probe_two_digits(best_of(run_divide, numbers) * each);
    out->function = probe_two_digits(best_of(run_function, numbers) * each);
    double starts = (best_of(run_short_loops, numbers) - best_of(run_long_loop, numbers)) * clock;
    out->start = probe_two_digits(fmax(1, starts / run_loops(numbers)));
    free(numbers);
}

void probe_measure_core(MachineAttributes *out) {
    double clock = time_clock();
    out->clock = probe_two_digits(clock);
    out->operations = time_operations(clock);
    time_cycles(clock, out);
}
