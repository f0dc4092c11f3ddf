/* Arithmetic that C leaves open or undefined, with one meaning for the interpreter and every
 * backend (they include this file, so they cannot differ). Results wrap; the flag versions say
 * whether they did, which checked builds report.
 *
 *   a ** n, Integer n   square and multiply from the low bit of n up; Integer with a negative n
 *                       truncates like 1 / a ** -n, Real with a negative n is 1.0 / a ** -n
 *   a << n, a >> n      n modulo 64; >> keeps the sign
 *   Integer from Real   truncates; out of range or NaN: the nearest Integer, NaN 0 */
#ifndef HP5_RUNTIME_ARITHMETIC_H
#define HP5_RUNTIME_ARITHMETIC_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Whether a * b does not fit; *result gets it wrapped. */
static inline bool hp5_multiply_wraps(int64_t a, int64_t b, int64_t *result) {
#ifdef HP5_ON_CARD
    *result = (int64_t)((uint64_t)a * (uint64_t)b);
    return __mul64hi(a, b) != *result >> 63;
#else
    return __builtin_mul_overflow(a, b, result);
#endif
}

/* Sets *wrapped when the exact result does not fit; *zero when it divides by zero (0 ** -n). */
static inline int64_t hp5_power_integer_flags(int64_t base, int64_t exponent, bool *wrapped, bool *zero) {
    if (exponent < 0) {
        if (base == 0) *zero = true;
        if (base == 1) return 1;
        if (base == -1) return exponent & 1 ? -1 : 1;
        return 0;
    }
    int64_t result = 1;
    while (exponent > 0) {
        if (exponent & 1 && hp5_multiply_wraps(result, base, &result)) *wrapped = true;
        exponent >>= 1;
        if (exponent > 0 && hp5_multiply_wraps(base, base, &base)) *wrapped = true;
    }
    return result;
}
static inline int64_t hp5_power_integer(int64_t base, int64_t exponent) {
    bool wrapped = false, zero = false;
    return hp5_power_integer_flags(base, exponent, &wrapped, &zero);
}
#ifdef HP5_ON_CARD /* nvcc has no such question for cards, and loops there are no vectors */
#define HP5_IS_KNOWN(x) false
#else
#define HP5_IS_KNOWN(x) __builtin_constant_p(x)
#endif
/* Exponents that the C compiler knows, and for which it need not find out that a loop has few rounds: one in vectors has none inside. */
#define HP5_KNOWN_POWER(n) (HP5_IS_KNOWN(n) && (n) >= 2 && (n) <= 4)
static inline double hp5_power_real(double base, int64_t exponent) {
    if (HP5_KNOWN_POWER(exponent)) return exponent == 4 ? base * base * (base * base) : exponent == 3 ? base * (base * base) : base * base;
    uint64_t n = exponent < 0 ? 0 - (uint64_t)exponent : (uint64_t)exponent;
    double result = 1.0;
    for (; n > 0; n >>= 1, base *= base)
        if (n & 1) result *= base;
    return exponent < 0 ? 1.0 / result : result;
}
static inline float hp5_power_single(float base, int64_t exponent) {
    if (HP5_KNOWN_POWER(exponent)) return exponent == 4 ? base * base * (base * base) : exponent == 3 ? base * (base * base) : base * base;
    uint64_t n = exponent < 0 ? 0 - (uint64_t)exponent : (uint64_t)exponent;
    float result = 1.0f;
    for (; n > 0; n >>= 1, base *= base)
        if (n & 1) result *= base;
    return exponent < 0 ? 1.0f / result : result;
}
static inline int64_t hp5_shift_left(int64_t a, int64_t n) { return (int64_t)((uint64_t)a << (n & 63)); }
/* ISO C leaves >> of negative numbers to the compiler; gcc, clang and nvcc keep the sign. */
static inline int64_t hp5_shift_right(int64_t a, int64_t n) { return a >> (n & 63); }
_Static_assert(-1 >> 1 == -1, "this C compiler's >> does not keep the sign");
/* The same of a number that is not negative: processors have more instructions for it. */
static inline int64_t hp5_shift_positive(int64_t a, int64_t n) { return (int64_t)((uint64_t)a >> n); }
/* by * a without its last n bits, of which the product, without a sign, has no more than 64. */
static inline int64_t hp5_cut_product(int64_t a, uint64_t by, int64_t n) { return (int64_t)((uint64_t)a * by >> n); }
/* The last n bits of it, fewer than 64. */
static inline int64_t hp5_product_end(int64_t a, uint64_t by, int64_t n) { return (int64_t)((uint64_t)a * by & (((uint64_t)1 << n) - 1)); }

#if defined __x86_64__ && !defined __AVX512DQ__ && !defined __clang__ && !defined __FAST_MATH__
#define HP5_REAL_BY_PARTS 1
#else
#define HP5_REAL_BY_PARTS 0
#endif
/* (double)a, in a form that gcc turns into vector instructions where the processor has none for it: the upper and the
 * lower 32 bits become the fractions of two numbers, 2^84 + 2^63 + upper 2^32 and 2^52 + lower. Differences with powers
 * of two are exact, so that only the last addition rounds, as the conversion does. */
static inline double hp5_real(int64_t a) {
#if HP5_REAL_BY_PARTS
    const uint64_t upper_bits = ((uint64_t)a >> 32) ^ 0x4530000080000000, lower_bits = ((uint64_t)a & 0xFFFFFFFF) | 0x4330000000000000;
    double upper, lower;
    memcpy(&upper, &upper_bits, sizeof upper);
    memcpy(&lower, &lower_bits, sizeof lower);
    return upper - (0x1p84 + 0x1p63 + 0x1p52) + lower;
#else
    return (double)a;
#endif
}
/* The same of a number with at most 51 bits: added to 2^52 + 2^51 it is the end of its fraction. */
#define HP5_REAL_SMALL ((int64_t)1 << 51)
static inline double hp5_real_small(int64_t a) {
#if HP5_REAL_BY_PARTS
    const uint64_t bits = (uint64_t)a + 0x4338000000000000;
    double moved;
    memcpy(&moved, &bits, sizeof moved);
    return moved - 0x1.8p52;
#else
    return (double)a;
#endif
}
/* A Real made of an Integer that was one: gcc may have forgotten about the Integer, and zero has the sign of what was cut off. */
static inline double hp5_unsigned_zero(double a) { return a + 0.0; }
static inline float hp5_unsigned_zero_single(float a) { return a + 0.0f; }

static inline bool hp5_real_fits_integer(double value) {
    return value > -9223372036854777856.0 && value < 9223372036854775808.0;
}
static inline int64_t hp5_integer_from_real(double value) {
    if (__builtin_expect(__builtin_fabs(value) < 0x1p63, 1)) return (int64_t)value; /* one comparison; NaN fails it */
    return value != value ? 0 : value < 0 ? INT64_MIN : INT64_MAX;
}

/* The same without branches, for loops in vectors, where processors have vectors of conversions to 64 bits. */
static inline int64_t hp5_integer_by_choice(double value) {
    const double inside = __builtin_fabs(value) < 0x1p63 ? value : 0;
    const int64_t integer = (int64_t)inside, limit = value > 0 ? INT64_MAX : INT64_MIN;
    return __builtin_fabs(value) >= 0x1p63 ? limit : integer;
}
static inline int64_t hp5_integer_by_choice_single(float value) {
    const float inside = __builtin_fabsf(value) < 0x1p63f ? value : 0;
    const int64_t integer = (int64_t)inside, limit = value > 0 ? INT64_MAX : INT64_MIN;
    return __builtin_fabsf(value) >= 0x1p63f ? limit : integer;
}
/* The same for processors that have no vectors of such conversions. Added to 2^84 + 2^83 a whole number leaves its nearest multiple of 2^32 in
 * the end of the fraction, which is exact when taken out again; what remains ends the fraction of 2^52 + 2^51. */
static inline int64_t hp5_integer_by_parts(double value) {
    const double inside = __builtin_fabs(value) < 0x1p63 ? value : 0, whole = __builtin_trunc(inside);
    const double upper = whole + 0x1.8p84, lower = whole - (upper - 0x1.8p84) + 0x1.8p52;
    uint64_t upper_bits, lower_bits;
    memcpy(&upper_bits, &upper, sizeof upper_bits);
    memcpy(&lower_bits, &lower, sizeof lower_bits);
    const int64_t integer = (int64_t)((upper_bits << 32) + lower_bits - 0x4338000000000000), limit = value > 0 ? INT64_MAX : INT64_MIN;
    const bool beyond = __builtin_fabs(value) >= 0x1p63;
    return beyond ? limit : integer;
}
/* The same of numbers below 2^31, for which any processor has vectors of conversions; of others *unusual is set, and what is returned is no
 * conversion. The bits are compared, of which C compilers do not make branches where the number is an extremum of others. */
static inline int32_t hp5_integer_usual(double value, int64_t *unusual) {
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int64_t usual = -(int64_t)((bits & INT64_MAX) < 0x41E0000000000000);
    bits &= usual;
    memcpy(&value, &bits, sizeof value);
    *unusual |= ~usual;
    return (int32_t)value;
}
static inline int32_t hp5_integer_usual_single(float value, int32_t *unusual) {
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int32_t usual = -(int32_t)((bits & INT32_MAX) < 0x4F000000);
    bits &= usual;
    memcpy(&value, &bits, sizeof value);
    *unusual |= ~usual;
    return (int32_t)value;
}
#if defined __AVX512DQ__ || defined __aarch64__
static inline int64_t hp5_integer_in_vectors(double value) { return hp5_integer_by_choice(value); }
static inline int64_t hp5_integer_in_vectors_single(float value) { return hp5_integer_by_choice_single(value); }
#elif defined __AVX2__
static inline int64_t hp5_integer_in_vectors(double value) { return hp5_integer_by_parts(value); }
static inline int64_t hp5_integer_in_vectors_single(float value) { return hp5_integer_by_parts(value); }
#else
static inline int64_t hp5_integer_in_vectors(double value) { return hp5_integer_from_real(value); }
static inline int64_t hp5_integer_in_vectors_single(float value) { return hp5_integer_from_real(value); }
#endif

/* ---- Extrema of Reals ------------------------------------------------------------------------ */
/* NaN wins over numbers, and -0.0 is less than 0.0, so that no order of combining makes a difference. Without branches:
 * one of two equal numbers is their bits or-ed, which differ in the sign of zero at most; the bits of NaN, or-ed with
 * any, are those of a NaN. Beside a number that the C compiler knows, one comparison does, which gives the other operand where the two
 * are equal or that is NaN: of two zeros it may be the wrong one in a maximum, where -0.0 + 0.0 is 0.0. -0.0 is left out: clang 14
 * compares with 0.0 in its place and then takes it for 0.0. */
/* Inlined however many there are: a loop with a call is no vector loop, and gcc leaves calls in long bodies (sorting networks). */
#ifdef HP5_ON_CARD
#define HP5_EXTREMUM static inline
#else
#define HP5_EXTREMUM __attribute__((always_inline)) static inline
#endif
#define HP5_KNOWN_NUMBER(c) (HP5_IS_KNOWN(c) && (c) == (c) && !((c) == 0 && __builtin_signbit(c)))

HP5_EXTREMUM double hp5_fmin_any(double a, double b) {
    const double one = a < b ? a : b, other = b < a ? b : a;
    uint64_t bits, more;
    memcpy(&bits, &one, sizeof bits);
    memcpy(&more, &other, sizeof more);
    bits |= more;
    double least;
    memcpy(&least, &bits, sizeof least);
    return least;
}
HP5_EXTREMUM float hp5_fminf_any(float a, float b) {
    const float one = a < b ? a : b, other = b < a ? b : a;
    uint32_t bits, more;
    memcpy(&bits, &one, sizeof bits);
    memcpy(&more, &other, sizeof more);
    bits |= more;
    float least;
    memcpy(&least, &bits, sizeof least);
    return least;
}
HP5_EXTREMUM double hp5_fmin(double a, double b) {
    if (HP5_KNOWN_NUMBER(a)) return a < b ? a : b;
    if (HP5_KNOWN_NUMBER(b)) return b < a ? b : a;
    return hp5_fmin_any(a, b);
}
HP5_EXTREMUM double hp5_fmax(double a, double b) {
    if (HP5_KNOWN_NUMBER(a)) return a == 0 ? (a > b ? a : b) + 0.0 : a > b ? a : b;
    if (HP5_KNOWN_NUMBER(b)) return b == 0 ? (b > a ? b : a) + 0.0 : b > a ? b : a;
    return -hp5_fmin_any(-a, -b);
}
HP5_EXTREMUM float hp5_fminf(float a, float b) {
    if (HP5_KNOWN_NUMBER(a)) return a < b ? a : b;
    if (HP5_KNOWN_NUMBER(b)) return b < a ? b : a;
    return hp5_fminf_any(a, b);
}
HP5_EXTREMUM float hp5_fmaxf(float a, float b) {
    if (HP5_KNOWN_NUMBER(a)) return a == 0 ? (a > b ? a : b) + 0.0f : a > b ? a : b;
    if (HP5_KNOWN_NUMBER(b)) return b == 0 ? (b > a ? b : a) + 0.0f : b > a ? b : a;
    return -hp5_fminf_any(-a, -b);
}

/* The same one after the other, where each waits for the one before: the bits are or-ed where Reals are, in a register for vectors. gcc has Integers
 * elsewhere, asks there in a branch which of the two is less, and moves them back. */
#if defined __GNUC__ && !defined __CUDACC__ && !defined HP5_ON_CARD
typedef double Hp5RealsAlone __attribute__((vector_size(16)));
typedef float Hp5SinglesAlone __attribute__((vector_size(16)));
typedef int64_t Hp5BitsAlone __attribute__((vector_size(16)));
HP5_EXTREMUM double hp5_fmin_in_turn(double a, double b) {
    const Hp5RealsAlone one = {a < b ? a : b}, other = {b < a ? b : a};
    return ((Hp5RealsAlone)((Hp5BitsAlone)one | (Hp5BitsAlone)other))[0];
}
HP5_EXTREMUM float hp5_fminf_in_turn(float a, float b) {
    const Hp5SinglesAlone one = {a < b ? a : b}, other = {b < a ? b : a};
    return ((Hp5SinglesAlone)((Hp5BitsAlone)one | (Hp5BitsAlone)other))[0];
}
HP5_EXTREMUM double hp5_fmax_in_turn(double a, double b) { return -hp5_fmin_in_turn(-a, -b); }
HP5_EXTREMUM float hp5_fmaxf_in_turn(float a, float b) { return -hp5_fminf_in_turn(-a, -b); }
/* Maxima where b is what the round before has set, and a is there already. The comparison gives b where one is NaN, and where both are equal: what is wrong with that follows from a
 * alone, beside it. Where a is NaN all bits are or-ed, and where it is 0.0 there is no sign, which b may have as -0.0. In `_late_size` a is a number
 * without a sign, or NaN. (A minimum in turn needs no more than that.) */
typedef int32_t Hp5SingleBitsAlone __attribute__((vector_size(16)));
HP5_EXTREMUM double hp5_fmax_late(double a, double b) {
    const Hp5RealsAlone early = {a}, one = {a > b ? a : b};
    const Hp5BitsAlone none = early != early, sign = ((Hp5BitsAlone)early == 0) & INT64_MIN;
    return ((Hp5RealsAlone)(((Hp5BitsAlone)one & ~sign) | none))[0];
}
HP5_EXTREMUM float hp5_fmaxf_late(float a, float b) {
    const Hp5SinglesAlone early = {a}, one = {a > b ? a : b};
    const Hp5SingleBitsAlone none = early != early, sign = ((Hp5SingleBitsAlone)early == 0) & INT32_MIN;
    return ((Hp5SinglesAlone)(((Hp5SingleBitsAlone)one & ~sign) | none))[0];
}
HP5_EXTREMUM double hp5_fmax_late_size(double a, double b) {
    const Hp5RealsAlone early = {a}, one = {a > b ? a : b};
    const Hp5BitsAlone none = early != early;
    return ((Hp5RealsAlone)(((Hp5BitsAlone)one & INT64_MAX) | none))[0];
}
HP5_EXTREMUM float hp5_fmaxf_late_size(float a, float b) {
    const Hp5SinglesAlone early = {a}, one = {a > b ? a : b};
    const Hp5SingleBitsAlone none = early != early;
    return ((Hp5SinglesAlone)(((Hp5SingleBitsAlone)one & INT32_MAX) | none))[0];
}
#else
HP5_EXTREMUM double hp5_fmin_in_turn(double a, double b) { return hp5_fmin(a, b); }
HP5_EXTREMUM double hp5_fmax_in_turn(double a, double b) { return hp5_fmax(a, b); }
HP5_EXTREMUM float hp5_fminf_in_turn(float a, float b) { return hp5_fminf(a, b); }
HP5_EXTREMUM float hp5_fmaxf_in_turn(float a, float b) { return hp5_fmaxf(a, b); }
HP5_EXTREMUM double hp5_fmax_late(double a, double b) { return hp5_fmax(a, b); }
HP5_EXTREMUM float hp5_fmaxf_late(float a, float b) { return hp5_fmaxf(a, b); }
HP5_EXTREMUM double hp5_fmax_late_size(double a, double b) { return hp5_fmax(a, b); }
HP5_EXTREMUM float hp5_fmaxf_late_size(float a, float b) { return hp5_fmaxf(a, b); }
#endif

/* Numbers that are neither NaN nor -0.0: of two of them one comparison finds the extremum, which is no other number than theirs. */
static inline int64_t hp5_unusual_real(double a) {
    int64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return (a != a) | (bits == INT64_MIN);
}
static inline int32_t hp5_unusual_real_single(float a) {
    int32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return (a != a) | (bits == INT32_MIN);
}
/* Whether one of `count` numbers is another one; of few it costs more to find out than it brings, and 1 is returned. NaN and zeros are found
 * by one comparison; which of them they are is asked where there are some. */
enum { HP5_USUAL_FEW = 8 };
static inline int64_t hp5_unusual_reals(const double *a, int64_t count) {
    int64_t suspect = 0, unusual = 0;
    if (count < HP5_USUAL_FEW) return 1;
    for (int64_t i = 0; i < count; i++) suspect |= !(a[i] < 0 || a[i] > 0);
    if (!suspect) return 0;
    for (int64_t i = 0; i < count; i++) unusual |= hp5_unusual_real(a[i]);
    return unusual;
}
static inline int64_t hp5_unusual_reals_single(const float *a, int64_t count) {
    int32_t suspect = 0, unusual = 0;
    if (count < HP5_USUAL_FEW) return 1;
    for (int64_t i = 0; i < count; i++) suspect |= !(a[i] < 0 || a[i] > 0);
    if (!suspect) return 0;
    for (int64_t i = 0; i < count; i++) unusual |= hp5_unusual_real_single(a[i]);
    return unusual;
}
HP5_EXTREMUM double hp5_fmin_usual(double a, double b) { return a < b ? a : b; }
HP5_EXTREMUM double hp5_fmax_usual(double a, double b) { return a > b ? a : b; }
HP5_EXTREMUM float hp5_fminf_usual(float a, float b) { return a < b ? a : b; }
HP5_EXTREMUM float hp5_fmaxf_usual(float a, float b) { return a > b ? a : b; }

/* Integers in the same order as Reals, NaN above or below all numbers: loops collect extrema in them. */
static inline int64_t hp5_order(double a) {
    int64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits ^ (int64_t)((uint64_t)(bits >> 63) >> 1);
}
static inline int32_t hp5_order_single(float a) {
    int32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
}
static inline double hp5_of_order(int64_t order) {
    const int64_t bits = order ^ (int64_t)((uint64_t)(order >> 63) >> 1);
    double a;
    memcpy(&a, &bits, sizeof a);
    return a;
}
static inline float hp5_of_order_single(int32_t order) {
    const int32_t bits = order ^ (int32_t)((uint32_t)(order >> 31) >> 1);
    float a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* The Integer of a Real that is cut to lie between two others, which 32 bits hold truncated; of NaN `none`. Bits are compared, of which C compilers do not make
 * branches where a limit leads to another result that is known. Bits of numbers below zero are below those of others, which is order enough where no limit is. */
static inline int32_t hp5_integer_between(double value, double low, double high, int32_t none) {
    int64_t bits, least, most, other;
    const double whole = none;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&least, &low, sizeof least);
    memcpy(&most, &high, sizeof most);
    memcpy(&other, &whole, sizeof other);
    const int64_t number = -(int64_t)(value == value);
    const bool as_it_is = low > 0 || (low == 0 && least == 0);
    if (!as_it_is) bits = hp5_order(value), least = hp5_order(low), most = hp5_order(high);
    bits = bits > least ? bits : least;
    bits = bits < most ? bits : most;
    if (!as_it_is) {
        const double inside = hp5_of_order(bits);
        memcpy(&bits, &inside, sizeof bits);
    }
    bits = (bits & number) | (other & ~number);
    memcpy(&value, &bits, sizeof value);
    return (int32_t)value;
}
static inline int32_t hp5_integer_between_single(float value, float low, float high, int32_t none) {
    int32_t bits, least, most, other;
    const float whole = (float)none;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&least, &low, sizeof least);
    memcpy(&most, &high, sizeof most);
    memcpy(&other, &whole, sizeof other);
    const int32_t number = -(int32_t)(value == value);
    const bool as_it_is = low > 0 || (low == 0 && least == 0);
    if (!as_it_is) bits = hp5_order_single(value), least = hp5_order_single(low), most = hp5_order_single(high);
    bits = bits > least ? bits : least;
    bits = bits < most ? bits : most;
    if (!as_it_is) {
        const float inside = hp5_of_order_single(bits);
        memcpy(&bits, &inside, sizeof bits);
    }
    bits = (bits & number) | (other & ~number);
    memcpy(&value, &bits, sizeof value);
    return (int32_t)value;
}
enum { HP5_ORDER_NAN_SINGLE = 0x7FC00000 };
#define HP5_ORDER_NAN ((int64_t)0x7FF8000000000000)
static inline int64_t hp5_order_max(double a) { return a != a ? HP5_ORDER_NAN : hp5_order(a); }
static inline int64_t hp5_order_min(double a) { return a != a ? ~HP5_ORDER_NAN : hp5_order(a); }
static inline int32_t hp5_order_max_single(float a) { return a != a ? HP5_ORDER_NAN_SINGLE : hp5_order_single(a); }
static inline int32_t hp5_order_min_single(float a) { return a != a ? ~HP5_ORDER_NAN_SINGLE : hp5_order_single(a); }
/* Whether a is a new maximum or minimum where b was one. */
static inline bool hp5_fabove(double a, double b) { return hp5_order_max(a) > hp5_order_max(b); }
static inline bool hp5_fbelow(double a, double b) { return hp5_order_min(a) < hp5_order_min(b); }

/* The largest or smallest of no Integers at all, in 32 bits. */
static inline int64_t hp5_single_extreme(int64_t value) {
    return value == INT64_MIN ? INT32_MIN : value == INT64_MAX ? INT32_MAX : value;
}
#endif
