/* Whom this process asks for which elements, and who asks it (picks.h). How to read it: lists of runs; the touched elements of one of its
 * LPUs, whose owners follow from the parts of LPUs, a run at a time; requests, which go to those owners alone: that they come, and
 * how long they are, hp5_comm_notify has told them. */
#define _GNU_SOURCE /* qsort */
#include "runtime/move/picks_find.h"
#include "runtime/run/private.h"
#include <stdlib.h>
#include <string.h>

enum { HP5_TAG_INSPECT = 64 }; /* of groups, behind those of runtime/run/private.h */

typedef struct Finder {
    Hp5Search search; /* first: callbacks get it */
    const Hp5TaskRun *run;
    const Hp5Segments *segments;
    Hp5Holders holders;
    Hp5Touched *touched;
    int64_t left;     /* touched elements that nobody has been found for */
    int *place;       /* by process: 1 + its list */
    Hp5PickList *lists;
    int count, capacity;
    int owner;        /* of the element at hand: a process, -1: nobody */
    int64_t last;     /* … and of those behind it in its row, up to this index */
} Finder;

static Hp5Span threads_of_segment(const Hp5Segments *segments, int s) {
    return (Hp5Span){segments->starts[s], segments->starts[s + 1] - segments->starts[s]};
}

/* ---- Lists ---------------------------------------------------------------------------------------------------- */

static void add_run(Hp5PickList *list, int64_t offset, int64_t count) {
    enum { MOST = 1 << HP5_PICK_BITS };
    for (int64_t more; count > 0; offset += more, count -= more) {
        more = count < MOST ? count : MOST;
        if (list->count == list->capacity) {
            list->capacity = list->capacity + list->capacity / 2 + 16;
            int64_t *larger = hp5_element_buffer(list->capacity * (int64_t)sizeof *larger, "movements");
            if (list->count > 0) memcpy(larger, list->runs, sizeof *larger * (size_t)list->count);
            hp5_free(list->runs);
            list->runs = larger;
        }
        list->runs[list->count++] = hp5_pick_run(offset, more);
        list->elements += more;
    }
}

static Hp5PickList *list_of(Finder *finder, int peer) {
    if (finder->place[peer] > 0) return &finder->lists[finder->place[peer] - 1];
    if (finder->count == finder->capacity) {
        finder->capacity = 2 * finder->capacity + 4;
        Hp5PickList *larger = hp5_alloc_zeroed((int64_t)sizeof *larger * finder->capacity, "movements");
        if (finder->count > 0) memcpy(larger, finder->lists, sizeof *larger * (size_t)finder->count);
        hp5_free(finder->lists);
        finder->lists = larger;
    }
    finder->lists[finder->count] = (Hp5PickList){.peer = peer};
    finder->place[peer] = ++finder->count;
    return &finder->lists[finder->count - 1];
}

/* ---- Touched elements ------------------------------------------------------------------------------------------- */

static void clear_bits(Hp5Touched *touched, int64_t at, int64_t end) {
    for (int64_t next; at < end; at = next) {
        next = (at / 64 + 1) * 64 < end ? (at / 64 + 1) * 64 : end;
        uint64_t mask = (next - at == 64 ? ~UINT64_C(0) : (UINT64_C(1) << (next - at)) - 1) << at % 64;
        atomic_fetch_and_explicit(&touched->bits[at / 64], ~mask, memory_order_relaxed);
    }
}

static int64_t elements_of(const Hp5Touched *touched) {
    int64_t elements = 1;
    for (int d = 0; d < touched->rank; d++) elements *= touched->extent[d];
    return elements;
}

static int64_t count_bits(const Hp5Touched *touched) {
    int64_t count = 0;
    for (int64_t w = 0; w < (elements_of(touched) + 63) / 64; w++) count += __builtin_popcountll(hp5_touched_word(touched, w));
    return count;
}

/* ---- Owners ------------------------------------------------------------------------------------------------------- */

static void found_owner(Hp5Search *search, const Hp5Lpu *to, const Hp5Lpu *from, Hp5Span from_threads, const Hp5Box *box) {
    Finder *finder = (Finder *)search;
    int me = finder->segments->me, last = search->rank - 1;
    const Hp5Box *only = search->movement.only;
    Hp5Box own = *box;
    (void)to;
    if (finder->owner >= 0) return;
    bool here = finder->holders.sources_alike && hp5_spans_meet(from_threads, threads_of_segment(finder->segments, me));
    finder->owner = here ? me : hp5_segment_of(finder->segments, from_threads.first);
    search->movement.only = NULL;
    hp5_search_source_box(search, &own);
    search->movement.only = only;
    const Hp5Set *part = &hp5_search_from(search, from)->part[last];
    Hp5Run run = hp5_set_run(part, hp5_set_find_run(part, box->lo[last]));
    finder->last = (own.hi[last] < run.end ? own.hi[last] : run.end) - 1;
}

/* Elements [at, end) of a row, whose first one has these indices: runs of those that are touched go to their owners' lists. */
static void find_in_row(Finder *finder, const int64_t *index, int64_t at, int64_t end) {
    Hp5Search *search = &finder->search;
    int last = search->rank - 1;
    Hp5Box box;
    for (int64_t first = at, begin; (begin = hp5_next_touched(finder->touched, at, end, true)) < end;) {
        for (int d = 0; d < search->rank; d++) {
            box.lo[d] = index[d] + (d == last ? begin - first : 0);
            box.hi[d] = box.lo[d] + 1;
        }
        finder->owner = -1;
        finder->last = box.lo[last];
        search->movement.only = &box;
        hp5_search_sources(search);
        int64_t limit = first + (finder->last - index[last]) + 1;
        if (limit > end) limit = end;
        for (at = begin; (begin = hp5_next_touched(finder->touched, at, limit, true)) < limit; at = begin) {
            int64_t behind = hp5_next_touched(finder->touched, begin, limit, false);
            if (finder->owner >= 0 && finder->owner != finder->segments->me) add_run(list_of(finder, finder->owner), begin, behind - begin);
            clear_bits(finder->touched, begin, behind);
            finder->left -= behind - begin;
            begin = behind;
        }
        at = limit;
    }
}

/* All rows of what the destination at hand has in its part. */
static void find_in_part(Finder *finder, const Hp5View *view) {
    const Hp5Touched *touched = finder->touched;
    int last = touched->rank - 1;
    int64_t index[HP5_MAX_RANK];
    Hp5Box box = hp5_view_hull(view, touched->rank);
    for (int d = 0; d < touched->rank; d++) {
        if (box.lo[d] >= box.hi[d]) return;
        index[d] = box.lo[d];
    }
    for (bool more = true; more && finder->left > 0;) {
        int64_t at = 0;
        for (int d = 0; d < touched->rank; d++) at = at * touched->extent[d] + index[d] - touched->lo[d];
        find_in_row(finder, index, at, at + box.hi[last] - box.lo[last]);
        more = false;
        for (int d = last - 1; d >= 0 && !more; d--) {
            more = ++index[d] < box.hi[d];
            if (!more) index[d] = box.lo[d];
        }
    }
}

static void each_destination(Finder *finder, int depth, const Hp5Lpu *parent, Hp5Span threads) {
    Hp5Search *search = &finder->search;
    if (depth == search->to_depth) {
        bool first = hp5_segment_of(finder->segments, threads.first) == finder->segments->me;
        if (first || finder->holders.all_destinations) find_in_part(finder, hp5_search_to(search));
        return;
    }
    const Hp5Grid *grid = &parent->children[search->geometry->shapes[search->to_path[depth]].slot];
    for (int64_t i = 0; i < grid->own && finder->left > 0; i++) {
        search->to_chain[depth] = &grid->lpus[i];
        each_destination(finder, depth + 1, &grid->lpus[i], hp5_lpu_span(search->geometry, grid, grid->lpus[i].number, threads));
    }
}

/* ---- Requests ------------------------------------------------------------------------------------------------------ */

static int by_peer(const void *a, const void *b) { return ((const Hp5PickList *)a)->peer - ((const Hp5PickList *)b)->peer; }

/* From places among the array's elements to places in the store, which has them all. */
static void place_in_store(Hp5PickList *list, const Hp5Store *store, const Hp5Touched *touched) {
    list->elements = 0;
    for (int64_t i = 0; i < list->count; i++) {
        int64_t index[HP5_MAX_RANK], rest = hp5_pick_offset(list->runs[i]), count = hp5_pick_count(list->runs[i]);
        for (int d = touched->rank - 1; d >= 0; d--) {
            index[d] = touched->lo[d] + rest % touched->extent[d];
            rest /= touched->extent[d];
        }
        list->runs[i] = hp5_pick_run(hp5_store_offset(store, index), count);
        list->elements += count;
    }
}

/* Each owner hears who asks it, and how many words the list has; then the lists go to the owners. */
static void ask(Finder *finder, Hp5Picks *picks, const Hp5Lpu *parent) {
    Hp5Peers peers = hp5_peers_of(finder->run, hp5_threads_of(&finder->run->hidden->geometry, parent));
    Hp5Notice *mine = hp5_alloc_zeroed((int64_t)sizeof *mine * (finder->count + 1), "movements"), *notices;
    const int first = finder->segments->first_rank; /* lists name segments, messages ranks */
    for (int i = 0; i < finder->count; i++) mine[i] = (Hp5Notice){first + finder->lists[i].peer, finder->lists[i].count};
    int asked = hp5_comm_notify(peers, HP5_TAG_INSPECT, mine, finder->count, &notices), count = finder->count;
    picks->lists = hp5_alloc_zeroed((int64_t)sizeof *picks->lists * (count + asked + 1), "movements");
    Hp5Request *requests = hp5_alloc_zeroed((int64_t)sizeof *requests * (count + asked + 1), "movements");
    for (int i = 0; i < asked; i++) {
        Hp5PickList *list = &picks->lists[count + i];
        *list = (Hp5PickList){.peer = (int)notices[i].peer - first, .count = notices[i].number, .capacity = notices[i].number};
        list->runs = hp5_element_buffer(list->count * (int64_t)sizeof *list->runs, "movements");
        hp5_comm_hear(&requests[count + i], HP5_TAG_INSPECT, first + list->peer, list->runs, list->count * (int64_t)sizeof *list->runs);
    }
    for (int i = 0; i < count; i++) {
        picks->lists[i] = finder->lists[i];
        hp5_comm_tell(&requests[i], HP5_TAG_INSPECT, first + picks->lists[i].peer, picks->lists[i].runs, picks->lists[i].count * (int64_t)sizeof *picks->lists[i].runs);
    }
    hp5_comm_wait_all(requests, count + asked);
    picks->receive_count = count;
    picks->send_count = asked;
    hp5_free((void *)peers.ranks);
    hp5_free(requests);
    hp5_free(notices);
    hp5_free(mine);
}

void hp5_picks_find(Hp5Picks *picks, const Hp5TaskRun *run, Hp5Movement movement, Hp5Holders holders, const Hp5Lpu *parent, Hp5Touched *touched) {
    Finder finder = {.run = run, .segments = &run->hidden->segments, .holders = holders, .touched = touched, .left = count_bits(touched)};
    hp5_search_begin(&finder.search, &run->hidden->geometry, movement, parent);
    finder.search.found = found_owner;
    finder.place = hp5_alloc_zeroed((int64_t)sizeof *finder.place * (finder.segments->count + 1), "movements");
    each_destination(&finder, 0, parent, finder.search.threads);
    hp5_search_end(&finder.search);
    if (finder.count > 1) qsort(finder.lists, (size_t)finder.count, sizeof *finder.lists, by_peer);
    ask(&finder, picks, parent);
    for (int i = 0; i < picks->receive_count + picks->send_count; i++) place_in_store(&picks->lists[i], picks->store, touched);
    hp5_free(finder.lists);
    hp5_free(finder.place);
}
