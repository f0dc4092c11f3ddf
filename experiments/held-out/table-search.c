/* Values between the points of a table whose places are not evenly apart: binary search, then linear interpolation. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "place value x k y");
    Array places = array_load("place", "<f8", 1), values = array_load("value", "<f8", 1), xs = array_load("x", "<f8", 1);
    Array ys = vector_new("<f8", xs.count);
    const double *place = places.data, *value = values.data, *x = xs.data;
    double *y = ys.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < xs.count; i++) {
        int64_t low = 0, high = places.count - 1;
        while (low + 1 < high) {
            int64_t middle = (low + high) / 2;
            if (place[middle] <= x[i])
                low = middle;
            else
                high = middle;
        }
        double part = (x[i] - place[low]) / (place[high] - place[low]);
        y[i] = value[low] + part * (value[high] - value[low]);
    }
    timing_print("Table Search", begin);
    array_store("y", ys);
    return 0;
}
