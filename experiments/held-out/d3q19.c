/* Lattice Boltzmann with 19 velocities, bounce-back at solid cells. */
#include <string.h>
#include "../reference/common.h"

typedef struct { double x, y, z; } Velocity;

static const int E[19][3] = {{0,0,0},{0,0,1},{0,0,-1},{0,1,0},{0,-1,0},{1,0,0},{-1,0,0},{0,1,1},{0,-1,-1},{0,1,-1},{0,-1,1},
    {1,0,1},{-1,0,-1},{1,0,-1},{-1,0,1},{1,1,0},{-1,-1,0},{1,-1,0},{-1,1,0}};
static const double W[19] = {1./3, 1./18, 1./18, 1./18, 1./18, 1./18, 1./18, 1./36, 1./36, 1./36, 1./36, 1./36, 1./36, 1./36, 1./36, 1./36, 1./36, 1./36, 1./36};
static const int OPPOSITE[19] = {0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15, 18, 17};

int main(int argc, char **argv) {
    arguments_read(argc, argv, "solid e weight opposite rounds omega force k density velocity");
    Array solids = array_load("solid", "<i4", 3);
    int64_t nz = solids.extent[0], ny = solids.extent[1], nx = solids.extent[2], cells = nz * ny * nx;
    int rounds = argument_integer("rounds");
    double omega = argument_real("omega"), force = argument_real("force");
    const int *restrict solid = solids.data;
    Array densities = array_new("<f8", 3, solids.extent);
    Array velocities = {.dimensions = 3, .extent = {nz, ny, nx, 1}, .count = cells, .size = sizeof(Velocity), .type = "[('x', '<f8'), ('y', '<f8'), ('z', '<f8')]",
        .data = memory_new(sizeof(Velocity) * cells)};
    double *f = memory_new(sizeof(double) * 19 * cells), *next = memory_new(sizeof(double) * 19 * cells);
    double *density = densities.data;
    Velocity *velocity = velocities.data;
    int64_t shift[19];
    for (int q = 0; q < 19; q++) shift[q] = (E[q][0] * ny + E[q][1]) * nx + E[q][2];

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
    for (int q = 0; q < 19; q++)
#pragma omp for schedule(static)
        for (int64_t at = 0; at < cells; at++) f[q * cells + at] = next[q * cells + at] = W[q];
    double *restrict from = f, *restrict to = next;
    for (int t = 0; t < rounds; t++) {
#pragma omp for schedule(static)
        for (int64_t z = 1; z < nz - 1; z++)
            for (int64_t y = 0; y < ny; y++)
                for (int64_t x = 0; x < nx; x++) {
                    int64_t at = (z * ny + y) * nx + x;
                    if (solid[at]) continue;
                    double g[19], rho = 0, ux = 0, uy = 0, uz = 0;
#pragma GCC unroll 19
                    for (int q = 0; q < 19; q++) {
                        int64_t source = at - shift[q];
                        g[q] = solid[source] ? from[OPPOSITE[q] * cells + at] : from[q * cells + source];
                        rho += g[q];
                        uz += E[q][0] * g[q];
                        uy += E[q][1] * g[q];
                        ux += E[q][2] * g[q];
                    }
                    ux /= rho, uy /= rho, uz /= rho;
                    double square = 1.5 * (ux * ux + uy * uy + uz * uz);
#pragma GCC unroll 19
                    for (int q = 0; q < 19; q++) {
                        double along = 3 * (E[q][0] * uz + E[q][1] * uy + E[q][2] * ux);
                        double balance = W[q] * rho * (1 + along + 0.5 * along * along - square);
                        to[q * cells + at] = g[q] + omega * (balance - g[q]) + 3 * W[q] * force * E[q][2];
                    }
                }
        double *keep = from;
        from = to;
        to = keep;
    }
#pragma omp for schedule(static)
    for (int64_t at = 0; at < cells; at++) {
        if (solid[at]) continue;
        double rho = 0, ux = 0, uy = 0, uz = 0;
        for (int q = 0; q < 19; q++) {
            double part = from[q * cells + at];
            rho += part;
            uz += E[q][0] * part;
            uy += E[q][1] * part;
            ux += E[q][2] * part;
        }
        density[at] = rho;
        velocity[at] = (Velocity){ux / rho, uy / rho, uz / rho};
    }
    }
    timing_print("Flow", begin);
    array_store("density", densities);
    array_store("velocity", velocities);
    return 0;
}
