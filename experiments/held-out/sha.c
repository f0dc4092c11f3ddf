/* SHA-256's compression of one block for each of many messages. */
#include "../reference/common.h"

static inline uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "message constant start k digest");
    Array messages = array_load("message", "<i8", 2), constants = array_load("constant", "<i8", 1), starts = array_load("start", "<i8", 1);
    int64_t count = messages.extent[0];
    Array digests = matrix_new("<i8", count, 8);
    const int64_t *constant = constants.data, *start = starts.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t m = 0; m < count; m++) {
        const int64_t *message = (int64_t *)messages.data + m * 16;
        int64_t *digest = (int64_t *)digests.data + m * 8;
        uint32_t w[64];
        for (int t = 0; t < 16; t++) w[t] = message[t];
        for (int t = 16; t < 64; t++) {
            uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
            uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
            w[t] = w[t - 16] + s0 + w[t - 7] + s1;
        }
        uint32_t a = start[0], b = start[1], c = start[2], d = start[3], e = start[4], f = start[5], g = start[6], h = start[7];
        for (int t = 0; t < 64; t++) {
            uint32_t s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25), choice = (e & f) ^ (~e & g);
            uint32_t one = h + s1 + choice + (uint32_t)constant[t] + w[t];
            uint32_t s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22), most = (a & b) ^ (a & c) ^ (b & c);
            h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + s0 + most;
        }
        uint32_t end[8] = {a, b, c, d, e, f, g, h};
        for (int n = 0; n < 8; n++) digest[n] = (uint32_t)(start[n] + end[n]);
    }
    timing_print("SHA", begin);
    array_store("digest", digests);
    return 0;
}
