/* Sequential loops whose rounds accumulate in elements that data tell: sums[home[i]] += values[i]. Rounds of one element must come in their order; those of others have nothing to do with
 * them. So each element that may be met has an owner among the lanes of a warp, which runs the rounds that accumulate there, one after the other, and no other lane comes to it: nobody waits
 * for anybody. A lane first finds out for one of 32 rounds where it accumulates, and what, and for one of the next 32; owners get that from it. Where rounds accumulate along rows of
 * elements, lanes side by side own rows together, and read what they accumulate themselves, for MANY rounds before the first of them.
 *
 *     hp5_by_owners(crew, first, last, [&](int64_t i) { return &sums[home[i]]; }, [&](int64_t i) { return values[i]; }, [](double &element, double value) { element = element + value; });
 */
#ifndef HP5_RUNTIME_CARD_OWNERS_H
#define HP5_RUNTIME_CARD_OWNERS_H

static constexpr unsigned HP5_ALL_LANES = 0xFFFFFFFFu;
template <class Real> struct Hp5Factors { Real a, b; }; /* what is accumulated is a product */

struct Hp5Owners {
    int across; /* lanes that are one owner, a power of two */
    int bits;   /* of places that elements of one row have in common */
    unsigned count, owner; /* how many there are, a power of two; which the lane is */

    __device__ Hp5Owners(int lane, int64_t width, int bytes) {
        across = 1;
        bits = bytes > 4 ? 3 : 2;
        for (; across < HP5_WARP_THREADS && across < width; across *= 2) bits++;
        count = HP5_WARP_THREADS / (unsigned)across;
        owner = (unsigned)(lane / across);
    }

    /* Which of 32 rounds are this lane's, as bits; place: where that of the lane's number accumulates, or NULL. Neighbours in memory have different owners, and so have most places that lie a
     * power of two apart. */
    __device__ unsigned rounds(const void *place) const {
        const uintptr_t number = (uintptr_t)place >> bits;
        const unsigned whose = (unsigned)(number ^ number >> 5 ^ number >> 10 ^ number >> 15) & (count - 1);
        unsigned mine = __ballot_sync(HP5_ALL_LANES, place != NULL);
#pragma unroll 1
        for (unsigned bit = 1; bit < count; bit *= 2) {
            const unsigned with = __ballot_sync(HP5_ALL_LANES, (whose & bit) != 0);
            mine &= (owner & bit) != 0 ? with : ~with;
        }
        return mine;
    }
};

/* add(element at place(i), value(i)) for i from `first` to `last`; NULL: the round does not accumulate. The crew's first warp does it, all of whose threads come here. */
template <class Place, class Value, class Add>
static __device__ void hp5_by_owners(Hp5Crew crew, int64_t first, int64_t last, const Place &place, const Value &value, const Add &add) {
    decltype(place(first)) coming = NULL;
    decltype(value(first)) coming_value = {};
    const int lane = crew.lane();
    const Hp5Owners owners(lane, 1, sizeof *coming);
    if (crew.warp() > 0) return;
    if (first + lane <= last) coming = place(first + lane);
    if (coming != NULL) coming_value = value(first + lane);
#pragma unroll 1
    for (int64_t i = first; i <= last; i += HP5_WARP_THREADS) {
        const auto here = coming;
        const auto here_value = coming_value;
        coming = i + HP5_WARP_THREADS + lane <= last ? place(i + HP5_WARP_THREADS + lane) : NULL;
        if (coming != NULL) coming_value = value(i + HP5_WARP_THREADS + lane);
        unsigned rounds = owners.rounds(here);
#pragma unroll 1
        for (; __any_sync(HP5_ALL_LANES, rounds != 0); rounds &= rounds - 1) {
            const int round = rounds != 0 ? __ffs((int)rounds) - 1 : lane;
            const auto element = hp5_of_lane(here, round);
            const auto operand = hp5_of_lane(here_value, round);
            if (rounds != 0) add(*element, operand);
        }
    }
}

/* The same for rows of elements: for n from n_begin on, in front of n_end, add(element, value(i, n)), where place(i) is that of the first, and the others lie behind it. Of long rows each
 * warp of the crew has columns of its own, in which it runs all rounds. */
template <class Place, class Value, class Add>
static __device__ void hp5_rows_by_owners(Hp5Crew crew, int64_t first, int64_t last, int64_t n_begin, int64_t n_end, const Place &place, const Value &value, const Add &add) {
    typedef decltype(value(first, n_begin)) Operand;
    constexpr int MANY = sizeof(Operand) > 8 ? 4 : 8;
    decltype(place(first)) coming = NULL;
    const int lane = crew.lane();
    const Hp5Owners owners(lane, n_end - n_begin, sizeof *coming);
    const int column = lane % owners.across;
    const int64_t n_first = n_begin + crew.warp() * owners.across;
    if (n_first >= n_end) return;
    if (first + lane <= last) coming = place(first + lane);
#pragma unroll 1
    for (int64_t i = first; i <= last; i += HP5_WARP_THREADS) {
        const auto here = coming;
        coming = i + HP5_WARP_THREADS + lane <= last ? place(i + HP5_WARP_THREADS + lane) : NULL;
        unsigned rounds = owners.rounds(here);
#pragma unroll 1
        while (__any_sync(HP5_ALL_LANES, rounds != 0)) {
            unsigned left = rounds;
#pragma unroll 1
            for (int64_t n = n_first; n < n_end; n += owners.across * crew.warps()) {
                const int64_t at = n + column;
                Operand operands[MANY];
                left = rounds;
#pragma unroll
                for (int k = 0; k < MANY; k++, left &= left - 1)
                    if (left != 0 && at < n_end) operands[k] = value(i + __ffs((int)left) - 1, at);
                left = rounds;
#pragma unroll
                for (int k = 0; k < MANY; k++, left &= left - 1) {
                    const auto row = hp5_of_lane(here, left != 0 ? __ffs((int)left) - 1 : lane);
                    if (left != 0 && at < n_end) add(row[at - n_begin], operands[k]);
                }
            }
            rounds = left;
        }
    }
}
#endif
