/* A mosaic of red, green and blue sensors becomes an image: bilinear interpolation, white balance, gamma by a table. */
#include <math.h>
#include "../reference/common.h"

typedef struct { int red, green, blue; } Pixel;

static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static inline int balance(int value, int gain) {
    int much = value * gain / 256;
    return much < 4095 ? much : 4095;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "raw red_gain blue_gain k image");
    Array raws = array_load("raw", "<i4", 2);
    int64_t rows = raws.extent[0], columns = raws.extent[1];
    int red_gain = argument_integer("red_gain"), blue_gain = argument_integer("blue_gain"), table[4096], brightest = 0;
    const int *raw = raws.data;
    Array images = {.dimensions = 2, .extent = {rows, columns, 1, 1}, .count = raws.count, .size = sizeof(Pixel), .type = "[('red', '<i4'), ('green', '<i4'), ('blue', '<i4')]",
        .data = memory_new(sizeof(Pixel) * raws.count)};
    Pixel *restrict image = images.data;
    long long clipped = 0;
    double begin = clock_now();
    for (int i = 0; i < 4096; i++) table[i] = (int)(255 * pow(i / 4095.0, 0.45) + 0.5);
#pragma omp parallel for num_threads(argument_threads()) schedule(static) reduction(+ : clipped) reduction(max : brightest)
    for (int64_t i = 0; i < rows; i++) {
        const int *here = raw + i * columns, *up = raw + larger(i - 1, 0) * columns, *down = raw + smaller(i + 1, rows - 1) * columns;
        for (int64_t j = 0; j < columns; j++) {
            int64_t east = smaller(j + 1, columns - 1), west = larger(j - 1, 0);
            int cross = (up[j] + down[j] + here[west] + here[east]) / 4, corners = (up[west] + up[east] + down[west] + down[east]) / 4;
            int beside = (here[west] + here[east]) / 2, above = (up[j] + down[j]) / 2, red = here[j], green = here[j], blue = here[j];
            if (i % 2 == 0) {
                if (j % 2 == 0) green = cross, blue = corners;
                else red = beside, blue = above;
            } else if (j % 2 == 0) red = above, blue = beside;
            else red = corners, green = cross;
            red = balance(red, red_gain);
            blue = balance(blue, blue_gain);
            image[i * columns + j] = (Pixel){table[red], table[green], table[blue]};
            if (red == 4095 || blue == 4095) clipped++;
            int bright = red + 2 * green + blue;
            if (bright > brightest) brightest = bright;
        }
    }
    timing_print("Demosaic", begin);
    printf("clipped %lld brightest %d\n", clipped, brightest);
    array_store("image", images);
    return 0;
}
