/* The CRC-32 of many blocks of bytes, by a table of 256 entries. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "bytes k sums");
    Array in = array_load("bytes", "<i4", 2), out = vector_new("<i8", in.extent[0]);
    int64_t length = in.extent[1];
    const int *restrict bytes = in.data;
    int64_t *restrict sums = out.data;
    uint32_t table[256];
    double begin = clock_now();
    for (uint32_t entry = 0; entry < 256; entry++) {
        uint32_t x = entry;
        for (int bit = 0; bit < 8; bit++) x = x & 1 ? x >> 1 ^ 0xEDB88320 : x >> 1;
        table[entry] = x;
    }
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t block = 0; block < out.count; block++) {
        uint32_t sum = 0xFFFFFFFF;
        for (int64_t i = 0; i < length; i++) sum = table[(sum ^ (uint32_t)bytes[block * length + i]) & 255] ^ sum >> 8;
        sums[block] = sum ^ 0xFFFFFFFF;
    }
    timing_print("CRC", begin);
    array_store("sums", out);
    return 0;
}
