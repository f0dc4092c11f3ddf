/* Sequential loops along arrays, one element of each in a round: sums[i] = total = total + values[i]. What the first thread of a crew alone would do, reading and
 * writing element after element, its warp does with it. The warp brings what HP5_STREAM_ROUNDS rounds read to shared memory, neighbours in memory by neighbouring
 * threads, in the background, with more on its way while the first thread goes through these rounds; what they write they leave in shared memory, and the warp takes it to
 * the arrays. Nothing changes in what is computed, nor in its order.
 *
 *     hp5_in_turn(crew, first, last, [&](int64_t i, const double value, double &sum) { sum = total = total + value; }, hp5_reads(&values[first]), hp5_writes(&sums[first]));
 */
#ifndef HP5_RUNTIME_CARD_STREAMS_H
#define HP5_RUNTIME_CARD_STREAMS_H

/* An element that a round may assign or not. */
template <class T> struct Hp5Maybe {
    T value;
    bool set;
};

template <class T> struct Hp5Either { /* what the rounds have of an element */
    static __device__ const T &value(const T &element) { return element; }
    static __device__ bool is_set(const T &) { return true; }
};
template <class T> struct Hp5Either<Hp5Maybe<T>> {
    static __device__ const T &value(const Hp5Maybe<T> &element) { return element.value; }
    static __device__ bool is_set(const Hp5Maybe<T> &element) { return element.set; }
};

/* Elements that lie side by side, one for each round; Element is T or Hp5Maybe<T>. The first round's is at `at`. */
template <class T, class Element, bool READ, bool WRITTEN> struct Hp5Stream {
    static constexpr bool IS_READ = READ;
    static constexpr int PIECE = HP5_STREAM_ROUNDS, BYTES = PIECE * (int)sizeof(T), REGISTERS = (int)sizeof(Element) / 4, EACH = 16 / (int)sizeof(T);
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "copies in the background have 4, 8 or 16 bytes");
    struct alignas(16) Chunk { T at[EACH]; };

    T *at, *in, *out;       /* in, out: in shared memory; `in` has several pieces */
    unsigned long long set; /* the first thread: bit r, round r of the piece at work has assigned its element */

    static constexpr __device__ int bytes(int pieces) { return (READ ? pieces * BYTES : 0) + (WRITTEN ? BYTES : 0); }
    __device__ char *lay(char *memory, int pieces) {
        in = (T *)memory;
        out = (T *)(memory + (READ ? pieces * BYTES : 0));
        set = 0;
        return memory + bytes(pieces);
    }

    /* What the rounds from `done` on read, of `rounds` in all. */
    __device__ void bring(int piece, int64_t done, int64_t rounds, int lane) const {
#pragma unroll
        for (int r = 0; READ && r < PIECE; r += HP5_WARP_THREADS)
            if (done + r + lane < rounds) __pipeline_memcpy_async(in + piece * PIECE + r + lane, at + done + r + lane, sizeof(T));
    }

    /* What they have written. */
    __device__ void give(int64_t done, int64_t rounds, int lane) {
        if (!WRITTEN) return;
        const unsigned long long all = sizeof(Element) == sizeof(T) ? ~0ull : __shfl_sync(0xFFFFFFFFu, set, 0);
#pragma unroll
        for (int r = 0; r < PIECE; r += HP5_WARP_THREADS)
            if (done + r + lane < rounds && (all >> (r + lane) & 1) != 0) at[done + r + lane] = out[r + lane];
        set = 0;
    }

    /* `COUNT` rounds' elements in registers: of the piece at work from round `r` on, or of the arrays themselves. */
    template <int COUNT> struct Taken {
        Element elements[COUNT];
        T *to;
        Hp5Stream *stream; /* NULL: of the arrays */
        int first;

        __device__ void leave() const {
            if constexpr (!WRITTEN) return;
            else if (stream == NULL) {
#pragma unroll
                for (int c = 0; c < COUNT; c++)
                    if (Hp5Either<Element>::is_set(elements[c])) to[c] = Hp5Either<Element>::value(elements[c]);
            } else leave_in_piece();
        }

        __device__ void leave_in_piece() const {
#pragma unroll
            for (int c = 0; COUNT >= EACH && c < COUNT; c += EACH) {
                Chunk chunk;
#pragma unroll
                for (int e = 0; e < EACH; e++) chunk.at[e] = Hp5Either<Element>::value(elements[c + e]);
                *(Chunk *)(to + c) = chunk;
            }
            if (COUNT < EACH) *to = Hp5Either<Element>::value(elements[0]);
#pragma unroll
            for (int c = 0; sizeof(Element) != sizeof(T) && c < COUNT; c++) stream->set |= (unsigned long long)Hp5Either<Element>::is_set(elements[c]) << (first + c);
        }
    };

    template <int COUNT> __device__ Taken<COUNT> take(int piece, int r) {
        const T *from = in + piece * PIECE + r;
        Taken<COUNT> taken = {{}, out + r, this, r};
#pragma unroll
        for (int c = 0; READ && COUNT >= EACH && c < COUNT; c += EACH) {
            const Chunk chunk = *(const Chunk *)(from + c);
#pragma unroll
            for (int e = 0; e < EACH; e++) taken.elements[c + e] = Element{chunk.at[e]};
        }
        if (READ && COUNT < EACH) taken.elements[0] = Element{*from};
        return taken;
    }
    template <int COUNT> __device__ Taken<COUNT> take_itself(int64_t round) const {
        Taken<COUNT> taken = {{}, at + round, NULL, 0};
#pragma unroll
        for (int c = 0; READ && c < COUNT; c++) taken.elements[c] = Element{at[round + c]};
        return taken;
    }
};

template <class T> static __device__ Hp5Stream<T, T, true, false> hp5_reads(const T *at) { return {const_cast<T *>(at)}; }
template <class T> static __device__ Hp5Stream<T, T, false, true> hp5_writes(T *at) { return {at}; }
template <class T> static __device__ Hp5Stream<T, T, true, true> hp5_changes(T *at) { return {at}; }
template <class T> static __device__ Hp5Stream<T, Hp5Maybe<T>, false, true> hp5_may_write(T *at) { return {at}; }
template <class T> static __device__ Hp5Stream<T, Hp5Maybe<T>, true, true> hp5_may_change(T *at) { return {at}; }

/* The rounds of elements that are in registers. */
template <int COUNT, class Body, class... All> static __device__ __forceinline__ void hp5_rounds(const Body &body, int64_t i, All... taken) {
#pragma unroll
    for (int r = 0; r < COUNT; r++) body(i + r, taken.elements[r]...);
    (taken.leave(), ...);
}

template <class... Streams> struct Hp5Streams {
    /* How many rounds' elements are in registers at once. */
    static constexpr int REGISTERS = (0 + ... + Streams::REGISTERS), COUNT = REGISTERS <= 8 ? 8 : 4;
    static constexpr bool READS = (false || ... || Streams::IS_READ);
    static constexpr __device__ int bytes(int pieces) { return (0 + ... + Streams::bytes(pieces)); }
};
static_assert(HP5_STREAM_PIECES == 3 && HP5_STREAM_ROUNDS == 64, "hp5_in_turn waits for the first of so many pieces, whose rounds have a bit each");

/* body(i, elements …) for i from `first` to `last`, of which there is at least one, by the first thread of the crew; all threads of its warp come here. The loop is short, or
 * there is not room for two pieces: elements are read and written where they are. */
template <class Body, class... Streams> static __device__ void hp5_in_turn(Hp5Crew crew, int64_t first, int64_t last, const Body &body, Streams... streams) {
    typedef Hp5Streams<Streams...> All;
    constexpr int ITSELF = 4; /* rounds that have their elements before the first of them begins, where these are read where they are */
    const int64_t rounds = last - first + 1;
    const int warps = (int)blockDim.x / HP5_WARP_THREADS, lane = crew.lane(), room = (int)hp5_shared_bytes() / warps;
    const int pieces = room >= All::bytes(HP5_STREAM_PIECES) ? HP5_STREAM_PIECES : room >= All::bytes(2) ? 2 : 0;
    if (rounds < HP5_STREAM_SHORT || pieces == 0) {
        int64_t r = 0;
#pragma unroll 1
        for (; lane == 0 && r + ITSELF <= rounds; r += ITSELF) hp5_rounds<ITSELF>(body, first + r, streams.template take_itself<ITSELF>(r)...);
#pragma unroll 1
        for (; lane == 0 && r < rounds; r++) hp5_rounds<1>(body, first + r, streams.template take_itself<1>(r)...);
        return;
    }
    char *memory = hp5_shared_memory() + (int)threadIdx.x / HP5_WARP_THREADS * room;
    ((memory = streams.lay(memory, pieces)), ...);
    __syncwarp(); /* nobody is at what was there */
    int at = 0, next = pieces - 1;
#pragma unroll 1
    for (int p = 0; All::READS && p < next; p++) {
        (streams.bring(p, (int64_t)p * HP5_STREAM_ROUNDS, rounds, lane), ...);
        __pipeline_commit();
    }
#pragma unroll 1
    for (int64_t done = 0; done < rounds; done += HP5_STREAM_ROUNDS) {
        if (All::READS) {
            if (pieces > 2) __pipeline_wait_prior(1);
            else __pipeline_wait_prior(0);
        }
        __syncwarp(); /* the piece is there, and what the one before has left is taken */
        if (All::READS) {
            (streams.bring(next, done + (int64_t)(pieces - 1) * HP5_STREAM_ROUNDS, rounds, lane), ...);
            __pipeline_commit();
        }
        if (lane == 0 && rounds - done >= HP5_STREAM_ROUNDS) {
#pragma unroll 1
            for (int r = 0; r < HP5_STREAM_ROUNDS; r += All::COUNT) hp5_rounds<All::COUNT>(body, first + done + r, streams.template take<All::COUNT>(at, r)...);
        } else if (lane == 0) {
#pragma unroll 1
            for (int r = 0; r < (int)(rounds - done); r++) hp5_rounds<1>(body, first + done + r, streams.template take<1>(at, r)...);
        }
        __syncwarp();
        (streams.give(done, rounds, lane), ...);
        next = at;
        at = at + 1 < pieces ? at + 1 : 0;
    }
    if (All::READS) __pipeline_wait_prior(0); /* for what has nothing in it */
}
#endif
