/* y = a x by cuBLAS. */
#include "multiply.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a x y k");
    Array a = array_load("a", "<f8", 2), x = array_load("x", "<f8", 1), y = vector_new("<f8", a.extent[0]);
    const double *a_card = card_give<double>(&a), *x_card = card_give<double>(&x);
    double *y_card = card_new<double>(y.count);
    const double one = 1, zero = 0;
    const int rows = (int)a.extent[0], columns = (int)a.extent[1];
    cublasHandle_t blas = blas_open();
    double begin = 0;
    for (int round = 0; round < 2; round++) { /* the first one brings the kernels */
        begin = card_clock();
        blas_check(cublasDgemv(blas, CUBLAS_OP_T, columns, rows, &one, a_card, columns, x_card, 1, &zero, y_card, 1));
    }
    card_clock();
    timing_print("product", begin);
    card_take(&y, y_card);
    array_store("y", y);
    return 0;
}
