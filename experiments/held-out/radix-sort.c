/* Sorts Integers from 0 to 2 ** 32 - 1 digit by digit, 8 bits at a time, in blocks that count and distribute by themselves. */
#include <stdlib.h>
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "keys k sorted");
    Array kk = array_load("keys", "<i8", 1);
    int64_t n = kk.count, k = argument_integer("k"), blocks = (n + k - 1) / k;
    double begin = clock_now();
    int64_t *from = kk.data, *to = malloc(n * sizeof *to), (*places)[256] = malloc(blocks * sizeof *places);
    for (int shift = 0; shift < 32; shift += 8) {
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t b = 0; b < blocks; b++) {
            int64_t *restrict place = places[b], end = (b + 1) * k < n ? (b + 1) * k : n;
            memset(place, 0, sizeof *places);
            for (int64_t i = b * k; i < end; i++) place[(from[i] >> shift) & 255]++;
        }
        int64_t total = 0;
        for (int digit = 0; digit < 256; digit++)
            for (int64_t b = 0; b < blocks; b++) {
                int64_t number = places[b][digit];
                places[b][digit] = total;
                total += number;
            }
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t b = 0; b < blocks; b++) {
            int64_t *restrict place = places[b], end = (b + 1) * k < n ? (b + 1) * k : n;
            for (int64_t i = b * k; i < end; i++) to[place[(from[i] >> shift) & 255]++] = from[i];
        }
        int64_t *keep = from;
        from = to;
        to = keep;
    }
    timing_print("Radix Sort", begin);
    array_store("sorted", kk);
    return 0;
}
