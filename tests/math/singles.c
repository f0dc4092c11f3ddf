/* Single-precision functions of one argument against the C library's in double precision, which err by less than a millionth of
 * a single unit. check_singles.py compiles this file and divides the 2^32 numbers among processes.
 *
 *   singles NAME FIRST END EVERY      bits FIRST, FIRST + EVERY, ... below END, as floats
 *
 * prints: the largest error in units in the last place; its argument and the result there; how many results are not the number
 * closest to the exact value; how many there were. Special results, infinities and the signs of zeros must be the C library's:
 * else the error is 1e9. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/math/math.h"
#include "runtime/math/names.h"

enum { BLOCK = 4096 };
typedef struct Block { float x[BLOCK], own[BLOCK]; double exact[BLOCK]; } Block;

#define LOOP(name)                                                                          \
    static void loop_##name(Block *restrict b) {                                            \
        for (int i = 0; i < BLOCK; i++) b->own[i] = hp5_##name##f(b->x[i]);                 \
        for (int i = 0; i < BLOCK; i++) b->exact[i] = name((double)b->x[i]);                \
    }
HP5_MATH_ONE(LOOP)

static const struct {
    const char *name;
    void (*loop)(Block *);
} FUNCTIONS[] = {
#define ENTRY(name) {#name, loop_##name},
    HP5_MATH_ONE(ENTRY)
};

/* In units in the last place of the exact value. */
static double error_of(float got, double exact) {
    static const double overflow = 0x1.ffffffp127; /* rounds to infinity from there on */
    const double wide = (double)got, size = fabs(exact);
    if (exact != exact || wide != wide) return exact != exact && wide != wide ? 0 : 1e9;
    if (!signbit(wide) != !signbit(exact)) return 1e9;
    if (isinf(wide) || size >= overflow) return isinf(wide) && size >= overflow ? 0 : 1e9;
    if (exact == 0) return wide == 0 ? 0 : 1e9;
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    const uint64_t field = bits >> 52, least = 1023 - 126, unit = (field < least ? least : field) - 23 << 52;
    double ulp;
    memcpy(&ulp, &unit, sizeof ulp);
    return fabs(wide - exact) / ulp;
}

int main(int argc, char **argv) {
    if (argc != 5) return fprintf(stderr, "usage: singles NAME FIRST END EVERY\n"), 2;
    const uint64_t first = strtoull(argv[2], NULL, 0), end = strtoull(argv[3], NULL, 0), every = strtoull(argv[4], NULL, 0);
    void (*loop)(Block *) = NULL;
    for (size_t f = 0; f < sizeof FUNCTIONS / sizeof FUNCTIONS[0]; f++)
        if (strcmp(argv[1], FUNCTIONS[f].name) == 0) loop = FUNCTIONS[f].loop;
    if (loop == NULL || every == 0) return fprintf(stderr, "singles: no function %s\n", argv[1]), 2;
    static Block block;
    double worst = 0;
    float at = 0, got = 0;
    uint64_t wrong = 0, count = 0;
    for (uint64_t start = first; start < end; start += BLOCK * every) {
        int n = 0;
        for (; n < BLOCK && start + (uint64_t)n * every < end; n++) {
            const uint32_t word = (uint32_t)(start + (uint64_t)n * every);
            memcpy(&block.x[n], &word, sizeof word);
        }
        loop(&block);
        count += (uint64_t)n;
        for (int i = 0; i < n; i++) {
            const double error = error_of(block.own[i], block.exact[i]);
            wrong += error > 0.500001;
            if (error > worst) worst = error, at = block.x[i], got = block.own[i];
        }
    }
    printf("%.6f %a %a %llu %llu\n", worst, (double)at, (double)got, (unsigned long long)wrong, (unsigned long long)count);
    return 0;
}
