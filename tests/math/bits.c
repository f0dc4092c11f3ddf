/* Checksums of what the mathematical functions give, one line for each: check_bits.py compiles this file for several
 * processors and with several compilers, and compares the lines.
 *
 *   bits COUNT [NAME]      COUNT arguments for each function
 *
 * Arguments: special values and their neighbours, each with each; then doubles of random bits, so of all binades; numbers between -20 and 20, and
 * next to multiples of 1/16 and pi / 2. They go through an array in loops that compilers make vectors of, and through
 * single calls; NaNs count as one value, as in files. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/math/math.h"
#include "runtime/math/names.h"

enum { BLOCK = 1024 };

static uint64_t seed;
static uint64_t random_bits(void) { /* splitmix64 */
    uint64_t z = seed += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

static const double SPECIAL[] = {0.0, 0x1p-1074, 0x1p-1023, 0x1p-1022, 0x1p-600, 0x1p-300, 0x1p-54, 0x1p-28, 0x1p-27, 0.25, 0.5, 0.75, 1.0, 1.5,
    2.0, 2.5, 3.0, 4.0, 10.0, 19.0, 20.0, 28.0, 171.5, 500.0, 709.75, 710.5, 745.25, 1023.0, 1024.0, 1074.0, 0x1p52, 0x1p53, 0x1p63, 0x1p300,
    0x1p500, 0x1p600, 0x1p1000, 0x1p1020, 0x1.fffffffffffffp1023, INFINITY, NAN};
enum { SPECIALS = 6 * sizeof SPECIAL / sizeof SPECIAL[0] }; /* with their neighbours and negatives */

static double special(int64_t i) {
    uint64_t bits;
    memcpy(&bits, &SPECIAL[i / 6], sizeof bits);
    if (i / 2 % 3 > 0 && bits > 0) bits += i / 2 % 3 == 1 ? 1 : (uint64_t)-1; /* the next, the one before */
    bits |= (uint64_t)(i & 1) << 63;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double argument(int64_t i) {
    const uint64_t r = random_bits();
    double unit = (double)(r >> 12) * 0x1p-52, x;
    switch (i & 3) {
    case 0: memcpy(&x, &r, sizeof x); return x;
    case 1: return 40.0 * unit - 20.0;
    case 2: return (double)((int64_t)(r >> 40 & 1023) - 512) * 0.0625 + (unit - 0.5) * 0x1p-40;
    default: return (double)(int64_t)(r >> 50) * 0x1.921fb54442d18p0 + (unit - 0.5) * 0x1p-48;
    }
}

static void add(uint64_t *sum, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (value != value) bits = 0x7FF8000000000000;
    *sum = (*sum ^ bits) * 0x9E3779B97F4A7C15;
    *sum ^= *sum >> 29;
}

typedef struct Block { double x[BLOCK], y[BLOCK], result[BLOCK]; float x_single[BLOCK], y_single[BLOCK], result_single[BLOCK]; } Block;

#define LOOPS_ONE(name)                                                                                            \
    static void loop_##name(Block *restrict b) {                                                                   \
        for (int i = 0; i < BLOCK; i++) b->result[i] = hp5_##name(b->x[i]);                                       \
        for (int i = 0; i < BLOCK; i++) b->result_single[i] = hp5_##name##f(b->x_single[i]);                      \
    }                                                                                                              \
    __attribute__((noinline)) static double call_##name(double x, double y) { return y == y ? hp5_##name(x) : hp5_##name(x); }
#define LOOPS_TWO(name)                                                                                            \
    static void loop_##name(Block *restrict b) {                                                                   \
        for (int i = 0; i < BLOCK; i++) b->result[i] = hp5_##name(b->x[i], b->y[i]);                              \
        for (int i = 0; i < BLOCK; i++) b->result_single[i] = hp5_##name##f(b->x_single[i], b->y_single[i]);      \
    }                                                                                                              \
    __attribute__((noinline)) static double call_##name(double x, double y) { return hp5_##name(x, y); }
HP5_MATH_ONE(LOOPS_ONE)
HP5_MATH_TWO(LOOPS_TWO)

static const struct {
    const char *name;
    void (*loop)(Block *);
    double (*call)(double, double);
} FUNCTIONS[] = {
#define ENTRY(name) {#name, loop_##name, call_##name},
    HP5_MATH_ONE(ENTRY) HP5_MATH_TWO(ENTRY)
};

int main(int argc, char **argv) {
    int64_t count = argc > 1 ? atoll(argv[1]) : 100000;
    static Block block;
    for (size_t f = 0; f < sizeof FUNCTIONS / sizeof FUNCTIONS[0]; f++) {
        if (argc > 2 && strcmp(argv[2], FUNCTIONS[f].name) != 0) continue;
        uint64_t sum = 0, singles = 0;
        seed = f;
        for (int64_t first = 0; first < count; first += BLOCK) {
            for (int i = 0; i < BLOCK; i++) {
                const int64_t number = first + i; /* each special value with each, then any with any */
                const bool both = number < SPECIALS * SPECIALS;
                block.x[i] = both ? special(number % SPECIALS) : argument(number);
                block.y[i] = both ? special(number / SPECIALS) : argument(number / 4);
                block.x_single[i] = (float)block.x[i];
                block.y_single[i] = (float)block.y[i];
            }
            FUNCTIONS[f].loop(&block);
            for (int i = 0; i < BLOCK; i++) add(&sum, block.result[i]);
            for (int i = 0; i < BLOCK; i++) add(&singles, (double)block.result_single[i]);
            for (int i = first == 0 ? 0 : BLOCK - 8; i < BLOCK; i++) add(&sum, FUNCTIONS[f].call(block.x[i], block.y[i]));
        }
        printf("%s %016llx %016llx\n", FUNCTIONS[f].name, (unsigned long long)sum, (unsigned long long)singles);
    }
    return 0;
}
