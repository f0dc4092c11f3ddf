/* What the card's memory can do: bytes a second of a copy with accesses of 16 bytes, and of reading alone. Prints "copy X" and "read X". */
#include "card.h"

enum { THREADS = 256 };

static __global__ void copy(const double2 *__restrict__ from, double2 *__restrict__ to, int64_t count) {
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < count) to[i] = from[i];
}

static __global__ void read(const double2 *__restrict__ from, double *to, int64_t count) {
    double sum = 0;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += (int64_t)gridDim.x * THREADS) sum += from[i].x + from[i].y;
    if (sum == 1.5) to[0] = sum; /* never: the elements are zero */
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "bytes rounds");
    const int64_t count = argument_integer("bytes") / 16, rounds = argument_integer("rounds");
    double2 *from = card_new<double2>(count), *to = card_new<double2>(count);
    double copying = 1e30, reading = 1e30;
    for (int64_t round = 0; round < rounds; round++) {
        const double begin = card_clock();
        copy<<<card_blocks(count, THREADS), THREADS>>>(from, to, count);
        const double between = card_clock();
        read<<<132 * 8, THREADS>>>(from, (double *)to, count);
        const double end = card_clock();
        if (between - begin < copying) copying = between - begin;
        if (end - between < reading) reading = end - between;
    }
    printf("copy %.4g\nread %.4g\n", 32.0 * (double)count / copying, 16.0 * (double)count / reading);
    return 0;
}
