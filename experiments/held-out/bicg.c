#include "../reference/common.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a p r k q s");
    Array aa = array_load("a", "<f8", 2), pp = array_load("p", "<f8", 1), rr = array_load("r", "<f8", 1);
    int64_t n = aa.extent[0], m = aa.extent[1];
    Array qq = vector_new("<f8", n), ss = vector_new("<f8", m);
    const double *a = aa.data, *p = pp.data, *r = rr.data;
    double *restrict q = qq.data, *restrict s = ss.data;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) reduction(+ : s[:m])
    for (int64_t i = 0; i < n; i++) {
        const double *row = a + i * m;
        double sum = 0, ri = r[i];
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < m; j++) {
            sum += row[j] * p[j];
            s[j] += row[j] * ri;
        }
        q[i] = sum;
    }
    timing_print("BiCG", begin);
    array_store("q", qq);
    array_store("s", ss);
    return 0;
}
