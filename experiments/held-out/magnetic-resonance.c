/* Points of a magnetic resonance image from samples of its Fourier transform, in single precision. */
#include <math.h>
#include "../reference/common.h"

typedef struct { float kx, ky, kz, mag; } Sample;

int main(int argc, char **argv) {
    arguments_read(argc, argv, "phi_r phi_i samples x y z k q_r q_i");
    Array phi_rs = array_load("phi_r", "<f4", 1), phi_is = array_load("phi_i", "<f4", 1);
    Array sampless = array_load_records("samples", sizeof(Sample), "[('kx', '<f4'), ('ky', '<f4'), ('kz', '<f4'), ('mag', '<f4')]");
    Array xs = array_load("x", "<f4", 1), ys = array_load("y", "<f4", 1), zs = array_load("z", "<f4", 1);
    int64_t n = xs.count, m = sampless.count;
    Array q_rs = vector_new("<f4", n), q_is = vector_new("<f4", n);
    Sample *restrict samples = sampless.data;
    const float *restrict phi_r = phi_rs.data, *restrict phi_i = phi_is.data, *restrict x = xs.data, *restrict y = ys.data, *restrict z = zs.data;
    float *restrict q_r = q_rs.data, *restrict q_i = q_is.data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for schedule(static)
    for (int64_t s = 0; s < m; s++) samples[s].mag = phi_r[s] * phi_r[s] + phi_i[s] * phi_i[s];
#pragma omp for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        float re = 0, im = 0;
        for (int64_t s = 0; s < m; s++) {
            float angle = 6.2831853071795864769f * (samples[s].kx * x[i] + samples[s].ky * y[i] + samples[s].kz * z[i]);
            re += samples[s].mag * cosf(angle);
            im += samples[s].mag * sinf(angle);
        }
        q_r[i] = re;
        q_i[i] = im;
    }
    }
    timing_print("Resonance", begin);
    array_store("q_r", q_rs);
    array_store("q_i", q_is);
    return 0;
}
