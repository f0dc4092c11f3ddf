/* The mathematical functions that runtime/math has, of one and of two arguments, in alphabetical order. */
#ifndef HP5_RUNTIME_MATH_NAMES_H
#define HP5_RUNTIME_MATH_NAMES_H
#define HP5_MATH_ONE(X)                                                                                              \
    X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp2) X(expm1) \
    X(lgamma) X(log) X(log10) X(log1p) X(log2) X(sin) X(sinh) X(tan) X(tanh) X(tgamma)
#define HP5_MATH_TWO(X) X(atan2) X(hypot) X(pow)
#endif
