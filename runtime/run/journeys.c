/* Journeys along a route. Parcels go in pieces, and so many bytes of pieces are on their way at a time as memory allows: a process needs room for what it has, what
 * it wants, and little more, however much changes hands. A parcel that is smaller than a piece is one message.
 *
 * Process p sends to p + 1 first, then to p + 2 and so on, and receives from p - 1 first: the least of all distances that is not done yet is one at which somebody
 * sends and somebody receives, so nobody waits for ever. While messages are under way, what is in the process already is copied.
 *
 * How to read it: boxes of a parcel, cut where a piece ends; what happens to a box; pieces one way; and both ways beside each other. */
#include "runtime/card/sides.h"
#include "runtime/comm/accounts.h"
#include "runtime/run/parcels.h"

enum {
    PIECE = 256 << 10,            /* bytes, at most */
    LEAST_ON_THE_WAY = 768 << 10, /* bytes that are always allowed, each way */
    SHARE_ON_THE_WAY = 32,        /* and this part of all */
    MOST_PIECES = 32,             /* on their way, each way */
};

/* ---- Boxes of a parcel -------------------------------------------------------------------------------------------- */

/* Where one stands in a parcel: behind element `done` of a box. */
typedef struct Cursor {
    const Hp5Parcel *parcel;
    const Hp5Regions *wanted, *owned;
    int64_t pair; /* the one behind the box's */
    Hp5Common common;
    int64_t done, elements;
} Cursor;

static int64_t elements_of(const Hp5Box *box, int rank) {
    int64_t elements = 1;
    for (int d = 0; d < rank; d++) elements *= box->hi[d] - box->lo[d];
    return elements;
}

static Cursor cursor_at(const Hp5Parcel *parcel, const Hp5Regions *wanted, const Hp5Regions *owned) {
    return (Cursor){.parcel = parcel, .wanted = wanted, .owned = owned, .common.turns = -1};
}

/* There are elements to come, and the box has some of them. */
static bool find_box(Cursor *cursor) {
    while (cursor->done == cursor->elements) {
        cursor->done = cursor->elements = 0;
        if (hp5_common_next(&cursor->common)) {
            cursor->elements = elements_of(&cursor->common.box, cursor->wanted->rank);
        } else {
            if (cursor->pair == cursor->parcel->count) return false;
            const Hp5RegionPair *pair = &cursor->parcel->pairs[cursor->pair++];
            hp5_common_begin(&cursor->common, hp5_region(cursor->wanted, pair->wanted), hp5_region(cursor->owned, pair->owned), cursor->wanted->rank);
        }
    }
    return true;
}

/* The longest box of at most so many elements that follow each other in the cursor's box, from where it stands. */
static Hp5Box next_stretch(const Cursor *cursor, int64_t most) {
    Hp5Box stretch = cursor->common.box;
    const Hp5Box *box = &cursor->common.box;
    int64_t at[HP5_MAX_RANK], before = cursor->done, slice = 1;
    int d = cursor->wanted->rank - 1;
    for (int e = d; e >= 0; e--) {
        at[e] = before % (box->hi[e] - box->lo[e]);
        before /= box->hi[e] - box->lo[e];
    }
    for (; d > 0 && at[d] == 0 && slice * (box->hi[d] - box->lo[d]) <= most; d--) slice *= box->hi[d] - box->lo[d];
    for (int e = 0; e <= d; e++) {
        stretch.lo[e] = box->lo[e] + at[e];
        if (e < d || stretch.hi[e] - stretch.lo[e] > most / slice) stretch.hi[e] = stretch.lo[e] + (e < d ? 1 : most / slice);
    }
    return stretch;
}

/* ---- What happens to a box ------------------------------------------------------------------------------------------ */

typedef struct Journey {
    const Hp5Route *route;
    const Hp5TaskRun *to, *from;
} Journey;

/* What follows in the parcel goes from store to store; one of them is NULL where the message has it. */
typedef struct Moving {
    const Journey *journey;
    const Hp5Store *to, *from;
    char *at; /* in the message */
} Moving;

static void take_box(Moving *moving, const Hp5Box *box) { hp5_sides_take(moving->journey->from, moving->from, box); }

/* What is in the process already. */
static void move_here(Moving *moving, const Hp5Box *box) {
    const Hp5TaskRun *to = moving->journey->to, *from = moving->journey->from;
    if (hp5_sides_copy(to, moving->to, from, moving->from, box)) return;
    hp5_sides_take(from, moving->from, box);
    hp5_sides_settle(from);
    hp5_box_copy(moving->to, 0, moving->from, 0, box);
    hp5_sides_give(to, moving->to, box);
}

static void move_box(Moving *moving, const Hp5Box *box) {
    const Hp5Route *route = moving->journey->route;
    Hp5Store message;
    int64_t extent[HP5_MAX_RANK];
    for (int d = 0; d < route->rank; d++) extent[d] = box->hi[d] - box->lo[d];
    hp5_store_shape(&message, route->rank, box->lo, extent, 1, route->element, (Hp5Layout){0});
    message.version[0] = moving->at;
    hp5_box_copy(moving->to ? moving->to : &message, 0, moving->from ? moving->from : &message, 0, box);
    if (moving->to != NULL) hp5_sides_give(moving->journey->to, moving->to, box);
    moving->at += hp5_store_elements(&message) * (int64_t)message.element_size;
}

/* The next elements of a parcel, box by box; false: there were less. */
static bool each_box(const Journey *journey, Cursor *cursor, int64_t elements, char *message, void (*visit)(Moving *moving, const Hp5Box *box)) {
    Moving moving = {.journey = journey, .at = message};
    while (elements > 0) {
        if (!find_box(cursor)) return false;
        const Hp5RegionPair *pair = &cursor->parcel->pairs[cursor->pair - 1];
        const Hp5Box stretch = next_stretch(cursor, elements);
        const int64_t count = elements_of(&stretch, cursor->wanted->rank);
        moving.to = cursor->wanted->stores ? cursor->wanted->stores[pair->wanted] : NULL;
        moving.from = cursor->owned->stores ? cursor->owned->stores[pair->owned] : NULL;
        visit(&moving, &stretch);
        cursor->done += count;
        elements -= count;
    }
    return true;
}

/* ---- One way ---------------------------------------------------------------------------------------------------------- */

typedef struct Piece {
    int64_t bytes, capacity;
    char *memory;
    Hp5Request *request;
    bool begins; /* its parcel */
    const Hp5Parcel *parcel;
} Piece;

/* Parcels that come, or those that go. Pieces are done with in the order in which they were begun. */
typedef struct Way {
    const Journey *journey;
    const Hp5Regions *wanted;     /* of this process */
    bool comes;
    const Hp5Parcel *next, *end;  /* the one whose next piece comes next, and where they end */
    int64_t gone;                 /* bytes of it */
    Cursor cursor;                /* in the parcel that is packed, or unpacked */
    Piece pieces[MOST_PIECES];
    int order[MOST_PIECES];       /* those on their way, the oldest first, then the others */
    int count;                    /* of those on their way */
    int64_t bytes, most;          /* of those on their way; at most */
} Way;

static void begin_way(Way *way, const Journey *journey, const Hp5Regions *wanted, bool comes, Hp5Request *requests) {
    const Hp5Route *route = journey->route;
    *way = (Way){.journey = journey, .wanted = wanted, .comes = comes, .next = route->parcels + (comes ? 0 : route->incoming)};
    way->end = route->parcels + (comes ? route->incoming : route->count);
    for (const Hp5Parcel *parcel = way->next; parcel < way->end; parcel++) way->most += parcel->bytes;
    way->most /= SHARE_ON_THE_WAY;
    if (way->most < LEAST_ON_THE_WAY) way->most = LEAST_ON_THE_WAY;
    for (int p = 0; p < MOST_PIECES; p++) {
        way->order[p] = p;
        way->pieces[p].request = &requests[p];
    }
}

static void end_way(Way *way) {
    for (int p = 0; p < MOST_PIECES; p++) hp5_free(way->pieces[p].memory);
}

static void begin_parcel(Way *way, const Hp5Parcel *parcel) {
    way->cursor = cursor_at(parcel, way->comes ? way->wanted : &parcel->regions, way->comes ? &parcel->regions : &way->journey->route->owned);
}

/* The elements of a piece, from their stores to the message. Nothing has contents where messages have none. */
static void pack(Way *way, const Piece *piece) {
    const int64_t elements = piece->bytes / (int64_t)way->journey->route->element->size;
    if (hp5_comm_is_imagined()) return;
    if (piece->begins) begin_parcel(way, piece->parcel);
    Cursor taken = way->cursor;
    each_box(way->journey, &taken, elements, NULL, take_box);
    hp5_sides_settle(way->journey->from);
    each_box(way->journey, &way->cursor, elements, piece->memory, move_box);
}

static void unpack(Way *way, const Piece *piece) {
    if (hp5_comm_is_imagined()) return;
    if (piece->begins) begin_parcel(way, piece->parcel);
    each_box(way->journey, &way->cursor, piece->bytes / (int64_t)way->journey->route->element->size, piece->memory, move_box);
}

static int64_t next_bytes(const Way *way) {
    const int64_t size = (int64_t)way->journey->route->element->size, whole = size < PIECE ? PIECE / size * size : size, left = way->next->bytes - way->gone;
    return left < whole ? left : whole;
}

static void begin_piece(Way *way, Piece *piece) {
    piece->parcel = way->next;
    piece->begins = way->gone == 0;
    piece->bytes = next_bytes(way);
    if (piece->capacity < piece->bytes) {
        hp5_free(piece->memory);
        piece->memory = hp5_element_buffer(piece->bytes, "shares of arrays");
        piece->capacity = piece->bytes;
    }
    const int peer = piece->parcel->peer;
    hp5_plan_message(way->comes, peer, HP5_TAG_ITEMS, piece->bytes);
    if (way->comes) {
        hp5_comm_receive(piece->request, piece->memory, piece->bytes, peer, HP5_TAG_ITEMS);
    } else {
        pack(way, piece);
        hp5_comm_send(piece->request, piece->memory, piece->bytes, peer, HP5_TAG_ITEMS);
    }
    way->gone += piece->bytes;
    if (way->gone < way->next->bytes) return;
    way->next++;
    way->gone = 0;
}

static void begin_pieces(Way *way) {
    while (way->next < way->end && way->count < MOST_PIECES && (way->count == 0 || way->bytes + next_bytes(way) <= way->most)) {
        Piece *piece = &way->pieces[way->order[way->count++]];
        begin_piece(way, piece);
        way->bytes += piece->bytes;
    }
}

/* Those that have arrived. */
static void end_pieces(Way *way) {
    while (way->count > 0 && !way->pieces[way->order[0]].request->active) {
        const int oldest = way->order[0];
        Piece *piece = &way->pieces[oldest];
        if (way->comes) unpack(way, piece);
        way->bytes -= piece->bytes;
        way->count--;
        for (int p = 0; p < way->count; p++) way->order[p] = way->order[p + 1];
        way->order[way->count] = oldest;
    }
}

/* ---- Both ways -------------------------------------------------------------------------------------------------------- */

void hp5_route_travel(const Hp5Route *route, const Hp5Regions *wanted, const Hp5TaskRun *to, const Hp5TaskRun *from) {
    const Journey journey = {route, to, from};
    Hp5Request *requests = hp5_alloc_zeroed((int64_t)sizeof *requests * 2 * MOST_PIECES, "shares of arrays");
    Way *ways = hp5_alloc((int64_t)sizeof *ways * 2, "shares of arrays");
    Cursor here = cursor_at(route->here, wanted, &route->owned);
    bool copies = !hp5_comm_is_imagined();
    begin_way(&ways[0], &journey, wanted, true, requests);
    begin_way(&ways[1], &journey, wanted, false, requests + MOST_PIECES);
    for (;;) {
        for (int w = 0; w < 2; w++) {
            end_pieces(&ways[w]);
            begin_pieces(&ways[w]);
        }
        const bool travels = ways[0].count + ways[1].count > 0;
        if (!travels && !copies) break;
        if (!copies) hp5_comm_wait_any(requests, 2 * MOST_PIECES);
        else copies = each_box(&journey, &here, travels ? PIECE / (int64_t)route->element->size + 1 : INT64_MAX, NULL, move_here);
        for (int w = 0; w < 2 && copies; w++) hp5_comm_test(ways[w].pieces[ways[w].order[0]].request);
    }
    end_way(&ways[0]);
    end_way(&ways[1]);
    hp5_sides_settle(to);
    hp5_free(ways);
    hp5_free(requests);
}
