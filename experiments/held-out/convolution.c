/* Convolution of an image with a 5 x 5 kernel. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image weight k result");
    Array image = array_load("image", "<f4", 2), kernel = array_load("weight", "<f4", 2);
    Array out = array_new("<f4", 2, image.extent);
    int64_t rows = image.extent[0], columns = image.extent[1];
    const float *from = image.data, *weight = kernel.data;
    float *result = out.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 2; i < rows - 2; i++)
        for (int64_t j = 2; j < columns - 2; j++) {
            float sum = 0;
            for (int p = 0; p < 5; p++)
                for (int q = 0; q < 5; q++) sum += weight[p * 5 + q] * from[(i + p - 2) * columns + j + q - 2];
            result[i * columns + j] = sum;
        }
    timing_print("Convolution", begin);
    array_store("result", out);
    return 0;
}
