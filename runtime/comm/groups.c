/* What groups of processes do together, made of messages, so that it needs no communicators and the wait is ours. Members are
 * named here by their places in the group, 0 … count - 1. How to read it: messages between places; then each operation. */
#include "runtime/comm/accounts.h"
#include "runtime/comm/private.h"
#include "runtime/report/error.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Circle {
    const int *ranks;
    int count, mine, tag;
} Circle;

static int place_of(Hp5Peers peers, int rank) {
    int low = 0, high = peers.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (peers.ranks[middle] < rank) low = middle + 1;
        else high = middle;
    }
    return low;
}

static Circle circle_of(Hp5Peers peers, int tag) {
    int rank = hp5_comm_rank();
    if (peers.ranks == NULL) return (Circle){NULL, hp5_comm_size(), rank, tag};
    return (Circle){peers.ranks, peers.count, place_of(peers, rank), tag};
}

static int smaller(int a, int b) { return a < b ? a : b; }

static void plan(const Circle *circle, Hp5GroupKind kind, int root, int64_t bytes) {
    hp5_plan_group(kind, (Hp5Peers){circle->ranks, circle->count}, circle->mine, root, circle->tag, bytes);
}

static int rank_at(const Circle *circle, int place) { return circle->ranks ? circle->ranks[place] : place; }

static void post(Hp5Request *request, const Circle *circle, int place, bool receives, const void *data, int64_t bytes) {
    const Hp5Message message = {.channel = HP5_CHANNEL_GROUP, .data = (void *)(uintptr_t)data, .bytes = bytes,
                                .peer = rank_at(circle, place), .tag = circle->tag, .receives = receives};
    hp5_comm_post(request, &message);
}

static void send(const Circle *circle, int to, const void *data, int64_t bytes) {
    Hp5Request request;
    post(&request, circle, to, false, data, bytes);
    hp5_comm_wait(&request);
}

static void receive(const Circle *circle, int from, void *data, int64_t bytes) {
    Hp5Request request;
    post(&request, circle, from, true, data, bytes);
    hp5_comm_wait(&request);
}

static void swap(const Circle *circle, int to, const void *sent, int64_t sent_bytes, int from, void *got, int64_t got_bytes) {
    Hp5Request requests[2];
    post(&requests[0], circle, from, true, got, got_bytes);
    post(&requests[1], circle, to, false, sent, sent_bytes);
    hp5_comm_wait_all(requests, 2);
}

void hp5_comm_tell(Hp5Request *request, int tag, int rank, const void *data, int64_t bytes) {
    const Circle circle = circle_of(HP5_EVERYBODY, tag);
    hp5_plan_tell(false, rank, tag, bytes);
    post(request, &circle, rank, false, data, bytes);
}

void hp5_comm_hear(Hp5Request *request, int tag, int rank, void *data, int64_t bytes) {
    const Circle circle = circle_of(HP5_EVERYBODY, tag);
    hp5_plan_tell(true, rank, tag, bytes);
    post(request, &circle, rank, true, data, bytes);
}

/* ---- Everybody with everybody --------------------------------------------------------------------------- */

/* Pairs of blocks exchange what they have, and are one block from then on: 1, 2, 4, … of `blocks` (a power of two) side by side. Most of
 * these exchanges stay between neighbours, in a node; messages of other schemes (Bruck's) all wrap around the group, and some leave their
 * node in each round. If there are more places, the first `pairs` blocks have two, of which the second only hands over to the first
 * what it has, and hears the end. */
typedef struct Doubling {
    int blocks, pairs;
    int block;    /* of this place */
    int second;   /* its place, if it is the second one of a block; else -1 */
} Doubling;

static int block_begin(const Doubling *d, int block) { return block + (block < d->pairs ? block : d->pairs); }

static Doubling doubling_of(const Circle *circle) {
    Doubling d = {.blocks = 1, .second = -1};
    while (2 * d.blocks <= circle->count) d.blocks *= 2;
    d.pairs = circle->count - d.blocks;
    d.block = circle->mine < 2 * d.pairs ? circle->mine / 2 : circle->mine - d.pairs;
    if (circle->mine > block_begin(&d, d.block)) d.second = circle->mine;
    return d;
}

static bool has_second(const Doubling *d) { return d->block < d->pairs; }

/* The least of the members' values, at all of them. */
static int least(const Circle *circle, int value) {
    const Doubling d = doubling_of(circle);
    int other, first = block_begin(&d, d.block);
    plan(circle, HP5_GROUP_LEAST, 0, sizeof value);
    if (d.second >= 0) {
        send(circle, first, &value, sizeof value);
        receive(circle, first, &value, sizeof value);
        return value;
    }
    if (has_second(&d)) {
        receive(circle, first + 1, &other, sizeof other);
        value = smaller(value, other);
    }
    for (int step = 1; step < d.blocks; step *= 2) {
        int partner = block_begin(&d, d.block ^ step);
        swap(circle, partner, &value, sizeof value, partner, &other, sizeof other);
        value = smaller(value, other);
    }
    if (has_second(&d)) send(circle, first + 1, &value, sizeof value);
    return value;
}

void hp5_comm_gather_all(Hp5Peers peers, int tag, const void *mine, int64_t bytes, void *all) {
    Circle circle = circle_of(peers, tag);
    const Doubling d = doubling_of(&circle);
    int first = block_begin(&d, d.block);
    char *pieces = all; /* at their places: what a block has lies together */
    plan(&circle, HP5_GROUP_GATHER_ALL, 0, bytes);
    memcpy(pieces + bytes * circle.mine, mine, (size_t)bytes);
    if (d.second >= 0) {
        send(&circle, first, mine, bytes);
        receive(&circle, first, all, bytes * circle.count);
        return;
    }
    if (has_second(&d)) receive(&circle, first + 1, pieces + bytes * (first + 1), bytes);
    for (int step = 1; step < d.blocks; step *= 2) {
        int here = d.block & -step, there = here ^ step, partner = block_begin(&d, d.block ^ step);
        int begin = block_begin(&d, here), end = block_begin(&d, here + step);
        int other = block_begin(&d, there), other_end = block_begin(&d, there + step);
        swap(&circle, partner, pieces + bytes * begin, bytes * (end - begin), partner, pieces + bytes * other, bytes * (other_end - other));
    }
    if (has_second(&d)) send(&circle, first + 1, all, bytes * circle.count);
}

/* ---- Barriers ------------------------------------------------------------------------------------------ */

void hp5_comm_barrier(Hp5Peers peers, int tag) {
    Circle circle = circle_of(peers, tag);
    least(&circle, 0);
}

void hp5_comm_agree(Hp5Peers peers, int tag, int status, const char *problem) {
    Circle circle = circle_of(peers, tag);
    int first = least(&circle, problem ? circle.mine : circle.count);
    if (first == circle.count) return;
    if (first == circle.mine) hp5_fail(status, "%s", problem);
    for (;;) pause(); /* that one ends us all */
}

/* ---- One and all ---------------------------------------------------------------------------------------- */

/* Binomial trees: counted from the root, place p hears from p without its lowest bit, and is a parent of p + each smaller power
 * of two. Subtrees are runs of places, so that a gather forwards its subtree in one message. */
static int lowest_bit(int place, int count) {
    int bit = 1;
    while (bit < count && (place & bit) == 0) bit *= 2;
    return bit;
}

void hp5_comm_broadcast(Hp5Peers peers, int tag, int root, void *data, int64_t bytes) {
    Circle circle = circle_of(peers, tag);
    int turned = (circle.mine - root + circle.count) % circle.count, bit = lowest_bit(turned, circle.count);
    plan(&circle, HP5_GROUP_BROADCAST, root, bytes);
    if (turned != 0) receive(&circle, (turned - bit + root) % circle.count, data, bytes);
    for (bit /= 2; bit > 0; bit /= 2)
        if (turned + bit < circle.count) send(&circle, (turned + bit + root) % circle.count, data, bytes);
}

void hp5_comm_gather(Hp5Peers peers, int tag, int root, const void *mine, int64_t bytes, void *all) {
    Circle circle = circle_of(peers, tag);
    int turned = (circle.mine - root + circle.count) % circle.count, bit = lowest_bit(turned, circle.count);
    int held = smaller(bit, circle.count - turned); /* places of this subtree */
    plan(&circle, HP5_GROUP_GATHER, root, bytes);
    char *subtree = hp5_alloc(bytes * held + 1, "a message");
    memcpy(subtree, mine, (size_t)bytes);
    for (int child = 1; child < bit; child *= 2)
        if (turned + child < circle.count)
            receive(&circle, (turned + child + root) % circle.count, subtree + bytes * child,
                    bytes * smaller(child, circle.count - turned - child));
    if (turned != 0) send(&circle, (turned - bit + root) % circle.count, subtree, bytes * held);
    else { /* counted from the root: back to the order of the group */
        memcpy((char *)all + bytes * root, subtree, (size_t)(bytes * (circle.count - root)));
        memcpy(all, subtree + bytes * (circle.count - root), (size_t)(bytes * root));
    }
    hp5_free(subtree);
}

/* ---- Who has something for whom --------------------------------------------------------------------------- */

typedef struct Token {
    int64_t to, from, number; /* places */
} Token;

/* Those that go on by `step` are moved behind the others; returns how many stay. */
static int64_t put_apart(const Circle *circle, Token *tokens, int64_t count, int step) {
    int64_t stay = 0;
    for (int64_t i = 0; i < count; i++) {
        Token token = tokens[i];
        if ((token.to - circle->mine + circle->count) % circle->count & step) continue;
        tokens[i] = tokens[stay];
        tokens[stay++] = token;
    }
    return stay;
}

static int by_sender(const void *a, const void *b) {
    int64_t x = ((const Token *)a)->from, y = ((const Token *)b)->from;
    return (x > y) - (x < y);
}

static Token *with_room(Token *tokens, int64_t count, int64_t room) {
    Token *larger = hp5_alloc((int64_t)sizeof *larger * (room + 1), "a message");
    if (count > 0) memcpy(larger, tokens, sizeof *larger * (size_t)count);
    hp5_free(tokens);
    return larger;
}

/* A notice goes as far as the bits of the distance to its place say, the lowest one first: each round takes those along that have a
 * bit there. */
int hp5_comm_notify(Hp5Peers peers, int tag, const Hp5Notice *mine, int count, Hp5Notice **notices) {
    Circle circle = circle_of(peers, tag);
    int64_t held = count;
    Token *tokens = with_room(NULL, 0, held);
    for (int i = 0; i < count; i++)
        tokens[i] = (Token){peers.ranks ? place_of(peers, (int)mine[i].peer) : mine[i].peer, circle.mine, mine[i].number};
    for (int step = 1; step < circle.count; step *= 2) {
        int to = (circle.mine + step) % circle.count, from = (circle.mine + circle.count - step) % circle.count, active = 0;
        int64_t stay = put_apart(&circle, tokens, held, step), going = held - stay, coming;
        Hp5Request requests[2];
        hp5_comm_hear(&requests[0], tag, rank_at(&circle, from), &coming, sizeof coming);
        hp5_comm_tell(&requests[1], tag, rank_at(&circle, to), &going, sizeof going);
        hp5_comm_wait_all(requests, 2);
        Token *sent = with_room(NULL, 0, going);
        if (going > 0) memcpy(sent, tokens + stay, sizeof *sent * (size_t)going);
        tokens = with_room(tokens, stay, stay + coming);
        if (coming > 0) hp5_comm_hear(&requests[active++], tag, rank_at(&circle, from), tokens + stay, coming * (int64_t)sizeof *tokens);
        if (going > 0) hp5_comm_tell(&requests[active++], tag, rank_at(&circle, to), sent, going * (int64_t)sizeof *sent);
        if (active > 0) hp5_comm_wait_all(requests, active);
        hp5_free(sent);
        held = stay + coming;
    }
    if (held > 1) qsort(tokens, (size_t)held, sizeof *tokens, by_sender);
    *notices = hp5_alloc((int64_t)sizeof **notices * (held + 1), "a message");
    for (int64_t i = 0; i < held; i++) (*notices)[i] = (Hp5Notice){rank_at(&circle, (int)tokens[i].from), tokens[i].number};
    hp5_free(tokens);
    return (int)held;
}
