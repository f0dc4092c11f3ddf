/* The most frequent of four classes in 5 x 5 cells around each cell of a map, of equal ones the first; the border keeps its classes. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "class k smooth");
    Array classes = array_load("class", "<i4", 2);
    int64_t rows = classes.extent[0], columns = classes.extent[1];
    Array results = matrix_new("<i4", rows, columns);
    const int *restrict class = classes.data;
    int *restrict smooth = results.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            if (i < 2 || i >= rows - 2 || j < 2 || j >= columns - 2) {
                smooth[i * columns + j] = class[i * columns + j];
                continue;
            }
            int count[4] = {0}, best = 0;
            for (int di = -2; di <= 2; di++)
                for (int dj = -2; dj <= 2; dj++) count[class[(i + di) * columns + j + dj]]++;
            for (int c = 1; c < 4; c++)
                if (count[c] > count[best]) best = c;
            smooth[i * columns + j] = best;
        }
    timing_print("Majority", begin);
    array_store("smooth", results);
    return 0;
}
