/* How many steps points of the plane take to leave the Mandelbrot set's circle. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "rows columns limit k steps");
    int64_t rows = argument_integer("rows"), columns = argument_integer("columns");
    int limit = (int)argument_integer("limit");
    Array result = matrix_new("<i4", rows, columns);
    int *steps = result.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(dynamic)
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            double a = 3.0 * (double)j / (double)columns - 2, b = 2.0 * (double)i / (double)rows - 1, x = 0, y = 0;
            int n = 0;
            do {
                double next = x * x - y * y + a;
                y = 2 * x * y + b;
                x = next;
                n++;
            } while (n < limit && x * x + y * y < 4);
            steps[i * columns + j] = n;
        }
    timing_print("Mandelbrot", begin);
    array_store("steps", result);
    return 0;
}
