/* A particle in a potential (Schrödinger's equation in one dimension) by the leapfrog method, with complex amplitudes. */
#include <string.h>
#include "../reference/common.h"

typedef struct Complex {
    double re, im;
} Complex;

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start potential rounds step k end");
    Array now = array_load_records("start", sizeof(Complex), "[('re', '<f8'), ('im', '<f8')]"), before = now;
    before.data = memory_new((size_t)now.count * sizeof(Complex));
    memcpy(before.data, now.data, (size_t)now.count * sizeof(Complex));
    Array potentials = array_load("potential", "<f8", 1);
    int64_t n = now.count, rounds = argument_integer("rounds");
    const double *restrict potential = potentials.data;
    double step = argument_real("step");

    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++) {
        const Complex *restrict psi = now.data;
        Complex *restrict next = before.data;
#pragma omp parallel for simd num_threads(argument_threads())
        for (int64_t i = 1; i < n - 1; i++) {
            double re = potential[i] * psi[i].re - 0.5 * (psi[i - 1].re - 2 * psi[i].re + psi[i + 1].re);
            double im = potential[i] * psi[i].im - 0.5 * (psi[i - 1].im - 2 * psi[i].im + psi[i + 1].im);
            next[i].re += 2 * step * im;
            next[i].im -= 2 * step * re;
        }
        Array keep = now;
        now = before;
        before = keep;
    }
    timing_print("Particle", begin);
    array_store("end", now);
    return 0;
}
