/* Quotients and square roots, four at a time. What CUDA has for `/` and `sqrt` ends in a branch to what unusual values need: between two of these a thread
 * does nothing else, and waits for one result before it begins the next. Here the usual steps, which are CUDA's own, stand side by side for all four, and one
 * branch asks whether they do. Results are IEEE's.
 *
 * Usual are quotients and divisors that are normal numbers, dividends of 2^-969 and more, and roots of what is 2^-970 and more: neither infinite nor NaN. */
#ifndef HP5_RUNTIME_CARD_QUICK_H
#define HP5_RUNTIME_CARD_QUICK_H

enum { HP5_FOUR = 4 };
#define HP5_EACH_OF_FOUR(k) _Pragma("unroll") for (int k = 0; k < HP5_FOUR; k++)

/* The upper halves of about 1 / x and 1 / sqrt x. */
#ifndef hp5_about_inverse
static __device__ int hp5_about_inverse(double x) {
    double result;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(result) : "d"(x));
    return __double2hiint(result);
}
static __device__ int hp5_about_inverse_root(double x) {
    double result;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(result) : "d"(x));
    return __double2hiint(result);
}
#endif

/* The upper half of a Real as one of single precision. */
static __device__ float hp5_upper(double x) { return __int_as_float(__double2hiint(x)); }

/* results[k] = a[k] / b[k] */
static __device__ void hp5_divide_four(const double (&a)[HP5_FOUR], const double (&b)[HP5_FOUR], double (&results)[HP5_FOUR]) {
    double r[HP5_FOUR], e[HP5_FOUR];
    bool usual = true;
    HP5_EACH_OF_FOUR(k) r[k] = __hiloint2double(hp5_about_inverse(b[k]), 1);
    HP5_EACH_OF_FOUR(k) e[k] = fma(-b[k], r[k], 1.0);
    HP5_EACH_OF_FOUR(k) e[k] = fma(e[k], e[k], e[k]);
    HP5_EACH_OF_FOUR(k) r[k] = fma(r[k], e[k], r[k]);
    HP5_EACH_OF_FOUR(k) e[k] = fma(-b[k], r[k], 1.0);
    HP5_EACH_OF_FOUR(k) r[k] = fma(r[k], e[k], r[k]);
    HP5_EACH_OF_FOUR(k) e[k] = a[k] * r[k];
    HP5_EACH_OF_FOUR(k) results[k] = fma(-b[k], e[k], a[k]);
    HP5_EACH_OF_FOUR(k) results[k] = fma(r[k], results[k], e[k]);
    HP5_EACH_OF_FOUR(k) {
        /* what has too large an upper half of a divisor is NaN there, and not greater; no `&&`, which is a branch */
        usual &= (fabsf(hp5_upper(a[k])) >= 6.5827683646048100446e-37f) & (fabsf(fmaf(0.0f, hp5_upper(b[k]), hp5_upper(results[k]))) > 1.469367938527859385e-39f);
    }
    if (usual) return;
    HP5_EACH_OF_FOUR(k) results[k] = a[k] / b[k];
}

/* results[k] = sqrt(x[k]) */
static __device__ void hp5_root_four(const double (&x)[HP5_FOUR], double (&results)[HP5_FOUR]) {
    const int least = 0x03500000;
    double y[HP5_FOUR], e[HP5_FOUR], half[HP5_FOUR];
    bool usual = true;
    HP5_EACH_OF_FOUR(k) y[k] = __hiloint2double(hp5_about_inverse_root(x[k]), __double2hiint(x[k]) - least);
    HP5_EACH_OF_FOUR(k) e[k] = y[k] * y[k];
    HP5_EACH_OF_FOUR(k) e[k] = fma(x[k], -e[k], 1.0);
    HP5_EACH_OF_FOUR(k) half[k] = fma(e[k], 0.375, 0.5);
    HP5_EACH_OF_FOUR(k) e[k] = y[k] * e[k];
    HP5_EACH_OF_FOUR(k) y[k] = fma(half[k], e[k], y[k]);
    HP5_EACH_OF_FOUR(k) e[k] = x[k] * y[k];
    HP5_EACH_OF_FOUR(k) half[k] = y[k] * 0.5;
    HP5_EACH_OF_FOUR(k) y[k] = fma(e[k], -e[k], x[k]);
    HP5_EACH_OF_FOUR(k) results[k] = fma(y[k], half[k], e[k]);
    HP5_EACH_OF_FOUR(k) usual &= (unsigned)(__double2hiint(x[k]) - least) < 0x7FF00000u - (unsigned)least;
    if (usual) return;
    HP5_EACH_OF_FOUR(k) results[k] = sqrt(x[k]);
}
#endif
