/* Electrons in one dimension (Vlasov and Poisson), with cubic interpolation. */
#include <math.h>
#include "../reference/common.h"

static inline void weights(double t, double *a, double *b, double *c, double *d) {
    *a = -t * (t - 1) * (t - 2) / 6;
    *b = (t + 1) * (t - 1) * (t - 2) / 2;
    *c = -(t + 1) * t * (t - 2) / 2;
    *d = (t + 1) * t * (t - 1) / 6;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start rounds fastest length step k l end field energy");
    Array fs = array_load("start", "<f8", 2);
    int64_t n = fs.extent[0], m = fs.extent[1], rounds = argument_integer("rounds");
    Array gs = matrix_new("<f8", n, m), fields = vector_new("<f8", m), energies = vector_new("<f8", rounds), densities = vector_new("<f8", m), ws = matrix_new("<f8", 4, m), wholes = vector_new("<i8", m);
    double *restrict f = fs.data, *restrict g = gs.data, *restrict field = fields.data, *restrict density = densities.data, *energy = energies.data;
    double *restrict w = ws.data, fastest = argument_real("fastest"), step = argument_real("step"), wide = argument_real("length") / m, high = 2 * fastest / n;
    int64_t *restrict whole_of = wholes.data;
    int threads = argument_threads();

    double begin = clock_now();
    for (int64_t r = 0; r < rounds; r++) {
#pragma omp parallel for num_threads(threads)
        for (int64_t v = 0; v < n; v++) {
            double shift = ((v + 0.5) * high - fastest) * step / wide, a, b, c, d;
            int64_t whole = floor(shift), from = ((-whole - 2) % m + m) % m;
            const double *restrict row = f + v * m;
            weights(1 + whole - shift, &a, &b, &c, &d);
            /* x + from without a remainder where all four lie in the row. */
            int64_t x = 0;
            for (; x < m && x + from + 3 < m; x++) g[v * m + x] = a * row[x + from] + b * row[x + from + 1] + c * row[x + from + 2] + d * row[x + from + 3];
            for (; x < m && x + from < m; x++)
                g[v * m + x] = a * row[(x + from) % m] + b * row[(x + from + 1) % m] + c * row[(x + from + 2) % m] + d * row[(x + from + 3) % m];
            for (int64_t at = x + from - m; x < m && at + 3 < m; x++, at++) g[v * m + x] = a * row[at] + b * row[at + 1] + c * row[at + 2] + d * row[at + 3];
            for (; x < m; x++)
                g[v * m + x] = a * row[(x + from) % m] + b * row[(x + from + 1) % m] + c * row[(x + from + 2) % m] + d * row[(x + from + 3) % m];
        }
#pragma omp parallel for num_threads(threads)
        for (int64_t first = 0; first < m; first += 256) {
            int64_t end = first + 256 < m ? first + 256 : m;
            for (int64_t x = first; x < end; x++) density[x] = 0;
            for (int64_t v = 0; v < n; v++)
#pragma omp simd
                for (int64_t x = first; x < end; x++) density[x] += high * g[v * m + x];
        }
        double total = 0, sum = 0, squares = 0;
        for (int64_t x = 0; x < m; x++) total += density[x];
        field[0] = 0;
        for (int64_t x = 1; x < m; x++) field[x] = field[x - 1] + wide * (total / m - 0.5 * (density[x - 1] + density[x]));
        for (int64_t x = 0; x < m; x++) sum += field[x];
        for (int64_t x = 0; x < m; x++) {
            field[x] -= sum / m;
            squares += field[x] * field[x];
            double shift = -field[x] * step / high;
            whole_of[x] = floor(shift);
            weights(1 + whole_of[x] - shift, w + x, w + m + x, w + 2 * m + x, w + 3 * m + x);
        }
        energy[r] = 0.5 * wide * squares;
#pragma omp parallel for num_threads(threads)
        for (int64_t v = 0; v < n; v++)
            for (int64_t x = 0; x < m; x++) {
                int64_t from = v - whole_of[x] - 1;
                const double *at = g + from * m + x;
                f[v * m + x] = from >= 1 && from + 2 < n ? w[x] * at[-m] + w[m + x] * at[0] + w[2 * m + x] * at[m] + w[3 * m + x] * at[2 * m] : 0;
            }
    }
    timing_print("Vlasov", begin);
    array_store("end", fs);
    array_store("field", fields);
    array_store("energy", energies);
    return 0;
}
