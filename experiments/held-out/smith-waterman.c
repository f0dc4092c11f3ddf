/* Smith-Waterman by anti-diagonals: three diagonals take turns. */
#include <stdio.h>
#include <stdlib.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a b k");
    Array first = array_load("a", "<i4", 1), second = array_load("b", "<i4", 1);
    const int *a = first.data, *b = second.data;
    int rows = (int)first.count, columns = (int)second.count, best = 0;
    int *now = calloc((size_t)rows + 1, sizeof *now), *last = calloc((size_t)rows + 1, sizeof *now), *before = calloc((size_t)rows + 1, sizeof *now);

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int d = 2; d <= rows + columns; d++) {
        int from = d > columns ? d - columns : 1, to = d - 1 < rows ? d - 1 : rows;
        int *h = now, *h1 = last, *h2 = before;
        if (d % 3 == 0) h = before, h1 = now, h2 = last;
        if (d % 3 == 1) h = last, h1 = before, h2 = now;
        h[0] = 0;
        if (d <= rows) h[d] = 0;
#pragma omp for simd reduction(max : best)
        for (int i = from; i <= to; i++) {
            int score = h2[i - 1] + (a[i - 1] == b[d - i - 1] ? 2 : -1);
            if (h1[i - 1] - 1 > score) score = h1[i - 1] - 1;
            if (h1[i] - 1 > score) score = h1[i] - 1;
            if (score < 0) score = 0;
            h[i] = score;
            if (score > best) best = score;
        }
    }
    timing_print("Smith Waterman", begin);
    printf("%d\n", best);
    return 0;
}
