/* A thread's own loop that goes down a column of an array: what one round reads lies a row of it away from what the next one does, so nothing of it is in the thread's cache, and each load
 * takes the time that memory takes. What HP5_DOWN_LOADS rounds read, or less where each reads more, is on its way before the first of them begins; the rounds follow in their order.
 *
 *     hp5_down(begin, end, [&](int64_t i, double value) { sum = sum + value; }, [&](int64_t i) { return values[i * values_ld1 + j]; });
 */
#ifndef HP5_RUNTIME_CARD_DOWN_H
#define HP5_RUNTIME_CARD_DOWN_H

template <int ROUNDS, class Value> struct Hp5Loaded { Value at[ROUNDS]; };

/* What one of the loads has for ROUNDS rounds. */
template <int ROUNDS, class Load> static __device__ __forceinline__ auto hp5_load(int64_t i, const Load &load) -> Hp5Loaded<ROUNDS, decltype(load(i))> {
    Hp5Loaded<ROUNDS, decltype(load(i))> loaded;
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) loaded.at[r] = load(i + r);
    return loaded;
}
template <int ROUNDS, class Body, class... Loaded> static __device__ __forceinline__ void hp5_take(int64_t i, const Body &body, const Loaded &...loaded) {
    if constexpr (ROUNDS > 1) hp5_all_asked();
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) body(i + r, loaded.at[r]...);
}
/* As long as there are ROUNDS rounds; returns the first of those that are left. */
template <int ROUNDS, class Body, class... Loads> static __device__ __forceinline__ int64_t hp5_down_by(int64_t i, int64_t end, const Body &body, const Loads &...loads) {
#pragma unroll 1
    for (; end - i >= ROUNDS; i += ROUNDS) hp5_take<ROUNDS>(i, body, hp5_load<ROUNDS>(i, loads)...);
    return i;
}

/* body(i, values …) for i from `begin` on, in front of `end`: of each round's loads, which nothing of the loop changes. */
template <class Body, class... Loads> static __device__ __forceinline__ void hp5_down(int64_t begin, int64_t end, const Body &body, const Loads &...loads) {
    constexpr int LOADS = sizeof...(loads), MANY = HP5_DOWN_LOADS / (LOADS == 3 ? 4 : LOADS), SOME = MANY / 4 > 4 ? MANY / 4 : 4;
    static_assert(LOADS >= 1 && LOADS <= 3, "values of more loads would not fit in registers");
    int64_t i = hp5_down_by<MANY>(begin, end, body, loads...);
    if constexpr (SOME > 4) i = hp5_down_by<SOME>(i, end, body, loads...);
    i = hp5_down_by<4>(i, end, body, loads...);
    hp5_down_by<1>(i, end, body, loads...);
}
#endif
