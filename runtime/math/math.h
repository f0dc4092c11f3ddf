/* The mathematical functions of the language, in place of the C library's: the same bits on every processor, from every
 * compiler, of constants and of variables. Generated programs and the interpreter include this file. docs/math.md tells
 * their errors; each file tells its method.
 *
 *   hp5_NAME    double precision
 *   hp5_NAMEf   single precision: the double one, rounded, or single.h; they err by less than 0.501 units in the last place
 *
 * What IEEE defines exactly (sqrt, fma, floor, fmod, ...) is C's. With --fast-math, which lets compilers reorder what these
 * functions are made of, the C library's take their place. */
#ifndef HP5_RUNTIME_MATH_MATH_H
#define HP5_RUNTIME_MATH_MATH_H
#include "runtime/math/base.h"
#include "runtime/math/names.h"


#ifdef __FAST_MATH__
#define HP5_MATH_OF_C(name)                                              \
    HP5_MATH double hp5_##name(double x) { return name(x); }             \
    HP5_MATH float hp5_##name##f(float x) { return name##f(x); }
#define HP5_MATH_OF_C_TWO(name)                                          \
    HP5_MATH double hp5_##name(double x, double y) { return name(x, y); } \
    HP5_MATH float hp5_##name##f(float x, float y) { return name##f(x, y); }
HP5_MATH_ONE(HP5_MATH_OF_C)
HP5_MATH_TWO(HP5_MATH_OF_C_TWO)
#undef HP5_MATH_OF_C
#undef HP5_MATH_OF_C_TWO
#else
#include "runtime/math/atan.h"
#include "runtime/math/erf.h"
#include "runtime/math/exp.h"
#include "runtime/math/gamma.h"
#include "runtime/math/log.h"
#include "runtime/math/pow.h"
#include "runtime/math/root.h"
#include "runtime/math/single.h"
#include "runtime/math/trig.h"

#define HP5_MATH_SINGLE(name) \
    HP5_MATH float hp5_##name##f(float x) { return (float)hp5_##name((double)x); }
#define HP5_MATH_SINGLE_TWO(name) \
    HP5_MATH float hp5_##name##f(float x, float y) { return (float)hp5_##name((double)x, (double)y); }
HP5_MATH_ONE_ROUNDED(HP5_MATH_SINGLE)
HP5_MATH_TWO_ROUNDED(HP5_MATH_SINGLE_TWO)
#undef HP5_MATH_SINGLE
#undef HP5_MATH_SINGLE_TWO
#endif
#endif
