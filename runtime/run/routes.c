/* Routes (routes.h). How to read it: parcels, whose pairs of regions both ends list in the same order; who has something to do
 * with whom. How elements travel along a route is in journeys.c. */
#include "runtime/run/parcels.h"
#include <string.h>

/* ---- Parcels ---------------------------------------------------------------------------------------------- */

static void add_pair(Hp5Parcel *parcel, int64_t wanted, int64_t owned) {
    if (parcel->count == parcel->capacity) {
        int64_t capacity = 2 * parcel->capacity + 4;
        Hp5RegionPair *larger = hp5_alloc(capacity * (int64_t)sizeof *larger, "shares of arrays");
        if (parcel->count > 0) memcpy(larger, parcel->pairs, sizeof *larger * (size_t)parcel->count);
        hp5_free(parcel->pairs);
        parcel->pairs = larger;
        parcel->capacity = capacity;
    }
    parcel->pairs[parcel->count++] = (Hp5RegionPair){wanted, owned};
}

typedef struct Pairing {
    const Hp5Route *route;
    Hp5Parcel *parcel;
    const Hp5Regions *wanted, *owned;
    int64_t at; /* of the wanted ones */
} Pairing;

static void add_common(int64_t owned, void *data) {
    const Pairing *pairing = data;
    const Hp5Store *to = pairing->wanted->stores ? pairing->wanted->stores[pairing->at] : NULL, *from = pairing->owned->stores ? pairing->owned->stores[owned] : NULL;
    if (to == from) return; /* it is there */
    const int64_t elements = hp5_common_count(hp5_region(pairing->wanted, pairing->at), hp5_region(pairing->owned, owned), pairing->route->rank);
    if (elements > 0) add_pair(pairing->parcel, pairing->at, owned);
    pairing->parcel->bytes += elements * (int64_t)pairing->route->element->size;
}

/* What `owned` has of `wanted`, in the order of the wanted ones, and of where owned ones begin. */
static void add_pairs(const Hp5Route *route, Hp5Parcel *parcel, const Hp5Regions *wanted, const Hp5Regions *owned) {
    Hp5Sorted sorted = hp5_regions_sort(owned);
    Pairing pairing = {route, parcel, wanted, owned, 0};
    for (; pairing.at < wanted->count; pairing.at++) {
        const Hp5Set *set = &hp5_region(wanted, pairing.at)[sorted.dimension];
        hp5_sorted_find(&sorted, (Hp5Run){set->begin, set->end}, add_common, &pairing);
    }
    hp5_sorted_free(&sorted);
}

/* Of the other process's regions, those stay that are in pairs. */
static void forget_others(Hp5Parcel *parcel, bool comes) {
    const int64_t count = parcel->regions.count;
    bool *marks = hp5_alloc_zeroed(count, "shares of arrays");
    int64_t *places = hp5_alloc(count * (int64_t)sizeof *places, "shares of arrays"), kept = 0;
    for (int64_t i = 0; i < parcel->count; i++) marks[comes ? parcel->pairs[i].owned : parcel->pairs[i].wanted] = true;
    for (int64_t i = 0; i < count; kept += marks[i++]) places[i] = kept;
    for (int64_t i = 0; i < parcel->count; i++) {
        int64_t *region = comes ? &parcel->pairs[i].owned : &parcel->pairs[i].wanted;
        *region = places[*region];
    }
    hp5_regions_keep(&parcel->regions, marks);
    hp5_free(places);
    hp5_free(marks);
}

static void free_parcel(Hp5Parcel *parcel) {
    hp5_regions_free(&parcel->regions);
    hp5_free(parcel->pairs);
}

/* ---- Who has something to do with whom -------------------------------------------------------------------- */

/* Processes that may have elements of an item, or want some, in ascending order; ranks is freed with hp5_free. */
typedef struct Members {
    int *ranks;
    int count, me; /* me: this process's place among them; -1: it is none of them */
} Members;

static void add_members(Members *members, int first, int end) {
    for (int rank = first; rank < end; rank++) {
        if (rank == hp5_comm_rank()) members->me = members->count;
        members->ranks[members->count++] = rank;
    }
}

/* Those of a run, or all. */
static Hp5Span ranks_of(const Hp5TaskRun *run) {
    return run != NULL ? (Hp5Span){run->hidden->segments.first_rank, run->hidden->segments.count} : (Hp5Span){0, hp5_comm_size()};
}

static Members members_of(const Hp5Item *item, const Hp5TaskRun *to) {
    const Hp5Span want = ranks_of(to), own = item->spread != NULL ? ranks_of(item->spread) : want;
    const Hp5Span low = own.first < want.first ? own : want, high = own.first < want.first ? want : own;
    Members members = {hp5_alloc((int64_t)sizeof(int) * (low.count + high.count), "shares of arrays"), 0, -1};
    add_members(&members, low.first, low.first + low.count);
    add_members(&members, high.first > low.first + low.count ? high.first : low.first + low.count, high.first + high.count);
    return members;
}

/* What each of them says to all: how many words describe its regions (0: there are none), and their hull. */
typedef struct Summary {
    int64_t wanted, owned;
    Hp5Box wanted_hull, owned_hull;
} Summary;

static Hp5Box hull_of(const Hp5Regions *regions) {
    Hp5Box hull = {{0}, {0}};
    for (int64_t i = 0; i < regions->count; i++)
        for (int d = 0; d < regions->rank; d++) {
            const Hp5Set *set = &hp5_region(regions, i)[d];
            if (i == 0 || set->begin < hull.lo[d]) hull.lo[d] = set->begin;
            if (i == 0 || set->end > hull.hi[d]) hull.hi[d] = set->end;
        }
    return hull;
}

/* `wants` may want something of what `owns` has. */
static bool may_want(const Summary *wants, const Summary *owns, int rank) {
    Hp5Box box = wants->wanted_hull;
    return wants->wanted > 0 && owns->owned > 0 && hp5_box_cut(&box, &owns->owned_hull, rank);
}

/* Another process with which regions are compared, and its words. */
typedef struct Neighbour {
    int peer;
    const Summary *its;
    bool gives, takes; /* it may have something, it may want something */
    int64_t *owned, *wanted;
} Neighbour;

static int64_t *words_of(const Hp5Regions *regions) {
    int64_t *words = hp5_alloc(hp5_regions_length(regions) * (int64_t)sizeof *words, "shares of arrays");
    hp5_regions_write(regions, words);
    return words;
}

/* Words go to those, and come from those, that may have to do with each other. */
static void compare_lists(Neighbour *list, int count, const Summary *mine, const Hp5Regions *wanted, const Hp5Regions *owned) {
    Hp5Request *requests = hp5_alloc_zeroed((int64_t)sizeof *requests * (4 * (int64_t)count + 1), "shares of arrays"), *next = requests;
    int64_t *wanted_words = words_of(wanted), *owned_words = words_of(owned);
    for (int n = 0; n < count; n++) { /* between two processes the wanted ones come first, whoever wants */
        const Summary *its = list[n].its;
        int peer = list[n].peer;
        if (list[n].gives) list[n].owned = hp5_alloc(its->owned * (int64_t)sizeof(int64_t), "shares of arrays");
        if (list[n].takes) list[n].wanted = hp5_alloc(its->wanted * (int64_t)sizeof(int64_t), "shares of arrays");
        if (list[n].takes) hp5_comm_hear(next++, HP5_TAG_ITEMS, peer, list[n].wanted, its->wanted * (int64_t)sizeof(int64_t));
        if (list[n].gives) hp5_comm_hear(next++, HP5_TAG_ITEMS, peer, list[n].owned, its->owned * (int64_t)sizeof(int64_t));
        if (list[n].gives) hp5_comm_tell(next++, HP5_TAG_ITEMS, peer, wanted_words, mine->wanted * (int64_t)sizeof(int64_t));
        if (list[n].takes) hp5_comm_tell(next++, HP5_TAG_ITEMS, peer, owned_words, mine->owned * (int64_t)sizeof(int64_t));
    }
    hp5_comm_wait_all(requests, (int)(next - requests));
    hp5_free(requests);
    hp5_free(wanted_words);
    hp5_free(owned_words);
}

/* Keeps the parcel, if something is in it. */
static void keep(Hp5Route *route, Hp5Parcel parcel, bool comes) {
    if (parcel.count > 0) {
        forget_others(&parcel, comes);
        route->parcels[route->count++] = parcel;
    } else {
        free_parcel(&parcel);
    }
}

/* The list is in the order in which parcels go, from this process upwards; those that come do so from the other side. */
static void fill_parcels(Hp5Route *route, Neighbour *list, int count, const Hp5Regions *wanted) {
    const Hp5Regions *owned = &route->owned;
    route->parcels = hp5_alloc_zeroed((int64_t)sizeof *route->parcels * (2 * (int64_t)count + 1), "shares of arrays");
    for (int n = count - 1; n >= 0; n--) {
        if (!list[n].gives) continue;
        Hp5Parcel parcel = {.peer = list[n].peer, .regions = hp5_regions_of(list[n].owned, list[n].its->owned, route->rank)};
        add_pairs(route, &parcel, wanted, &parcel.regions);
        keep(route, parcel, true);
    }
    route->incoming = route->count;
    for (int n = 0; n < count; n++) {
        if (!list[n].takes) continue;
        Hp5Parcel parcel = {.peer = list[n].peer, .regions = hp5_regions_of(list[n].wanted, list[n].its->wanted, route->rank)};
        add_pairs(route, &parcel, &parcel.regions, owned);
        keep(route, parcel, false);
    }
    route->here = hp5_alloc_zeroed(sizeof *route->here, "shares of arrays");
    add_pairs(route, route->here, wanted, owned);
}

static void free_route(Hp5Route *route) {
    for (int i = 0; i < route->count; i++) free_parcel(&route->parcels[i]);
    if (route->here) free_parcel(route->here);
    hp5_free(route->here);
    hp5_free(route->parcels);
    hp5_regions_free(&route->owned);
    *route = (Hp5Route){0};
}

static void add_owned(const Hp5Store *store, const Hp5Set *part, const Hp5Box *within, void *regions) { hp5_regions_add(regions, store, part, within); }

/* The route of a process that has nothing to do with it stays empty: that it knows of it keeps it in step with the others. */
static void make_route(Hp5Route *route, const Hp5Item *item, const Hp5Regions *wanted, const Members *members) {
    int count = 0;
    free_route(route);
    *route = (Hp5Route){.rank = item->rank, .element = item->element, .owned = {.rank = item->rank}};
    if (item->spread) {
        if (members->me >= 0) hp5_each_owned_part(item->spread, item->spread_array, add_owned, &route->owned);
        route->from = item->spread->hidden->serial;
        route->from_array = item->spread_array;
    }
    if (members->me < 0) return;
    Summary mine = {hp5_regions_length(wanted), hp5_regions_length(&route->owned), hull_of(wanted), hull_of(&route->owned)};
    Summary *all = hp5_alloc((int64_t)sizeof *all * members->count, "shares of arrays");
    hp5_comm_gather_all((Hp5Peers){members->ranks, members->count}, HP5_TAG_ITEMS, &mine, sizeof mine, all);
    Neighbour *list = hp5_alloc_zeroed((int64_t)sizeof *list * members->count, "shares of arrays");
    for (int away = 1; away < members->count; away++) {
        const int p = (members->me + away) % members->count;
        bool gives = may_want(&mine, &all[p], item->rank), takes = may_want(&all[p], &mine, item->rank);
        if (gives || takes) list[count++] = (Neighbour){.peer = members->ranks[p], .its = &all[p], .gives = gives, .takes = takes};
    }
    compare_lists(list, count, &mine, wanted, &route->owned);
    fill_parcels(route, list, count, wanted);
    hp5_free(list);
    hp5_free(all);
}

/* ---- Bringing ------------------------------------------------------------------------------------------------- */

/* All see the same runs in the same order, and so find the same routes. */
void hp5_routes_bring(Hp5Routes *routes, const Hp5Item *item, const Hp5Regions *wanted, const Hp5TaskRun *to) {
    Hp5Route *found = NULL;
    for (int i = 0; i < HP5_MOST_ROUTES && item->spread; i++) {
        Hp5Route *route = &routes->route[i];
        if (route->from == item->spread->hidden->serial && route->from_array == item->spread_array) found = route;
    }
    if (found == NULL) {
        found = &routes->route[routes->oldest];
        routes->oldest = (routes->oldest + 1) % HP5_MOST_ROUTES;
        Members members = members_of(item, to);
        make_route(found, item, wanted, &members);
        hp5_free(members.ranks);
    }
    if (found->here != NULL) hp5_route_travel(found, wanted, to, item->spread);
}

void hp5_routes_free(Hp5Routes *routes) {
    for (int i = 0; i < HP5_MOST_ROUTES; i++) free_route(&routes->route[i]);
}
