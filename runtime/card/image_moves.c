/* What a run's records on a card say of movements: boxes of padding, and what LPUs leave for reductions. */
#include "runtime/card/image_private.h"
#include "runtime/move/pattern.h"
#include "runtime/run/private.h"
#include "runtime/run/session.h"
#include <string.h>

/* ---- Padding -------------------------------------------------------------------------------------------------------------- */

typedef struct Boxes {
    Hp5Search search; /* first: callbacks get it */
    Hp5Pieces pieces;
} Boxes;

/* Of a box what lies between its bounds in the dimensions before d, cut in this one and the next ones: into boxes of at most HP5_BOX_CHUNK elements, which have more
 * than one index in their last three dimensions alone (padding.h). */
static void add_cut(Boxes *boxes, const Hp5Store *there, const Hp5Store *here, const Hp5Box *box, int d) {
    const int rank = boxes->search.rank;
    int64_t count[HP5_MAX_RANK], inner = 1;
    if (d == rank) {
        for (int e = 0; e < rank; e++) count[e] = box->hi[e] - box->lo[e];
        hp5_pieces_add(&boxes->pieces, rank, hp5_piece_stores(there->number, here->number), hp5_store_offset(there, box->lo), hp5_store_offset(here, box->lo), count);
        return;
    }
    for (int e = d + 1; e < rank; e++) inner *= box->hi[e] - box->lo[e];
    const int64_t all = box->hi[d] - box->lo[d], most = d < rank - 3 || inner > HP5_BOX_CHUNK ? 1 : HP5_BOX_CHUNK / inner;
    const int64_t parts = (all - 1) / most + 1, each = (all - 1) / parts + 1; /* of about the same size */
    Hp5Box part = *box;
    for (int64_t lo = box->lo[d]; lo < box->hi[d]; lo += each) {
        part.lo[d] = lo;
        part.hi[d] = lo + each < box->hi[d] ? lo + each : box->hi[d];
        add_cut(boxes, there, here, &part, d + 1);
    }
}

static void found_box(Hp5Search *search, const Hp5Lpu *to, const Hp5Lpu *from, Hp5Span from_threads, const Hp5Box *box) {
    Boxes *boxes = (Boxes *)search;
    const Hp5Store *there = to->views[search->to_slot].store, *here = from->views[search->from_slot].store;
    (void)from_threads;
    if (here != NULL) add_cut(boxes, there, here, box, 0); /* NULL: in another process: it comes in a message */
}

static void each_destination(Boxes *boxes, int depth, const Hp5Lpu *above) {
    Hp5Search *search = &boxes->search;
    const Hp5Grid *grid = &above->children[search->geometry->shapes[search->to_path[depth]].slot];
    for (int64_t i = 0; i < grid->own; i++) {
        search->to_chain[depth] = &grid->lpus[i];
        if (depth + 1 < search->to_depth) each_destination(boxes, depth + 1, &grid->lpus[i]);
        else hp5_search_sources(search);
    }
}

typedef struct Exchanging {
    Hp5Image *image;
    Hp5ExchangeDesc desc;
    int64_t pieces; /* place of the list, by the number of the LPU */
} Exchanging;

static void put_pieces(Hp5Lpu *parent, void *data) {
    Exchanging *exchanging = data;
    Hp5Image *image = exchanging->image;
    const Hp5TaskDesc *desc = image->run->desc;
    const int home = hp5_exchange_level(desc, exchanging->desc), rank = desc->arrays[exchanging->desc.array].rank;
    const Hp5Movement movement = {.array = exchanging->desc.array, .within = desc->lpses[exchanging->desc.lps].parent, .from = home, .to = home,
                                  .beyond = exchanging->desc.lps};
    Boxes boxes = {.pieces = {0}};
    hp5_search_begin(&boxes.search, &image->run->hidden->geometry, movement, parent);
    boxes.search.found = found_box;
    each_destination(&boxes, 0, parent);
    hp5_search_end(&boxes.search);
    const int64_t words = hp5_image_put(image, boxes.pieces.words, boxes.pieces.used * (int64_t)sizeof *boxes.pieces.words);
    const Hp5CardPieces pieces = {NULL, boxes.pieces.used / (HP5_PIECE_COUNTS + rank)};
    const int64_t at = exchanging->pieces + parent->flat * (int64_t)sizeof pieces;
    memcpy(image->bytes + at, &pieces, sizeof pieces);
    hp5_image_point(image, MEMBER(Hp5CardPieces, at, words), words);
    hp5_free(boxes.pieces.words);
}

int64_t hp5_image_put_exchanges(Hp5Image *image) {
    const Hp5TaskDesc *desc = image->run->desc;
    const int64_t at = hp5_image_put(image, NULL, (desc->exchange_count + 1) * (int64_t)sizeof(Hp5CardExchange));
    for (int e = 0; e < desc->exchange_count; e++) {
        const Hp5ArrayDesc *array = &desc->arrays[desc->exchanges[e].array];
        const bool divided = hp5_divides_home(image->run, desc->exchanges[e].array);
        const Hp5CardExchange exchange = {desc->lpses[desc->exchanges[e].lps].parent, array->rank, array->rotates, divided, NULL};
        const int64_t place = at + e * (int64_t)sizeof exchange, parents = image->run->hidden->geometry.shapes[exchange.parent].lpus;
        memcpy(image->bytes + place, &exchange, sizeof exchange);
        Exchanging exchanging = {image, desc->exchanges[e], hp5_image_put(image, NULL, (parents + 1) * (int64_t)sizeof(Hp5CardPieces))};
        hp5_image_point(image, MEMBER(Hp5CardExchange, place, pieces), exchanging.pieces);
        if (!divided) hp5_each_lpu(image->run, exchange.parent, put_pieces, &exchanging);
    }
    return at;
}

/* What the image has at an address of the card's memory. */
static const char *at_address(const Hp5Image *image, const void *address) { return image->bytes + ((const char *)address - image->card); }

int64_t hp5_image_exchanged(const Hp5Image *image, int exchange, const Hp5Lpu *parent) {
    const Hp5CardRun *run = (const Hp5CardRun *)(const void *)image->bytes;
    const Hp5CardExchange *what = (const Hp5CardExchange *)(const void *)at_address(image, run->exchanges) + exchange;
    int64_t bytes = 0;
    if (what->divided) return 0;
    const Hp5CardPieces *pieces = (const Hp5CardPieces *)(const void *)at_address(image, what->pieces) + parent->flat;
    const int64_t *piece = (const int64_t *)(const void *)at_address(image, pieces->words);
    for (int64_t i = 0; i < pieces->count; i++, piece += HP5_PIECE_COUNTS + what->rank) {
        const Hp5Store *to = image->stores[image->store_places[hp5_piece_to(piece)] - 1].host;
        int64_t elements = to->versions;
        for (int d = 0; d < what->rank; d++) elements *= piece[HP5_PIECE_COUNTS + d];
        bytes += elements * (int64_t)to->element_size;
    }
    return bytes;
}

/* ---- Reductions ------------------------------------------------------------------------------------------------------------- */

int64_t hp5_image_put_sites(Hp5Image *image) {
    const Hp5TaskDesc *desc = image->run->desc;
    const int64_t at = hp5_image_put(image, NULL, (desc->reduce_count + 1) * (int64_t)sizeof(Hp5CardSite));
    for (int r = 0; r < desc->reduce_count; r++) {
        const Hp5ReduceDesc *reduce = &desc->reductions[r];
        const Hp5Site *site = &image->run->hidden->sites[r];
        const int64_t from = image->run->hidden->geometry.shapes[reduce->from].lpus, to = image->run->hidden->geometry.shapes[reduce->to].lpus;
        const Hp5CardSite here = {.size = (int64_t)reduce->size, .to = reduce->to};
        const int64_t place = at + r * (int64_t)sizeof here;
        memcpy(image->bytes + place, &here, sizeof here);
        hp5_image_point(image, MEMBER(Hp5CardSite, place, partials), hp5_image_put(image, NULL, from * (int64_t)reduce->size + 1));
        hp5_image_point(image, MEMBER(Hp5CardSite, place, present), hp5_image_put(image, NULL, from + 1));
        if (reduce->from == reduce->to) continue; /* one result each */
        hp5_image_point(image, MEMBER(Hp5CardSite, place, nodes), hp5_image_put(image, NULL, from * (int64_t)reduce->size + 1));
        hp5_image_point(image, MEMBER(Hp5CardSite, place, gaps), hp5_image_put(image, NULL, (to + 1) * (int64_t)sizeof(int)));
        hp5_image_point(image, MEMBER(Hp5CardSite, place, begin), hp5_image_put(image, site->begin, to * (int64_t)sizeof *site->begin));
        hp5_image_point(image, MEMBER(Hp5CardSite, place, end), hp5_image_put(image, site->end, to * (int64_t)sizeof *site->end));
    }
    return at;
}
