/* c = a b by cuBLAS in pedantic mode: no tensor cores, no arithmetic of fewer bits. */
#include "card.h"
#include <cublas_v2.h>

static inline void blas_check(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) fail(1, "cuBLAS: %s", cublasGetStatusString(status));
}

static inline cublasHandle_t blas_open(void) {
    cublasHandle_t blas;
    blas_check(cublasCreate(&blas));
    blas_check(cublasSetMathMode(blas, CUBLAS_PEDANTIC_MATH));
    return blas;
}

/* Rows of matrices are columns of cuBLAS's: it computes the transpose of c. */
static inline void multiply(cublasHandle_t blas, int m, int n, int k, const double *a, const double *b, double *c) {
    const double one = 1, zero = 0;
    blas_check(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n));
}
static inline void multiply(cublasHandle_t blas, int m, int n, int k, const float *a, const float *b, float *c) {
    const float one = 1, zero = 0;
    blas_check(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n));
}

template <class Real> static inline int multiply_files(int argc, char **argv, const char *type, const char *task) {
    arguments_read(argc, argv, "a b c k l q");
    Array a = array_load("a", type, 2), b = array_load("b", type, 2), c = matrix_new(type, a.extent[0], b.extent[1]);
    if (a.extent[1] != b.extent[0]) fail(2, "a has %lld columns, and b %lld rows", (long long)a.extent[1], (long long)b.extent[0]);
    Real *on_card[] = {card_give<Real>(&a), card_give<Real>(&b), card_new<Real>(c.count)};
    const int m = (int)a.extent[0], n = (int)b.extent[1], k = (int)a.extent[1];
    cublasHandle_t blas = blas_open();
    multiply(blas, m, n, k, on_card[0], on_card[1], on_card[2]); /* its kernels are there afterwards */
    const double begin = card_clock();
    multiply(blas, m, n, k, on_card[0], on_card[1], on_card[2]);
    card_clock();
    timing_print(task, begin);
    card_take(&c, on_card[2]);
    array_store("c", c);
    return 0;
}
