/* Keys of a telephone heard from recordings (Goertzel). */
#include <math.h>
#include "../reference/common.h"

enum { TONES = 8 };

int main(int argc, char **argv) {
    arguments_read(argc, argv, "sound tone length rate limit k power key");
    Array sounds = array_load("sound", "<f4", 2), tones = array_load("tone", "<f8", 1);
    int64_t n = sounds.extent[0], samples = sounds.extent[1], length = argument_integer("length"), frames = samples / length, heard = 0;
    double rate = argument_real("rate"), limit = argument_real("limit"), turn[TONES];
    Array powers = array_new("<f8", 3, (int64_t[]){n, frames, TONES}), keys = matrix_new("<i4", n, frames);
    const float *restrict sound = sounds.data;
    const double *tone = tones.data;
    double *restrict power = powers.data;
    int *restrict key = keys.data;
    if (tones.count != TONES) fail(2, "8 tones");

    double begin = clock_now();
    for (int f = 0; f < TONES; f++) turn[f] = 2 * cos(6.283185307179586 * tone[f] / rate);
#pragma omp parallel for num_threads(argument_threads()) reduction(+ : heard)
    for (int64_t at = 0; at < n * frames; at++) {
        const float *restrict frame = sound + at / frames * samples + at % frames * length;
        double before[TONES] = {0}, last[TONES] = {0}, *p = power + at * TONES;
        for (int64_t s = 0; s < length; s++)
#pragma omp simd
            for (int f = 0; f < TONES; f++) {
                double now = frame[s] + turn[f] * last[f] - before[f];
                before[f] = last[f];
                last[f] = now;
            }
        for (int f = 0; f < TONES; f++) p[f] = last[f] * last[f] + before[f] * before[f] - turn[f] * last[f] * before[f];
        int low = 0, high = 4;
        for (int f = 1; f < 4; f++) {
            if (p[f] > p[low]) low = f;
            if (p[4 + f] > p[high]) high = 4 + f;
        }
        bool there = p[low] > limit && p[high] > limit;
        key[at] = there ? 4 * low + high - 4 : -1;
        heard += there;
    }
    timing_print("Goertzel", begin);
    printf("keys %lld\n", (long long)heard);
    array_store("power", powers);
    array_store("key", keys);
    return 0;
}
