/* How far the mathematical functions (runtime/math) are from the exact values, which MPFR gives. How to read it: main goes
 * through the functions; measure_* feed arguments to note, which compares one result and remembers the worst.
 *
 *   accuracy [--count N] [--table] [NAME…]      N arguments of each kind (default 2000)
 *
 * (check_singles.py goes through every single-precision number.)
 * Errors are in units in the last place (ulps) of the exact value. Special results, infinities and the signs of zeros must be
 * as C's Annex F says. The exit status is 1 where a function errs by more than its limit in LIMITS. */
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/math/math.h"
#include "runtime/math/names.h"

typedef int Exact(mpfr_t result, const mpfr_t x, const mpfr_t y);

/* ---- The functions -------------------------------------------------------------------------------- */
#define EXACT_ONE(name, call)                                                             \
    static int exact_##name(mpfr_t result, const mpfr_t x, const mpfr_t y) {              \
        (void)y;                                                                          \
        return call(result, x, MPFR_RNDN);                                                \
    }                                                                                     \
    static double own_##name(double x, double y) { return (void)y, hp5_##name(x); }       \
    static float single_##name(float x, float y) { return (void)y, hp5_##name##f(x); }
#define EXACT_TWO(name)                                                                   \
    static int exact_##name(mpfr_t result, const mpfr_t x, const mpfr_t y) { return mpfr_##name(result, x, y, MPFR_RNDN); } \
    static double own_##name(double x, double y) { return hp5_##name(x, y); }             \
    static float single_##name(float x, float y) { return hp5_##name##f(x, y); }
static int gamma_size(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode) {
    int sign;
    return mpfr_lgamma(result, &sign, x, mode);
}
#define mpfr_lgamma_size gamma_size
#define ONE(name) EXACT_ONE(name, mpfr_##name)
ONE(acos) ONE(acosh) ONE(asin) ONE(asinh) ONE(atan) ONE(atanh) ONE(cbrt) ONE(cos) ONE(cosh) ONE(erf) ONE(erfc) ONE(exp)
ONE(exp2) ONE(expm1) ONE(log) ONE(log10) ONE(log1p) ONE(log2) ONE(sin) ONE(sinh) ONE(tan) ONE(tanh)
EXACT_ONE(lgamma, gamma_size)
EXACT_ONE(tgamma, mpfr_gamma)
EXACT_TWO(atan2)
EXACT_TWO(hypot)
EXACT_TWO(pow)

typedef struct Function {
    const char *name;
    double (*own)(double, double);
    float (*single)(float, float);
    Exact *exact;
    double low, high; /* where most of its use lies */
    double limit;     /* of the error in double precision */
    bool two;
} Function;
#define F1(name, low, high, limit) {#name, own_##name, single_##name, exact_##name, low, high, limit, false}
#define F2(name, low, high, limit) {#name, own_##name, single_##name, exact_##name, low, high, limit, true}
static const Function FUNCTIONS[] = {
    F1(acos, -1, 1, 0.65), F1(acosh, 1, 10, 0.65), F1(asin, -1, 1, 0.65), F1(asinh, -5, 5, 0.65), F1(atan, -5, 5, 0.65),
    F2(atan2, -5, 5, 0.8), F1(atanh, -1, 1, 0.65), F1(cbrt, -10, 10, 0.55), F1(cos, -10, 10, 0.55), F1(cosh, -10, 10, 0.8),
    F1(erf, -6, 6, 0.8), F1(erfc, -6, 27, 0.9), F1(exp, -20, 20, 0.55), F1(exp2, -20, 20, 0.8), F1(expm1, -5, 5, 0.95),
    F2(hypot, -5, 5, 0.8), F1(lgamma, -20, 20, 0.8), F1(log, 0, 10, 0.55), F1(log10, 0, 10, 0.6), F1(log1p, -1, 5, 0.65),
    F1(log2, 0, 10, 0.6), F2(pow, 0, 20, 0.8), F1(sin, -10, 10, 0.55), F1(sinh, -10, 10, 0.85), F1(tan, -10, 10, 0.65),
    F1(tanh, -5, 5, 0.7), F1(tgamma, -30, 30, 0.9),
};
enum { COUNT_OF_FUNCTIONS = sizeof FUNCTIONS / sizeof FUNCTIONS[0] };
static const double SINGLE_LIMIT = 0.501;
static const double SUBNORMAL_LIMIT = 0.8; /* results below 2^-1022 may be rounded twice */

/* ---- One comparison ---------------------------------------------------------------------------------- */
typedef struct Worst { double error, x, y, got; } Worst;
typedef struct Measure {
    const Function *function;
    mpfr_t x, y, exact, difference;
    Worst double_worst, single_worst, subnormal_worst;
    uint64_t seed;
} Measure;

/* The error of `got` in ulps of a format of `bits` bits whose smallest number is 2^least; 1e9: another special value. */
static double error_of(Measure *m, double got, int bits, int least) {
    const double largest = bits == 53 ? 0x1.fffffffffffffp1023 : 0x1.fffffep127;
    if (mpfr_nan_p(m->exact) || isnan(got)) return mpfr_nan_p(m->exact) && isnan(got) ? 0 : 1e9;
    if (mpfr_inf_p(m->exact)) return isinf(got) && (got > 0) == (mpfr_sgn(m->exact) > 0) ? 0 : 1e9;
    if (mpfr_zero_p(m->exact)) return got == 0 && !signbit(got) == !mpfr_signbit(m->exact) ? 0 : 1e9;
    if (isinf(got)) { /* right where the value is above the largest number or rounds to it by less than 1 ulp */
        const double value = mpfr_get_d(m->exact, MPFR_RNDZ);
        return (got > 0) == (value > 0) && fabs(value) >= largest ? 0 : 1e9;
    }
    if (got == 0 && !signbit(got) != !mpfr_signbit(m->exact)) return 1e9;
    long exponent = mpfr_get_exp(m->exact) - bits;
    if (exponent < least) exponent = least;
    mpfr_set_d(m->difference, got, MPFR_RNDN);
    mpfr_sub(m->difference, m->difference, m->exact, MPFR_RNDN);
    mpfr_mul_2si(m->difference, m->difference, -exponent, MPFR_RNDN);
    return fabs(mpfr_get_d(m->difference, MPFR_RNDA));
}

static void remember(Worst *worst, double error, double x, double y, double got) {
    if (error > worst->error) *worst = (Worst){error, x, y, got};
}

static void note(Measure *m, double x, double y) {
    const Function *f = m->function;
    mpfr_set_d(m->x, x, MPFR_RNDN);
    mpfr_set_d(m->y, y, MPFR_RNDN);
    f->exact(m->exact, m->x, m->y);
    const double got = f->own(x, y);
    const bool subnormal = fabs(got) < 0x1p-1022 && got != 0 && f->limit < SUBNORMAL_LIMIT;
    remember(subnormal ? &m->subnormal_worst : &m->double_worst, error_of(m, got, 53, -1074), x, y, got);
    if ((double)(float)x != x || (f->two && (double)(float)y != y)) {
        x = (double)(float)x;
        y = (double)(float)y;
        mpfr_set_d(m->x, x, MPFR_RNDN);
        mpfr_set_d(m->y, y, MPFR_RNDN);
        f->exact(m->exact, m->x, m->y);
    }
    const double single = (double)f->single((float)x, (float)y);
    remember(&m->single_worst, error_of(m, single, 24, -149), x, y, single);
}

/* ---- Arguments ------------------------------------------------------------------------------------------ */
static uint64_t random_bits(Measure *m) { /* splitmix64 */
    uint64_t z = m->seed += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}
static double unit(Measure *m) { return (double)(random_bits(m) >> 11) * 0x1p-53; }
static double of_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static const double SPECIAL[] = {0.0, 0x1p-1074, 0x1p-149, 0x1p-1022, 0x1p-126, 0x1p-54, 0x1p-28, 0x1p-27, 0.25, 0.5, 0.72, 0.75, 1.0, 1.5, 2.0,
    2.5, 3.0, 4.0, 5.0, 6.0, 10.0, 19.0, 20.0, 22.0, 26.5, 28.0, 33.0, 88.72284, 89.0, 103.98, 171.62437695630272, 172.0, 184.5, 500.0, 709.782712893384,
    710.4758600739439, 745.1332191019411, 1023.5, 1024.0, 1074.5, 1000000.0, 0x1p31, 0x1p52, 0x1p53, 9007199254740993.0, 4503599627370497.5, 0x1p63,
    0x1p300, 0x1p500, 0x1.754d9278b51a7p1014, 0x1p1020, 0x1.fffffffffffffp1023, 0x1.fffffep127, INFINITY, NAN, 0x1.921fb54442d18p0,
    0x1.921fb54442d18p1, 1.4616321449683622, 2.4570247382208006, 2.7476826467274126, 3.0, 1.0 / 3};
enum { SPECIALS = sizeof SPECIAL / sizeof SPECIAL[0] };

/* 0: the number, 1 and 2: its neighbours; 3 to 5: their negatives. */
static double special(int i, int form) {
    const double x = SPECIAL[i];
    const double near = form % 3 == 0 ? x : nextafter(x, form % 3 == 1 ? INFINITY : -INFINITY);
    return form < 3 ? near : -near;
}

static void measure_special(Measure *m) {
    for (int i = 0; i < SPECIALS * 6; i++) {
        if (!m->function->two) note(m, special(i / 6, i % 6), 0);
        for (int k = 0; m->function->two && k < SPECIALS * 6; k++) note(m, special(i / 6, i % 6), special(k / 6, k % 6));
    }
}

/* Every binade of both signs; for two arguments a random one for the second. */
static void measure_binades(Measure *m, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const uint64_t exponent = (uint64_t)(i % 2047), bits = (random_bits(m) & 0x800FFFFFFFFFFFFF) | exponent << 52;
        double y = of_bits(random_bits(m));
        if (strcmp(m->function->name, "pow") == 0) y = ldexp(2 * unit(m) - 1, (int)(i % 64) - 40);
        else if (i & 1) y = ldexp(of_bits(bits), (int)(random_bits(m) % 120) - 60); /* of similar size */
        note(m, of_bits(bits), y);
    }
}

static void measure_usual(Measure *m, int64_t count) {
    const Function *f = m->function;
    for (int64_t i = 0; i < count; i++) {
        const double y = f->low + (f->high - f->low) * unit(m);
        note(m, f->low + (f->high - f->low) * unit(m), y);
        if (strcmp(f->name, "pow") == 0) note(m, 1 + (unit(m) - 0.5) * 0x1p-8, (unit(m) - 0.5) * 0x1p18); /* to the ends of the range */
    }
}

/* Where results leave the range of numbers, at both ends: they come from other multiplications there. */
static void measure_ends(Measure *m, int64_t count) {
    const char *const names[] = {"exp", "expm1", "sinh", "cosh", "exp2"};
    const double from[] = {700, 700, 700, 700, 1010}, to[] = {746, 746, 746, 746, 1076};
    for (int i = 0; i < 5; i++)
        for (int64_t k = 0; strcmp(m->function->name, names[i]) == 0 && k < count; k++) {
            const double x = from[i] + (to[i] - from[i]) * unit(m);
            note(m, x, 0);
            note(m, -x, 0);
        }
}

/* Numbers closest to multiples of pi / 2 in each binade: the denominators below 2^53 of the continued fraction of 2^e 2 / pi. */
static void measure_circles(Measure *m) {
    const char *const names[] = {"sin", "cos", "tan"};
    bool circle = false;
    for (int i = 0; i < 3; i++) circle |= strcmp(m->function->name, names[i]) == 0;
    mpfr_t rest, whole;
    mpfr_inits2(1500, rest, whole, (mpfr_ptr)NULL);
    for (int e = -60; circle && e <= 971; e++) {
        mpfr_const_pi(rest, MPFR_RNDN);
        mpfr_ui_div(rest, 2, rest, MPFR_RNDN);
        mpfr_mul_2si(rest, rest, e, MPFR_RNDN);
        double before = 0, now = 1;
        while (now < 0x1p53) {
            note(m, ldexp(now, e), 0);
            mpfr_floor(whole, rest);
            mpfr_sub(rest, rest, whole, MPFR_RNDN);
            if (mpfr_zero_p(rest)) break;
            mpfr_ui_div(rest, 1, rest, MPFR_RNDN);
            mpfr_floor(whole, rest);
            const double next = mpfr_get_d(whole, MPFR_RNDN) * now + before;
            before = now;
            now = next;
        }
    }
    mpfr_clears(rest, whole, (mpfr_ptr)NULL);
}

/* lgamma: the numbers around its zeros; tgamma: those around its poles. */
static void measure_gammas(Measure *m, int64_t count) {
    if (strstr(m->function->name, "gamma") == NULL) return;
    for (int zero = 0; zero < 34; zero++) {
        const double place = hp5_lgamma_zeros[zero][0];
        for (int64_t k = 0; k < count / 20 + 20; k++) {
            const double far = ldexp(unit(m), -(int)(random_bits(m) % 52));
            note(m, place + (k & 1 ? far : -far) * fabs(place - rint(place)), 0);
            note(m, place + (double)(k - 10) * fabs(place) * 0x1p-52, 0);
            note(m, rint(place) + (double)(k - 10) * fabs(place) * 0x1p-52, 0);
        }
    }
}

static bool report(const Measure *m, bool table) {
    const Worst *d = &m->double_worst, *s = &m->single_worst;
    const Function *f = m->function;
    const bool good = d->error <= f->limit && s->error <= SINGLE_LIMIT && m->subnormal_worst.error <= SUBNORMAL_LIMIT;
    if (table) {
        printf("| `%s` | %.3f | `%a`%s", f->name, d->error, d->x, f->two ? "" : " |");
        if (f->two) printf(", `%a` |", d->y);
        printf(" %.4f |\n", s->error);
    } else {
        printf("%-7s double %.4f at %a %a (%a), single %.5f at %a %a (%a), subnormal %.4f at %a %a%s\n", f->name, d->error, d->x, d->y, d->got, s->error, s->x,
               s->y, s->got, m->subnormal_worst.error, m->subnormal_worst.x, m->subnormal_worst.y, good ? "" : "  ABOVE ITS LIMIT");
    }
    fflush(stdout);
    return good;
}

static bool measure(const Function *function, int64_t count, bool table) {
    Measure m = {.function = function, .seed = (uint64_t)(function - FUNCTIONS) + 1};
    mpfr_inits2(53, m.x, m.y, (mpfr_ptr)NULL);
    mpfr_inits2(160, m.exact, m.difference, (mpfr_ptr)NULL);
    measure_special(&m);
    measure_binades(&m, count);
    measure_usual(&m, count);
    measure_ends(&m, count);
    measure_circles(&m);
    measure_gammas(&m, count);
    mpfr_clears(m.x, m.y, m.exact, m.difference, (mpfr_ptr)NULL);
    return report(&m, table);
}

static bool is_wanted(const char *name, int argc, char **argv, int first) {
    for (int i = first; i < argc; i++)
        if (strcmp(argv[i], name) == 0) return true;
    return first >= argc;
}

int main(int argc, char **argv) {
    int64_t count = 2000;
    bool table = false, good = true;
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--table") == 0) table = true;
        else if (strcmp(argv[i], "--count") == 0 && i + 1 < argc) count = atoll(argv[++i]);
        else return fprintf(stderr, "accuracy: unknown option %s\n", argv[i]), 2;
    }
    if (table) printf("| function | largest error, double | at | largest error, single |\n|---|---|---|---|\n");
    for (int f = 0; f < COUNT_OF_FUNCTIONS; f++) {
        if (!is_wanted(FUNCTIONS[f].name, argc, argv, i)) continue;
        good &= measure(&FUNCTIONS[f], count, table);
    }
    mpfr_free_cache();
    return good ? 0 : 1;
}
