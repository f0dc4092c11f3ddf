/* A gas in a tube (Euler's equations) by finite volumes: limited slopes in the cells, fluxes of Rusanov at the faces, several rounds. */
#include <math.h>
#include "../reference/common.h"

static inline double minmod(double a, double b) { return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b; }
static inline double pressure(double mass, double momentum, double energy) { return 0.4 * (energy - 0.5 * momentum * momentum / mass); }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "mass momentum energy rounds ratio k mass_end momentum_end energy_end");
    Array rs = array_load("mass", "<f8", 1), ms = array_load("momentum", "<f8", 1), es = array_load("energy", "<f8", 1);
    int64_t n = rs.count, rounds = argument_integer("rounds");
    double *restrict r = rs.data, *restrict m = ms.data, *restrict e = es.data, ratio = argument_real("ratio");
    double *restrict sr = vector_new("<f8", n).data, *restrict sm = vector_new("<f8", n).data, *restrict se = vector_new("<f8", n).data;
    double *restrict fr = vector_new("<f8", n).data, *restrict fm = vector_new("<f8", n).data, *restrict fe = vector_new("<f8", n).data;

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t round = 0; round < rounds; round++) {
#pragma omp for simd
        for (int64_t i = 1; i < n - 1; i++) {
            sr[i] = minmod(r[i] - r[i - 1], r[i + 1] - r[i]);
            sm[i] = minmod(m[i] - m[i - 1], m[i + 1] - m[i]);
            se[i] = minmod(e[i] - e[i - 1], e[i + 1] - e[i]);
        }
#pragma omp for simd
        for (int64_t i = 1; i < n; i++) {
            double r1 = r[i - 1] + 0.5 * sr[i - 1], m1 = m[i - 1] + 0.5 * sm[i - 1], e1 = e[i - 1] + 0.5 * se[i - 1];
            double r2 = r[i] - 0.5 * sr[i], m2 = m[i] - 0.5 * sm[i], e2 = e[i] - 0.5 * se[i];
            double p1 = pressure(r1, m1, e1), p2 = pressure(r2, m2, e2);
            double one = fabs(m1 / r1) + sqrt(1.4 * p1 / r1), two = fabs(m2 / r2) + sqrt(1.4 * p2 / r2), fastest = one > two ? one : two;
            fr[i] = 0.5 * (m1 + m2) - 0.5 * fastest * (r2 - r1);
            fm[i] = 0.5 * (m1 * m1 / r1 + p1 + m2 * m2 / r2 + p2) - 0.5 * fastest * (m2 - m1);
            fe[i] = 0.5 * ((e1 + p1) * m1 / r1 + (e2 + p2) * m2 / r2) - 0.5 * fastest * (e2 - e1);
        }
#pragma omp for simd
        for (int64_t i = 1; i < n - 1; i++) {
            r[i] -= ratio * (fr[i + 1] - fr[i]);
            m[i] -= ratio * (fm[i + 1] - fm[i]);
            e[i] -= ratio * (fe[i + 1] - fe[i]);
        }
    }
    timing_print("Euler", begin);
    array_store("mass_end", rs);
    array_store("momentum_end", ms);
    array_store("energy_end", es);
    return 0;
}
