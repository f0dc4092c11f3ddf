/* Mathematical functions, by the C name of their double version: those of runtime/math, as compiled programs have them,
 * and of C's math.h what IEEE defines exactly. A single-precision expression calls the f-suffixed one. */
#include "compiler/interpret/internal.h"
#include "runtime/array/arithmetic.h"
#include "runtime/math/math.h"
#include <math.h>
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
#define OWN_ONE(name) {#name, hp5_##name, hp5_##name##f, NULL, NULL},
static const MathFunction FUNCTIONS[] = {
    HP5_MATH_ONE(OWN_ONE) HP5_MATH_TWO(OWN) OWN(fmax) OWN(fmin)
    ONE(ceil) TWO(copysign) ONE(fabs) TWO(fdim) ONE(floor) TWO(fmod) ONE(logb) ONE(nearbyint) TWO(nextafter)
    TWO(remainder) ONE(rint) ONE(round) ONE(sqrt) ONE(trunc)
};

static const MathFunction *find_function(const char *name) {
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++)
        if (strcmp(FUNCTIONS[i].name, name) == 0) return &FUNCTIONS[i];
    internal_error("interpret", "mathematical function '%s'", name);
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
    bool single = argument->type->kind == TYPE_REAL_SINGLE;
    double x = single ? (double)value.single : value.real;
    if (e->arguments.count == 2) { /* of an entry that is reduced into a local */
        Value other = eval(m, e->arguments.items[1]);
        double y = single ? (double)other.single : other.real;
        return (Value){.integer = strcmp(e->math, "fabove") == 0 ? hp5_fabove(x, y) : hp5_fbelow(x, y)};
    }
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
    const MathFunction *function = find_function(e->math);
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
