/* Fourier transforms of the rows of a complex matrix, by Stockham's radix-2 method. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "re im k re_end im_end");
    Array rr = array_load("re", "<f8", 2), ii = array_load("im", "<f8", 2);
    int64_t rows = rr.extent[0], n = rr.extent[1];
    double *all_re = rr.data, *all_im = ii.data;
    double begin = clock_now();
    double *cosine = malloc(n / 2 * sizeof(double)), *sine = malloc(n / 2 * sizeof(double));
    for (int64_t t = 0; t < n / 2; t++) {
        cosine[t] = cos(-6.283185307179586 * t / n);
        sine[t] = sin(-6.283185307179586 * t / n);
    }
#pragma omp parallel num_threads(argument_threads())
    {
        double *restrict other_re = malloc(n * sizeof(double)), *restrict other_im = malloc(n * sizeof(double));
#pragma omp for
        for (int64_t i = 0; i < rows; i++) {
            double *restrict re = all_re + i * n, *restrict im = all_im + i * n;
            for (int64_t half = n / 2, stride = 1; half > 0; half /= 2, stride *= 2) {
                for (int64_t p = 0; p < half; p++) {
                    double turn_re = cosine[p * stride], turn_im = sine[p * stride];
                    for (int64_t q = 0; q < stride; q++) {
                        double x_re = re[q + stride * p], x_im = im[q + stride * p];
                        double y_re = re[q + stride * (p + half)], y_im = im[q + stride * (p + half)];
                        other_re[q + stride * 2 * p] = x_re + y_re;
                        other_im[q + stride * 2 * p] = x_im + y_im;
                        other_re[q + stride * (2 * p + 1)] = (x_re - y_re) * turn_re - (x_im - y_im) * turn_im;
                        other_im[q + stride * (2 * p + 1)] = (x_re - y_re) * turn_im + (x_im - y_im) * turn_re;
                    }
                }
                memcpy(re, other_re, n * sizeof(double));
                memcpy(im, other_im, n * sizeof(double));
            }
        }
    }
    timing_print("Stockham", begin);
    array_store("re_end", rr);
    array_store("im_end", ii);
    return 0;
}
