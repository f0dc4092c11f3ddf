/* Patterns between processes (pattern.h). How to read it: each process looks at its own destinations and finds their sources, then
 * at its own sources and finds their destinations elsewhere; what it finds is sorted by peers and, for each, in the order
 * that both sides know. */
#define _GNU_SOURCE /* qsort_r */
#include "runtime/comm/accounts.h"
#include "runtime/move/pattern.h"
#include "runtime/run/private.h"
#include <stdlib.h>
#include <string.h>

/* What was found, before it is sorted: peer, numbers of the destination (in place it makes no difference who in a process that is),
 * numbers of the source, first index, counts; then the own store and the offset in it. */
typedef struct Found {
    int64_t *words, used, capacity;
} Found;

typedef struct Maker {
    Hp5Search search; /* first: callbacks get it */
    const Hp5TaskRun *run;
    const Hp5Segments *segments;
    Hp5Holders holders;
    Hp5Pattern *pattern;
    Found receives, sends;
    int key, length;            /* words that say the order, words in all */
    Hp5Span mine, from_threads; /* the process's; those of the source at hand */
    Hp5Span to_threads;
} Maker;

static Hp5Span threads_of_segment(const Hp5Segments *segments, int s) {
    return (Hp5Span){segments->starts[s], segments->starts[s + 1] - segments->starts[s]};
}

int hp5_segment_of(const Hp5Segments *segments, int thread) {
    int low = 0, high = segments->count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (segments->starts[middle] <= thread) low = middle;
        else high = middle;
    }
    return low;
}

/* ---- What was found -------------------------------------------------------------------------------- */

static int64_t *numbers_of(int64_t *word, int depth, const Hp5Lpu *const *chain, bool alike) {
    for (int i = 0; i < depth; i++) *word++ = alike ? 0 : chain[i]->number;
    return word;
}

static void note(Maker *maker, Found *found, int peer, const Hp5Store *store, const Hp5Box *box) {
    if (found->used + maker->length > found->capacity) {
        int64_t capacity = found->capacity + found->capacity / 2 + 16 * maker->length;
        int64_t *larger = hp5_element_buffer(capacity * (int64_t)sizeof *larger, "movements");
        if (found->used > 0) memcpy(larger, found->words, sizeof *larger * (size_t)found->used);
        hp5_free(found->words);
        found->words = larger;
        found->capacity = capacity;
    }
    const Hp5Search *search = &maker->search;
    int64_t *word = found->words + found->used;
    *word++ = peer;
    word = numbers_of(word, search->to_depth, search->to_chain, search->movement.in_place);
    word = numbers_of(word, search->from_depth, search->from_chain, false);
    for (int d = 0; d < search->rank; d++) *word++ = box->lo[d];
    for (int d = 0; d < search->rank; d++) *word++ = box->hi[d] - box->lo[d];
    *word++ = store->number;
    *word++ = hp5_piece_begin(store, box->lo);
    found->used += maker->length;
}

static int in_order(const void *a, const void *b, void *key) {
    const int64_t *x = a, *y = b;
    for (int i = 0; i < *(const int *)key; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* In place, several LPUs of a process may want the same. */
static int64_t once_each(Found *found, int64_t length, int *key) {
    int64_t kept = length;
    for (int64_t i = length; i < found->used; i += length) {
        if (in_order(found->words + kept - length, found->words + i, key) == 0) continue;
        if (kept < i) memcpy(found->words + kept, found->words + i, sizeof *found->words * (size_t)length);
        kept += length;
    }
    return kept;
}

static Hp5Message *messages(const Maker *maker, Found *found, bool sends, int *count) {
    int64_t length = maker->length;
    int rank = maker->search.rank, key = maker->key;
    *count = 0;
    if (found->used == 0) return NULL;
    qsort_r(found->words, (size_t)(found->used / length), sizeof *found->words * (size_t)length, in_order, &key);
    found->used = once_each(found, length, &key);
    for (int64_t i = 0; i < found->used; i += length) *count += i == 0 || found->words[i] != found->words[i - length];
    Hp5Message *list = hp5_alloc_zeroed((int64_t)sizeof *list * *count, "movements"), *message = list - 1;
    for (int64_t i = 0; i < found->used; i += length) {
        const int64_t *word = found->words + i, *store = word + key, *counts = store - rank;
        if (i == 0 || word[0] != word[-length]) (++message)->peer = (int)word[0];
        if (sends) hp5_pieces_add(&message->pieces, rank, hp5_piece_stores(-1, (int32_t)store[0]), 0, store[1], counts);
        else hp5_pieces_add(&message->pieces, rank, hp5_piece_stores((int32_t)store[0], -1), store[1], 0, counts);
    }
    return list;
}

/* The hull of all boxes; its elements, or -1: too many to look at each. */
static int64_t hull_of(const Found *found, int64_t length, int first, int rank, int64_t *lo, int64_t *extent) {
    static const int64_t most = (int64_t)1 << 30;
    int64_t elements = 1;
    for (int d = 0; d < rank; d++) {
        int64_t hi = 0;
        for (int64_t i = 0; i < found->used; i += length) {
            int64_t begin = found->words[i + first + d], end = begin + found->words[i + first + rank + d];
            if (i == 0 || begin < lo[d]) lo[d] = begin;
            if (i == 0 || end > hi) hi = end;
        }
        extent[d] = hi - lo[d];
        if (__builtin_mul_overflow(elements, extent[d], &elements) || elements > most) return -1;
    }
    return elements;
}

/* Marks a box's elements; how many had no mark. */
static int64_t mark_box(unsigned char *marks, const int64_t *lo, const int64_t *extent, const int64_t *begin, const int64_t *count, int rank) {
    int64_t at[HP5_MAX_RANK] = {0}, fresh = 0;
    for (int d = 0; d >= 0;) {
        int64_t place = 0;
        for (int k = 0; k < rank; k++) place = place * extent[k] + begin[k] + at[k] - lo[k];
        fresh += (marks[place / 8] >> place % 8 & 1) == 0;
        marks[place / 8] |= (unsigned char)(1 << place % 8);
        for (d = rank - 1; d >= 0 && ++at[d] == count[d]; d--) at[d] = 0;
    }
    return fresh;
}

/* How many different elements come, from whomever. */
static int64_t count_needed(const Maker *maker, const Found *found) {
    int rank = maker->search.rank, first = maker->key - 2 * rank;
    int64_t lo[HP5_MAX_RANK], extent[HP5_MAX_RANK], needed = 0;
    if (found->used == 0) return 0;
    int64_t elements = hull_of(found, maker->length, first, rank, lo, extent);
    if (elements < 0) return -1;
    unsigned char *marks = hp5_alloc_zeroed(elements / 8 + 1, "the report of communication");
    for (int64_t i = 0; i < found->used; i += maker->length)
        needed += mark_box(marks, lo, extent, found->words + i + first, found->words + i + first + rank, rank);
    hp5_free(marks);
    return needed;
}

static const Hp5Store *store_of(const Maker *maker, const Hp5View *view) {
    const Hp5Movement *movement = &maker->search.movement;
    return movement->in_place ? hp5_store_in(&maker->run->hidden->stores, maker->search.parent, movement->array) : view->store;
}

/* ---- Own destinations ------------------------------------------------------------------------------------ */

/* The process that a destination of `receiver` takes a source's elements from. */
static int giver_of(const Maker *maker, Hp5Span from_threads, int receiver) {
    if (maker->holders.sources_alike && hp5_spans_meet(from_threads, threads_of_segment(maker->segments, receiver))) return receiver;
    return hp5_segment_of(maker->segments, from_threads.first);
}

static void found_source(Hp5Search *search, const Hp5Lpu *to, const Hp5Lpu *from, Hp5Span from_threads, const Hp5Box *box) {
    Maker *maker = (Maker *)search;
    int giver = giver_of(maker, from_threads, maker->segments->me);
    (void)to;
    const Hp5Store *there = store_of(maker, hp5_search_to(search));
    if (giver != maker->segments->me) {
        note(maker, &maker->receives, giver, there, box);
        return;
    }
    const Hp5Store *here = store_of(maker, hp5_search_from(search, from));
    int64_t count[HP5_MAX_RANK];
    if (here == there) return; /* in place */
    for (int d = 0; d < search->rank; d++) count[d] = box->hi[d] - box->lo[d];
    hp5_pieces_add(&maker->pattern->local, search->rank, hp5_piece_stores(there->number, here->number), hp5_piece_begin(there, box->lo),
                   hp5_piece_begin(here, box->lo), count);
}

static bool is_receiver(const Maker *maker, Hp5Span threads, int segment) {
    if (!maker->holders.all_destinations) return hp5_segment_of(maker->segments, threads.first) == segment;
    return hp5_spans_meet(threads, threads_of_segment(maker->segments, segment));
}

/* Records below `parent` down a path, the last ones to visit(). */
static void each_record(Maker *maker, int depth, int end, const int *path, const Hp5Lpu **chain, const Hp5Lpu *parent, Hp5Span threads,
                        void (*visit)(Maker *maker, Hp5Span threads)) {
    if (depth == end) {
        visit(maker, threads);
        return;
    }
    const Hp5Geometry *geometry = maker->search.geometry;
    const Hp5Grid *grid = &parent->children[geometry->shapes[path[depth]].slot];
    for (int64_t i = 0; i < grid->own; i++) {
        chain[depth] = &grid->lpus[i];
        each_record(maker, depth + 1, end, path, chain, chain[depth], hp5_lpu_span(geometry, grid, grid->lpus[i].number, threads), visit);
    }
}

static void receive(Maker *maker, Hp5Span threads) {
    if (is_receiver(maker, threads, maker->segments->me)) hp5_search_sources(&maker->search);
}

/* ---- Own sources -------------------------------------------------------------------------------------------- */

static bool is_elsewhere(const Hp5Search *search, Hp5Span threads) {
    const Maker *maker = (const Maker *)search;
    return threads.first < maker->mine.first || threads.first + threads.count > maker->mine.first + maker->mine.count;
}

static void found_destination(Hp5Search *search, const Hp5Lpu *to, const Hp5Lpu *from, Hp5Span from_threads, const Hp5Box *box) {
    Maker *maker = (Maker *)search;
    int last = hp5_segment_of(maker->segments, maker->to_threads.first + maker->to_threads.count - 1);
    (void)to;
    for (int s = hp5_segment_of(maker->segments, maker->to_threads.first); s <= last; s++)
        if (s != maker->segments->me && is_receiver(maker, maker->to_threads, s) && giver_of(maker, from_threads, s) == maker->segments->me)
            note(maker, &maker->sends, s, store_of(maker, hp5_search_from(search, from)), box);
}

static void look_between(Hp5Search *search, const Hp5Lpu *to, Hp5Span threads) {
    Maker *maker = (Maker *)search;
    (void)to;
    maker->to_threads = threads;
    hp5_search_between(search, maker->from_threads);
}

static void send(Maker *maker, Hp5Span threads) {
    if (hp5_segment_of(maker->segments, threads.first) != maker->segments->me) return; /* the first one sends */
    maker->from_threads = threads;
    hp5_search_destinations(&maker->search, is_elsewhere, look_between);
}

/* ---- The pattern ---------------------------------------------------------------------------------------------- */

Hp5Pattern hp5_pattern_create(const Hp5TaskRun *run, const Hp5Segments *segments, Hp5Movement movement, Hp5Holders holders, const Hp5Lpu *parent) {
    Hp5Pattern pattern = {.array = movement.array, .rank = run->desc->arrays[movement.array].rank, .needed = -1};
    Maker maker = {.run = run, .segments = segments, .holders = holders, .pattern = &pattern, .mine = threads_of_segment(segments, segments->me)};
    Hp5Search *search = &maker.search;
    hp5_search_begin(search, &run->hidden->geometry, movement, parent);
    maker.key = 1 + search->to_depth + search->from_depth + 2 * search->rank;
    maker.length = maker.key + 2;
    pattern.threads = search->threads;
    search->found = found_source;
    each_record(&maker, 0, search->to_depth, search->to_path, search->to_chain, parent, search->threads, receive);
    search->found = found_destination;
    each_record(&maker, 0, search->from_depth, search->from_path, search->from_chain, parent, search->threads, send);
    pattern.receives = messages(&maker, &maker.receives, false, &pattern.receive_count);
    pattern.sends = messages(&maker, &maker.sends, true, &pattern.send_count);
    if (hp5_accounts_are_wanted()) pattern.needed = count_needed(&maker, &maker.receives);
    pattern.asked = search->asked;
    hp5_free(maker.receives.words);
    hp5_free(maker.sends.words);
    hp5_search_end(search);
    return pattern;
}

static void free_messages(Hp5Message *list, int count) {
    for (int i = 0; i < count; i++) hp5_free(list[i].pieces.words);
    hp5_free(list);
}

void hp5_pattern_free(Hp5Pattern *pattern) {
    hp5_free(pattern->local.words);
    free_messages(pattern->sends, pattern->send_count);
    free_messages(pattern->receives, pattern->receive_count);
    *pattern = (Hp5Pattern){0};
}
