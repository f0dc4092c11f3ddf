/* Routes (routes.h). How to read it: lists of boxes; parcels, whose boxes both ends list in the same order; who has something to do
 * with whom; and a journey along a route. */
#include "runtime/comm/accounts.h"
#include "runtime/run/routes.h"
#include <stdlib.h>
#include <string.h>

/* ---- Boxes ------------------------------------------------------------------------------------------------ */

/* `b` goes on where `a` ends, in one dimension. */
static bool goes_on(const Hp5Box *a, const Hp5Box *b, int rank, int *dimension) {
    int differ = 0;
    for (int d = 0; d < rank; d++) {
        if (a->lo[d] == b->lo[d] && a->hi[d] == b->hi[d]) continue;
        if (a->hi[d] < b->lo[d] || a->lo[d] > b->lo[d] || a->hi[d] > b->hi[d]) return false; /* overlapping is fine: padding */
        *dimension = d;
        differ++;
    }
    return differ <= 1;
}

static void make_room(Hp5Boxes *boxes) {
    if (boxes->count < boxes->capacity) return;
    int64_t capacity = 2 * boxes->capacity + 16;
    Hp5Box *at = hp5_alloc(capacity * (int64_t)sizeof *at, "shares of arrays");
    const Hp5Store **stores = hp5_alloc(capacity * (int64_t)sizeof *stores, "shares of arrays");
    if (boxes->count > 0) {
        memcpy(at, boxes->at, sizeof *at * (size_t)boxes->count);
        memcpy(stores, boxes->stores, sizeof *stores * (size_t)boxes->count);
    }
    hp5_free(boxes->at);
    hp5_free(boxes->stores);
    boxes->at = at;
    boxes->stores = stores;
    boxes->capacity = capacity;
}

static bool same_box(const Hp5Box *a, const Hp5Box *b, int rank) {
    for (int d = 0; d < rank; d++)
        if (a->lo[d] != b->lo[d] || a->hi[d] != b->hi[d]) return false;
    return true;
}

void hp5_boxes_add(Hp5Boxes *boxes, const Hp5Store *store, const Hp5Box *box) {
    for (int d = 0; d < boxes->rank; d++)
        if (box->lo[d] >= box->hi[d]) return;
    if (boxes->count > 0 && boxes->stores[boxes->count - 1] == store && same_box(&boxes->at[boxes->count - 1], box, boxes->rank)) return; /* LPUs that have it all */
    make_room(boxes);
    boxes->at[boxes->count] = *box;
    boxes->stores[boxes->count++] = store;
    for (int d = 0; boxes->count > 1; boxes->count--) { /* rows of LPUs become one box, then rows of rows */
        Hp5Box *before = &boxes->at[boxes->count - 2];
        const Hp5Box *last = before + 1;
        if (boxes->stores[boxes->count - 2] != store || !goes_on(before, last, boxes->rank, &d)) break;
        before->hi[d] = last->hi[d];
    }
}

bool hp5_boxes_equal(const Hp5Boxes *a, const Hp5Boxes *b) {
    bool same = a->count == b->count;
    for (int64_t i = 0; i < a->count && same; i++) same = a->stores[i] == b->stores[i] && same_box(&a->at[i], &b->at[i], a->rank);
    return same;
}

void hp5_boxes_free(Hp5Boxes *boxes) {
    hp5_free(boxes->at);
    hp5_free(boxes->stores);
    *boxes = (Hp5Boxes){0};
}

static void add_owned(const Hp5Store *store, const Hp5Box *box, void *boxes) { hp5_boxes_add(boxes, store, box); }

/* ---- Parcels ---------------------------------------------------------------------------------------------- */

/* What goes between two processes, or stays in one: boxes of the one's stores and, within one process, of the other's. */
typedef struct Hp5Parcel {
    int peer;
    int64_t count, capacity, bytes;
    struct Piece {
        Hp5Box box;
        const Hp5Store *mine, *from; /* from: within one process */
    } *pieces;
    char *memory; /* on the way */
} Hp5Parcel;

static Hp5Store store_of_box(const Hp5Route *route, const Hp5Box *box, char *memory) {
    Hp5Store store;
    int64_t extent[HP5_MAX_RANK];
    for (int d = 0; d < route->rank; d++) extent[d] = box->hi[d] - box->lo[d];
    hp5_store_shape(&store, route->rank, box->lo, extent, 1, route->element, (Hp5Layout){0});
    store.version[0] = memory;
    return store;
}

static void add_piece(const Hp5Route *route, Hp5Parcel *parcel, const Hp5Box *box, const Hp5Store *mine, const Hp5Store *from) {
    if (parcel->count == parcel->capacity) {
        int64_t capacity = 2 * parcel->capacity + 4;
        struct Piece *larger = hp5_alloc(capacity * (int64_t)sizeof *larger, "shares of arrays");
        if (parcel->count > 0) memcpy(larger, parcel->pieces, sizeof *larger * (size_t)parcel->count);
        hp5_free(parcel->pieces);
        parcel->pieces = larger;
        parcel->capacity = capacity;
    }
    Hp5Store store = store_of_box(route, box, NULL);
    parcel->bytes += hp5_store_elements(&store) * (int64_t)store.element_size;
    parcel->pieces[parcel->count++] = (struct Piece){*box, mine, from};
}

/* ---- Boxes that meet ---------------------------------------------------------------------------------------- */

typedef struct Place {
    int64_t lo, at; /* where the box begins in the dimension that they are sorted by; its place in the list */
} Place;

/* Boxes in the order of where they begin in one dimension: that in which they are shortest, beside what all of them span. */
typedef struct Sorted {
    const Hp5Box *boxes;
    Place *places;
    int64_t count, longest;
    int dimension, rank;
} Sorted;

static int by_begin(const void *a, const void *b) {
    const Place *one = a, *other = b;
    return one->lo != other->lo ? (one->lo < other->lo ? -1 : 1) : (one->at > other->at) - (one->at < other->at);
}

static Sorted sorted(const Hp5Box *boxes, int64_t count, int rank) {
    Sorted all = {.boxes = boxes, .count = count, .rank = rank};
    double most = 0;
    for (int d = 0; d < rank && count > 0; d++) {
        int64_t lo = boxes[0].lo[d], hi = boxes[0].hi[d], longest = 1;
        for (int64_t i = 0; i < count; i++) {
            if (boxes[i].lo[d] < lo) lo = boxes[i].lo[d];
            if (boxes[i].hi[d] > hi) hi = boxes[i].hi[d];
            if (boxes[i].hi[d] - boxes[i].lo[d] > longest) longest = boxes[i].hi[d] - boxes[i].lo[d];
        }
        if ((double)(hi - lo) / (double)longest <= most) continue;
        most = (double)(hi - lo) / (double)longest;
        all.dimension = d;
        all.longest = longest;
    }
    all.places = hp5_alloc(count * (int64_t)sizeof *all.places, "shares of arrays");
    for (int64_t i = 0; i < count; i++) all.places[i] = (Place){boxes[i].lo[all.dimension], i};
    if (count > 1) qsort(all.places, (size_t)count, sizeof *all.places, by_begin);
    return all;
}

/* The first one that begins at `lo` or behind it. */
static int64_t first_from(const Sorted *all, int64_t lo) {
    int64_t low = 0, high = all->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (all->places[middle].lo < lo) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The next one from `*next` of the order on that has something in common with the box, and what that is; its place in the list, or -1: there is no more. */
static int64_t next_common(const Sorted *all, const Hp5Box *box, int64_t *next, Hp5Box *common) {
    const int d = all->dimension;
    if (*next < 0) *next = first_from(all, box->lo[d] - all->longest + 1);
    while (*next < all->count && all->places[*next].lo < box->hi[d]) {
        const int64_t at = all->places[(*next)++].at;
        *common = *box;
        if (hp5_box_cut(common, &all->boxes[at], all->rank)) return at;
    }
    return -1;
}

/* What `owned` has of `wanted`, in the order of the wanted ones, and of where owned ones begin; which of the two this process has says `wants`. */
static void add_common(const Hp5Route *route, Hp5Parcel *parcel, const Hp5Box *wanted, int64_t wanted_count, const Hp5Box *owned, int64_t owned_count,
                       const Hp5Store *const *stores, bool wants) {
    Sorted all = sorted(owned, owned_count, route->rank);
    Hp5Box box;
    for (int64_t i = 0; i < wanted_count; i++)
        for (int64_t next = -1, at; (at = next_common(&all, &wanted[i], &next, &box)) >= 0;) add_piece(route, parcel, &box, stores[wants ? i : at], NULL);
    hp5_free(all.places);
}

static void add_here(const Hp5Route *route, Hp5Parcel *parcel, const Hp5Boxes *wanted, const Hp5Boxes *owned) {
    Sorted all = sorted(owned->at, owned->count, route->rank);
    Hp5Box box;
    for (int64_t i = 0; i < wanted->count; i++)
        for (int64_t next = -1, at; (at = next_common(&all, &wanted->at[i], &next, &box)) >= 0;)
            if (wanted->stores[i] != owned->stores[at]) add_piece(route, parcel, &box, wanted->stores[i], owned->stores[at]);
    hp5_free(all.places);
}

/* ---- Who has something to do with whom -------------------------------------------------------------------- */

/* What everybody says to all: how many boxes there are, and their hull. */
typedef struct Summary {
    int64_t wanted, owned;
    Hp5Box wanted_hull, owned_hull;
} Summary;

static Hp5Box hull_of(const Hp5Boxes *boxes) {
    Hp5Box hull = {{0}, {0}};
    for (int64_t i = 0; i < boxes->count; i++)
        for (int d = 0; d < boxes->rank; d++) {
            if (i == 0 || boxes->at[i].lo[d] < hull.lo[d]) hull.lo[d] = boxes->at[i].lo[d];
            if (i == 0 || boxes->at[i].hi[d] > hull.hi[d]) hull.hi[d] = boxes->at[i].hi[d];
        }
    return hull;
}

/* `wants` may want something of what `owns` has. */
static bool may_want(const Summary *wants, const Summary *owns, int rank) {
    Hp5Box box = wants->wanted_hull;
    return wants->wanted > 0 && owns->owned > 0 && hp5_box_cut(&box, &owns->owned_hull, rank);
}

/* Another process with which lists are compared, and its lists. */
typedef struct Neighbour {
    int peer;
    bool gives, takes; /* it may have something, it may want something */
    Hp5Box *owned, *wanted;
} Neighbour;

/* Lists go to those, and come from those, that may have to do with each other. */
static void compare_lists(Neighbour *list, int count, const Summary *all, const Hp5Boxes *wanted, const Hp5Boxes *owned) {
    Hp5Request *requests = hp5_alloc_zeroed((int64_t)sizeof *requests * (4 * (int64_t)count + 1), "shares of arrays"), *next = requests;
    for (int n = 0; n < count; n++) { /* between two processes the wanted ones come first, whoever wants */
        const Summary *its = &all[list[n].peer];
        int peer = list[n].peer;
        if (list[n].gives) list[n].owned = hp5_alloc(its->owned * (int64_t)sizeof(Hp5Box), "shares of arrays");
        if (list[n].takes) list[n].wanted = hp5_alloc(its->wanted * (int64_t)sizeof(Hp5Box), "shares of arrays");
        if (list[n].takes) hp5_comm_hear(next++, HP5_TAG_ITEMS, peer, list[n].wanted, its->wanted * (int64_t)sizeof(Hp5Box));
        if (list[n].gives) hp5_comm_hear(next++, HP5_TAG_ITEMS, peer, list[n].owned, its->owned * (int64_t)sizeof(Hp5Box));
        if (list[n].gives) hp5_comm_tell(next++, HP5_TAG_ITEMS, peer, wanted->at, wanted->count * (int64_t)sizeof(Hp5Box));
        if (list[n].takes) hp5_comm_tell(next++, HP5_TAG_ITEMS, peer, owned->at, owned->count * (int64_t)sizeof(Hp5Box));
    }
    hp5_comm_wait_all(requests, (int)(next - requests));
    hp5_free(requests);
}

/* Keeps the parcel, if something is in it. */
static void keep(Hp5Route *route, Hp5Parcel parcel) {
    if (parcel.count > 0) route->parcels[route->count++] = parcel;
}

static void fill_parcels(Hp5Route *route, Neighbour *list, int count, const Summary *all, const Hp5Boxes *wanted, const Hp5Boxes *owned) {
    route->parcels = hp5_alloc_zeroed((int64_t)sizeof *route->parcels * (2 * (int64_t)count + 1), "shares of arrays");
    for (int n = 0; n < count; n++) {
        Hp5Parcel parcel = {.peer = list[n].peer};
        if (list[n].gives) add_common(route, &parcel, wanted->at, wanted->count, list[n].owned, all[list[n].peer].owned, wanted->stores, true);
        keep(route, parcel);
    }
    route->incoming = route->count;
    for (int n = 0; n < count; n++) {
        Hp5Parcel parcel = {.peer = list[n].peer};
        if (list[n].takes) add_common(route, &parcel, list[n].wanted, all[list[n].peer].wanted, owned->at, owned->count, owned->stores, false);
        keep(route, parcel);
    }
    route->here = hp5_alloc_zeroed(sizeof *route->here, "shares of arrays");
    add_here(route, route->here, wanted, owned);
}

static void free_route(Hp5Route *route) {
    for (int i = 0; i < route->count; i++) hp5_free(route->parcels[i].pieces);
    if (route->here) hp5_free(route->here->pieces);
    hp5_free(route->here);
    hp5_free(route->parcels);
    *route = (Hp5Route){0};
}

static void make_route(Hp5Route *route, const Hp5Item *item, const Hp5Boxes *wanted) {
    int processes = hp5_comm_size(), me = hp5_comm_rank(), count = 0;
    Hp5Boxes owned = {.rank = item->rank};
    free_route(route);
    *route = (Hp5Route){.rank = item->rank, .element = item->element};
    if (item->spread) {
        hp5_each_owned_box(item->spread, item->spread_array, add_owned, &owned);
        route->from = item->spread->hidden->serial;
        route->from_array = item->spread_array;
    }
    Summary mine = {wanted->count, owned.count, hull_of(wanted), hull_of(&owned)};
    Summary *all = hp5_alloc((int64_t)sizeof *all * processes, "shares of arrays");
    hp5_comm_gather_all(HP5_EVERYBODY, HP5_TAG_ITEMS, &mine, sizeof mine, all);
    Neighbour *list = hp5_alloc_zeroed((int64_t)sizeof *list * processes, "shares of arrays");
    for (int p = 0; p < processes; p++) {
        bool gives = p != me && may_want(&mine, &all[p], item->rank), takes = p != me && may_want(&all[p], &mine, item->rank);
        if (gives || takes) list[count++] = (Neighbour){.peer = p, .gives = gives, .takes = takes};
    }
    compare_lists(list, count, all, wanted, &owned);
    fill_parcels(route, list, count, all, wanted, &owned);
    for (int n = 0; n < count; n++) {
        hp5_free(list[n].owned);
        hp5_free(list[n].wanted);
    }
    hp5_free(list);
    hp5_free(all);
    hp5_boxes_free(&owned);
}

/* ---- A journey ---------------------------------------------------------------------------------------------- */

/* Between the parcel's boxes and the message that it is on the way. */
static void move_parcel(const Hp5Route *route, const Hp5Parcel *parcel, bool pack) {
    char *at = parcel->memory;
    if (hp5_comm_is_imagined()) return;
    for (int64_t i = 0; i < parcel->count; i++) {
        const struct Piece *piece = &parcel->pieces[i];
        Hp5Store message = store_of_box(route, &piece->box, at);
        if (pack) hp5_box_copy(&message, 0, piece->mine, 0, &piece->box);
        else hp5_box_copy(piece->mine, 0, &message, 0, &piece->box);
        at += hp5_store_elements(&message) * (int64_t)message.element_size;
    }
}

/* What a parcel should weigh, for the plan. */
static int64_t weight_of(const Hp5Route *route, const Hp5Parcel *parcel) {
    int64_t elements = 0;
    for (int64_t i = 0; i < parcel->count; i++) {
        int64_t box = 1;
        for (int d = 0; d < route->rank; d++) box *= parcel->pieces[i].box.hi[d] - parcel->pieces[i].box.lo[d];
        elements += box;
    }
    return elements * (int64_t)route->element->size;
}

static void travel(Hp5Route *route) {
    Hp5Request *requests = hp5_alloc_zeroed((int64_t)sizeof *requests * (route->count + 1), "shares of arrays");
    for (int i = 0; i < route->count; i++) {
        Hp5Parcel *parcel = &route->parcels[i];
        parcel->memory = hp5_element_buffer(parcel->bytes, "shares of arrays");
        hp5_plan_message(i < route->incoming, parcel->peer, HP5_TAG_ITEMS, weight_of(route, parcel));
        if (i < route->incoming) {
            hp5_comm_receive(&requests[i], parcel->memory, parcel->bytes, parcel->peer, HP5_TAG_ITEMS);
        } else {
            move_parcel(route, parcel, true);
            hp5_comm_send(&requests[i], parcel->memory, parcel->bytes, parcel->peer, HP5_TAG_ITEMS);
        }
    }
    for (int64_t i = 0; i < route->here->count && !hp5_comm_is_imagined(); i++) {
        const struct Piece *piece = &route->here->pieces[i];
        hp5_box_copy(piece->mine, 0, piece->from, 0, &piece->box);
    }
    hp5_comm_wait_all(requests, route->count);
    for (int i = 0; i < route->count; i++) {
        if (i < route->incoming) move_parcel(route, &route->parcels[i], false);
        hp5_free(route->parcels[i].memory);
    }
    hp5_free(requests);
}

/* All see the same runs in the same order, and so find the same routes. */
void hp5_routes_bring(Hp5Routes *routes, const Hp5Item *item, const Hp5Boxes *wanted) {
    Hp5Route *found = NULL;
    for (int i = 0; i < HP5_MOST_ROUTES && item->spread; i++) {
        Hp5Route *route = &routes->route[i];
        if (route->from == item->spread->hidden->serial && route->from_array == item->spread_array) found = route;
    }
    if (found == NULL) {
        found = &routes->route[routes->oldest];
        routes->oldest = (routes->oldest + 1) % HP5_MOST_ROUTES;
        make_route(found, item, wanted);
    }
    travel(found);
}

void hp5_routes_free(Hp5Routes *routes) {
    for (int i = 0; i < HP5_MOST_ROUTES; i++) free_route(&routes->route[i]);
}
