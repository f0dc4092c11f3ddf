/* Padding on a card: boxes of elements go from store to store. The host has cut them into small ones (image_moves.c), which have more than one index in their last
 * three dimensions alone: a crew's warps have about as many elements each, and no thread divides for each of its elements. */
#ifndef HP5_RUNTIME_CARD_PADDING_H
#define HP5_RUNTIME_CARD_PADDING_H
#include "runtime/card/copying.h"

/* A box's elements go round robin over a crew's threads: where a thread is, and where its element lies on both sides. */
struct Hp5BoxWalk {
    int row, column, rows, columns;
    int rows_on, columns_on; /* to a thread's next element, which may be another plane's */
    int64_t there, here;     /* from the box's first element */
    int64_t there_on, here_on, there_row, here_row, there_plane, here_plane; /* to the next element; more where it begins a row, a plane */

    __device__ Hp5BoxWalk(Hp5Crew crew, const Hp5Store *to, const Hp5Store *from, const int64_t *count) {
        const int rank = to->rank, size = (int)crew.size();
        const int64_t none = 0, *t = to->stride + rank - 1, *f = from->stride + rank - 1;
        const int64_t t_row = rank > 1 ? t[-1] : none, f_row = rank > 1 ? f[-1] : none, t_plane = rank > 2 ? t[-2] : none, f_plane = rank > 2 ? f[-2] : none;
        columns = (int)count[rank - 1];
        rows = rank > 1 ? (int)count[rank - 2] : 1;
        const int first = (int)crew.rank() / columns, next = size / columns, plane = first / rows, planes_on = next / rows;
        column = (int)crew.rank() - first * columns;
        row = first - plane * rows;
        columns_on = size - next * columns;
        rows_on = next - planes_on * rows;
        there = plane * t_plane + row * t_row + column * t[0];
        here = plane * f_plane + row * f_row + column * f[0];
        there_on = planes_on * t_plane + rows_on * t_row + columns_on * t[0];
        here_on = planes_on * f_plane + rows_on * f_row + columns_on * f[0];
        there_row = t_row - columns * t[0];
        here_row = f_row - columns * f[0];
        there_plane = t_plane - rows * t_row;
        here_plane = f_plane - rows * f_row;
    }
    __device__ void next() {
        there += there_on;
        here += here_on;
        column += columns_on;
        row += rows_on;
        if (column >= columns) {
            column -= columns;
            row++;
            there += there_row;
            here += here_row;
        }
        if (row >= rows) {
            row -= rows;
            there += there_plane;
            here += here_plane;
        }
    }
};

/* A box's elements, of 8, 4 or 1 bytes: of this thread's, from its next one on, `left` of all threads' are left. It has several on their way at a time: boxes do not overlap, so that none of them
 * waits for another one. also: a second place for them; NULL: there is none. */
enum { HP5_BOX_ABREAST = 8 };
static __device__ void hp5_copy_units(Hp5BoxWalk walk, char *there, char *also, const char *here, int bytes, int size, int left) {
#pragma unroll 1
    for (; left > 0; left -= HP5_BOX_ABREAST * size) {
        int64_t target[HP5_BOX_ABREAST], source[HP5_BOX_ABREAST];
        uint32_t low[HP5_BOX_ABREAST], high[HP5_BOX_ABREAST];
#pragma unroll
        for (int n = 0; n < HP5_BOX_ABREAST; n++, walk.next()) target[n] = walk.there, source[n] = walk.here;
        if (left <= (HP5_BOX_ABREAST - 1) * size) { /* the box's first element stands for those that are not there */
#pragma unroll
            for (int n = 1; n < HP5_BOX_ABREAST; n++)
                if (n * size >= left) source[n] = 0;
        }
        if (bytes == 8) {
#pragma unroll
            for (int n = 0; n < HP5_BOX_ABREAST; n++) {
                const uint64_t both = ((const uint64_t *)here)[source[n]];
                low[n] = (uint32_t)both, high[n] = (uint32_t)(both >> 32);
            }
        } else if (bytes == 4) {
#pragma unroll
            for (int n = 0; n < HP5_BOX_ABREAST; n++) low[n] = ((const uint32_t *)here)[source[n]], high[n] = 0;
        } else {
#pragma unroll
            for (int n = 0; n < HP5_BOX_ABREAST; n++) low[n] = ((const unsigned char *)here)[source[n]], high[n] = 0;
        }
        hp5_all_asked();
#pragma unroll 1
        for (char *to = there; to != NULL; to = to == there ? also : NULL) {
            if (bytes == 8) {
#pragma unroll
                for (int n = 0; n < HP5_BOX_ABREAST; n++)
                    if (n * size < left) ((uint64_t *)to)[target[n]] = (uint64_t)high[n] << 32 | low[n];
            } else if (bytes == 4) {
#pragma unroll
                for (int n = 0; n < HP5_BOX_ABREAST; n++)
                    if (n * size < left) ((uint32_t *)to)[target[n]] = low[n];
            } else {
#pragma unroll
                for (int n = 0; n < HP5_BOX_ABREAST; n++)
                    if (n * size < left) ((unsigned char *)to)[target[n]] = (unsigned char)low[n];
            }
        }
    }
}

/* From version k to version k, and to `also` unless that is k. */
static __device__ void hp5_copy_box(Hp5Crew crew, const Hp5Store *to, int64_t to_offset, const Hp5Store *from, int64_t from_offset, const int64_t *count, int k, int also) {
    Hp5BoxWalk walk(crew, to, from, count);
    const int planes = to->rank > 2 ? (int)count[to->rank - 3] : 1, elements = planes * walk.rows * walk.columns, bytes = (int)to->element_size, size = (int)crew.size();
    int left = elements - (int)crew.rank(); /* from this thread's next element on */
    if (to->fields == NULL && from->fields == NULL && (bytes == 8 || bytes == 4 || bytes == 1)) {
        char *there = hp5_element(to, k, to_offset), *second = also != k ? hp5_element(to, also, to_offset) : NULL;
        const char *here = hp5_element(from, k, from_offset);
        hp5_copy_units(walk, there, second, here, bytes, size, left);
        return;
    }
#pragma unroll 1
    for (; left > 0; left -= size, walk.next())
#pragma unroll 1
        for (int version = k, times = also != k ? 2 : 1; times > 0; times--, version = also) hp5_element_copy(to, version, to_offset + walk.there, from, k, from_offset + walk.here);
}

/* Inside an LPU: each warp of its crew, or its thread, copies some of the boxes. Where the next epoch makes the oldest version the current one, it gets what the
 * current one does. */
static HP5_APART void hp5_exchange_here(const Hp5CardRun *run, const Hp5CardExchange *what, const Hp5Lpu *parent) {
    const Hp5CardPieces pieces = what->pieces[parent->flat];
    const Hp5Crew crew = {(Hp5Tier)run->tiers[what->parent]}, part = crew.tier == HP5_LANE_TIER ? crew : Hp5Crew{HP5_WARP_TIER};
    const int words = 3 + what->rank;
    crew.sync();
    for (int64_t i = crew.rank() / part.size(); i < pieces.count; i += crew.size() / part.size()) {
        const int64_t *piece = pieces.words + i * words;
        const Hp5Store *to = run->stores[piece[0] >> 32], *from = run->stores[(int32_t)piece[0]];
        const int last = to->versions - 1, copied = what->rotates && last > 0 ? last : last + 1;
        for (int k = 0; k < copied; k++) hp5_copy_box(part, to, piece[1], from, piece[2], piece + 3, k, k == 0 && copied == last ? last : k);
    }
    crew.sync();
}
#endif
