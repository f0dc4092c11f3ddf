/* Functions of math.h, by the C name of their double version. A single-precision expression
 * calls the f-suffixed one. */
#include "compiler/interpret/internal.h"
#include "runtime/array/arithmetic.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct MathFunction {
    const char *name;
    double (*one)(double);
    float (*one_single)(float);
    double (*two)(double, double);
    float (*two_single)(float, float);
} MathFunction;

#define ONE(name) {#name, name, name##f, NULL, NULL},
#define TWO(name) {#name, NULL, NULL, name, name##f},
#define OWN(name) {#name, NULL, NULL, hp5_##name, hp5_##name##f},
static const MathFunction FUNCTIONS[] = { /* sorted by name */
    ONE(acos) ONE(acosh) ONE(asin) ONE(asinh) ONE(atan) TWO(atan2) ONE(atanh) ONE(cbrt) ONE(ceil)
    TWO(copysign) ONE(cos) ONE(cosh) ONE(erf) ONE(erfc) ONE(exp) ONE(exp2) ONE(expm1) ONE(fabs) TWO(fdim)
    ONE(floor) OWN(fmax) OWN(fmin) TWO(fmod) TWO(hypot) ONE(lgamma) ONE(log) ONE(log10) ONE(log1p) ONE(log2)
    ONE(logb) ONE(nearbyint) TWO(nextafter) TWO(pow) TWO(remainder) ONE(rint) ONE(round) ONE(sin) ONE(sinh)
    ONE(sqrt) ONE(tan) ONE(tanh) ONE(tgamma) ONE(trunc)
};

static int compare(const void *name, const void *function) {
    return strcmp(name, ((const MathFunction *)function)->name);
}

static Value call_fma(Machine *m, const Expr *e) {
    Value x = eval(m, e->arguments.items[0]), y = eval(m, e->arguments.items[1]), z = eval(m, e->arguments.items[2]);
    if (e->type->kind == TYPE_REAL_SINGLE) return (Value){.single = fmaf(x.single, y.single, z.single)};
    return (Value){.real = fma(x.real, y.real, z.real)};
}

static Value call_integer(Machine *m, const Expr *e) {
    int64_t x = eval_integer(m, e->arguments.items[0]), y = eval_integer(m, e->arguments.items[1]);
    bool first = strcmp(e->math, "llmin") == 0 ? x < y : x > y;
    return (Value){.integer = first ? x : y};
}

static Value call_test(Machine *m, const Expr *e) {
    const Expr *argument = e->arguments.items[0];
    Value value = eval(m, argument);
    double x = argument->type->kind == TYPE_REAL_SINGLE ? (double)value.single : value.real;
    bool holds = strcmp(e->math, "isnan") == 0 ? isnan(x) : strcmp(e->math, "isinf") == 0 ? isinf(x)
                 : strcmp(e->math, "isfinite") == 0 ? isfinite(x) : signbit(x);
    return (Value){.integer = holds};
}

static Value call_llabs(Machine *m, const Expr *e) {
    int64_t value = eval_integer(m, e->arguments.items[0]);
    if (value == INT64_MIN) machine_fail(m, e->span, "Integer overflow: abs(%lld)", (long long)value);
    return (Value){.integer = value < 0 ? -value : value};
}

Value call_math(Machine *m, const Expr *e) {
    if (strcmp(e->math, "fma") == 0) return call_fma(m, e);
    if (strcmp(e->math, "llabs") == 0) return call_llabs(m, e);
    if (e->type->kind == TYPE_INTEGER) return call_integer(m, e);
    if (e->type->kind == TYPE_BOOLEAN) return call_test(m, e);
    const MathFunction *function =
        bsearch(e->math, FUNCTIONS, sizeof FUNCTIONS / sizeof *FUNCTIONS, sizeof *FUNCTIONS, compare);
    if (function == NULL) internal_error("interpret", "mathematical function '%s'", e->math);
    bool single = e->type->kind == TYPE_REAL_SINGLE;
    Value x = eval(m, e->arguments.items[0]);
    if (function->one != NULL) {
        if (single) return (Value){.single = function->one_single(x.single)};
        return (Value){.real = function->one(x.real)};
    }
    Value y = eval(m, e->arguments.items[1]);
    if (single) return (Value){.single = function->two_single(x.single, y.single)};
    return (Value){.real = function->two(x.real, y.real)};
}
