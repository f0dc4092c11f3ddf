/* Attention as in transformers: each query takes the mean of the values, weighted by how alike the keys are to it. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "query key value k result");
    Array queries = array_load("query", "<f4", 2), keys = array_load("key", "<f4", 2), values = array_load("value", "<f4", 2);
    int64_t n = queries.extent[0], m = keys.extent[0], depth = keys.extent[1], width = values.extent[1];
    Array results = matrix_new("<f4", n, width);
    const float *restrict query = queries.data, *restrict key = keys.data, *restrict value = values.data;
    float scale = 1 / sqrtf(depth);

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
        float *restrict score = vector_new("<f4", m).data;
#pragma omp for
        for (int64_t i = 0; i < n; i++) {
            float largest = -INFINITY, total = 0;
            for (int64_t j = 0; j < m; j++) {
                float sum = 0;
#pragma omp simd reduction(+ : sum)
                for (int64_t d = 0; d < depth; d++) sum += query[i * depth + d] * key[j * depth + d];
                score[j] = scale * sum;
                if (score[j] > largest) largest = score[j];
            }
            for (int64_t j = 0; j < m; j++) {
                score[j] = expf(score[j] - largest);
                total += score[j];
            }
            float *restrict result = (float *)results.data + i * width;
            for (int64_t j = 0; j < m; j++) {
                float part = score[j] / total;
                for (int64_t d = 0; d < width; d++) result[d] += part * value[j * width + d];
            }
        }
    }
    timing_print("Attention", begin);
    array_store("result", results);
    return 0;
}
