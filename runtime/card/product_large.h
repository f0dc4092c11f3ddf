/* Large tiles of products (product_tiles.h), of which most of the work of large products is: HP5_TILE_THREADS threads have HIGH by WIDE elements each.
 *
 * How they are fast: between two waits of the block a thread does nothing but multiply, read 16 bytes of shared memory at a time, and begin one
 * to three copies of the next piece but one. So all that would need a look at each element is kept out: elements come 16 bytes at a time, pieces
 * are as deep as all others, and rows and columns that are not there are copies of the last ones, whose products nobody writes. Factors of the
 * next k are read while those of this k are multiplied, over the end of a piece, too; so the wait for a piece stands before the last k of the piece before. */
#ifndef HP5_RUNTIME_CARD_PRODUCT_LARGE_H
#define HP5_RUNTIME_CARD_PRODUCT_LARGE_H

/* How y comes. Where its neighbours in memory are those along k it is kept as [row][k] in shared memory, or comes element by element and is kept as [k][row],
 * which is faster for elements of 4 bytes: 47.6 in place of 43.1 TFLOP/s on an H100, and slower for those of 8: 21.9 in place of 24.4. Where they are those
 * of a column it is kept as [k][row], too. */
enum Hp5LeftWay { HP5_LEFT_ALONG, HP5_LEFT_TURNED, HP5_LEFT_ACROSS };

/* TURNED: of z neighbours in memory are those along k; otherwise those of a row. Kept as [k][column]. */
template <class Real, int WIDE, Hp5LeftWay LEFT_WAY, bool TURNED> struct Hp5LargeTile {
    static constexpr bool ALONG = LEFT_WAY == HP5_LEFT_ALONG, LEFT_TURNED = LEFT_WAY == HP5_LEFT_TURNED;
    static constexpr int GROUP = 16 / (int)sizeof(Real), HIGH = HP5_TILE_HIGH, DEPTH = 32 / (int)sizeof(Real), PIECES = sizeof(Real) == 4 ? 3 : 4;
    static constexpr int LANES_ACROSS = 8, LANES_DOWN = HP5_WARP_THREADS / LANES_ACROSS, WARPS_ACROSS = 2;
    static constexpr int ROWS = HP5_TILE_THREADS / (WARPS_ACROSS * LANES_ACROSS) * HIGH, COLUMNS = WARPS_ACROSS * LANES_ACROSS * WIDE;
    static constexpr int LEFT_PITCH = ALONG ? DEPTH : ROWS + (LEFT_TURNED ? GROUP : 0), RIGHT_PITCH = COLUMNS + (TURNED ? GROUP : 0); /* what comes for neighbouring k should not meet in one bank */
    static constexpr int LEFT = ALONG ? ROWS * DEPTH : DEPTH * LEFT_PITCH, PIECE = LEFT + DEPTH * RIGHT_PITCH, LINE = COLUMNS / GROUP;
    static_assert(ROWS * DEPTH == HP5_TILE_THREADS * GROUP && DEPTH * LINE % HP5_TILE_THREADS == 0, "each thread begins one copy of y, and as many of z as all others");
    /* y and z come 16 bytes at a time */
    static constexpr bool LEFT_IN_GROUPS = !LEFT_TURNED, RIGHT_IN_GROUPS = !TURNED, LEFT_OF_ROWS = LEFT_WAY != HP5_LEFT_ACROSS;
    struct alignas(16) Group { Real at[GROUP]; };
    alignas(16) Real pieces[PIECES * PIECE];

    /* Of a thread's rows and columns the i-th and j-th, seen from the first. Groups of neighbouring threads lie side by side: they are read at once. */
    static constexpr __device__ int row_of(int i) { return ALONG ? i * LANES_DOWN : i / GROUP * (LANES_DOWN * GROUP) + i % GROUP; }
    static constexpr __device__ int column_of(int j) { return j / GROUP * (LANES_ACROSS * GROUP) + j % GROUP; }

    template <int COUNT> static __device__ __forceinline__ void get(Real (&to)[COUNT], int first, const Real *from) {
        const Group group = *(const Group *)from;
#pragma unroll
        for (int e = 0; e < GROUP; e++) to[first + e] = group.at[e];
    }

    /* Whether rows and columns that are not there can be copies of groups, or of elements, that are. */
    static __device__ bool takes(int rows, int columns) {
        return (LEFT_OF_ROWS || rows % GROUP == 0) && columns % GROUP == 0 && (!TURNED || columns == COLUMNS);
    }

    /* At most ROWS by COLUMNS elements of x, which it `takes`, by a block of HP5_TILE_THREADS. `depth` is a multiple of DEPTH, and not 0. What is
     * read in groups begins at 16 bytes: x, y, and z if it is not TURNED. */
    template <bool SUBTRACTS>
    __device__ __forceinline__ void multiply(Real *x, int64_t x_row, Hp5Operand<Real> y, Hp5Operand<Real> z, int rows, int columns, int64_t depth) {
        const int thread = (int)threadIdx.x, warp = thread / HP5_WARP_THREADS, lane = thread % HP5_WARP_THREADS;

        /* where the thread copies from and to */
        const int y_row = ALONG ? thread / (DEPTH / GROUP) : LEFT_TURNED ? thread / DEPTH : thread % (ROWS / GROUP) * GROUP;
        const int y_k = ALONG ? thread % (DEPTH / GROUP) * GROUP : LEFT_TURNED ? thread % DEPTH : thread / (ROWS / GROUP);
        const int z_column = TURNED ? thread / DEPTH : thread % LINE * GROUP, z_k = TURNED ? thread % DEPTH : thread / LINE;
        const int last_row = rows - (LEFT_OF_ROWS ? 1 : GROUP), last_column = columns - (TURNED ? 1 : GROUP);
        const Real *y_from = y.first + (y_row < last_row ? y_row : last_row) * y.row + y_k * y.column;
        const Real *z_from = z.first + z_k * z.row + (z_column < last_column ? z_column : last_column) * z.column;
        const int y_to = ALONG ? y_row * LEFT_PITCH + y_k : y_k * LEFT_PITCH + y_row, z_to = LEFT + z_k * RIGHT_PITCH + z_column;
        const auto bring = [&](Real *piece) {
            if (LEFT_TURNED) {
                constexpr int APART = HP5_TILE_THREADS / DEPTH;
#pragma unroll
                for (int e = 0; e < ROWS / APART; e++) { /* from the first row of the thread's that is there */
                    const int further = y_row + e * APART < last_row ? e * APART : last_row - (y_row < last_row ? y_row : last_row);
                    __pipeline_memcpy_async(piece + y_to + e * APART, y_from + further * y.row, sizeof(Real));
                }
            } else {
                __pipeline_memcpy_async(piece + y_to, y_from, sizeof(Group));
            }
            if (TURNED) {
                constexpr int APART = HP5_TILE_THREADS / DEPTH;
#pragma unroll
                for (int e = 0; e < COLUMNS / APART; e++) __pipeline_memcpy_async(piece + z_to + e * APART, z_from + e * APART * z.column, sizeof(Real));
            } else {
                constexpr int APART = HP5_TILE_THREADS / LINE;
#pragma unroll
                for (int e = 0; e < DEPTH / APART; e++) __pipeline_memcpy_async(piece + z_to + e * APART * RIGHT_PITCH, z_from + e * APART * z.row, sizeof(Group));
            }
            y_from += DEPTH * y.column;
            z_from += DEPTH * z.row;
        };
        int left_over = (int)(depth / DEPTH), to_bring = left_over - (PIECES - 1);
#pragma unroll
        for (int p = 0; p < PIECES - 1; p++) {
            if (p < left_over) bring(pieces + p * PIECE);
            __pipeline_commit();
        }

        /* the thread's part of x, which comes meanwhile */
        const int first_row = warp / WARPS_ACROSS * (LANES_DOWN * HIGH) + lane / LANES_ACROSS * (ALONG ? 1 : GROUP);
        const int first_column = warp % WARPS_ACROSS * (LANES_ACROSS * WIDE) + lane % LANES_ACROSS * GROUP;
        Real *const part = x + first_row * x_row + first_column;
        Real sum[HIGH][WIDE];
#pragma unroll
        for (int i = 0; i < HIGH; i++)
#pragma unroll
            for (int j = 0; j < WIDE; j += GROUP) {
                Group group = {};
                if (first_row + row_of(i) < rows && first_column + column_of(j) < columns) group = *(const Group *)&part[row_of(i) * x_row + column_of(j)];
#pragma unroll
                for (int e = 0; e < GROUP; e++) sum[i][j + e] = group.at[e];
            }

        /* factors: `along` those of a row for GROUP neighbouring k, the others those of one k, and of the next one */
        Real along[HIGH][GROUP], left[2][HIGH], right[2][WIDE];
        const int left_at = first_row * (ALONG ? LEFT_PITCH : 1), right_at = LEFT + first_column;
        const auto get_along = [&](const Real *piece, int i, int k) { get(along[i], 0, piece + left_at + row_of(i) * LEFT_PITCH + k); };
        const auto get_beside = [&](const Real *piece, int k) {
#pragma unroll
            for (int j = 0; j < WIDE; j += GROUP) get(right[k % 2], j, piece + right_at + k * RIGHT_PITCH + column_of(j));
#pragma unroll
            for (int i = 0; !ALONG && i < HIGH; i += GROUP) get(left[k % 2], i, piece + left_at + k * LEFT_PITCH + row_of(i));
        };
        __pipeline_wait_prior(PIECES - 2);
        __syncthreads();
        const Real *piece = pieces;
        Real *bringing = pieces + (PIECES - 1) * PIECE;
        get_beside(piece, 0);
#pragma unroll
        for (int i = 0; ALONG && i < HIGH; i++) get_along(piece, i, 0);
#pragma unroll 1
        for (; left_over > 0; left_over--, to_bring--) {
            if (to_bring > 0) bring(bringing); /* to where the last piece was: all have read it */
            __pipeline_commit();
            bringing = bringing == pieces + (PIECES - 1) * PIECE ? pieces : bringing + PIECE;
#pragma unroll
            for (int k = 0; k < DEPTH; k++) {
                if (k == DEPTH - 1) {
                    piece = piece == pieces + (PIECES - 1) * PIECE ? pieces : piece + PIECE;
                    __pipeline_wait_prior(PIECES - 2);
                    __syncthreads();
                }
                get_beside(piece, (k + 1) % DEPTH); /* behind the last piece: of what was there before, which nobody multiplies */
#pragma unroll
                for (int i = 0; i < HIGH; i++) {
                    const Real value = ALONG ? along[i][k % GROUP] : left[k % 2][i], factor = SUBTRACTS ? -value : value;
#pragma unroll
                    for (int j = 0; j < WIDE; j++) sum[i][j] = fma(factor, right[k % 2][j], sum[i][j]);
                    if (ALONG && k % GROUP == GROUP - 1) get_along(piece, i, (k + 1) % DEPTH);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < HIGH; i++)
#pragma unroll
            for (int j = 0; j < WIDE; j += GROUP) {
                Group group;
#pragma unroll
                for (int e = 0; e < GROUP; e++) group.at[e] = sum[i][j + e];
                if (first_row + row_of(i) < rows && first_column + column_of(j) < columns) *(Group *)&part[row_of(i) * x_row + column_of(j)] = group;
            }
        __pipeline_wait_prior(0);
        __syncthreads(); /* another tile comes, or the rest of this one's depth */
    }
};
#endif
