/* What groups of processes do together, made of messages, so that it needs no communicators and the wait is ours. Members are
 * named here by their places in the group, 0 … count - 1. How to read it: messages between places; then each operation. */
#include "runtime/comm/accounts.h"
#include "runtime/comm/private.h"
#include "runtime/comm/runs.h"
#include "runtime/report/error.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Circle {
    const int *ranks; /* NULL: from `first` on, one after the other */
    int first, count, mine, tag;
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
    if (peers.ranks == NULL) return (Circle){NULL, 0, hp5_comm_size(), rank, tag};
    return (Circle){peers.ranks, 0, peers.count, place_of(peers, rank), tag};
}

static Hp5Runs runs_of(const Circle *circle) { return hp5_runs_find(circle->ranks, circle->count, circle->mine, hp5_comm_node_size()); }

static Circle circle_of_run(const Circle *circle, const Hp5Runs *runs) {
    int begin = runs->begins[runs->mine], count = runs->begins[runs->mine + 1] - begin;
    return (Circle){circle->ranks ? circle->ranks + begin : NULL, circle->first + begin, count, circle->mine - begin, circle->tag};
}

static void plan(const Circle *circle, Hp5GroupKind kind, int root, int64_t bytes) {
    hp5_plan_group(kind, (Hp5Peers){circle->ranks, circle->count}, circle->mine, root, circle->tag, bytes);
}

static int rank_at(const Circle *circle, int place) { return circle->ranks ? circle->ranks[place] : circle->first + place; }

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

/* ---- One and all ---------------------------------------------------------------------------------------- */

static void broadcast(const Circle *circle, int root, void *data, int64_t bytes) {
    if (circle->count == 1) return;
    Hp5Runs runs = runs_of(circle);
    Hp5Branches branches = hp5_runs_branches(&runs, circle->mine, root);
    Hp5Request *requests = hp5_alloc((int64_t)sizeof *requests * (branches.count + 1), "a message");
    if (branches.parent >= 0) receive(circle, branches.parent, data, bytes);
    for (int i = 0; i < branches.count; i++) post(&requests[i], circle, branches.children[i], false, data, bytes);
    if (branches.count > 0) hp5_comm_wait_all(requests, branches.count);
    hp5_free(requests);
    hp5_branches_free(&branches);
    hp5_runs_free(&runs);
}

void hp5_comm_broadcast(Hp5Peers peers, int tag, int root, void *data, int64_t bytes) {
    Circle circle = circle_of(peers, tag);
    plan(&circle, HP5_GROUP_BROADCAST, root, bytes);
    broadcast(&circle, root, data, bytes);
}

/* Subtrees are runs of places, counted from the root, so that each is forwarded in one message. */
static void gather(const Circle *circle, int root, const void *mine, int64_t bytes, void *all) {
    int count = circle->count, turned = (circle->mine - root + count) % count;
    if (count == 1) {
        memcpy(all, mine, (size_t)bytes);
        return;
    }
    const Hp5Node node = hp5_tree_node(turned, count, HP5_RADIX_IN_NODE);
    char *subtree = hp5_alloc(bytes * node.below + 1, "a message");
    memcpy(subtree, mine, (size_t)bytes);
    for (int child = 1; child < node.width && turned + child < count; child *= HP5_RADIX_IN_NODE)
        receive(circle, (turned + child + root) % count, subtree + bytes * child, bytes * hp5_tree_node(turned + child, count, HP5_RADIX_IN_NODE).below);
    if (node.parent >= 0) send(circle, (node.parent + root) % count, subtree, bytes * node.below);
    else { /* counted from the root: back to the order of the group */
        memcpy((char *)all + bytes * root, subtree, (size_t)(bytes * (count - root)));
        memcpy(all, subtree + bytes * (count - root), (size_t)(bytes * root));
    }
    hp5_free(subtree);
}

void hp5_comm_gather(Hp5Peers peers, int tag, int root, const void *mine, int64_t bytes, void *all) {
    Circle circle = circle_of(peers, tag);
    plan(&circle, HP5_GROUP_GATHER, root, bytes);
    gather(&circle, root, mine, bytes, all);
}

/* ---- Everybody with everybody --------------------------------------------------------------------------- */

/* Between the heads of runs, each of which has its own run's pieces at their places: what comes lies behind them, counted around the end. */
static void exchange(const Circle *circle, const Hp5Runs *runs, int64_t bytes, char *pieces) {
    if (runs->count == 1) return;
    const int64_t before = bytes * runs->begins[runs->mine], total = bytes * circle->count;
    char usual[256], *turned = total <= (int64_t)sizeof usual ? usual : hp5_alloc(total, "a message");
    memcpy(turned, pieces + before, (size_t)(bytes * hp5_runs_places(runs, runs->mine, 1)));
    for (int have = 1; have < runs->count; have *= runs->radix) {
        Hp5Partner partners[HP5_RADIX_OF_NODES];
        Hp5Request requests[2 * HP5_RADIX_OF_NODES];
        int count = hp5_runs_partners(runs, have, partners), active = 0;
        for (int p = 0; p < count; p++) {
            const Hp5Partner *partner = &partners[p];
            char *place = turned + bytes * hp5_runs_places(runs, runs->mine, have * (p + 1));
            post(&requests[active++], circle, runs->begins[partner->from], true, place, bytes * hp5_runs_places(runs, partner->from, partner->count));
            post(&requests[active++], circle, runs->begins[partner->to], false, turned, bytes * hp5_runs_places(runs, runs->mine, partner->count));
        }
        hp5_comm_wait_all(requests, active);
    }
    memcpy(pieces + before, turned, (size_t)(total - before));
    memcpy(pieces, turned + total - before, (size_t)before);
    if (turned != usual) hp5_free(turned);
}

void hp5_comm_gather_all(Hp5Peers peers, int tag, const void *mine, int64_t bytes, void *all) {
    Circle circle = circle_of(peers, tag);
    plan(&circle, HP5_GROUP_GATHER_ALL, 0, bytes);
    Hp5Runs runs = runs_of(&circle);
    const Circle run = circle_of_run(&circle, &runs);
    gather(&run, 0, mine, bytes, (char *)all + bytes * runs.begins[runs.mine]);
    if (run.mine == 0) exchange(&circle, &runs, bytes, all);
    broadcast(&run, 0, all, bytes * circle.count);
    hp5_runs_free(&runs);
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* Up the tree of a run, to its head. */
static int least_of_run(const Circle *run, int value) {
    const Hp5Node node = hp5_tree_node(run->mine, run->count, HP5_RADIX_IN_NODE);
    int other;
    for (int child = 1; child < node.width && run->mine + child < run->count; child *= HP5_RADIX_IN_NODE) {
        receive(run, run->mine + child, &other, sizeof other);
        value = smaller(value, other);
    }
    if (node.parent >= 0) send(run, node.parent, &value, sizeof value);
    return value;
}

static int least_of_heads(const Circle *circle, const Hp5Runs *runs, int value) {
    for (int have = 1; have < runs->count; have *= runs->radix) {
        Hp5Partner partners[HP5_RADIX_OF_NODES];
        Hp5Request requests[2 * HP5_RADIX_OF_NODES];
        int others[HP5_RADIX_OF_NODES], count = hp5_runs_partners(runs, have, partners), active = 0;
        for (int p = 0; p < count; p++) {
            post(&requests[active++], circle, runs->begins[partners[p].from], true, &others[p], sizeof others[p]);
            post(&requests[active++], circle, runs->begins[partners[p].to], false, &value, sizeof value);
        }
        hp5_comm_wait_all(requests, active);
        for (int p = 0; p < count; p++) value = smaller(value, others[p]);
    }
    return value;
}

/* The least of the members' values, at all of them. */
static int least(const Circle *circle, int value) {
    plan(circle, HP5_GROUP_LEAST, 0, sizeof value);
    Hp5Runs runs = runs_of(circle);
    const Circle run = circle_of_run(circle, &runs);
    value = least_of_run(&run, value);
    if (run.mine == 0) value = least_of_heads(circle, &runs, value);
    broadcast(&run, 0, &value, sizeof value);
    hp5_runs_free(&runs);
    return value;
}

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
