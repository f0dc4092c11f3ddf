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
/* ---- What rounds read ------------------------------------------------------------------------------------------------------- */
/* What computes the value of a round, in two steps: read(i, …), and value(i, …, what that has returned). A thread reads for several rounds before it computes the first value. */
template <class Read, class Value> struct Hp5Gives {
    Read read;
    Value value;
};
template <class Read, class Value> static __device__ Hp5Gives<Read, Value> hp5_gives(Read read, Value value) { return {read, value}; }

/* Of either: what computes it in one step reads nothing before. */
struct Hp5Unread {};
template <class Value> static constexpr bool hp5_in_two_steps = false;
template <class Read, class Value> static constexpr bool hp5_in_two_steps<Hp5Gives<Read, Value>> = true;
template <class Value, class... Index> static __device__ auto hp5_read_for(const Value &value, Index... i) {
    if constexpr (hp5_in_two_steps<Value>) return value.read(i...);
    else return Hp5Unread{};
}
template <class Value, class Read, class... Index> static __device__ auto hp5_value_for(const Value &value, [[maybe_unused]] const Read &read, Index... i) {
    if constexpr (hp5_in_two_steps<Value>) return value.value(i..., read);
    else return value(i...);
}
template <class Value, class... Index> static __device__ auto hp5_value_at(const Value &value, Index... i) { return hp5_value_for(value, hp5_read_for(value, i...), i...); }
/* Between what several rounds read and the first value. */
template <class Read> static __device__ __forceinline__ void hp5_all_read(const Read &) { hp5_all_asked(); }
static __device__ __forceinline__ void hp5_all_read(const Hp5Unread &) {}

/* ---- Several values on their way ------------------------------------------------------------------------------------------ */
/* Three loops, or two, of which k is the innermost, and where a thread is in them. Where rows of k fill warps their rounds are cut into columns, as wide as a warp in
 * k and as deep as i, and each warp of the crew has as many neighbouring rounds of these as the others: it goes down, and what one round reads above and below it the
 * next ones read, too. Other rounds go round robin. */
struct Hp5Walk {
    int64_t i, i_end, j, j_end, k, k_end; /* of the loops */
    int64_t at_i, at_j, at_k, left;       /* a thread's next round; how many it has */
    int64_t on_i, on_j, on_k;             /* round robin: from one of them to the next */
    bool down;

    __device__ void next_round() {
        at_k += on_k;
        at_j += on_j + (at_k >= k_end);
        if (at_k >= k_end) at_k -= k_end - k;
        at_i += on_i + (at_j >= j_end);
        if (at_j >= j_end) at_j -= j_end - j;
    }
    /* So many rounds down, at most to the end of the column. */
    __device__ void go_down(int64_t rounds) {
        left -= rounds;
        at_i += rounds;
        if (at_i < i_end) return;
        at_i = i;
        if (++at_j < j_end) return;
        at_j = j;
        at_k += HP5_WARP_THREADS;
    }
    template <class Number> __device__ void begin(Hp5Crew crew) {
        const Number high = (Number)(i_end - i), deep = (Number)(j_end - j), wide = (Number)(k_end - k);
        const Number across = (wide - 1) / HP5_WARP_THREADS + 1, warps = (Number)crew.warps(), warp = (Number)crew.warp();
        down = crew.tier != HP5_LANE_TIER && high > 1 && wide >= across * (HP5_WARP_THREADS / 4 * 3);
        if (down) {
            const Number rounds = across * deep * high, each = rounds / warps, more = rounds % warps; /* so many warps have one more */
            const Number first = warp * each + (warp < more ? warp : more), column = first / high;
            left = (int64_t)(each + (warp < more));
            at_i = i + (int64_t)(first % high);
            at_j = j + (int64_t)(column % deep);
            at_k = k + (int64_t)(column / deep) * HP5_WARP_THREADS + crew.lane();
            return;
        }
        const Number rounds = high * deep * wide, rank = (Number)crew.rank(), size = (Number)crew.size();
        left = rank < rounds ? (int64_t)((rounds - rank - 1) / size) + 1 : 0;
        at_i = i + (int64_t)(rank / wide / deep);
        at_j = j + (int64_t)(rank / wide % deep);
        at_k = k + (int64_t)(rank % wide);
        on_i = (int64_t)(size / wide / deep);
        on_j = (int64_t)(size / wide % deep);
        on_k = (int64_t)(size % wide);
    }
};
static __device__ Hp5Walk hp5_walk_of(Hp5Crew crew, int64_t i, int64_t i_end, int64_t j, int64_t j_end, int64_t k, int64_t k_end) {
    Hp5Walk walk = {i, i_end, j, j_end, k, k_end};
    if (i >= i_end || j >= j_end || k >= k_end) return walk;
    const bool small = i_end - i <= 1024 && j_end - j <= 1024 && k_end - k <= 1024; /* divisions of 64 bits take long */
    if (small) walk.begin<uint32_t>(crew);
    else walk.begin<uint64_t>(crew);
    return walk;
}

template <int MANY, class Value, class Store> static __device__ void hp5_abreast_down(Hp5Walk walk, Value value, Store store) {
#pragma unroll 1
    while (walk.left > 0 && walk.at_k < walk.k_end) { /* beyond the edge of k lies nothing any more */
        const int64_t i = walk.at_i, j = walk.at_j, k = walk.at_k, to_end = walk.i_end - i, rounds = to_end < walk.left ? to_end : walk.left;
        decltype(hp5_read_for(value, i, j, k)) read[MANY];
        decltype(hp5_value_at(value, i, j, k)) values[MANY];
        if (rounds >= MANY) {
#pragma unroll
            for (int n = 0; n < MANY; n++) read[n] = hp5_read_for(value, i + n, j, k);
            hp5_all_read(read[0]);
#pragma unroll
            for (int n = 0; n < MANY; n++) values[n] = hp5_value_for(value, read[n], i + n, j, k);
#pragma unroll
            for (int n = 0; n < MANY; n++) store(i + n, j, k, values[n]);
            walk.go_down(MANY);
        } else {
            /* where there are no more the last one is computed again, and not stored */
#pragma unroll
            for (int n = 0; n < MANY; n++) read[n] = hp5_read_for(value, n < rounds ? i + n : i + rounds - 1, j, k);
            hp5_all_read(read[0]);
#pragma unroll
            for (int n = 0; n < MANY; n++) values[n] = hp5_value_for(value, read[n], n < rounds ? i + n : i + rounds - 1, j, k);
#pragma unroll
            for (int n = 0; n < MANY; n++)
                if (n < rounds) store(i + n, j, k, values[n]);
            walk.go_down(rounds);
        }
    }
}
/* Where less are left the last one stands for those that are not, and is not stored for them. */
template <int MANY, class Value, class Store> static __device__ void hp5_abreast_round(Hp5Walk walk, Value value, Store store) {
#pragma unroll 1
    for (; walk.left > 0; walk.left -= MANY) {
        int64_t i[MANY], j[MANY], k[MANY];
        decltype(hp5_read_for(value, walk.i, walk.j, walk.k)) read[MANY];
        decltype(hp5_value_at(value, walk.i, walk.j, walk.k)) values[MANY];
#pragma unroll
        for (int n = 0; n < MANY; n++) {
            i[n] = walk.at_i, j[n] = walk.at_j, k[n] = walk.at_k;
            if (n + 1 < MANY && n + 1 < walk.left) walk.next_round();
        }
#pragma unroll
        for (int n = 0; n < MANY; n++) read[n] = hp5_read_for(value, i[n], j[n], k[n]);
        hp5_all_read(read[0]);
#pragma unroll
        for (int n = 0; n < MANY; n++) values[n] = hp5_value_for(value, read[n], i[n], j[n], k[n]);
#pragma unroll
        for (int n = 0; n < MANY; n++)
            if (n < walk.left) store(i[n], j[n], k[n], values[n]);
        walk.next_round();
    }
}
/* One after the other. */
template <class Value, class Store> static __device__ void hp5_one_by_one(Hp5Walk walk, Value value, Store store) {
#pragma unroll 1
    while (walk.at_k < walk.k_end && walk.left > 0) {
        store(walk.at_i, walk.at_j, walk.at_k, hp5_value_at(value, walk.at_i, walk.at_j, walk.at_k));
        if (walk.down) walk.go_down(1);
        else walk.next_round(), walk.left--;
    }
}
/* store(i, j, k, value(i, j, k)) for the rounds of three loops: of those that go down MANY values are computed before the first of them is stored. */
template <int MANY, class Value, class Store>
static __device__ void hp5_abreast(Hp5Crew crew, int64_t i, int64_t i_end, int64_t j, int64_t j_end, int64_t k, int64_t k_end, Value value, Store store) {
    const Hp5Walk walk = hp5_walk_of(crew, i, i_end, j, j_end, k, k_end);
    if constexpr (MANY == 1) hp5_one_by_one(walk, value, store); /* a round with a loop of its own: its text is there once */
    else if (walk.down) hp5_abreast_down<MANY>(walk, value, store);
    else hp5_abreast_round<4>(walk, value, store);
}
/* Of two. */
template <int MANY, class Value, class Store>
static __device__ void hp5_abreast(Hp5Crew crew, int64_t i, int64_t i_end, int64_t k, int64_t k_end, Value value, Store store) {
    hp5_abreast<MANY>(
            crew, i, i_end, 0, 1, k, k_end,
            hp5_gives([&](int64_t row, int64_t, int64_t column) { return hp5_read_for(value, row, column); },
                      [&](int64_t row, int64_t, int64_t column, const auto &read) { return hp5_value_for(value, read, row, column); }),
            [&](int64_t row, int64_t, int64_t column, auto given) { store(row, column, given); });
}

/* Of one. */
template <int MANY, class Value, class Store> static __device__ void hp5_abreast(Hp5Crew crew, int64_t begin, int64_t end, Value value, Store store) {
    const int64_t on = crew.size();
#pragma unroll 1
    for (int64_t i = begin + crew.rank(); i < end; i += MANY * on) {
        decltype(hp5_read_for(value, i)) read[MANY];
        decltype(hp5_value_at(value, i)) values[MANY];
        if (MANY == 1 || i + (MANY - 1) * on < end) {
#pragma unroll
            for (int n = 0; n < MANY; n++) read[n] = hp5_read_for(value, i + n * on);
            hp5_all_read(read[0]);
#pragma unroll
            for (int n = 0; n < MANY; n++) values[n] = hp5_value_for(value, read[n], i + n * on);
#pragma unroll
            for (int n = 0; n < MANY; n++) store(i + n * on, values[n]);
        } else {
#pragma unroll
            for (int n = 0; n < MANY; n++) read[n] = hp5_read_for(value, i + n * on < end ? i + n * on : i);
            hp5_all_read(read[0]);
#pragma unroll
            for (int n = 0; n < MANY; n++) values[n] = hp5_value_for(value, read[n], i + n * on < end ? i + n * on : i);
#pragma unroll
            for (int n = 0; n < MANY; n++)
                if (i + n * on < end) store(i + n * on, values[n]);
        }
    }
}

/* ---- Rounds in their order ---------------------------------------------------------------------------------------------- */
/* A thread's rounds, which do more than give an element its value: it reads for MANY of them before the first one begins. Where less are left the last one's reads stand for those that are not. */
template <int MANY, class Body> static __device__ __forceinline__ void hp5_rounds_abreast(int64_t i, int64_t end, int64_t on, const Body &body) {
#pragma unroll 1
    for (; i < end; i += MANY * on) {
        const bool all = i + (MANY - 1) * on < end;
        decltype(hp5_read_for(body, i)) read[MANY];
        if (all) {
#pragma unroll
            for (int n = 0; n < MANY; n++) read[n] = hp5_read_for(body, i + n * on);
            hp5_all_read(read[0]);
#pragma unroll
            for (int n = 0; n < MANY; n++) hp5_value_for(body, read[n], i + n * on);
        } else {
#pragma unroll
            for (int n = 0; n < MANY; n++) read[n] = hp5_read_for(body, i + n * on < end ? i + n * on : i);
            hp5_all_read(read[0]);
#pragma unroll
            for (int n = 0; n < MANY; n++)
                if (i + n * on < end) hp5_value_for(body, read[n], i + n * on);
        }
    }
}
template <int MANY, class Body> static __device__ __forceinline__ void hp5_rounds_abreast(const Hp5Square &square, const Body &body) {
    int64_t row = square.row, column = square.column;
#pragma unroll 1
    for (int64_t left = square.rounds; left > 0; left -= MANY) {
        int64_t i[MANY], j[MANY];
        decltype(hp5_read_for(body, row, column)) read[MANY];
        const int64_t last_row = row, last_column = column;
#pragma unroll
        for (int n = 0; n < MANY; n++, square.next(&row, &column)) i[n] = n < left ? row : last_row, j[n] = n < left ? column : last_column;
#pragma unroll
        for (int n = 0; n < MANY; n++) read[n] = hp5_read_for(body, i[n], j[n]);
        hp5_all_read(read[0]);
#pragma unroll
        for (int n = 0; n < MANY; n++)
            if (n < left) hp5_value_for(body, read[n], i[n], j[n]);
    }
}

/* Whether each thread has rows of its own: of a crew that goes along one row after the other all wait some three times for each, however short it is; threads that have a row each go through the
 * cache side by side. */
static __device__ bool hp5_rows_are_short(Hp5Crew crew, int64_t rows, int64_t length) { return 2 * rows >= crew.size() && length <= HP5_SHORT_ROW; }

/* How many threads go along the inner loop, which takes so many rounds at most: a power of two, all of them if it has enough. */
static __device__ int64_t hp5_columns(Hp5Crew crew, int64_t rounds) {
    int64_t columns = HP5_WARP_THREADS;
    while (columns < rounds && columns * 2 <= crew.size() && crew.size() % (columns * 2) == 0) columns *= 2;
    return columns;
}

/* ---- Turned ------------------------------------------------------------------------------------------------------------ */
/* store(i, j, value(i, j)) where what is read lies side by side for neighbours in j, and what is stored for neighbours in i. A warp reads SIDE pieces of rows of 32
 * values; in squares of SIDE by SIDE of them rows become columns, as lanes give each other halves, quarters and so on of their values. What is stored side by side are
 * 128 bytes, of values of 8 and 4 bytes. */
template <class Real, class Value, class Store>
static __device__ void hp5_turned(Hp5Crew crew, int64_t i_begin, int64_t i_end, int64_t j_begin, int64_t j_end, Value value, Store store) {
    constexpr int SIDE = sizeof(Real) < 8 ? 32 : 16;
    if (i_begin >= i_end || j_begin >= j_end) return;
    const int64_t across = (j_end - j_begin - 1) / HP5_WARP_THREADS + 1, tiles = ((i_end - i_begin - 1) / SIDE + 1) * across;
    const int64_t rows_on = crew.warps() / across * SIDE, columns_on = crew.warps() % across * HP5_WARP_THREADS, width = across * HP5_WARP_THREADS;
    const int lane = crew.lane(), place = lane % SIDE;
    int64_t i = i_begin + crew.warp() / across * SIDE, j = j_begin + crew.warp() % across * HP5_WARP_THREADS;
    for (int64_t t = crew.warp(); t < tiles; t += crew.warps()) {
        const int64_t rows = j + lane < j_end ? i_end - i : 0, columns = i + place < i_end ? j_end - (j + lane - place) : 0;
        const int here = (int)(rows < SIDE ? rows : SIDE), there = (int)(columns < 0 ? 0 : columns < SIDE ? columns : SIDE); /* that this lane reads; that it stores */
        const bool whole = i + SIDE <= i_end && j + HP5_WARP_THREADS <= j_end; /* most are: no condition stands in front of what they read and store */
        Real values[SIDE] = {};
        if (whole) {
#pragma unroll
            for (int r = 0; r < SIDE; r++) values[r] = hp5_value_at(value, i + r, j + lane);
        } else {
#pragma unroll
            for (int r = 0; r < SIDE; r++)
                if (r < here) values[r] = hp5_value_at(value, i + r, j + lane);
        }
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
        if (whole) {
#pragma unroll
            for (int r = 0; r < SIDE; r++) store(i + place, j + lane - place + r, values[r]);
        } else {
#pragma unroll
            for (int r = 0; r < SIDE; r++)
                if (r < there) store(i + place, j + lane - place + r, values[r]);
        }
        i += rows_on;
        j += columns_on;
        if (j < j_begin + width) continue;
        j -= width;
        i += SIDE;
    }
}
#endif
