/* Loops that the threads of a crew share, two as one: rounds go round robin over the threads. Where a round does nothing but give one element its value
 * a thread has several of them on their way at a time (compiler/emit/cuda/abreast.c). */
#ifndef HP5_RUNTIME_CARD_WALKS_H
#define HP5_RUNTIME_CARD_WALKS_H
#include "runtime/card/crew.h"

/* ---- Two loops side by side --------------------------------------------------------------------------------------------- */
/* Loops over i and j as one, whose rounds go round robin over a crew's threads. */
struct Hp5Square {
    int64_t row, column, rounds;      /* a thread's first i and j; how many pairs it has */
    int64_t rows_on, columns_on;      /* from one of them to the next */
    int64_t end, width;               /* of j */
    __device__ void next(int64_t *i, int64_t *j) const {
        *i += rows_on;
        *j += columns_on;
        if (*j < end) return;
        *j -= width;
        *i += 1;
    }
};
template <class Number> static __device__ Hp5Square hp5_square_in(Hp5Crew crew, int64_t i, int64_t i_end, int64_t j, int64_t j_end) {
    const Number width = (Number)(j_end - j), rounds = (Number)(i_end - i) * width, rank = (Number)crew.rank(), size = (Number)crew.size();
    if (rank >= rounds) return {};
    return {i + (int64_t)(rank / width), j + (int64_t)(rank % width), (int64_t)((rounds - rank - 1) / size) + 1, (int64_t)(size / width), (int64_t)(size % width), j_end,
            j_end - j};
}
static __device__ Hp5Square hp5_square(Hp5Crew crew, int64_t i, int64_t i_end, int64_t j, int64_t j_end) {
    if (i >= i_end || j >= j_end) return {};
    const bool small = i_end - i <= INT16_MAX && j_end - j <= INT16_MAX; /* divisions of 64 bits take long */
    return small ? hp5_square_in<uint32_t>(crew, i, i_end, j, j_end) : hp5_square_in<uint64_t>(crew, i, i_end, j, j_end);
}
/* store(i, j, value(i, j)) for a thread's rounds, four values before the first of them is stored. */
template <class Value, class Store> static __device__ void hp5_abreast(const Hp5Square &square, Value value, Store store) {
    int64_t i = square.row, j = square.column, left = square.rounds;
    for (; left >= 4; left -= 4) {
        const int64_t i0 = i, j0 = j;
        square.next(&i, &j);
        const int64_t i1 = i, j1 = j;
        square.next(&i, &j);
        const int64_t i2 = i, j2 = j;
        square.next(&i, &j);
        const auto first = value(i0, j0), second = value(i1, j1), third = value(i2, j2), fourth = value(i, j);
        store(i0, j0, first);
        store(i1, j1, second);
        store(i2, j2, third);
        store(i, j, fourth);
        square.next(&i, &j);
    }
#pragma unroll 1
    for (; left > 0; left--, square.next(&i, &j)) store(i, j, value(i, j));
}

/* The same along one loop. */
template <class Value, class Store> static __device__ void hp5_abreast(Hp5Crew crew, int64_t begin, int64_t end, Value value, Store store) {
    const int64_t on = crew.size();
    int64_t i = begin + crew.rank();
    for (; i + 3 * on < end; i += 4 * on) {
        const auto first = value(i), second = value(i + on), third = value(i + 2 * on), fourth = value(i + 3 * on);
        store(i, first);
        store(i + on, second);
        store(i + 2 * on, third);
        store(i + 3 * on, fourth);
    }
#pragma unroll 1
    for (; i < end; i += on) store(i, value(i));
}

/* How many threads go along the inner loop, which takes so many rounds at most: a power of two, all of them if it has enough. */
static __device__ int64_t hp5_columns(Hp5Crew crew, int64_t rounds) {
    int64_t columns = HP5_WARP_THREADS;
    while (columns < rounds && columns * 2 <= crew.size() && crew.size() % (columns * 2) == 0) columns *= 2;
    return columns;
}

/* ---- Turned ------------------------------------------------------------------------------------------------------------ */
/* store(i, j, value(i, j)) where what is read lies side by side for neighbours in j, and what is stored for neighbours in i. A warp reads 8 pieces of
 * rows of 32 values; in squares of 8 by 8 of them rows become columns, as lanes give each other halves, quarters and eighths of their values. */
template <class Real, class Value, class Store>
static __device__ void hp5_turned(Hp5Crew crew, int64_t i_begin, int64_t i_end, int64_t j_begin, int64_t j_end, Value value, Store store) {
    enum { SIDE = 8 };
    if (i_begin >= i_end || j_begin >= j_end) return;
    const int64_t across = (j_end - j_begin - 1) / HP5_WARP_THREADS + 1, tiles = ((i_end - i_begin - 1) / SIDE + 1) * across;
    const int lane = crew.lane(), place = lane % SIDE;
    for (int64_t t = crew.warp(); t < tiles; t += crew.warps()) {
        const int64_t i = i_begin + t / across * SIDE, j = j_begin + t % across * HP5_WARP_THREADS;
        Real values[SIDE] = {};
#pragma unroll
        for (int r = 0; r < SIDE; r++)
            if (i + r < i_end && j + lane < j_end) values[r] = value(i + r, j + lane);
#pragma unroll
        for (int half = SIDE / 2; half > 0; half /= 2)
#pragma unroll
            for (int r = 0; r < SIDE; r++) {
                if ((r & half) != 0) continue;
                const bool upper = (place & half) != 0;
                const Real got = hp5_from_opposite(upper ? values[r] : values[r | half], half);
                if (upper) values[r] = got;
                else values[r | half] = got;
            }
#pragma unroll
        for (int r = 0; r < SIDE; r++)
            if (i + place < i_end && j + lane - place + r < j_end) store(i + place, j + lane - place + r, values[r]);
    }
}
#endif
