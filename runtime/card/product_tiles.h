/* Products of matrices on cards: x[i][j] = x[i][j] ± y[i, k]·z[k][j] for all i, j, k of three ranges, as runtime/array/multiply.h computes them on
 * processors. Each element is accumulated in ascending k with one rounding for each step, so the result has the same bits for every blocking.
 *
 * How it is fast: a tile of x stays in the registers of a block's threads, each of which has a small part of it, while k runs over the whole
 * depth. Pieces of y and z come to the block's shared memory in the background, ahead of the one at work. Large products whose elements
 * can be read 16 bytes at a time have the tiles of product_large.h, all others those that are here, for any strides and extents. A crew that is the
 * whole card deals its tiles out to the blocks; a warp has small tiles and reads y and z from where they are. */
#ifndef HP5_RUNTIME_CARD_PRODUCT_TILES_H
#define HP5_RUNTIME_CARD_PRODUCT_TILES_H

/* y or z: neighbours along the two indices are so many elements apart. */
template <class Real> struct Hp5Operand {
    const Real *first;
    int64_t row, column;
};
typedef Hp5Operand<double> hp5_operand_double;
typedef Hp5Operand<float> hp5_operand_single;

#include "runtime/card/product_large.h"

static constexpr int HP5_TILE_GROUP = 4;       /* neighbouring elements that a thread reads together */
static constexpr int HP5_TILE_STEP_BYTES = 64; /* of y for one row, in one piece */

/* Pieces of y and z for one tile, side by side: k by k. Two of them, of which one comes while the other one is worked on. */
template <class Real, int HIGH, int WIDE> struct Hp5Tile { /* of a thread's parts */
    static constexpr int DEPTH = HP5_TILE_STEP_BYTES / (int)sizeof(Real), ROWS = HP5_TILE_THREADS / HP5_TILE_ACROSS * HIGH,
                         COLUMNS = HP5_TILE_ACROSS * WIDE, GROUP = WIDE < HP5_TILE_GROUP ? WIDE : HP5_TILE_GROUP;
    struct alignas(GROUP * sizeof(Real) < 16 ? GROUP * sizeof(Real) : 16) Group { Real at[GROUP]; };
    struct Piece {
        /* a few more: what comes for neighbouring k should not meet in one bank */
        alignas(16) Real left[DEPTH][ROWS + HP5_TILE_GROUP], right[DEPTH][COLUMNS + HP5_TILE_GROUP];
    } pieces[2];

    /* What is outside of the product is not touched: nobody looks at what it is multiplied to. */
    static __device__ void bring(Piece *piece, Hp5Operand<Real> y, Hp5Operand<Real> z, int64_t rows, int64_t columns, int64_t depth) {
        const bool across = y.column == 1, down = z.row == 1; /* neighbours in memory for neighbouring threads */
        for (int e = (int)threadIdx.x; e < ROWS * DEPTH; e += (int)blockDim.x) {
            const int i = across ? e / DEPTH : e % ROWS, k = across ? e % DEPTH : e / ROWS;
            if (i < rows && k < depth) __pipeline_memcpy_async(&piece->left[k][i], y.first + i * y.row + k * y.column, sizeof(Real));
        }
        for (int e = (int)threadIdx.x; e < DEPTH * COLUMNS; e += (int)blockDim.x) {
            const int j = down ? e / DEPTH : e % COLUMNS, k = down ? e % DEPTH : e / COLUMNS;
            if (j < columns && k < depth) __pipeline_memcpy_async(&piece->right[k][j], z.first + k * z.row + j * z.column, sizeof(Real));
        }
        __pipeline_commit();
    }

    /* Of a thread's columns those of one group lie side by side, and groups of neighbouring threads, too. */
    static __device__ int column_of(int across, int j) { return j / GROUP * (HP5_TILE_ACROSS * GROUP) + across * GROUP + j % GROUP; }

    static __device__ void step(Real (&sum)[HIGH][WIDE], const Piece *piece, int k, int down, int across, bool subtracts) {
        Group y[HIGH / GROUP], z[WIDE / GROUP];
#pragma unroll
        for (int g = 0; g < HIGH / GROUP; g++) y[g] = *(const Group *)&piece->left[k][down * HIGH + g * GROUP];
#pragma unroll
        for (int g = 0; g < WIDE / GROUP; g++) z[g] = *(const Group *)&piece->right[k][column_of(across, g * GROUP)];
#pragma unroll
        for (int i = 0; i < HIGH; i++) {
            const Real factor = subtracts ? -y[i / GROUP].at[i % GROUP] : y[i / GROUP].at[i % GROUP];
#pragma unroll
            for (int j = 0; j < WIDE; j++) sum[i][j] = fma(factor, z[j / GROUP].at[j % GROUP], sum[i][j]);
        }
    }

    /* At most ROWS by COLUMNS elements of x, by all threads of the block; with fewer than HP5_TILE_THREADS in a block, fewer rows. */
    __device__ void multiply(Real *x, int64_t x_row, Hp5Operand<Real> y, Hp5Operand<Real> z, int64_t rows, int64_t columns, int64_t depth, bool subtracts) {
        const int down = (int)threadIdx.x / HP5_TILE_ACROSS, across = (int)threadIdx.x % HP5_TILE_ACROSS;
        const bool works = threadIdx.x < HP5_TILE_THREADS && down * HIGH < rows && across * GROUP < columns;
        Real sum[HIGH][WIDE];
#pragma unroll
        for (int i = 0; i < HIGH; i++)
#pragma unroll
            for (int j = 0; j < WIDE; j++)
                sum[i][j] = works && down * HIGH + i < rows && column_of(across, j) < columns ? x[(down * HIGH + i) * x_row + column_of(across, j)] : (Real)0;
        bring(&pieces[0], y, z, rows, columns, depth);
        int at = 0;
        for (int64_t k = 0; k < depth; k += DEPTH, at ^= 1) {
            const int64_t next = k + DEPTH;
            if (next < depth) bring(&pieces[at ^ 1], {y.first + next * y.column, y.row, y.column}, {z.first + next * z.row, z.row, z.column}, rows, columns, depth - next);
            if (next < depth) __pipeline_wait_prior(1);
            else __pipeline_wait_prior(0);
            __syncthreads();
            if (works && next <= depth) {
#pragma unroll
                for (int d = 0; d < DEPTH; d++) step(sum, &pieces[at], d, down, across, subtracts);
            } else if (works) {
                for (int d = 0; d < (int)(depth - k); d++) step(sum, &pieces[at], d, down, across, subtracts);
            }
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < HIGH; i++)
#pragma unroll
            for (int j = 0; j < WIDE; j++)
                if (works && down * HIGH + i < rows && column_of(across, j) < columns) x[(down * HIGH + i) * x_row + column_of(across, j)] = sum[i][j];
    }
};

/* One memory for the tiles of all products of a kernel: the largest of them fit. */
static __device__ void *hp5_tile_memory() {
    constexpr size_t of_single = sizeof(Hp5LargeTile<float, HP5_TILE_LARGE_SINGLE, HP5_LEFT_TURNED, true>), of_double = sizeof(Hp5LargeTile<double, HP5_TILE_LARGE_DOUBLE, HP5_LEFT_TURNED, true>);
    __shared__ __align__(16) char memory[of_single > of_double ? of_single : of_double];
    return memory;
}

struct Hp5Tiling { /* of a product among blocks */
    int64_t high, across, count, first, step;
};

template <class Tile> static __device__ Hp5Tiling hp5_tiling(Hp5Crew crew, int64_t rows, int64_t columns) {
    const int64_t high = hp5_min((int64_t)blockDim.x, HP5_TILE_THREADS) * Tile::ROWS / HP5_TILE_THREADS;
    const bool card = crew.tier == HP5_CARD_TIER;
    const int64_t across = (columns - 1) / Tile::COLUMNS + 1;
    return {high, across, ((rows - 1) / high + 1) * across, card ? (int64_t)blockIdx.x : 0, card ? (int64_t)gridDim.x : 1};
}

/* There are tiles for all blocks. */
template <class Tile> static __device__ bool hp5_tiles_suffice(Hp5Crew crew, int64_t rows, int64_t columns) {
    return hp5_tiling<Tile>(crew, rows, columns).count >= (crew.tier == HP5_CARD_TIER ? (int64_t)gridDim.x : 1);
}

template <class Real> static __device__ Hp5Operand<Real> hp5_operand_at(Hp5Operand<Real> operand, int64_t row, int64_t column) {
    return {operand.first + row * operand.row + column * operand.column, operand.row, operand.column};
}

template <class Tile, class Real>
static __device__ void hp5_multiply_tiles(Hp5Crew crew, Real *x, int64_t x_row, Hp5Operand<Real> y, Hp5Operand<Real> z, int64_t rows, int64_t columns,
                                          int64_t depth, bool subtracts) {
    static_assert(sizeof(Tile) <= sizeof(Hp5LargeTile<Real, sizeof(Real) == 4 ? HP5_TILE_LARGE_SINGLE : HP5_TILE_LARGE_DOUBLE, HP5_LEFT_ALONG, false>), "it fits into the memory for tiles");
    const Hp5Tiling tiling = hp5_tiling<Tile>(crew, rows, columns);
    for (int64_t t = tiling.first; t < tiling.count; t += tiling.step) {
        const int64_t row = t / tiling.across * tiling.high, column = t % tiling.across * Tile::COLUMNS;
        ((Tile *)hp5_tile_memory())->multiply(x + row * x_row + column, x_row, hp5_operand_at(y, row, 0), hp5_operand_at(z, 0, column), hp5_min(tiling.high, rows - row),
                                              hp5_min((int64_t)Tile::COLUMNS, columns - column), depth, subtracts);
    }
}

/* Each of a warp's threads has SIDE by SIDE elements, read from where they are; rows and columns that are not there are read from the last one. */
template <class Real>
static __device__ void hp5_multiply_warp(Hp5Crew crew, Real *x, int64_t x_row, Hp5Operand<Real> y, Hp5Operand<Real> z, int64_t rows, int64_t columns,
                                         int64_t depth, bool subtracts) {
    static constexpr int SIDE = HP5_WARP_TILE_SIDE, ACROSS = HP5_WARP_TILE_ACROSS, DOWN = HP5_WARP_THREADS / ACROSS;
    const int64_t across = crew.rank() % ACROSS, down = crew.rank() / ACROSS;
    for (int64_t i0 = down; i0 < rows; i0 += SIDE * DOWN)
        for (int64_t j0 = across; j0 < columns; j0 += SIDE * ACROSS) {
            Real sum[SIDE][SIDE];
            const Real *left[SIDE], *right[SIDE];
#pragma unroll
            for (int i = 0; i < SIDE; i++) {
                left[i] = y.first + hp5_min(i0 + i * DOWN, rows - 1) * y.row;
                right[i] = z.first + hp5_min(j0 + i * ACROSS, columns - 1) * z.column;
#pragma unroll
                for (int j = 0; j < SIDE; j++)
                    sum[i][j] = i0 + i * DOWN < rows && j0 + j * ACROSS < columns ? x[(i0 + i * DOWN) * x_row + j0 + j * ACROSS] : (Real)0;
            }
            for (int64_t k = 0; k < depth; k++) {
                Real of_left[SIDE], of_right[SIDE];
#pragma unroll
                for (int i = 0; i < SIDE; i++) {
                    of_left[i] = subtracts ? -left[i][k * y.column] : left[i][k * y.column];
                    of_right[i] = right[i][k * z.row];
                }
#pragma unroll
                for (int i = 0; i < SIDE; i++)
#pragma unroll
                    for (int j = 0; j < SIDE; j++) sum[i][j] = fma(of_left[i], of_right[j], sum[i][j]);
            }
#pragma unroll
            for (int i = 0; i < SIDE; i++)
#pragma unroll
                for (int j = 0; j < SIDE; j++)
                    if (i0 + i * DOWN < rows && j0 + j * ACROSS < columns) x[(i0 + i * DOWN) * x_row + j0 + j * ACROSS] = sum[i][j];
        }
}

/* With the tiles of this file, large parts where there are tiles for all blocks. For any strides: so it is there once in a program, and is not made for each product. */
template <class Real, int WIDE>
static __device__ __noinline__ void hp5_multiply_any(Hp5Crew crew, Real *x, int64_t x_row, Hp5Operand<Real> y, Hp5Operand<Real> z, int64_t rows, int64_t columns,
                                                     int64_t depth, bool subtracts) {
    typedef Hp5Tile<Real, HP5_TILE_HIGH, WIDE> Medium;
    const int64_t least = hp5_min(rows, columns);
    if (least > HP5_TILE_LARGE && hp5_tiles_suffice<Medium>(crew, rows, columns)) hp5_multiply_tiles<Medium>(crew, x, x_row, y, z, rows, columns, depth, subtracts);
    else if (least > HP5_TILE_SMALL) hp5_multiply_tiles<Hp5Tile<Real, 4, 4>>(crew, x, x_row, y, z, rows, columns, depth, subtracts);
    else hp5_multiply_tiles<Hp5Tile<Real, 2, 2>>(crew, x, x_row, y, z, rows, columns, depth, subtracts);
}

/* Several products are one function; a single one is compiled where it stands, for what is known there. */
#ifdef HP5_SEVERAL_PRODUCTS
#define HP5_PRODUCT_APART __device__ __noinline__
#else
#define HP5_PRODUCT_APART __device__
#endif

/* With large tiles, but for what they cannot do: the last k of a depth that is no multiple of theirs, and tiles at the edge that end inside of 16 bytes. */
template <class Tile, int WIDE, bool SUBTRACTS, class Real>
static HP5_PRODUCT_APART void hp5_multiply_large(Hp5Crew crew, Real *x, int64_t x_row, Hp5Operand<Real> y, Hp5Operand<Real> z, int64_t rows, int64_t columns, int64_t depth) {
    const Hp5Tiling tiling = hp5_tiling<Tile>(crew, rows, columns);
    const Hp5Crew block = {HP5_BLOCK_TIER};
    for (int64_t t = tiling.first; t < tiling.count; t += tiling.step) {
        const int64_t row = t / tiling.across * Tile::ROWS, column = t % tiling.across * Tile::COLUMNS;
        const int64_t high = hp5_min((int64_t)Tile::ROWS, rows - row), wide = hp5_min((int64_t)Tile::COLUMNS, columns - column);
        const int64_t whole = Tile::takes((int)high, (int)wide) ? depth / Tile::DEPTH * Tile::DEPTH : 0;
        Real *const tile = x + row * x_row + column;
        if (whole > 0) ((Tile *)hp5_tile_memory())->template multiply<SUBTRACTS>(tile, x_row, hp5_operand_at(y, row, 0), hp5_operand_at(z, 0, column), (int)high, (int)wide, whole);
        if (whole < depth)
            hp5_multiply_any<Real, WIDE>(block, tile, x_row, hp5_operand_at(y, row, whole), hp5_operand_at(z, whole, column), high, wide, depth - whole, SUBTRACTS);
    }
}

/* Whether what is there can be read 16 bytes at a time, from the first element on and `apart` elements further, and so on. */
template <class Real> static __device__ bool hp5_in_groups(const Real *first, int64_t apart) { return (uintptr_t)first % 16 == 0 && apart % (int64_t)(16 / sizeof(Real)) == 0; }

/* More than half of a tile is there, and tiles for all blocks. */
template <class Tile, int WIDE, class Real>
static __device__ __forceinline__ bool hp5_multiply_if_large(Hp5Crew crew, Real *x, int64_t x_row, Hp5Operand<Real> y, Hp5Operand<Real> z, int64_t rows, int64_t columns,
                                                             int64_t depth, bool subtracts) {
    if (blockDim.x != HP5_TILE_THREADS || rows <= Tile::ROWS / 2 || columns <= Tile::COLUMNS / 2 || !hp5_tiles_suffice<Tile>(crew, rows, columns)) return false;
    if (!hp5_in_groups(x, x_row)) return false;
    if ((Tile::LEFT_IN_GROUPS && !hp5_in_groups(y.first, Tile::LEFT_OF_ROWS ? y.row : y.column)) || (Tile::RIGHT_IN_GROUPS && !hp5_in_groups(z.first, z.row))) return false;
    if (subtracts) hp5_multiply_large<Tile, WIDE, true>(crew, x, x_row, y, z, rows, columns, depth);
    else hp5_multiply_large<Tile, WIDE, false>(crew, x, x_row, y, z, rows, columns, depth);
    return true;
}

/* By all threads of the crew: x_row elements are between rows of x. What is known where a product stands, which strides are 1 above all, is seen here:
 * only one of the large tiles is compiled. */
template <class Real, int WIDE, int LARGE>
static __device__ __forceinline__ void hp5_multiply(Hp5Crew crew, Real *x, int64_t x_row, Hp5Operand<Real> y, Hp5Operand<Real> z, int64_t rows, int64_t columns,
                                                    int64_t depth, bool subtracts) {
    if (crew.tier == HP5_WARP_TIER) {
        hp5_multiply_warp(crew, x, x_row, y, z, rows, columns, depth, subtracts);
        return;
    }
    bool done = false;
    constexpr Hp5LeftWay ROWS_WAY = sizeof(Real) == 4 ? HP5_LEFT_TURNED : HP5_LEFT_ALONG;
    if (y.column == 1 && z.column == 1) done = hp5_multiply_if_large<Hp5LargeTile<Real, LARGE, ROWS_WAY, false>, WIDE>(crew, x, x_row, y, z, rows, columns, depth, subtracts);
    else if (y.column == 1 && z.row == 1) done = hp5_multiply_if_large<Hp5LargeTile<Real, LARGE, ROWS_WAY, true>, WIDE>(crew, x, x_row, y, z, rows, columns, depth, subtracts);
    else if (y.row == 1 && z.column == 1) done = hp5_multiply_if_large<Hp5LargeTile<Real, LARGE, HP5_LEFT_ACROSS, false>, WIDE>(crew, x, x_row, y, z, rows, columns, depth, subtracts);
    else if (y.row == 1 && z.row == 1) done = hp5_multiply_if_large<Hp5LargeTile<Real, LARGE, HP5_LEFT_ACROSS, true>, WIDE>(crew, x, x_row, y, z, rows, columns, depth, subtracts);
    if (!done) hp5_multiply_any<Real, WIDE>(crew, x, x_row, y, z, rows, columns, depth, subtracts);
}

static __device__ __forceinline__ void hp5_multiply_double(Hp5Crew crew, double *x, int64_t x_row, hp5_operand_double y, hp5_operand_double z, int64_t rows,
                                                           int64_t columns, int64_t depth, bool subtracts) {
    hp5_multiply<double, HP5_TILE_WIDE_DOUBLE, HP5_TILE_LARGE_DOUBLE>(crew, x, x_row, y, z, rows, columns, depth, subtracts);
}
static __device__ __forceinline__ void hp5_multiply_single(Hp5Crew crew, float *x, int64_t x_row, hp5_operand_single y, hp5_operand_single z, int64_t rows,
                                                           int64_t columns, int64_t depth, bool subtracts) {
    hp5_multiply<float, HP5_TILE_WIDE_SINGLE, HP5_TILE_LARGE_SINGLE>(crew, x, x_row, y, z, rows, columns, depth, subtracts);
}
#endif
