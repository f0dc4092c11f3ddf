/* Text enciphered by ChaCha20, 16 blocks side by side. */
#include "../reference/common.h"

enum { LANES = 16 };
typedef uint32_t Lanes[LANES];

static inline uint32_t turn(uint32_t v, int s) { return v << s | v >> (32 - s); }

static inline void quarter(Lanes x[16], int a, int b, int c, int d) {
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
        uint32_t p = x[a][l], q = x[b][l], r = x[c][l], s = x[d][l];
        p += q, s = turn(s ^ p, 16);
        r += s, q = turn(q ^ r, 12);
        p += q, s = turn(s ^ p, 8);
        r += s, q = turn(q ^ r, 7);
        x[a][l] = p, x[b][l] = q, x[c][l] = r, x[d][l] = s;
    }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "text key nonce first k cipher");
    Array texts = array_load("text", "<i8", 2), keys = array_load("key", "<i8", 1), nonces = array_load("nonce", "<i8", 1);
    int64_t blocks = texts.extent[0], first = argument_any_integer("first");
    Array out = array_new("<i8", 2, texts.extent);
    const int64_t *restrict text = texts.data, *key = keys.data, *nonce = nonces.data;
    int64_t *restrict cipher = out.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t base = 0; base < blocks; base += LANES) {
        _Alignas(64) Lanes start[16], x[16];
        for (int l = 0; l < LANES; l++) {
            start[0][l] = 0x61707865, start[1][l] = 0x3320646e, start[2][l] = 0x79622d32, start[3][l] = 0x6b206574;
            for (int w = 0; w < 8; w++) start[4 + w][l] = (uint32_t)key[w];
            start[12][l] = (uint32_t)(first + base + l);
            for (int w = 0; w < 3; w++) start[13 + w][l] = (uint32_t)nonce[w];
        }
        for (int w = 0; w < 16; w++)
            for (int l = 0; l < LANES; l++) x[w][l] = start[w][l];
        for (int round = 0; round < 10; round++) {
            quarter(x, 0, 4, 8, 12), quarter(x, 1, 5, 9, 13), quarter(x, 2, 6, 10, 14), quarter(x, 3, 7, 11, 15);
            quarter(x, 0, 5, 10, 15), quarter(x, 1, 6, 11, 12), quarter(x, 2, 7, 8, 13), quarter(x, 3, 4, 9, 14);
        }
        int64_t lanes = blocks - base < LANES ? blocks - base : LANES;
        for (int64_t l = 0; l < lanes; l++)
            for (int w = 0; w < 16; w++) cipher[(base + l) * 16 + w] = text[(base + l) * 16 + w] ^ (int64_t)(uint32_t)(x[w][l] + start[w][l]);
    }
    timing_print("ChaCha", begin);
    array_store("cipher", out);
    return 0;
}
