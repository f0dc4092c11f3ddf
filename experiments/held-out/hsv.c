/* Colours of an image as hue, saturation and value, and how often each of 36 hues occurs among strong colours. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "rgb k hsv often");
    Array rgbs = array_load("rgb", "<f4", 3);
    int64_t count = rgbs.extent[0] * rgbs.extent[1];
    Array hsvs = array_new("<f4", 3, rgbs.extent), oftens = vector_new("<i8", 36);
    const float(*restrict rgb)[3] = rgbs.data;
    float(*restrict hsv)[3] = hsvs.data;
    int64_t *often = oftens.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) reduction(+ : often[:36])
    for (int64_t at = 0; at < count; at++) {
        float r = rgb[at][0], g = rgb[at][1], b = rgb[at][2];
        float most = r > g ? r : g, least = r < g ? r : g;
        most = most > b ? most : b;
        least = least < b ? least : b;
        float wide = most - least, hue = 0, strong = most > 0 ? wide / most : 0;
        if (wide > 0) {
            if (most == r) {
                hue = (g - b) / wide;
                if (hue < 0) hue += 6;
            } else if (most == g)
                hue = 2 + (b - r) / wide;
            else
                hue = 4 + (r - g) / wide;
        }
        hsv[at][0] = 60 * hue;
        hsv[at][1] = strong;
        hsv[at][2] = most;
        if (strong > 0.5f) {
            int bin = 60 * hue / 10;
            often[bin < 35 ? bin : 35]++;
        }
    }
    timing_print("Colours", begin);
    array_store("hsv", hsvs);
    array_store("often", oftens);
    return 0;
}
