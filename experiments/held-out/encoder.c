/* One block of a transformer's encoder in single precision. */
#include <math.h>
#include <string.h>
#include "../reference/common.h"

static void normalise(int m, float *restrict normal, const float *restrict x, const float *restrict gain, const float *restrict offset) {
    float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
    for (int c = 0; c < m; c++) sum += x[c];
    float mean = sum / m;
#pragma omp simd reduction(+ : squares)
    for (int c = 0; c < m; c++) squares += (x[c] - mean) * (x[c] - mean);
    float scale = 1 / sqrtf(squares / m + 1e-5f);
#pragma omp simd
    for (int c = 0; c < m; c++) normal[c] = (x[c] - mean) * scale * gain[c] + offset[c];
}

/* Four rows at once, so that each row of c that is loaded serves four. */
static void multiply(int rows, int m, int l, float *restrict a, const float *restrict b, const float *restrict c) {
    memset(a, 0, sizeof(float) * rows * m);
    int i = 0;
    for (; i + 4 <= rows; i += 4)
        for (int at = 0; at < l; at++) {
            float b0 = b[i * l + at], b1 = b[(i + 1) * l + at], b2 = b[(i + 2) * l + at], b3 = b[(i + 3) * l + at];
#pragma omp simd
            for (int j = 0; j < m; j++) {
                float v = c[at * m + j];
                a[i * m + j] += b0 * v;
                a[(i + 1) * m + j] += b1 * v;
                a[(i + 2) * m + j] += b2 * v;
                a[(i + 3) * m + j] += b3 * v;
            }
        }
    for (; i < rows; i++)
        for (int at = 0; at < l; at++)
#pragma omp simd
            for (int j = 0; j < m; j++) a[i * m + j] += b[i * l + at] * c[at * m + j];
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x to_query to_key to_value back widen narrow gain offset heads k result strongest");
    Array xs = array_load("x", "<f4", 2), qs = array_load("to_query", "<f4", 2), ks = array_load("to_key", "<f4", 2), vs = array_load("to_value", "<f4", 2);
    Array bs = array_load("back", "<f4", 2), ws = array_load("widen", "<f4", 2), ns = array_load("narrow", "<f4", 2), gs = array_load("gain", "<f4", 1), os = array_load("offset", "<f4", 1);
    int n = xs.extent[0], d = xs.extent[1], wide = ws.extent[1], heads = argument_integer("heads"), size = d / heads, band = 32;
    Array results = matrix_new("<f4", n, d), strongests = matrix_new("<i8", n, heads);
    float *x = xs.data, *result = results.data, *normal = memory_new(4 * n * d), *query = memory_new(4 * n * d), *key = memory_new(4 * n * d), *value = memory_new(4 * n * d);
    float *mixed = memory_new(4 * n * d), *middle = memory_new(4 * n * d), *inner = memory_new((size_t)4 * n * wide), *turned = memory_new(4 * n * d);
    int64_t *strongest = strongests.data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for schedule(static)
    for (int i0 = 0; i0 < n; i0 += band) {
        int rows = n - i0 < band ? n - i0 : band;
        for (int i = i0; i < i0 + rows; i++) normalise(d, normal + i * d, x + i * d, gs.data, os.data);
        multiply(rows, d, d, query + i0 * d, normal + i0 * d, qs.data);
        multiply(rows, d, d, key + i0 * d, normal + i0 * d, ks.data);
        multiply(rows, d, d, value + i0 * d, normal + i0 * d, vs.data);
        for (int i = i0; i < i0 + rows; i++)
            for (int c = 0; c < d; c++) turned[c * n + i] = key[i * d + c];
    }
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
        for (int h = 0; h < heads; h++) {
            float chance[n], highest = -INFINITY, total = 0, *mix = mixed + i * d + h * size;
            int where = 0;
            memset(chance, 0, sizeof chance);
            for (int c = h * size; c < (h + 1) * size; c++) {
                float q = query[i * d + c];
#pragma omp simd
                for (int j = 0; j < n; j++) chance[j] += q * turned[c * n + j];
            }
            float root = sqrtf(size);
            for (int j = 0; j < n; j++) {
                chance[j] /= root;
                if (chance[j] > highest) highest = chance[j], where = j;
            }
            strongest[i * heads + h] = where;
            for (int j = 0; j < n; j++) {
                chance[j] = expf(chance[j] - highest);
                total += chance[j];
            }
            memset(mix, 0, 4 * size);
            for (int j = 0; j < n; j++)
#pragma omp simd
                for (int c = 0; c < size; c++) mix[c] += chance[j] * value[j * d + h * size + c];
            for (int c = 0; c < size; c++) mix[c] /= total;
        }
#pragma omp for schedule(static)
    for (int i0 = 0; i0 < n; i0 += band) {
        int rows = n - i0 < band ? n - i0 : band;
        multiply(rows, d, d, middle + i0 * d, mixed + i0 * d, bs.data);
        for (int at = i0 * d; at < (i0 + rows) * d; at++) middle[at] += x[at];
        for (int i = i0; i < i0 + rows; i++) normalise(d, normal + i * d, middle + i * d, gs.data, os.data);
        multiply(rows, wide, d, inner + i0 * wide, normal + i0 * d, ws.data);
        for (int at = i0 * wide; at < (i0 + rows) * wide; at++) inner[at] = 0.5f * inner[at] * (1 + erff(inner[at] / sqrtf(2)));
        multiply(rows, d, wide, result + i0 * d, inner + i0 * wide, ns.data);
        for (int at = i0 * d; at < (i0 + rows) * d; at++) result[at] += middle[at];
    }
    }
    timing_print("Encoder", begin);
    array_store("result", results);
    array_store("strongest", strongests);
    return 0;
}
