/* How far each point of an image is from the next object, in steps along rows and columns. */
#include "../reference/common.h"

static inline int least(int a, int b) { return a < b ? a : b; }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image k l distance");
    Array images = array_load("image", "<i4", 2);
    int64_t rows = images.extent[0], columns = images.extent[1];
    Array distances = matrix_new("<i4", rows, columns);
    const int *restrict image = images.data;
    int *restrict distance = distances.data, far = rows + columns;

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
        for (int64_t i = 0; i < rows; i++)
#pragma omp for schedule(static)
            for (int64_t j = 0; j < columns; j++) {
                int steps = i == 0 ? far : least(distance[(i - 1) * columns + j] + 1, far);
                distance[i * columns + j] = image[i * columns + j] != 0 ? 0 : steps;
            }
        for (int64_t i = rows - 2; i >= 0; i--)
#pragma omp for schedule(static)
            for (int64_t j = 0; j < columns; j++) distance[i * columns + j] = least(distance[(i + 1) * columns + j] + 1, distance[i * columns + j]);
#pragma omp for
        for (int64_t i = 0; i < rows; i++) {
            int *row = distance + i * columns;
            for (int64_t j = 1; j < columns; j++) row[j] = least(row[j], row[j - 1] + 1);
            for (int64_t j = columns - 2; j >= 0; j--) row[j] = least(row[j], row[j + 1] + 1);
        }
    }
    timing_print("Distance Transform", begin);
    array_store("distance", distances);
    return 0;
}
