/* Grey images made black and white (Floyd and Steinberg): each point's error goes to four neighbours that come later. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "images k white");
    Array images = array_load("images", "<f4", 3);
    int64_t count = images.extent[0], rows = images.extent[1], columns = images.extent[2];
    Array whites = array_new("<i4", 3, images.extent);

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t n = 0; n < count; n++) {
        float *restrict image = (float *)images.data + n * rows * columns;
        int *restrict white = (int *)whites.data + n * rows * columns;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) {
                float *at = image + i * columns + j, old = *at;
                int on = old > 0.5f;
                white[i * columns + j] = on;
                float off = old - on;
                if (j < columns - 1) at[1] += off * 0.4375f;
                if (i < rows - 1) {
                    if (j > 0) at[columns - 1] += off * 0.1875f;
                    at[columns] += off * 0.3125f;
                    if (j < columns - 1) at[columns + 1] += off * 0.0625f;
                }
            }
    }
    timing_print("Dither", begin);
    array_store("white", whites);
    return 0;
}
