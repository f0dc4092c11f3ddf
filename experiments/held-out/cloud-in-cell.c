/* Cosmological mass assignment, cloud in cell. */
#include <omp.h>
#include <stdlib.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "place mass cells k l contrast moments");
    Array places = array_load("place", "<f8", 2), masses = array_load("mass", "<f8", 1);
    int64_t n = masses.count;
    int cells = argument_integer("cells"), threads = argument_threads();
    Array contrasts = array_new("<f8", 3, (int64_t[]){cells, cells, cells}), momentss = vector_new("<f8", 3);
    const double (*restrict place)[3] = places.data, *restrict mass = masses.data;
    double *restrict contrast = contrasts.data, *moments = momentss.data;
    int64_t size = (int64_t)cells * cells * cells;

    double begin = clock_now();
    double *partial = memory_new((size_t)size * threads * sizeof(double)), total = 0, squares = 0, largest = -1;
#pragma omp parallel num_threads(threads)
    {
        double *restrict grid = partial + size * omp_get_thread_num();
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            double x = place[i][0] * cells, y = place[i][1] * cells, z = place[i][2] * cells;
            int x0 = x, y0 = y, z0 = z;
            double fx = x - x0, fy = y - y0, fz = z - z0;
            int x1 = x0 + 1 == cells ? 0 : x0 + 1, y1 = y0 + 1 == cells ? 0 : y0 + 1, z1 = z0 + 1 == cells ? 0 : z0 + 1;
            double near = mass[i] * (1 - fx), far = mass[i] * fx;
#define AT(x, y, z) grid[((int64_t)(x) * cells + (y)) * cells + (z)]
            AT(x0, y0, z0) += near * (1 - fy) * (1 - fz);
            AT(x0, y0, z1) += near * (1 - fy) * fz;
            AT(x0, y1, z0) += near * fy * (1 - fz);
            AT(x0, y1, z1) += near * fy * fz;
            AT(x1, y0, z0) += far * (1 - fy) * (1 - fz);
            AT(x1, y0, z1) += far * (1 - fy) * fz;
            AT(x1, y1, z0) += far * fy * (1 - fz);
            AT(x1, y1, z1) += far * fy * fz;
        }
#pragma omp for simd schedule(static) reduction(+ : total)
        for (int64_t c = 0; c < size; c++) {
            double sum = 0;
            for (int t = 0; t < threads; t++) sum += partial[size * t + c];
            contrast[c] = sum;
            total += sum;
        }
        double mean = total / size;
#pragma omp for simd schedule(static) reduction(+ : squares) reduction(max : largest)
        for (int64_t c = 0; c < size; c++) {
            double d = contrast[c] / mean - 1;
            contrast[c] = d;
            squares += d * d;
            largest = d > largest ? d : largest;
        }
    }
    free(partial);
    moments[0] = total;
    moments[1] = squares / size;
    moments[2] = largest;
    timing_print("Assign", begin);
    array_store("contrast", contrasts);
    array_store("moments", momentss);
    return 0;
}
