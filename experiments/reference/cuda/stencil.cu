/* Heat on a plate, the 5-point stencil: a thread has a cell, a launch is a step from one array to another. */
#include "card.h"

enum { WIDE = 32, HIGH = 8 };

static __global__ void step(const double *__restrict__ from, double *__restrict__ to, int64_t edge) {
    const int64_t column = (int64_t)blockIdx.x * WIDE + threadIdx.x, row = (int64_t)blockIdx.y * HIGH + threadIdx.y, at = row * edge + column;
    if (row <= 0 || row >= edge - 1 || column <= 0 || column >= edge - 1) return;
    to[at] = 0.25 * (from[at - edge] + from[at + edge] + from[at - 1] + from[at + 1]);
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "plate iterations k l m n p1 p2 result");
    Array plate = array_load("plate", "<f8", 2);
    const int64_t edge = plate.extent[0], iterations = argument_integer("iterations");
    if (plate.extent[1] != edge) fail(1, "the plate is not a square");
    double *current = card_give<double>(&plate), *next = card_give<double>(&plate); /* both have the border, which stays */
    const dim3 blocks(card_blocks(edge, WIDE), card_blocks(edge, HIGH)), threads(WIDE, HIGH);
    step<<<blocks, threads>>>(current, next, edge);
    const double begin = card_clock();
    for (int64_t i = 0; i < iterations; i++) {
        step<<<blocks, threads>>>(current, next, edge);
        double *const other = current;
        current = next;
        next = other;
    }
    card_clock();
    timing_print("stencil", begin);
    card_take(&plate, current);
    array_store("result", plate);
    return 0;
}
