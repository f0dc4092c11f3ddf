/* Vertical diffusion in the columns of an atmosphere. */
#include <math.h>
#include "../reference/common.h"

enum { BAND = 64 };

int main(int argc, char **argv) {
    arguments_read(argc, argv, "theta wind depth ground land steps dt k theta_end wind_end top");
    Array thetas = array_load("theta", "<f8", 2), winds = array_load("wind", "<f8", 2), depths = array_load("depth", "<f8", 1), grounds = array_load("ground", "<f8", 1),
          lands = array_load("land", "|b1", 1);
    int64_t levels = thetas.extent[0], columns = thetas.extent[1];
    int steps = argument_integer("steps");
    double dt = argument_real("dt");
    Array tops = vector_new("<i4", columns);
    double *theta = thetas.data, *wind = winds.data;
    const double *depth = depths.data, *ground = grounds.data;
    const bool *land = lands.data;
    int *top = tops.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(static)
    for (int64_t first = 0; first < columns; first += BAND) {
        int width = columns - first < BAND ? columns - first : BAND;
        static _Thread_local double exchange[256][BAND], ratio[256][BAND], right[256][BAND], right_wind[256][BAND];
        for (int step = 0; step < steps; step++) {
            for (int j = 0; j < width; j++) top[first + j] = 0;
            double height = 0.5 * depth[0];
            for (int k = 1; k < levels; k++) {
                const double *t = theta + k * columns + first, *below = t - columns, *u = wind + k * columns + first, *u_below = u - columns;
                double dz = 0.5 * (depth[k] + depth[k - 1]);
                height += dz;
                double length = 0.4 * height / (1 + 0.4 * height / 150);
                int *restrict highest = top + first;
#pragma omp simd
                for (int j = 0; j < width; j++) {
                    double slope = (t[j] - below[j]) / dz, shear = (u[j] - u_below[j]) / dz;
                    double square = shear * shear > 1e-6 ? shear * shear : 1e-6;
                    double richardson = 9.81 / t[j] * slope / square;
                    double unstable = sqrt(1 - 16 * (richardson < 0 ? richardson : 0)), stable = (1 - 4 * richardson) * (1 - 4 * richardson);
                    double stability = richardson < 0 ? unstable : richardson < 0.25 ? stable : 0;
                    highest[j] = richardson < 0.25 ? k : highest[j];
                    exchange[k][j] = (length * length * sqrt(square) * stability + 0.01) / dz;
                }
            }
            for (int k = 0; k < levels; k++) {
                const double *t = theta + k * columns + first, *u = wind + k * columns + first;
#pragma omp simd
                for (int j = 0; j < width; j++) {
                    double below = k > 0 ? dt * exchange[k][j] / depth[k] : 0, above = k < levels - 1 ? dt * exchange[k + 1][j] / depth[k] : 0;
                    double source = t[j];
                    if (k == 0 && land[first + j]) source += dt * 0.01 * (ground[first + j] - t[j]) / depth[k];
                    if (k == 0) {
                        double pivot = 1 + above;
                        right[k][j] = source / pivot;
                        right_wind[k][j] = u[j] / pivot;
                        ratio[k][j] = above / pivot;
                    } else {
                        double pivot = 1 + below + above - below * ratio[k - 1][j];
                        right[k][j] = (source + below * right[k - 1][j]) / pivot;
                        right_wind[k][j] = (u[j] + below * right_wind[k - 1][j]) / pivot;
                        ratio[k][j] = above / pivot;
                    }
                }
            }
            for (int j = 0; j < width; j++) {
                theta[(levels - 1) * columns + first + j] = right[levels - 1][j];
                wind[(levels - 1) * columns + first + j] = right_wind[levels - 1][j];
            }
            for (int k = levels - 2; k >= 0; k--) {
                double *restrict t = theta + k * columns + first, *restrict u = wind + k * columns + first;
#pragma omp simd
                for (int j = 0; j < width; j++) {
                    t[j] = right[k][j] + ratio[k][j] * t[columns + j];
                    u[j] = right_wind[k][j] + ratio[k][j] * u[columns + j];
                }
            }
        }
    }
    timing_print("Diffusion", begin);
    array_store("theta_end", thetas);
    array_store("wind_end", winds);
    array_store("top", tops);
    return 0;
}
