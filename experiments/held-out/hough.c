/* The Hough transform: for each angle and distance of a line from the origin, how many points of an image lie on it. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x y angles size k votes");
    Array xx = array_load("x", "<i4", 1), yy = array_load("y", "<i4", 1);
    int64_t angles = argument_integer("angles"), size = argument_integer("size"), columns = 3 * size + 1, points = xx.count;
    Array vv = matrix_new("<i4", angles, columns);
    const int *restrict x = xx.data, *restrict y = yy.data;
    int *restrict votes = vv.data;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t angle = 0; angle < angles; angle++) {
        double cosine = cos(3.141592653589793 * (double)angle / (double)angles), sine = sin(3.141592653589793 * (double)angle / (double)angles);
        int *restrict row = votes + angle * columns;
        for (int64_t p = 0; p < points; p++) row[(int)(x[p] * cosine + y[p] * sine + (double)size + 0.5)]++;
    }
    timing_print("Hough", begin);
    array_store("votes", vv);
    return 0;
}
