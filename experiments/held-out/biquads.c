/* A cascade of second-order filters over the channels of a recording. */
#include <math.h>
#include "../reference/common.h"

typedef struct Biquad {
    double b0, b1, b2, a1, a2;
} Biquad;

int main(int argc, char **argv) {
    arguments_read(argc, argv, "sound chain k filtered loudness peak");
    Array sounds = array_load("sound", "<f8", 2), filters = array_load_records("chain", 6 * sizeof(Biquad), "[('section', [('b0', '<f8'), ('b1', '<f8'), ('b2', '<f8'), ('a1', '<f8'), ('a2', '<f8')], (6,))]");
    int64_t channels = sounds.extent[0], samples = sounds.extent[1], clipped = 0;
    Array filtereds = matrix_new("<f8", channels, samples), louds = vector_new("<f8", channels), peaks = vector_new("<f8", channels);
    double *loudness = louds.data, *peak = peaks.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(static) reduction(+ : clipped)
    for (int64_t c = 0; c < channels; c++) {
        const double *restrict sound = (double *)sounds.data + c * samples;
        const Biquad *restrict section = (Biquad *)filters.data + c * 6;
        double *restrict filtered = (double *)filtereds.data + c * samples, first[6] = {0}, second[6] = {0}, squares = 0, loudest = 0;
        for (int64_t t = 0; t < samples; t++) {
            double x = sound[t];
#pragma GCC unroll 6
            for (int s = 0; s < 6; s++) {
                double y = section[s].b0 * x + first[s];
                first[s] = section[s].b1 * x - section[s].a1 * y + second[s];
                second[s] = section[s].b2 * x - section[s].a2 * y;
                x = y;
            }
            if (fabs(x) > 1) {
                clipped++;
                x = copysign(1.0, x);
            }
            filtered[t] = x;
            squares += x * x;
            loudest = fabs(x) > loudest ? fabs(x) : loudest;
        }
        loudness[c] = 10 * log10(squares / samples + 1e-12);
        peak[c] = loudest;
    }
    timing_print("Filter", begin);
    printf("clipped %lld\n", (long long)clipped);
    array_store("filtered", filtereds);
    array_store("loudness", louds);
    array_store("peak", peaks);
    return 0;
}
