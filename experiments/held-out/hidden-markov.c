/* How likely sequences of observations are under a hidden Markov model (forward algorithm, scaled in each step). */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "seen step emit k likely");
    Array seens = array_load("seen", "<i4", 2), steps = array_load("step", "<f8", 2), emits = array_load("emit", "<f8", 2);
    int64_t count = seens.extent[0], length = seens.extent[1], states = steps.extent[0], kinds = emits.extent[1];
    const double *restrict step = steps.data, *restrict emit = emits.data;
    Array likelies = vector_new("<f8", count);

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t s = 0; s < count; s++) {
        const int *seen = (int *)seens.data + s * length;
        double now[states], next[states], sum = 0, total;
        for (int64_t a = 0; a < states; a++) now[a] = emit[a * kinds + seen[0]] / states;
        for (int64_t t = 1; t < length; t++) {
            total = 0;
            for (int64_t a = 0; a < states; a++) total += now[a];
            sum += log(total);
            for (int64_t b = 0; b < states; b++) next[b] = 0;
            for (int64_t a = 0; a < states; a++)
                for (int64_t b = 0; b < states; b++) next[b] += now[a] / total * step[a * states + b];
            for (int64_t b = 0; b < states; b++) now[b] = next[b] * emit[b * kinds + seen[t]];
        }
        total = 0;
        for (int64_t a = 0; a < states; a++) total += now[a];
        ((double *)likelies.data)[s] = sum + log(total);
    }
    timing_print("Forward", begin);
    array_store("likely", likelies);
    return 0;
}
