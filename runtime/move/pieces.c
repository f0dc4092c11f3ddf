/* Lists of pieces: growing, copying, packing into messages and taking out of them (pattern.h). */
#include "runtime/move/pattern.h"
#include "runtime/card/execute.h"
#include "runtime/run/private.h"
#include <string.h>

void hp5_pieces_add(Hp5Pieces *pieces, int rank, int64_t stores, int64_t to, int64_t from, const int64_t *count) {
    int64_t words = HP5_PIECE_COUNTS + rank, elements = 1;
    if (pieces->used + words > pieces->capacity) {
        int64_t capacity = pieces->capacity + pieces->capacity / 2 + 16 * words;
        int64_t *larger = hp5_element_buffer(capacity * (int64_t)sizeof *larger, "movements");
        if (pieces->used > 0) memcpy(larger, pieces->words, sizeof *larger * (size_t)pieces->used);
        hp5_free(pieces->words);
        pieces->words = larger;
        pieces->capacity = capacity;
    }
    int64_t *piece = pieces->words + pieces->used;
    piece[HP5_PIECE_STORES] = stores;
    piece[HP5_PIECE_TO] = to;
    piece[HP5_PIECE_FROM] = from;
    for (int d = 0; d < rank; d++) elements *= piece[HP5_PIECE_COUNTS + d] = count[d];
    pieces->used += words;
    pieces->elements += elements;
}

int64_t hp5_piece_begin(const Hp5Store *store, const int64_t *index) {
    int64_t begin = 0;
    if (store->places == NULL) return hp5_store_offset(store, index);
    for (int d = 0; d < store->rank; d++) begin = begin * store->array_extent[d] + index[d] - store->array_lo[d];
    return begin;
}

static Hp5Box box_of(const Hp5Store *store, int64_t begin, const int64_t *count) {
    Hp5Box box;
    for (int d = store->rank - 1; d >= 0; d--) {
        box.lo[d] = begin % store->array_extent[d] + store->array_lo[d];
        box.hi[d] = box.lo[d] + count[d];
        begin /= store->array_extent[d];
    }
    return box;
}

/* Bytes of a box in so many versions. */
static int64_t box_bytes(const Hp5Store *store, const int64_t *count, int versions) {
    int64_t elements = versions;
    for (int d = 0; d < store->rank; d++) elements *= count[d];
    return elements * (int64_t)store->element_size;
}

enum { NO_ROW = -1 };

/* Where the elements of a box begin if they lie side by side, in elements from the store's first one; NO_ROW: they do not. Most pieces of parts with gaps are
 * of that kind, and short. */
static int64_t row_of(const Hp5Store *store, int64_t begin, const int64_t *count) {
    int64_t offset = 0;
    for (int d = 0, along = -1; d < store->rank; d++) {
        if (count[d] <= 1) continue;
        if (along >= 0 || store->stride[d] != 1) return NO_ROW;
        along = d;
    }
    if (store->fields != NULL) return NO_ROW;
    if (store->places == NULL) return begin;
    for (int d = store->rank - 1; d >= 0; d--) {
        const int64_t index = (d > 0 ? begin % store->array_extent[d] : begin) + store->array_lo[d];
        const Hp5Stretch stretch = hp5_stretch(&store->places[d], (Hp5Run){index, index + count[d]});
        if (stretch.shift == HP5_NO_PLACE || stretch.end < index + count[d]) return NO_ROW;
        offset += (index + stretch.shift - store->lo[d]) * store->stride[d];
        if (d > 0) begin /= store->array_extent[d];
    }
    return offset;
}

static char *row_at(const Hp5Store *store, int version, int64_t offset) { return store->version[version] + offset * (int64_t)store->element_size; }

/* A box from one store, in version `from_version`, to the other. Where neither has gaps, it begins at these offsets. */
static void copy_piece(const Hp5Store *to, int to_version, int64_t there, const Hp5Store *from, int from_version, int64_t here, const int64_t *count) {
    if (to->places == NULL && from->places == NULL) {
        hp5_elements_copy(to, to_version, there, from, from_version, here, count);
        return;
    }
    Hp5Box box = to->places ? box_of(to, there, count) : box_of(from, here, count);
    hp5_box_copy(to, to_version, from, from_version, &box);
}

/* Which version of the sender the receiver's version k takes. */
static int source_version(const Hp5Store *store, int k, bool rotates) { return rotates && k == store->versions - 1 ? 0 : k; }

/* Of a run on a card: a box that begins there goes between the two sides of a store. */
typedef struct Crossing {
    const Hp5TaskRun *run;
    const Hp5Store *store;
    int version;
    void (*move)(const Hp5TaskRun *run, const Hp5Store *store, int version, int64_t offset, const int64_t *count);
} Crossing;

static void cross_even(const Hp5Box *box, void *data) {
    const Crossing *crossing = data;
    int64_t count[HP5_MAX_RANK];
    for (int d = 0; d < crossing->store->rank; d++) count[d] = box->hi[d] - box->lo[d];
    crossing->move(crossing->run, crossing->store, crossing->version, hp5_store_offset(crossing->store, box->lo), count);
}

static void cross(Crossing crossing, int64_t begin, const int64_t *count) {
    const Hp5Store *store = crossing.store;
    for (crossing.version = 0; crossing.version < store->versions; crossing.version++) {
        if (store->places == NULL) {
            crossing.move(crossing.run, store, crossing.version, begin, count);
            continue;
        }
        const Hp5Box box = box_of(store, begin, count);
        hp5_box_each_even(store, store, &box, cross_even, &crossing);
    }
}

/* Elements that the run has on a card come from there before they are read. */
static void take_from_card(const Hp5TaskRun *run, const Hp5Pieces *pieces, int rank) {
    for (int64_t i = 0; i < pieces->used && run->hidden->card != NULL; i += HP5_PIECE_COUNTS + rank) {
        const int64_t *piece = pieces->words + i;
        const Hp5Store *from = hp5_store_at(&run->hidden->stores.table, hp5_piece_from(piece));
        cross((Crossing){run, from, 0, hp5_card_take_box}, piece[HP5_PIECE_FROM], piece + HP5_PIECE_COUNTS);
    }
    if (run->hidden->card != NULL) hp5_card_settle(run);
}

static void give_to_card(const Hp5TaskRun *run, const Hp5Pieces *pieces, int rank) {
    for (int64_t i = 0; i < pieces->used && run->hidden->card != NULL; i += HP5_PIECE_COUNTS + rank) {
        const int64_t *piece = pieces->words + i;
        const Hp5Store *to = hp5_store_at(&run->hidden->stores.table, hp5_piece_to(piece));
        cross((Crossing){run, to, 0, hp5_card_give_box}, piece[HP5_PIECE_TO], piece + HP5_PIECE_COUNTS);
    }
}

void hp5_pieces_copy(const Hp5TaskRun *run, const Hp5Pieces *pieces, int rank, bool rotates) {
    const Hp5StoreTable *stores = &run->hidden->stores.table;
    take_from_card(run, pieces, rank);
    for (int64_t i = 0; i < pieces->used; i += HP5_PIECE_COUNTS + rank) {
        const int64_t *piece = pieces->words + i;
        const Hp5Store *to = hp5_store_at(stores, hp5_piece_to(piece)), *from = hp5_store_at(stores, hp5_piece_from(piece));
        const int64_t *count = piece + HP5_PIECE_COUNTS, there = to == from ? NO_ROW : row_of(to, piece[HP5_PIECE_TO], count);
        const int64_t here = there == NO_ROW ? NO_ROW : row_of(from, piece[HP5_PIECE_FROM], count), bytes = box_bytes(to, count, 1);
        for (int k = 0; k < to->versions; k++) {
            const int lag = source_version(to, k, rotates);
            if (here != NO_ROW) memcpy(row_at(to, k, there), row_at(from, lag, here), (size_t)bytes);
            else copy_piece(to, k, piece[HP5_PIECE_TO], from, lag, piece[HP5_PIECE_FROM], count);
        }
    }
    give_to_card(run, pieces, rank);
}

/* ---- Messages ------------------------------------------------------------------------------------------- */

/* The store of this process that a piece of a message names. */
static const Hp5Store *own_store(const Hp5TaskRun *run, const int64_t *piece) {
    int32_t to = hp5_piece_to(piece);
    return hp5_store_at(&run->hidden->stores.table, to >= 0 ? to : hp5_piece_from(piece));
}

static int64_t message_bytes(const Hp5Store *store, const int64_t *count, bool rotates) {
    return box_bytes(store, count, store->versions - rotates);
}

int64_t hp5_pieces_bytes(const Hp5TaskRun *run, const Hp5Pieces *pieces, int rank, bool rotates) {
    int64_t bytes = 0;
    for (int64_t i = 0; i < pieces->used; i += HP5_PIECE_COUNTS + rank)
        bytes += message_bytes(own_store(run, pieces->words + i), pieces->words + i + HP5_PIECE_COUNTS, rotates);
    return bytes;
}

/* A box of a message as a store that has nothing else: rows together, elements whole. */
static Hp5Store box_in_message(const Hp5Store *store, int64_t begin, const int64_t *count, bool rotates, char *message) {
    Hp5Box at = {{0}, {0}};
    if (store->places) at = box_of(store, begin, count);
    Hp5Element element = {.size = store->element_size};
    int64_t step = box_bytes(store, count, 1);
    Hp5Store box;
    hp5_store_shape(&box, store->rank, at.lo, count, store->versions, &element, (Hp5Layout){0});
    for (int k = 0; k < store->versions; k++) box.version[k] = message + source_version(store, k, rotates) * step;
    return box;
}

void hp5_pieces_pack(const Hp5TaskRun *run, const Hp5Pieces *pieces, int rank, bool rotates, void *message) {
    char *at = message;
    take_from_card(run, pieces, rank);
    for (int64_t i = 0; i < pieces->used; i += HP5_PIECE_COUNTS + rank) {
        const int64_t *piece = pieces->words + i, *count = piece + HP5_PIECE_COUNTS;
        const Hp5Store *store = own_store(run, piece);
        const int64_t row = row_of(store, piece[HP5_PIECE_FROM], count), bytes = box_bytes(store, count, 1);
        if (row != NO_ROW) {
            for (int k = 0; k < store->versions - rotates; k++) memcpy(at + k * bytes, row_at(store, k, row), (size_t)bytes);
        } else {
            Hp5Store box = box_in_message(store, piece[HP5_PIECE_FROM], count, rotates, at);
            for (int k = 0; k < store->versions - rotates; k++) copy_piece(&box, k, 0, store, k, piece[HP5_PIECE_FROM], count);
        }
        at += message_bytes(store, count, rotates);
    }
}

void hp5_pieces_unpack(const Hp5TaskRun *run, const Hp5Pieces *pieces, int rank, bool rotates, const void *message) {
    char *at = (char *)message;
    for (int64_t i = 0; i < pieces->used; i += HP5_PIECE_COUNTS + rank) {
        const int64_t *piece = pieces->words + i, *count = piece + HP5_PIECE_COUNTS;
        const Hp5Store *store = own_store(run, piece);
        const int64_t row = row_of(store, piece[HP5_PIECE_TO], count), bytes = box_bytes(store, count, 1);
        if (row != NO_ROW) {
            for (int k = 0; k < store->versions; k++) memcpy(row_at(store, k, row), at + source_version(store, k, rotates) * bytes, (size_t)bytes);
        } else {
            Hp5Store box = box_in_message(store, piece[HP5_PIECE_TO], count, rotates, at);
            for (int k = 0; k < store->versions; k++) copy_piece(store, k, piece[HP5_PIECE_TO], &box, k, 0, count);
        }
        at += message_bytes(store, count, rotates);
    }
    give_to_card(run, pieces, rank);
}
