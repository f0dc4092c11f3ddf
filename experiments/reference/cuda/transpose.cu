/* b = a transposed: squares of 32 by 32 through shared memory, whose rows are one element longer so that columns lie in different banks. */
#include "card.h"

enum { EDGE = 32, ROWS = 8 /* of threads: each has four elements of a square */ };

static __global__ void turn(const double *__restrict__ a, double *__restrict__ b, int64_t rows, int64_t columns) {
    __shared__ double square[EDGE][EDGE + 1];
    const int64_t i0 = (int64_t)blockIdx.y * EDGE, j0 = (int64_t)blockIdx.x * EDGE;
    for (int r = (int)threadIdx.y; r < EDGE; r += ROWS)
        if (i0 + r < rows && j0 + threadIdx.x < columns) square[r][threadIdx.x] = a[(i0 + r) * columns + j0 + threadIdx.x];
    __syncthreads();
    for (int r = (int)threadIdx.y; r < EDGE; r += ROWS)
        if (j0 + r < columns && i0 + threadIdx.x < rows) b[(j0 + r) * rows + i0 + threadIdx.x] = square[threadIdx.x][r];
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a b k l");
    Array a = array_load("a", "<f8", 2), b = matrix_new("<f8", a.extent[1], a.extent[0]);
    const double *from = card_give<double>(&a);
    double *to = card_new<double>(b.count), begin = 0;
    for (int round = 0; round < 2; round++) {
        begin = card_clock();
        turn<<<dim3(card_blocks(a.extent[1], EDGE), card_blocks(a.extent[0], EDGE)), dim3(EDGE, ROWS)>>>(from, to, a.extent[0], a.extent[1]);
    }
    card_clock();
    timing_print("transpose", begin);
    card_take(&b, to);
    array_store("b", b);
    return 0;
}
