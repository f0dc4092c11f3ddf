/* See accounts.h. How to read it: accounts; then the plan, message by message. */
#include "runtime/comm/accounts.h"
#include "runtime/comm/runs.h"
#include "runtime/report/error.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Hp5Account nothing_special = {.what = "beginning, end and files", .needed = -1}, *last = &nothing_special;
static _Thread_local Hp5Account *current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static bool wanted;

static Hp5Account *account(void) { return current != NULL ? current : &nothing_special; }

static void add(_Atomic int64_t *count, int64_t more) { atomic_fetch_add_explicit(count, more, memory_order_relaxed); }

/* ---- Accounts ---------------------------------------------------------------------------------------- */

static Hp5Account *find(const void *of, int number) {
    for (Hp5Account *at = nothing_special.next; at; at = at->next)
        if (at->of == of && at->number == number) return at;
    return NULL;
}

static Hp5Account *create(const void *of, int number, const char *task, const char *source, int line, const char *what) {
    Hp5Account *made = hp5_alloc_zeroed(sizeof *made, "accounts of messages");
    size_t length = strlen(what) + 1;
    made->of = of, made->number = number, made->task = task, made->source = source, made->line = line;
    made->what = hp5_alloc((int64_t)length, "accounts of messages");
    memcpy(made->what, what, length);
    return last = last->next = made;
}

Hp5Account *hp5_account_open(const void *of, int number, const char *task, const char *source, int line, const char *what) {
    pthread_mutex_lock(&lock);
    Hp5Account *found = find(of, number);
    if (found == NULL) found = create(of, number, task, source, line, what);
    pthread_mutex_unlock(&lock);
    return found;
}

Hp5Account *hp5_account_use(Hp5Account *next) {
    Hp5Account *before = current;
    current = next;
    return before;
}

void hp5_account_happens(Hp5Account *of, int64_t needed) {
    if (of == NULL) return;
    add(&of->times, 1);
    if (needed < 0) atomic_store(&of->needed, -1);
    else if (atomic_load(&of->needed) >= 0) add(&of->needed, needed);
}

void hp5_account_sent(int64_t bytes) {
    add(&account()->messages, 1);
    add(&account()->bytes, bytes);
}

void hp5_account_waited(double seconds) {
    add(&account()->waits, 1);
    add(&account()->waited, (int64_t)(seconds * 1e9));
}

const Hp5Account *hp5_accounts(void) { return &nothing_special; }
void hp5_accounts_free(void) {
    for (Hp5Account *at = nothing_special.next, *next; at; at = next) {
        next = at->next;
        hp5_free(at->what);
        hp5_free(at);
    }
    nothing_special.next = NULL;
    last = &nothing_special;
}

void hp5_accounts_want_report(void) { wanted = true; }
bool hp5_accounts_are_wanted(void) { return wanted; }

/* ---- The plan ---------------------------------------------------------------------------------------- */

static FILE *list; /* one fprintf for each line: threads do not mix theirs */

static __attribute__((noreturn)) void fail_list(const char *folder) {
    hp5_fail(HP5_EXIT_USAGE, "HP5_PLAN: the plan cannot be written into '%s': %s", folder, strerror(errno));
}

void hp5_plan_begin(void) {
    const char *folder = getenv("HP5_PLAN");
    char path[4200];
    if (folder == NULL || *folder == '\0') return;
    if (snprintf(path, sizeof path, "%s/plan-%d", folder, hp5_comm_rank()) >= (int)sizeof path) hp5_fail(HP5_EXIT_USAGE, "HP5_PLAN: the name of the folder is too long");
    list = fopen(path, "w");
    if (list == NULL) fail_list(folder);
}

void hp5_plan_end(void) {
    if (list == NULL) return;
    fputs("end\n", list);
    bool failed = ferror(list) != 0;
    if (fclose(list) != 0 || failed) fail_list(getenv("HP5_PLAN"));
    list = NULL;
}

bool hp5_plan_is_checked(void) { return list != NULL; }

static void plan(int64_t messages, int64_t bytes) {
    add(&account()->planned_messages, messages);
    add(&account()->planned_bytes, bytes);
}

void hp5_plan_message(bool receives, int peer, int tag, int64_t bytes) {
    if (!receives) plan(1, bytes);
    if (list) fprintf(list, "%s %d %d %lld\n", receives ? "receive" : "send", peer, tag, (long long)bytes);
}

void hp5_plan_tell(bool receives, int peer, int tag, int64_t bytes) {
    if (!receives) plan(1, bytes);
    if (list) fprintf(list, "%s %d %d %lld\n", receives ? "hear" : "tell", peer, tag, (long long)bytes);
}

/* Between heads of runs; `pieces`: all that a head has, and not one thing. */
static void plan_exchange(const Hp5Runs *runs, int64_t bytes, bool pieces) {
    Hp5Partner partners[HP5_RADIX_OF_NODES];
    for (int have = 1; have < runs->count; have *= runs->radix)
        for (int p = 0, count = hp5_runs_partners(runs, have, partners); p < count; p++)
            plan(1, bytes * (pieces ? hp5_runs_places(runs, runs->mine, partners[p].count) : 1));
}

/* What the member sends (groups.c). In its run it is number `inside`. */
static void plan_sends(Hp5GroupKind kind, const Hp5Runs *runs, int place, int root, int64_t bytes) {
    const int count = runs->begins[runs->count], begin = runs->begins[runs->mine], own = runs->begins[runs->mine + 1] - begin, inside = place - begin;
    const int64_t down = hp5_tree_children(inside, own, HP5_RADIX_IN_NODE);
    const bool pieces = kind == HP5_GROUP_GATHER_ALL;
    Hp5Branches branches;
    switch (kind) {
    case HP5_GROUP_BROADCAST:
        branches = hp5_runs_branches(runs, place, root);
        plan(branches.count, branches.count * bytes);
        hp5_branches_free(&branches);
        break;
    case HP5_GROUP_GATHER:
        if (place != root) plan(1, bytes * hp5_tree_node((place - root + count) % count, count, HP5_RADIX_IN_NODE).below);
        break;
    case HP5_GROUP_LEAST:
    case HP5_GROUP_GATHER_ALL:
        if (inside > 0) plan(1, bytes * (pieces ? hp5_tree_node(inside, own, HP5_RADIX_IN_NODE).below : 1));
        else plan_exchange(runs, bytes, pieces);
        plan(down, down * bytes * (pieces ? count : 1));
        break;
    }
}

void hp5_plan_group(Hp5GroupKind kind, Hp5Peers peers, int place, int root, int tag, int64_t bytes) {
    static const char *const names[] = {"least", "broadcast", "gather", "gather_all"};
    int count = peers.ranks ? peers.count : hp5_comm_size();
    Hp5Runs runs = hp5_runs_find(peers.ranks, count, place, hp5_comm_node_size());
    plan_sends(kind, &runs, place, root, bytes);
    hp5_runs_free(&runs);
    if (list == NULL || count == 1) return;
    flockfile(list);
    fprintf(list, "%s %d %d %lld %d", names[kind], tag, root, (long long)bytes, hp5_comm_node_size());
    for (int p = 0; p < count; p++) fprintf(list, " %d", peers.ranks ? peers.ranks[p] : p);
    fputc('\n', list);
    funlockfile(list);
}
