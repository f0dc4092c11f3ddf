/* What loops collect in a local (compiler/emit/cuda/crew_folds.c), and teams of a crew's threads, each of which goes through a round of a loop together (compiler/emit/cuda/teams.c). */
#ifndef HP5_RUNTIME_CARD_FOLDS_H
#define HP5_RUNTIME_CARD_FOLDS_H
#include "runtime/card/walks.h"

/* ---- In any order ---------------------------------------------------------------------------------------------------------- */
template <class Integer> static constexpr __device__ Integer hp5_least_of() { return (Integer)-1 < (Integer)0 ? (Integer)((uint64_t)1 << (8 * sizeof(Integer) - 1)) : (Integer)0; }
/* Two values as one, and what changes nothing beside another one. */
struct Hp5Largest {
    static __device__ float join(float a, float b) { return hp5_fmaxf(a, b); }
    static __device__ double join(double a, double b) { return hp5_fmax(a, b); }
    template <class Integer> static __device__ Integer join(Integer a, Integer b) { return a > b ? a : b; }
    static __device__ void begin(float *value) { *value = -INFINITY; }
    static __device__ void begin(double *value) { *value = -INFINITY; }
    template <class Integer> static __device__ void begin(Integer *value) { *value = hp5_least_of<Integer>(); }
};
struct Hp5Least {
    static __device__ float join(float a, float b) { return hp5_fminf(a, b); }
    static __device__ double join(double a, double b) { return hp5_fmin(a, b); }
    template <class Integer> static __device__ Integer join(Integer a, Integer b) { return a < b ? a : b; }
    static __device__ void begin(float *value) { *value = INFINITY; }
    static __device__ void begin(double *value) { *value = INFINITY; }
    template <class Integer> static __device__ void begin(Integer *value) { *value = (Integer)~hp5_least_of<Integer>(); }
};
struct Hp5Total {
    template <class Integer> static __device__ Integer join(Integer a, Integer b) { return (Integer)((uint64_t)a + (uint64_t)b); }
    template <class Integer> static __device__ void begin(Integer *value) { *value = 0; }
};
struct Hp5Common {
    template <class Integer> static __device__ Integer join(Integer a, Integer b) { return (Integer)(a & b); }
    template <class Integer> static __device__ void begin(Integer *value) { *value = (Integer)-1; }
};
struct Hp5Any {
    template <class Integer> static __device__ Integer join(Integer a, Integer b) { return (Integer)(a | b); }
    template <class Integer> static __device__ void begin(Integer *value) { *value = 0; }
};

template <class Join, class Value> static __device__ void hp5_fold_warp(Value *value) {
#pragma unroll 1
    for (int apart = HP5_WARP_THREADS / 2; apart > 0; apart /= 2) *value = Join::join(*value, hp5_from_opposite(*value, apart));
}
/* What so many slots have, in all lanes of a warp. */
template <class Join, class Value> static __device__ void hp5_fold_slots(const char *slots, int64_t count, Value *value) {
    Join::begin(value);
#pragma unroll 1
    for (int64_t i = threadIdx.x % HP5_WARP_THREADS; i < count; i += HP5_WARP_THREADS) {
        Value other;
        memcpy(&other, slots + i * HP5_SLOT_BYTES, sizeof other);
        *value = Join::join(*value, other);
    }
    hp5_fold_warp<Join>(value);
}
/* All threads of the crew get what they have together. */
template <class Join, class Value> static __device__ void hp5_fold(const Hp5Worker *worker, Hp5Crew crew, Value *value) {
    static_assert(sizeof *value <= HP5_SLOT_BYTES, "slots are that large");
    if (crew.tier == HP5_LANE_TIER) return;
    hp5_fold_warp<Join>(value);
    if (crew.tier == HP5_WARP_TIER) return;
    char *slots = hp5_slots(worker, Hp5Crew{HP5_BLOCK_TIER});
    const int64_t warps = blockDim.x / HP5_WARP_THREADS;
    if (crew.lane() == 0) memcpy(slots + threadIdx.x / HP5_WARP_THREADS * HP5_SLOT_BYTES, value, sizeof *value);
    __syncthreads();
    hp5_fold_slots<Join>(slots, warps, value);
    if (crew.tier == HP5_CARD_TIER) {
        slots = hp5_slots(worker, crew);
        if (threadIdx.x == 0) memcpy(slots + blockIdx.x * HP5_SLOT_BYTES, value, sizeof *value);
        crew.sync();
        hp5_fold_slots<Join>(slots, gridDim.x, value);
    }
    crew.sync();
}

/* ---- In order -------------------------------------------------------------------------------------------------------------- */
/* add(term(j)) for each j, ascending, by the first warp of the crew: each of its threads computes the terms of every 32nd round, and adds all of them. `term` may be what hp5_gives returns. */
template <class Term, class Add> static __device__ void hp5_in_order(Hp5Crew crew, int64_t begin, int64_t end, const Term &term, const Add &add) {
    constexpr int MANY = 4, ALL = MANY * HP5_WARP_THREADS;
    if (crew.tier != HP5_WARP_TIER && crew.warp() != 0) return;
    int64_t j = begin + crew.lane();
#pragma unroll 1
    for (int64_t left = end - begin; left > 0; left -= ALL, j += ALL) {
        decltype(hp5_read_for(term, j)) read[MANY];
#pragma unroll
        for (int n = 0; n < MANY; n++) read[n] = hp5_read_for(term, j + n * HP5_WARP_THREADS < end ? j + n * HP5_WARP_THREADS : end - 1);
        hp5_all_read(read[0]);
#pragma unroll
        for (int n = 0; n < MANY; n++) {
            const int64_t rounds = left - n * HP5_WARP_THREADS;
            if (rounds <= 0) break;
            const auto mine = hp5_value_for(term, read[n], j + n * HP5_WARP_THREADS < end ? j + n * HP5_WARP_THREADS : end - 1);
            if (rounds >= HP5_WARP_THREADS) {
#pragma unroll
                for (int lane = 0; lane < HP5_WARP_THREADS; lane++) add(hp5_of_lane(mine, lane));
            } else {
#pragma unroll 1
                for (int lane = 0; lane < rounds; lane++) add(hp5_of_lane(mine, lane));
            }
        }
    }
}

/* What the first warp has, for all of them. */
template <class Value> static __device__ void hp5_from_first_warp(const Hp5Worker *worker, Hp5Crew crew, Value *value) {
    if (crew.tier != HP5_WARP_TIER) hp5_from_first(worker, crew, value);
}

/* ---- Teams ----------------------------------------------------------------------------------------------------------------- */
/* What stands inside a loop that a crew shares. */
struct Hp5Inside {
    int64_t length;             /* of the loops inside */
    int shared, ordered, alone; /* loops that a team shares; that add in order; that one thread of a team has */
    bool along;                 /* they go along rows of arrays */
};
/* In cycles of a warp, roughly: of a piece of a row, of 32 rows, of waits and of what follows in order. A thread waits for each of its elements. */
static __device__ float hp5_steps(float rounds, float side) { return side < rounds ? ceilf(rounds / side) : 1; }
static __device__ float hp5_steps_of_team(Hp5Inside inside, float threads, float wait, float turn) {
    const float length = (float)inside.length, loops = (float)(inside.shared + inside.ordered), access = inside.along ? 16 : 64;
    return loops * (wait + hp5_steps(length, threads) * access) + (float)inside.ordered * length * turn + (float)inside.alone * (wait + length * 32);
}
/* Who goes through a round: a thread by itself (HP5_LANE_TIER), or a warp or a block, whose threads share what stands inside. These read rows of arrays as they lie in memory, and wait for each other. */
static __device__ Hp5Tier hp5_team_tier(Hp5Crew crew, int64_t rounds, Hp5Inside inside) {
    const float all = (float)rounds, loops = (float)(inside.shared + inside.ordered + inside.alone);
    const float apart = hp5_steps(all, (float)crew.size()) * (float)inside.length * loops * (inside.along ? 64 : 16);
    const float warp = hp5_steps(all, (float)crew.warps()) * hp5_steps_of_team(inside, (float)HP5_WARP_THREADS, 32, 4);
    const Hp5Tier best = warp < apart ? HP5_WARP_TIER : HP5_LANE_TIER;
    if (crew.tier == HP5_WARP_TIER) return best;
    const float block = hp5_steps(all, crew.tier == HP5_CARD_TIER ? (float)gridDim.x : 1) * hp5_steps_of_team(inside, (float)blockDim.x, 128, 8);
    return block < warp && block < apart ? HP5_BLOCK_TIER : best;
}

template <Hp5Tier TIER> struct Hp5Team { static constexpr Hp5Tier tier = TIER; };

template <Hp5Tier TIER, class Body> static __device__ __forceinline__ void hp5_team_rounds(Hp5Crew crew, int64_t i, int64_t i_end, int64_t j, int64_t j_end, const Body &body) {
    const bool blocks = TIER == HP5_BLOCK_TIER;
    const int64_t teams = !blocks ? crew.warps() : crew.tier == HP5_CARD_TIER ? gridDim.x : 1;
    const int64_t width = j_end - j, rounds = (i_end - i) * width;
#pragma unroll 1
    for (int64_t round = !blocks ? crew.warp() : crew.tier == HP5_CARD_TIER ? blockIdx.x : 0; round < rounds; round += teams) body(Hp5Team<TIER>{}, i + round / width, j + round % width);
}
/* body(team, i, j) for the rounds of two loops, by all threads of a team together. */
template <Hp5Tier CREW, class Body> static __device__ __forceinline__ void hp5_in_teams(Hp5Tier teams, int64_t i, int64_t i_end, int64_t j, int64_t j_end, const Body &body) {
    const Hp5Crew crew = {CREW};
    if (i >= i_end || j >= j_end) return;
    if (CREW == HP5_WARP_TIER || teams == HP5_WARP_TIER) hp5_team_rounds<HP5_WARP_TIER>(crew, i, i_end, j, j_end, body);
    else if constexpr (CREW != HP5_WARP_TIER) hp5_team_rounds<HP5_BLOCK_TIER>(crew, i, i_end, j, j_end, body);
}
template <Hp5Tier CREW, class Body> static __device__ __forceinline__ void hp5_in_teams(Hp5Tier teams, int64_t i, int64_t i_end, const Body &body) {
    hp5_in_teams<CREW>(teams, i, i_end, 0, 1, [&](auto team, int64_t row, int64_t) { body(team, row); });
}
#endif
