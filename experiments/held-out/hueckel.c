/* Hückel theory of many small molecules by cyclic Jacobi rotations. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "h electrons k energy gap charge");
    Array hs = array_load("h", "<f8", 3), electronss = array_load("electrons", "<i4", 1);
    int64_t n = hs.extent[0];
    int size = hs.extent[1], most_sweeps = 0;
    Array energies = vector_new("<f8", n), gaps = vector_new("<f8", n), charges = matrix_new("<f8", n, size);
    const int *electrons = electronss.data;
    double *energy = energies.data, *gap = gaps.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(static) reduction(max : most_sweeps)
    for (int64_t m = 0; m < n; m++) {
        double *restrict h = (double *)hs.data + m * size * size, orbital[32 * 32] = {0}, off;
        double *restrict charge = (double *)charges.data + m * size;
        for (int i = 0; i < size; i++) orbital[i * size + i] = 1;
        int sweeps = 0;
        do {
            off = 0;
            for (int p = 0; p < size - 1; p++)
                for (int q = p + 1; q < size; q++) {
                    double g = h[p * size + q];
                    off += g * g;
                    if (fabs(g) <= 1e-14) continue;
                    double theta = (h[q * size + q] - h[p * size + p]) / (2 * g), root = sqrt(1 + theta * theta);
                    double t = theta >= 0 ? 1 / (theta + root) : -1 / (-theta + root), c = 1 / sqrt(1 + t * t), s = t * c;
                    for (int r = 0; r < size; r++) {
                        double x = h[r * size + p], y = h[r * size + q];
                        h[r * size + p] = c * x - s * y;
                        h[r * size + q] = s * x + c * y;
                    }
                    double *restrict hp = h + p * size, *restrict hq = h + q * size, *restrict op = orbital + p * size, *restrict oq = orbital + q * size;
                    for (int r = 0; r < size; r++) {
                        double x = hp[r], y = hq[r], v = op[r], w = oq[r];
                        hp[r] = c * x - s * y;
                        hq[r] = s * x + c * y;
                        op[r] = c * v - s * w;
                        oq[r] = s * v + c * w;
                    }
                }
            sweeps++;
        } while (off > 1e-20 && sweeps < 50);
        if (sweeps > most_sweeps) most_sweeps = sweeps;

        bool used[32] = {false};
        int left = electrons[m];
        double sum = 0, highest = 0, lowest = 1e300;
        while (left > 0) {
            int best = -1;
            for (int o = 0; o < size; o++)
                if (!used[o] && (best < 0 || h[o * size + o] < h[best * size + best])) best = o;
            used[best] = true;
            int in_it = left < 2 ? left : 2;
            left -= in_it;
            highest = h[best * size + best];
            sum += in_it * highest;
            for (int a = 0; a < size; a++) charge[a] += in_it * orbital[best * size + a] * orbital[best * size + a];
        }
        for (int o = 0; o < size; o++)
            if (!used[o] && h[o * size + o] < lowest) lowest = h[o * size + o];
        energy[m] = sum;
        gap[m] = lowest - highest;
    }
    timing_print("Hueckel", begin);
    printf("most sweeps %d\n", most_sweeps);
    array_store("energy", energies);
    array_store("gap", gaps);
    array_store("charge", charges);
    return 0;
}
