/* Hits of random points in each cell of a grid: a thread has a cell; blocks add up their hits. Without contractions: hits are counted to the last one. */
#include "card.h"

enum { THREADS = 128 };

static __device__ void shuffle(uint32_t *x, uint32_t *y, uint32_t key) {
#pragma unroll
    for (int turn = 0; turn < 10; turn++, key += 0x9E3779B9u) {
        const uint32_t upper = __umulhi(0xD256D193u, *x), lower = 0xD256D193u * *x;
        *x = upper ^ key ^ *y;
        *y = lower;
    }
}

static __global__ void sample(int64_t *hits, unsigned long long *total, int grid, int points, uint32_t seed) {
    __shared__ unsigned long long of_block;
    const int64_t cell = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const double width = 2.0 / grid, row = (double)(cell / grid), column = (double)(cell % grid);
    int count = 0;
    if (threadIdx.x == 0) of_block = 0;
    __syncthreads();
    if (cell < (int64_t)grid * grid) {
        for (int trial = 0; trial < points; trial++) {
            uint32_t x = (uint32_t)trial, y = (uint32_t)cell;
            shuffle(&x, &y, seed);
            const double right = __dadd_rn(__dmul_rn(column + (x + 0.5) / 4294967296.0, width), -1), up = __dadd_rn(__dmul_rn(row + (y + 0.5) / 4294967296.0, width), -1);
            const double across = __dmul_rn(right, right), along = __dmul_rn(up, up), square = __dadd_rn(across, along);
            count += __dmul_rn(square, square) <= __dsub_rn(across, along);
        }
        hits[cell] = count;
        atomicAdd(&of_block, (unsigned long long)count);
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, of_block);
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "grid points seed k hits");
    const int64_t grid = argument_integer("grid"), points = argument_integer("points");
    Array hits = matrix_new("<i8", grid, grid);
    int64_t *on_card = card_new<int64_t>(hits.count);
    unsigned long long *total = card_new<unsigned long long>(1), all = 0;
    double begin = 0;
    for (int round = 0; round < 2; round++) { /* the first one brings the kernel */
        card_check(cudaMemset(total, 0, sizeof *total), "zeros");
        begin = card_clock();
        sample<<<card_blocks(hits.count, THREADS), THREADS>>>(on_card, total, (int)grid, (int)points, (uint32_t)argument_integer("seed"));
    }
    card_clock();
    timing_print("sampling", begin);
    card_check(cudaMemcpy(&all, total, sizeof all, cudaMemcpyDeviceToHost), "copying back");
    printf("%.17g\n", 4.0 * (double)all / ((double)grid * (double)grid * (double)points));
    card_take(&hits, on_card);
    array_store("hits", hits);
    return 0;
}
