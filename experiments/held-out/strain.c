/* Strains and energies of tetrahedra that have been deformed (Saint Venant and Kirchhoff's material). */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "position corner inverse lambda mu k strain energy");
    Array positions = array_load("position", "<f8", 2), corners = array_load("corner", "<i4", 2), inverses = array_load("inverse", "<f8", 3);
    int64_t count = corners.extent[0];
    Array strains = array_new("<f8", 3, inverses.extent), energies = vector_new("<f8", count);
    const double(*position)[3] = positions.data, (*inverse)[3][3] = inverses.data;
    const int(*corner)[4] = corners.data;
    double(*restrict strain)[3][3] = strains.data, *restrict energy = energies.data;
    double lambda = argument_real("lambda"), mu = argument_real("mu");

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t t = 0; t < count; t++) {
        double edge[3][3], f[3][3], e[3][3];
        for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++) edge[p][q] = position[corner[t][q + 1]][p] - position[corner[t][0]][p];
        for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++) {
                f[p][q] = 0;
                for (int r = 0; r < 3; r++) f[p][q] += edge[p][r] * inverse[t][r][q];
            }
        double trace = 0, squares = 0;
        for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++) {
                double sum = p == q ? -1 : 0;
                for (int r = 0; r < 3; r++) sum += f[r][p] * f[r][q];
                strain[t][p][q] = e[p][q] = 0.5 * sum;
            }
        for (int p = 0; p < 3; p++) {
            trace += e[p][p];
            for (int q = 0; q < 3; q++) squares += e[p][q] * e[p][q];
        }
        energy[t] = mu * squares + 0.5 * lambda * trace * trace;
    }
    timing_print("Strain", begin);
    array_store("strain", strains);
    array_store("energy", energies);
    return 0;
}
