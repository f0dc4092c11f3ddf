/* The mathematical functions that runtime/math has, of one and of two arguments. _ROUNDED: of which the single-precision one is
 * the double-precision one, rounded; single.h has the others. */
#ifndef HP5_RUNTIME_MATH_NAMES_H
#define HP5_RUNTIME_MATH_NAMES_H
#define HP5_MATH_ONE_ROUNDED(X)                                                                              \
    X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(cosh) X(erf) X(erfc) X(expm1)        \
    X(lgamma) X(log10) X(log1p) X(log2) X(sinh) X(tan) X(tanh) X(tgamma)
#define HP5_MATH_TWO_ROUNDED(X) X(atan2) X(hypot)
#define HP5_MATH_ONE(X) HP5_MATH_ONE_ROUNDED(X) X(cos) X(exp) X(exp2) X(log) X(sin)
#define HP5_MATH_TWO(X) HP5_MATH_TWO_ROUNDED(X) X(pow)
#endif
