/* Parity symbols of many blocks of bytes: Reed-Solomon with 32 parity symbols over GF(256). */
#include <string.h>
#include "../reference/common.h"

enum { PARITY = 32 };

static uint8_t times(int a, int b) {
    int product = 0;
    for (int bit = 0; bit < 8; bit++, b >>= 1) {
        if (b & 1) product ^= a;
        a <<= 1;
        if (a > 255) a ^= 0x11D;
    }
    return (uint8_t)product;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "bytes k parity weight");
    Array in = array_load("bytes", "<i4", 2);
    int64_t blocks = in.extent[0], length = in.extent[1];
    Array parities = matrix_new("<i4", blocks, PARITY), weights = vector_new("<i4", blocks);
    const int *restrict bytes = in.data;
    int *restrict parity = parities.data, *restrict weight = weights.data;
    static uint8_t table[256][PARITY];
    static uint64_t rows[256][PARITY / 8];

    double begin = clock_now();
    uint8_t generator[PARITY + 1] = {1}, root = 1;
    for (int r = 0; r < PARITY; r++) {
        for (int j = r + 1; j > 0; j--) generator[j] ^= times(generator[j - 1], root);
        root = times(root, 2);
    }
    for (int f = 0; f < 256; f++)
        for (int j = 0; j < PARITY; j++) table[f][j] = times(f, generator[j + 1]);
    memcpy(rows, table, sizeof rows);
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t b = 0; b < blocks; b++) {
        uint64_t r0 = 0, r1 = 0, r2 = 0, r3 = 0; /* the symbols, the first one in the lowest byte */
        for (int64_t i = 0; i < length; i++) {
            const uint64_t *restrict row = rows[(uint8_t)r0 ^ (uint8_t)bytes[b * length + i]];
            r0 = (r0 >> 8 | r1 << 56) ^ row[0];
            r1 = (r1 >> 8 | r2 << 56) ^ row[1];
            r2 = (r2 >> 8 | r3 << 56) ^ row[2];
            r3 = r3 >> 8 ^ row[3];
        }
        uint64_t words[4] = {r0, r1, r2, r3};
        uint8_t rest[PARITY];
        memcpy(rest, words, PARITY);
        int heavy = 0;
        for (int j = 0; j < PARITY; j++) {
            parity[b * PARITY + j] = rest[j];
            heavy += rest[j] != 0;
        }
        weight[b] = heavy;
    }
    timing_print("Reed Solomon", begin);
    array_store("parity", parities);
    array_store("weight", weights);
    return 0;
}
