/* An image turned by an angle: each point of the result lies between 4 x 4 points, whose weights are cubic (Catmull and Rom). */
#include <math.h>
#include "../reference/common.h"

static inline void weights(double t, float *w) {
    w[0] = ((2 - t) * t - 1) * t / 2;
    w[1] = ((3 * t - 5) * t * t + 2) / 2;
    w[2] = ((4 - 3 * t) * t + 1) * t / 2;
    w[3] = (t - 1) * t * t / 2;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image angle k turned");
    Array images = array_load("image", "<f4", 2);
    int64_t rows = images.extent[0], columns = images.extent[1];
    Array results = matrix_new("<f4", rows, columns);
    const float *restrict image = images.data;
    float *restrict turned = results.data, sine = sin(argument_real("angle")), cosine = cos(argument_real("angle"));

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            double dy = i - 0.5 * rows, dx = j - 0.5 * columns;
            double y = cosine * dy - sine * dx + 0.5 * rows, x = sine * dy + cosine * dx + 0.5 * columns;
            int r = floor(y), c = floor(x);
            if (r < 1 || r > rows - 3 || c < 1 || c > columns - 3) continue;
            float down[4], along[4], sum = 0;
            weights(y - r, down);
            weights(x - c, along);
            for (int p = 0; p < 4; p++)
                for (int q = 0; q < 4; q++) sum += down[p] * along[q] * image[(r - 1 + p) * columns + c - 1 + q];
            turned[i * columns + j] = sum;
        }
    timing_print("Bicubic", begin);
    array_store("turned", results);
    return 0;
}
