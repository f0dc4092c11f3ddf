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

/* A thread has several elements on their way at a time: boxes do not overlap, so that none of them waits for another one. also: a second place for them; NULL: there
 * is none. */
enum { HP5_BOX_ABREAST = 8 };
template <class Unit> static __device__ void hp5_copy_units(Hp5Crew crew, Hp5BoxWalk walk, char *there, char *also, const char *here, int elements) {
    const int size = (int)crew.size();
    for (int first = (int)crew.rank(); first < elements; first += HP5_BOX_ABREAST * size) {
        int64_t target[HP5_BOX_ABREAST];
        Unit units[HP5_BOX_ABREAST] = {}; /* else they would be kept for the loop's next rounds */
#pragma unroll
        for (int n = 0; n < HP5_BOX_ABREAST; n++, walk.next()) {
            target[n] = walk.there;
            if (first + n * size < elements) units[n] = ((const Unit *)here)[walk.here];
        }
        hp5_all_asked();
#pragma unroll
        for (int n = 0; n < HP5_BOX_ABREAST; n++) {
            if (first + n * size >= elements) continue;
            ((Unit *)there)[target[n]] = units[n];
            if (also != NULL) ((Unit *)also)[target[n]] = units[n];
        }
    }
}

/* From version k to version k, and to `also` unless that is k. */
static __device__ void hp5_copy_box(Hp5Crew crew, const Hp5Store *to, int64_t to_offset, const Hp5Store *from, int64_t from_offset, const int64_t *count, int k, int also) {
    const Hp5BoxWalk walk(crew, to, from, count);
    const int planes = to->rank > 2 ? (int)count[to->rank - 3] : 1, elements = planes * walk.rows * walk.columns, size = (int)to->element_size;
    if (to->fields == NULL && from->fields == NULL && (size == 8 || size == 4 || size == 1)) {
        char *there = hp5_element(to, k, to_offset), *second = also != k ? hp5_element(to, also, to_offset) : NULL;
        const char *here = hp5_element(from, k, from_offset);
        if (size == 8) hp5_copy_units<int64_t>(crew, walk, there, second, here, elements);
        else if (size == 4) hp5_copy_units<int32_t>(crew, walk, there, second, here, elements);
        else hp5_copy_units<char>(crew, walk, there, second, here, elements);
        return;
    }
    Hp5BoxWalk at = walk;
    for (int n = (int)crew.rank(); n < elements; n += (int)crew.size(), at.next()) {
        hp5_element_copy(to, k, to_offset + at.there, from, k, from_offset + at.here);
        if (also != k) hp5_element_copy(to, also, to_offset + at.there, from, k, from_offset + at.here);
    }
}

/* Inside an LPU: each warp of its crew, or its thread, copies some of the boxes. Where the next epoch makes the oldest version the current one, it gets what the
 * current one does. */
static __device__ void hp5_exchange_here(const Hp5Worker *worker, int exchange, const Hp5Lpu *parent) {
    const Hp5CardExchange *what = &worker->run->exchanges[exchange];
    const Hp5CardPieces pieces = what->pieces[parent->flat];
    const Hp5Crew crew = hp5_crew(worker, what->parent), part = crew.tier == HP5_LANE_TIER ? crew : Hp5Crew{HP5_WARP_TIER};
    const int words = 3 + what->rank;
    crew.sync();
    for (int64_t i = crew.rank() / part.size(); i < pieces.count; i += crew.size() / part.size()) {
        const int64_t *piece = pieces.words + i * words;
        const Hp5Store *to = worker->run->stores[piece[0] >> 32], *from = worker->run->stores[(int32_t)piece[0]];
        const int last = to->versions - 1, copied = what->rotates && last > 0 ? last : last + 1;
        for (int k = 0; k < copied; k++) hp5_copy_box(part, to, piece[1], from, piece[2], piece + 3, k, k == 0 && copied == last ? last : k);
    }
    crew.sync();
}
#endif
