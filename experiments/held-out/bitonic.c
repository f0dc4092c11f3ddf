/* The rows of a matrix sorted by Batcher's bitonic network. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "keys k sorted");
    Array kk = array_load("keys", "<i4", 2);
    int64_t rows = kk.extent[0], n = kk.extent[1];
    int *all = kk.data;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t row = 0; row < rows; row++) {
        int *keys = all + row * n;
        for (int64_t size = 2; size <= n; size *= 2)
            for (int64_t distance = size / 2; distance > 0; distance /= 2)
                for (int64_t base = 0; base < n; base += 2 * distance)
                    for (int64_t i = base; i < base + distance; i++) {
                        int x = keys[i], y = keys[i + distance], low = x < y ? x : y, high = x < y ? y : x;
                        keys[i] = (base & size) == 0 ? low : high;
                        keys[i + distance] = (base & size) == 0 ? high : low;
                    }
    }
    timing_print("Bitonic", begin);
    array_store("sorted", kk);
    return 0;
}
