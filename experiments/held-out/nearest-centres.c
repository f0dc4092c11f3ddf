/* Which of some centres is nearest to each point, centre after centre. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x y cx cy k which");
    Array xs = array_load("x", "<f4", 1), ys = array_load("y", "<f4", 1), cxs = array_load("cx", "<f4", 1), cys = array_load("cy", "<f4", 1);
    int64_t count = xs.count, k = argument_integer("k");
    Array result = vector_new("<i4", count), bests = vector_new("<f4", count);
    const float *x = xs.data, *y = ys.data, *cx = cxs.data, *cy = cys.data;
    float *restrict best = bests.data;
    int *restrict which = result.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t first = 0; first < count; first += k) {
        int64_t end = first + k < count ? first + k : count;
        for (int64_t i = first; i < end; i++) best[i] = 1e6f;
        for (int c = 0; c < cxs.count; c++)
            for (int64_t i = first; i < end; i++) {
                float across = x[i] - cx[c], down = y[i] - cy[c], square = across * across + down * down;
                if (square < best[i]) {
                    best[i] = square;
                    which[i] = c;
                }
            }
    }
    timing_print("Nearest Centres", begin);
    array_store("which", result);
    return 0;
}
