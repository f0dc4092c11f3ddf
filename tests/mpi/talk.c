/* Everything in runtime/comm/comm.h between as many processes as there are: each finds out by itself what it must get. Prints one
 * line on success (process 0). `talk HOW RANK …`: at process RANK (all: at every process) something goes wrong (`mishaps`), while
 * the others compute, and then wait. */
#define _GNU_SOURCE
#include "runtime/comm/comm.h"
#include "runtime/report/crash.h"
#include "runtime/report/error.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void expect(bool condition, const char *what, long long detail) {
    if (!condition) hp5_fail(HP5_EXIT_FAILURE, "rank %d of %d: %s (%lld)", rank, size, what, detail);
}

/* What `from` sends to `to` at place i of message `number`. */
static unsigned char content(int from, int to, int number, int64_t i) {
    return (unsigned char)(from * 31 + to * 17 + number * 7 + i * 3 + i / 251);
}

static void fill(unsigned char *data, int64_t bytes, int from, int to, int number) {
    for (int64_t i = 0; i < bytes; i++) data[i] = content(from, to, number, i);
}

static void check(const unsigned char *data, int64_t bytes, int from, int to, int number) {
    for (int64_t i = 0; i < bytes; i++) expect(data[i] == content(from, to, number, i), "a byte of a message is wrong", i);
}

/* Everybody to everybody, themselves included: several sizes under one tag keep their order, other tags overtake. */
static void test_messages(int64_t large) {
    const int64_t sizes[] = {0, 1, 1000, large};
    enum { MESSAGES = 4 };
    Hp5Request *requests = calloc((size_t)size * MESSAGES * 2, sizeof *requests);
    unsigned char **data = calloc((size_t)size * MESSAGES * 2, sizeof *data);
    int count = 0;
    for (int peer = 0; peer < size; peer++)
        for (int m = MESSAGES - 1; m >= 0; m--, count++) { /* tag 7 for the last two, in the order of sending */
            data[count] = malloc((size_t)sizes[m] + 1);
            hp5_comm_receive(&requests[count], data[count], sizes[m], peer, m < 2 ? m : 7);
        }
    for (int peer = 0; peer < size; peer++)
        for (int m = MESSAGES - 1; m >= 0; m--, count++) {
            data[count] = malloc((size_t)sizes[m] + 1);
            fill(data[count], sizes[m], rank, peer, m);
            hp5_comm_send(&requests[count], data[count], sizes[m], peer, m < 2 ? m : 7);
        }
    int finished = 0;
    for (; finished < 3 && hp5_comm_wait_any(requests, count) >= 0;) finished++;
    expect(finished == 3, "wait_any found too few messages", finished);
    hp5_comm_wait_all(requests, count);
    expect(hp5_comm_test_all(requests, count), "finished requests are not", 0);
    expect(hp5_comm_wait_any(requests, count) == -1, "wait_any found one more", 0);
    for (int i = 0; i < size * MESSAGES; i++) check(data[i], requests[i].bytes, requests[i].peer, rank, MESSAGES - 1 - i % MESSAGES);
    for (int i = 0; i < count; i++) free(data[i]);
    free(data);
    free(requests);
}

/* To the right and from the left, again and again with one pair of requests. */
static void test_prepared(void) {
    enum { BYTES = 5000, ROUNDS = 20 };
    unsigned char sent[BYTES], got[BYTES];
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    Hp5Request pair[2];
    hp5_comm_prepare_receive(&pair[0], got, BYTES, left, 3);
    hp5_comm_prepare_send(&pair[1], sent, BYTES, right, 3);
    for (int round = 0; round < ROUNDS; round++) {
        fill(sent, BYTES, rank, right, round);
        memset(got, 0, BYTES);
        hp5_comm_start(pair, 2);
        hp5_comm_progress();
        if (round % 2) hp5_comm_wait_all(pair, 2);
        else
            while (!hp5_comm_test_all(pair, 2)) {}
        check(got, BYTES, left, rank, round);
    }
    hp5_comm_free(&pair[0]);
    hp5_comm_free(&pair[1]);
}

/* One receive from each, all with one tag and prepared in the order of ranks; what they wait for is sent in the opposite order. */
static void test_prepared_from_all(void) {
    enum { BYTES = 300, ROUNDS = 5 };
    unsigned char *sent = malloc((size_t)size * BYTES), *got = malloc((size_t)size * BYTES);
    Hp5Request *receives = calloc((size_t)size, sizeof *receives), *sends = calloc((size_t)size, sizeof *sends);
    for (int peer = 0; peer < size; peer++) {
        hp5_comm_prepare_receive(&receives[peer], got + peer * BYTES, BYTES, peer, 5);
        hp5_comm_prepare_send(&sends[peer], sent + peer * BYTES, BYTES, peer, 5);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int peer = 0; peer < size; peer++) fill(sent + peer * BYTES, BYTES, rank, peer, round);
        hp5_comm_start(receives, size);
        for (int sender = size - 1; sender >= 0; sender--) {
            hp5_comm_barrier(HP5_EVERYBODY, 6);
            if (sender == rank) hp5_comm_start(sends, size);
        }
        hp5_comm_wait_all(sends, size);
        hp5_comm_wait_all(receives, size);
        for (int peer = 0; peer < size; peer++) check(got + peer * BYTES, BYTES, peer, rank, round);
    }
    for (int peer = 0; peer < size; peer++) {
        hp5_comm_free(&receives[peer]);
        hp5_comm_free(&sends[peer]);
    }
    free(sent);
    free(got);
    free(receives);
    free(sends);
}

/* All functions of groups, in the group of `count` processes from `first` on, every `step`-th. */
static void test_group(int first, int count, int step) {
    int *ranks = malloc(sizeof *ranks * (size_t)count), mine = -1;
    for (int i = 0; i < count; i++) {
        ranks[i] = first + i * step;
        if (ranks[i] == rank) mine = i;
    }
    Hp5Peers peers = {ranks, count};
    int64_t *all = calloc((size_t)count, sizeof *all), value = rank * 100 + 1;
    if (mine >= 0) {
        hp5_comm_barrier(peers, 4);
        for (int root = 0; root < count; root++) {
            int64_t told = mine == root ? 1234 + root : 0;
            hp5_comm_broadcast(peers, 4, root, &told, sizeof told);
            expect(told == 1234 + root, "broadcast", told);
            memset(all, 0, sizeof *all * (size_t)count);
            hp5_comm_gather(peers, 4, root, &value, sizeof value, all);
            for (int i = 0; i < count && mine == root; i++) expect(all[i] == ranks[i] * 100 + 1, "gather", all[i]);
        }
        memset(all, 0, sizeof *all * (size_t)count);
        hp5_comm_gather_all(peers, 4, &value, sizeof value, all);
        for (int i = 0; i < count; i++) expect(all[i] == ranks[i] * 100 + 1, "gather_all", all[i]);
        hp5_comm_agree(peers, 4, HP5_EXIT_FAILURE, NULL);
    }
    free(ranks);
    free(all);
}

/* Nobody leaves before all have come. */
static void test_barrier(void) {
    int64_t come = 0, *all = calloc((size_t)size, sizeof *all);
    for (int round = 0; round < 10; round++) {
        come++;
        hp5_comm_barrier(HP5_EVERYBODY, 1);
        hp5_comm_gather_all(HP5_EVERYBODY, 1, &come, sizeof come, all);
        for (int i = 0; i < size; i++) expect(all[i] == round + 1, "barrier", all[i]);
    }
    free(all);
}

/* ---- What can go wrong -------------------------------------------------------------------------------------- */

static void fails(void) { hp5_fail(HP5_EXIT_USAGE, "no data"); }
static void fails_at(void) { hp5_fail_at("talk.hp5", 7, "Integer division by zero"); }
static void exits(void) { exit(3); }
static void vanishes(void) { _exit(0); }
static void is_killed(void) { raise(SIGKILL); }
static void is_terminated(void) { kill(getpid(), SIGTERM); }
static void is_stopped(void) { raise(SIGSTOP); }
static void crashes(void) { raise(SIGSEGV); }

static const struct { const char *name; void (*happens)(void); } mishaps[] = {
    {"fail", fails}, {"fail-at", fails_at}, {"exit", exits}, {"vanish", vanishes}, {"kill", is_killed},
    {"terminate", is_terminated}, {"stop", is_stopped}, {"crash", crashes},
};

static void remove_file(void *name) { unlink(name); }

/* Leaves a file per process under the folder that is the last argument, which whoever ends in order removes. */
static void have_mishap(char **argv, int argc) {
    static char name[4096], problem[40];
    snprintf(name, sizeof name, "%s/%d", argv[argc - 1], rank);
    FILE *file = fopen(name, "w");
    expect(file != NULL, "no file", 0);
    fclose(file);
    hp5_at_failure(remove_file, name);
    hp5_comm_barrier(HP5_EVERYBODY, 0);
    bool mine = strcmp(argv[2], "all") == 0 || atoi(argv[2]) == rank;
    for (size_t i = 0; i < sizeof mishaps / sizeof mishaps[0]; i++)
        if (mine && strcmp(argv[1], mishaps[i].name) == 0) mishaps[i].happens();
    snprintf(problem, sizeof problem, "problem %d", rank);
    if (strcmp(argv[1], "agree") == 0) hp5_comm_agree(HP5_EVERYBODY, 0, HP5_EXIT_USAGE, rank >= atoi(argv[2]) ? problem : NULL);
    for (volatile double x = 0; x < 1e8 && rank % 2;) x += 1; /* some compute first */
    hp5_comm_barrier(HP5_EVERYBODY, 0);
    sleep(60);
}

int main(int argc, char **argv) {
    hp5_crash_watch(false);
    hp5_comm_begin(argc, argv, HP5_FOLDER);
    rank = hp5_comm_rank();
    size = hp5_comm_size();
    if (argc > 3) have_mishap(argv, argc);
    test_messages(300000);
    Hp5CommCounts counts = hp5_comm_counts();
    expect(counts.messages_sent == 4 * size && counts.bytes_sent == (int64_t)size * 301001, "counts", counts.bytes_sent);
    expect(counts.messages_received == 4 * size && counts.bytes_received == (int64_t)size * 301001, "counts", counts.bytes_received);
    test_prepared();
    test_prepared_from_all();
    for (int of_node = 0; of_node < 5; of_node++) {
        hp5_comm_set_node_size(of_node);
        for (int first = 0; first < size; first++)
            for (int step = 1; step <= 3; step++)
                for (int count = 1; first + (count - 1) * step < size; count++) test_group(first, count, step);
        test_barrier();
    }
    hp5_comm_end();
    if (rank == 0) printf("%d processes have talked (%s)\n", size, hp5_comm_library());
    return 0;
}
