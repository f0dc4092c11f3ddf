/* Rows of arrays along which the threads of a warp accumulate, each along its own, in ascending order: y[i] = y[i] + a[i][j]·x[j]. Neighbouring threads would
 * read elements that lie a row apart, and each would wait for its own before it asks for the next. So the warp brings pieces of its 32 rows to shared memory,
 * neighbours in memory by neighbouring threads, in the background, with others on their way while one is at work; each thread then takes what is its own row's.
 * Nothing changes in what is computed, nor in its order.
 *
 * A piece is cut into chunks of 16 bytes, which threads read whole. Those of a row begin where those of the rows before do not: eight threads, which
 * shared memory serves at once, have chunks in eight different places of its 128 bytes. */
#ifndef HP5_RUNTIME_CARD_ROW_PIECES_H
#define HP5_RUNTIME_CARD_ROW_PIECES_H

/* The memory of a block that its launch has given it, beside what kernels have themselves (Hp5CardLimits.block_shared). */
#ifndef hp5_shared_memory
extern __shared__ __align__(16) char hp5_shared_memory_of_block[];
#define hp5_shared_memory() ((char *)hp5_shared_memory_of_block)
static __device__ uint32_t hp5_shared_bytes() {
    uint32_t bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes;
}
#endif

template <class Real, int ARRAYS> struct Hp5RowPieces {
    static constexpr int BYTES = ARRAYS == 1 ? 128 : ARRAYS == 2 ? 64 : 32 /* of a row, in a piece */, CHUNK = 16, CHUNKS = BYTES / CHUNK, SIDE_BY_SIDE = 8;
    static constexpr int EACH = CHUNK / (int)sizeof(Real), WIDTH = BYTES / (int)sizeof(Real), ROWS = HP5_WARP_THREADS / CHUNKS; /* rows that a warp brings chunks of at once */
    static_assert(ARRAYS * HP5_WARP_THREADS * BYTES <= HP5_ROW_PIECE_BYTES, "pieces of so many arrays are larger than what they have room for");
    struct alignas(CHUNK) Chunk { Real at[EACH]; };

    char *memory;
    int pieces, lane;
    bool aligned;                     /* what it brings begins at multiples of 16 bytes */
    int64_t bytes;                    /* of a row */
    const char *from[ARRAYS][CHUNKS]; /* what this thread brings of each piece: where that is in the first one; NULL: there is no such row */

    /* False: it has not room for two of them. */
    __device__ bool find_memory() {
        const int warps = (int)blockDim.x / HP5_WARP_THREADS, each = (int)hp5_shared_bytes() / warps;
        memory = hp5_shared_memory() + (int)threadIdx.x / HP5_WARP_THREADS * each;
        pieces = each / HP5_ROW_PIECE_BYTES < HP5_ROW_PIECES ? each / HP5_ROW_PIECE_BYTES : HP5_ROW_PIECES;
        lane = (int)threadIdx.x % HP5_WARP_THREADS;
        return pieces >= 2;
    }

    __device__ char *place(int piece, int array, int row, int chunk) const {
        const int turned = (chunk + row / (SIDE_BY_SIDE / CHUNKS)) % CHUNKS;
        return memory + piece * HP5_ROW_PIECE_BYTES + (array * HP5_WARP_THREADS + row) * BYTES + turned * CHUNK;
    }

    /* What the rows have from so many bytes on, if anything: counted as a piece in any case. Rows whose beginnings are no multiples of 16 bytes, and their ends, come
     * element by element. */
    __device__ void bring(int piece, int64_t offset) const {
        if (aligned && bytes - offset >= BYTES) bring_whole(piece, offset);
        else bring_elements(piece, offset);
        __pipeline_commit();
    }
    __device__ __forceinline__ void bring_whole(int piece, int64_t offset) const {
#pragma unroll
        for (int a = 0; a < ARRAYS; a++)
#pragma unroll
            for (int c = 0; c < CHUNKS; c++)
                if (from[a][c] != NULL) __pipeline_memcpy_async(place(piece, a, c * ROWS + lane / CHUNKS, lane % CHUNKS), from[a][c] + offset, CHUNK);
    }
    __device__ void bring_elements(int piece, int64_t offset) const {
        const int64_t left = bytes - offset - lane % CHUNKS * CHUNK;
#pragma unroll
        for (int a = 0; a < ARRAYS; a++)
#pragma unroll
            for (int c = 0; c < CHUNKS; c++) {
                char *to = place(piece, a, c * ROWS + lane / CHUNKS, lane % CHUNKS);
                const char *source = from[a][c] + offset;
                if (from[a][c] == NULL) continue;
#pragma unroll 1
                for (int e = 0; e < EACH; e++)
                    if (e * (int64_t)sizeof(Real) < left) __pipeline_memcpy_async(to + e * sizeof(Real), source + e * sizeof(Real), sizeof(Real));
            }
    }

    __device__ void find_rows(const Real *const (&rows)[ARRAYS]) {
        aligned = true;
#pragma unroll
        for (int a = 0; a < ARRAYS; a++)
#pragma unroll
            for (int c = 0; c < CHUNKS; c++) {
                const char *row = (const char *)(uintptr_t)__shfl_sync(0xFFFFFFFFu, (unsigned long long)(uintptr_t)rows[a], c * ROWS + lane / CHUNKS);
                from[a][c] = row == NULL ? NULL : row + lane % CHUNKS * CHUNK;
                aligned = aligned && (uintptr_t)row % CHUNK == 0;
            }
    }

    /* A whole piece, and what its rounds read besides. */
    template <class Body, class Read> __device__ void take_all(int piece, int64_t j, const Body &body, const Read &read) const {
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            Chunk chunks[ARRAYS];
#pragma unroll
            for (int a = 0; a < ARRAYS; a++) chunks[a] = *(const Chunk *)place(piece, a, lane, c);
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                Real row[ARRAYS];
#pragma unroll
                for (int a = 0; a < ARRAYS; a++) row[a] = chunks[a].at[e];
                hp5_value_for(body, read.of[c * EACH + e], j + c * EACH + e, (const Real *)row);
            }
        }
    }

    template <class Body> __device__ void take_some(int piece, int64_t j, int count, const Body &body) const {
#pragma unroll 1
        for (int k = 0; k < count; k++) {
            Real row[ARRAYS];
#pragma unroll
            for (int a = 0; a < ARRAYS; a++) row[a] = ((const Chunk *)place(piece, a, lane, k / EACH))->at[k % EACH];
            hp5_value_for(body, hp5_read_for(body, j + k), j + k, (const Real *)row);
        }
    }

    /* What a piece's rounds read that is the same for all rows: a piece ahead, so that nobody waits for it, one round's by each lane. */
    template <class Body, class Read> __device__ __forceinline__ void read_ahead(int64_t j, int64_t end, const Body &body, Read *mine) const {
        if (end - j < WIDTH) return;
        *mine = hp5_read_for(body, j + lane % WIDTH);
        hp5_all_read(*mine);
    }
    template <class Read> struct Together { Read of[WIDTH]; };
    template <class Read> static __device__ __forceinline__ Together<Read> of_all_lanes(const Read &mine) {
        Together<Read> together;
#pragma unroll
        for (int e = 0; e < WIDTH; e++) together.of[e] = hp5_of_lane(mine, e);
        return together;
    }
    static __device__ __forceinline__ Together<Hp5Unread> of_all_lanes(const Hp5Unread &) { return {}; }

    /* All threads of the warp wait for what the others bring; those without a row do nothing else. */
    template <class Body> __device__ void go_along(int64_t begin, int64_t end, const Real *const (&rows)[ARRAYS], const Body &body) {
        int at = 0, next = pieces - 1;
        decltype(hp5_read_for(body, begin)) mine = {};
        bytes = (end - begin) * (int64_t)sizeof(Real);
        find_rows(rows);
        read_ahead(begin, end, body, &mine);
        __syncwarp(); /* nobody is at pieces of other rows any more */
#pragma unroll 1
        for (int p = 0; p < next; p++) bring(p, p * BYTES);
#pragma unroll 1
        for (int64_t done = 0; done < bytes; done += BYTES) {
            const int64_t j = begin + done / (int64_t)sizeof(Real);
            const auto read = of_all_lanes(mine);
            if (pieces > 2) __pipeline_wait_prior(1);
            else __pipeline_wait_prior(0);
            __syncwarp(); /* the piece is there, and nobody is at the one before */
            read_ahead(j + WIDTH, end, body, &mine);
            bring(next, done + (pieces - 1) * BYTES);
            if (rows[0] != NULL && end - j >= WIDTH) take_all(at, j, body, read);
            else if (rows[0] != NULL) take_some(at, j, (int)(end - j), body);
            next = at;
            at = at + 1 < pieces ? at + 1 : 0;
        }
        __pipeline_wait_prior(0); /* for what has nothing in it */
    }
};
static_assert(HP5_ROW_PIECES == 2 || HP5_ROW_PIECES == 3, "go_along waits for the first of so many pieces");

/* body(j, elements) for each j, ascending, or as hp5_gives has it, read(j) and value(j, elements, what that has returned): `rows` are where the thread's rows have their elements
 * for `begin`, all NULL if it has none. Threads of a warp have the same begin and end, and come here together; what read(j) reads they all may. Of short rows each reads its own. */
template <class Real, int ARRAYS, class Body>
static __device__ void hp5_along_rows(int64_t begin, int64_t end, const Real *const (&rows)[ARRAYS], const Body &body) {
    Hp5RowPieces<Real, ARRAYS> pieces;
    if (end - begin >= 2 * pieces.WIDTH && pieces.find_memory()) {
        pieces.go_along(begin, end, rows, body);
        return;
    }
    for (int64_t j = begin; rows[0] != NULL && j < end; j++) {
        Real row[ARRAYS];
#pragma unroll
        for (int a = 0; a < ARRAYS; a++) row[a] = rows[a][j - begin];
        hp5_value_for(body, hp5_read_for(body, j), j, (const Real *)row);
    }
}
#endif
