/* What a 5-point stencil of one array to another can reach, and by which walk: bytes a second, of 16 for each cell. Prints "NAME X" for each:
 *
 *     cells      a thread for each cell, in blocks of 32 by 8
 *     rows       a warp goes along a row of its part of 16 rows by 1024, a row after the other; a thread has 8 cells on their way
 *     columns    it goes down columns as wide as a warp, 8 rows at a time
 *     ahead      and each lane asks for a piece of the next 8 rows
 *     pairs      columns of 64, two cells for each lane
 *     narrow     as `ahead`, 4 rows at a time, with twice as many warps
 *     asked      as `columns`, but all that 8 rows read is on its way before the first cell is computed, which compilers do not do by themselves (experiments/waits.py)
 *     asked4     4 rows at a time, with twice as many warps
 *
 * All but the first have as many warps as `warps` says for each multiprocessor, which go from part to part. */
#include "card.h"

enum { EDGE = 8192, LINE = EDGE + 32, PART_ROWS = 16, PART_COLUMNS = 1024, ACROSS = EDGE / PART_COLUMNS, PARTS = EDGE / PART_ROWS * ACROSS, LANES = 32 };

static __device__ __forceinline__ double cell(const double *__restrict__ from, int64_t at) { return 0.25 * (from[at - LINE] + from[at + LINE] + from[at - 1] + from[at + 1]); }

static __global__ void cells(const double *__restrict__ from, double *__restrict__ to) {
    const int64_t column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y, at = row * LINE + column;
    to[at] = cell(from, at);
}

static __global__ void rows(const double *__restrict__ from, double *__restrict__ to) {
    const int lane = threadIdx.x % LANES;
    for (int64_t part = (blockIdx.x * blockDim.x + threadIdx.x) / LANES; part < PARTS; part += gridDim.x * blockDim.x / LANES) {
        const int64_t top = part / ACROSS * PART_ROWS, left = part % ACROSS * PART_COLUMNS;
        for (int64_t row = top; row < top + PART_ROWS; row++)
            for (int64_t begin = left + lane; begin < left + PART_COLUMNS; begin += 8 * LANES) {
                double values[8];
#pragma unroll
                for (int n = 0; n < 8; n++) values[n] = cell(from, row * LINE + begin + n * LANES);
#pragma unroll
                for (int n = 0; n < 8; n++) to[row * LINE + begin + n * LANES] = values[n];
            }
    }
}

template <int MANY, bool AHEAD> static __global__ void columns(const double *__restrict__ from, double *__restrict__ to) {
    constexpr int PIECES = LANES / MANY;
    const int lane = threadIdx.x % LANES;
    for (int64_t part = (blockIdx.x * blockDim.x + threadIdx.x) / LANES; part < PARTS; part += gridDim.x * blockDim.x / LANES) {
        const int64_t top = part / ACROSS * PART_ROWS, left = part % ACROSS * PART_COLUMNS;
        for (int64_t begin = left; begin < left + PART_COLUMNS; begin += LANES)
            for (int64_t row = top; row < top + PART_ROWS; row += MANY) {
                const int64_t next_row = row + MANY < top + PART_ROWS ? row + MANY : top, next = row + MANY < top + PART_ROWS ? begin : begin + LANES;
                if (AHEAD)
                    asm volatile("prefetch.L2 [%0];" ::"l"(&from[(next_row + lane / PIECES + 1) * LINE + next + lane % PIECES * (LANES / PIECES)]));
                double values[MANY];
#pragma unroll
                for (int n = 0; n < MANY; n++) values[n] = cell(from, (row + n) * LINE + begin + lane);
#pragma unroll
                for (int n = 0; n < MANY; n++) to[(row + n) * LINE + begin + lane] = values[n];
            }
    }
}

template <int MANY> static __global__ void asked(const double *__restrict__ from, double *__restrict__ to) {
    const int lane = threadIdx.x % LANES;
    for (int64_t part = (blockIdx.x * blockDim.x + threadIdx.x) / LANES; part < PARTS; part += gridDim.x * blockDim.x / LANES) {
        const int64_t top = part / ACROSS * PART_ROWS, left = part % ACROSS * PART_COLUMNS;
        for (int64_t begin = left + lane; begin < left + PART_COLUMNS; begin += LANES)
            for (int64_t row = top; row < top + PART_ROWS; row += MANY) {
                double lines[MANY + 2], before[MANY], behind[MANY];
#pragma unroll
                for (int n = 0; n < MANY + 2; n++) lines[n] = from[(row + n - 1) * LINE + begin];
#pragma unroll
                for (int n = 0; n < MANY; n++) before[n] = from[(row + n) * LINE + begin - 1], behind[n] = from[(row + n) * LINE + begin + 1];
                __syncwarp();
#pragma unroll
                for (int n = 0; n < MANY; n++) to[(row + n) * LINE + begin] = 0.25 * (lines[n] + lines[n + 2] + before[n] + behind[n]);
            }
    }
}

static __global__ void pairs(const double *__restrict__ from, double *__restrict__ to) {
    const int lane = threadIdx.x % LANES;
    for (int64_t part = (blockIdx.x * blockDim.x + threadIdx.x) / LANES; part < PARTS; part += gridDim.x * blockDim.x / LANES) {
        const int64_t top = part / ACROSS * PART_ROWS, left = part % ACROSS * PART_COLUMNS;
        for (int64_t begin = left + 2 * lane; begin < left + PART_COLUMNS; begin += 2 * LANES)
            for (int64_t row = top; row < top + PART_ROWS; row += 8) {
                double2 lines[10];
                double before[8], behind[8];
#pragma unroll
                for (int n = 0; n < 10; n++) lines[n] = *(const double2 *)&from[(row + n - 1) * LINE + begin];
#pragma unroll
                for (int n = 0; n < 8; n++) before[n] = from[(row + n) * LINE + begin - 1], behind[n] = from[(row + n) * LINE + begin + 2];
#pragma unroll
                for (int n = 0; n < 8; n++)
                    *(double2 *)&to[(row + n) * LINE + begin] = {0.25 * (lines[n].x + lines[n + 2].x + before[n] + lines[n + 1].y), 0.25 * (lines[n].y + lines[n + 2].y + lines[n + 1].x + behind[n])};
            }
    }
}

template <class Run> static void measure(const char *name, Run run) {
    double best = 1e30;
    for (int round = 0; round < 6; round++) {
        const double begin = card_clock();
        run();
        const double end = card_clock();
        if (end - begin < best) best = end - begin;
    }
    printf("%s %.4g\n", name, 16.0 * (double)EDGE * (double)EDGE / best);
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "warps");
    const int warps = (int)argument_integer("warps"), blocks = 132 * ((warps + 31) / 32), threads = (warps > 32 ? 32 : warps) * LANES;
    const int64_t room = (int64_t)(EDGE + 32) * LINE, first = 16 * LINE + 16; /* cells beside those that get a value */
    const double *from = card_new<double>(room) + first;
    double *to = card_new<double>(room) + first;
    measure("cells", [=] { cells<<<dim3(EDGE / 32, EDGE / 8), dim3(32, 8)>>>(from, to); });
    measure("rows", [=] { rows<<<blocks, threads>>>(from, to); });
    measure("columns", [=] { columns<8, false><<<blocks, threads>>>(from, to); });
    measure("ahead", [=] { columns<8, true><<<blocks, threads>>>(from, to); });
    measure("pairs", [=] { pairs<<<blocks, threads>>>(from, to); });
    measure("narrow", [=] { columns<4, true><<<2 * blocks, threads>>>(from, to); });
    measure("asked", [=] { asked<8><<<blocks, threads>>>(from, to); });
    measure("asked4", [=] { asked<4><<<2 * blocks, threads>>>(from, to); });
    return 0;
}
