/* See comm.h. How to read it: the state of this process; beginning and end; messages; waiting.
 *
 * MPI is called nonblocking and by one thread at a time (`lock`): a thread that waits looks, lets go of the lock, and looks again
 * later, so that others and the messages of others move on. */
#include "runtime/comm/accounts.h"
#include "runtime/comm/private.h"
#include "runtime/comm/start.h"
#include "runtime/comm/watch.h"
#include "runtime/io/print.h"
#include "runtime/report/error.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ENDING_TIME = 2 };           /* seconds that an MPI may take for its own end */
static const Hp5CommDriver *driver; /* NULL: not begun, one process */
static Hp5CommPlace place = {.size = 1, .local_size = 1, .local_processors = 1, .version = "one process"};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool spins = true;           /* every thread of the node's processes has a processor */
static Hp5CommCounts counts;        /* under the lock */
static bool imagined;               /* hp5_comm_imagine has been called */
static double pending;              /* seconds that have to pass before this process talks */
static char node[256] = "this node";
static int node_size; /* as hp5_comm_set_node_size said */

/* ---- Beginning and end --------------------------------------------------------------------------- */

static const char *environment(const char *name) { return getenv(name); }

/* An MPI that was started by another one's launcher takes itself for the only process. All would do everything. */
static void check_size(const Hp5Launcher *launcher) {
    bool is_alone = place.size == 1, told_several = launcher->size > 1 || launcher->rank > 0;
    if (!is_alone || !told_several) return;
    char several[40] = "several";
    if (launcher->size > 1) snprintf(several, sizeof several, "%d", launcher->size);
    hp5_fail(HP5_EXIT_USAGE,
             "%s has started %s processes, but %s in this program knows of one: it belongs to another MPI\n"
             "  start the program with the mpirun of %s, or choose its library with HP5_MPI=openmpi or HP5_MPI=mpich%s",
             launcher->name, several, place.version, place.version, hp5_launcher_wait(launcher));
}

/* By the thread that watches. Nobody calls MPI any more: the lock stays taken, or, if some call does not come back, is ignored. */
static void end_all(int status) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_mutex_timedlock(&lock, &until);
    if (driver) driver->abort(status);
}

void hp5_comm_begin(int argc, char **argv, const char *folder) {
    if (argc > 0 && argv[0] && argv[0][0]) hp5_set_program_name(argv[0]);
    Hp5Launcher launcher = hp5_launcher_find(environment);
    bool simulated = hp5_comm_driver != NULL; /* a simulator sets none of a launcher's variables */
    bool needs_library = simulated || (launcher.libraries[0] != NULL && (hp5_launcher_is_parallel(&launcher) || launcher.chosen));
    const Hp5CommDriver *found = needs_library ? hp5_comm_load(&launcher, folder) : &hp5_comm_loopback;
    if (needs_library && !simulated && hp5_launcher_is_parallel(&launcher)) hp5_start_begin(&launcher);
    const char *problem = found->begin(&place);
    if (problem) hp5_fail(HP5_EXIT_FAILURE, "MPI does not start: %s%s", problem, hp5_launcher_wait(&launcher));
    driver = found;
    if (gethostname(node, sizeof node - 1) != 0) strcpy(node, "an unnamed node");
    check_size(&launcher);
    hp5_comm_threads(1);
    if (place.size == 1) {
        hp5_start_end();
        return;
    }
    hp5_plan_begin();
    if (place.rank > 0) {
        hp5_print_mute();
        hp5_warn_mute();
    }
    if (hp5_comm_is_simulated()) return; /* one process of the system is all of them: the same program, which ends as one */
    hp5_watch_begin(end_all);
    hp5_start_end();
    hp5_comm_compare(argc, argv);
}

static int launcher_connection;

/* In a signal handler. A launcher takes it as an end in order when it is told so, and has had time to read it. */
static void leave_anyway(int signal_number) {
    (void)signal_number;
    static const char text[] = "cmd=finalize\n";
    struct timespec rest = {.tv_nsec = 300 * 1000 * 1000};
    if (launcher_connection < 0 || write(launcher_connection, text, sizeof text - 1) > 0) nanosleep(&rest, NULL);
    _exit(0);
}

/* Everything is done on all processes by now, but an MPI may not find its own end: MPICH 4.0.2 over TCP (UCX 1.13) waits for ever in
 * every other MPI_Finalize of three nodes. A simulator runs all processes in one, in another time. */
static void end_driver(void) {
    bool is_guarded = place.size > 1 && hp5_comm_driver == NULL;
    fflush(NULL);
    if (is_guarded) {
        launcher_connection = hp5_launcher_connection();
        signal(SIGALRM, leave_anyway);
        alarm(ENDING_TIME);
    }
    driver->end();
    if (is_guarded) alarm(0);
}

void hp5_comm_end(void) {
    if (driver == NULL) return;
    hp5_comm_barrier(HP5_EVERYBODY, 0);
    hp5_plan_end();
    if (place.size > 1 && !hp5_comm_is_simulated()) hp5_watch_end();
    pthread_mutex_lock(&lock);
    end_driver();
    hp5_accounts_free();
    driver = NULL;
    pthread_mutex_unlock(&lock);
}

bool hp5_comm_is_simulated(void) { return driver != NULL && driver->wait != NULL; }

void hp5_comm_imagine(void) {
    driver->imagine();
    imagined = true;
}

bool hp5_comm_is_imagined(void) { return imagined; }
void hp5_comm_compute(double seconds) { pending += seconds; }

static void catch_up(void) {
    double passes = pending;
    pending = 0;
    if (passes > 0) driver->compute(passes);
}

int hp5_comm_rank(void) { return place.rank; }
int hp5_comm_size(void) { return place.size; }
int hp5_comm_local_rank(void) { return place.local_rank; }
int hp5_comm_processors(void) { return place.local_processors; }
int hp5_comm_node_size(void) { return node_size; }
void hp5_comm_set_node_size(int processes) { node_size = processes; }
const char *hp5_comm_node(void) { return node; }
const char *hp5_comm_library(void) { return place.version; }
void hp5_comm_threads(int threads) { spins = (int64_t)place.local_size * threads <= place.local_processors; }

Hp5CommCounts hp5_comm_counts(void) {
    pthread_mutex_lock(&lock);
    Hp5CommCounts now = counts;
    pthread_mutex_unlock(&lock);
    return now;
}

/* ---- Messages ------------------------------------------------------------------------------------------ */

static __attribute__((noreturn)) void fail_message(const Hp5Request *request, const char *problem) {
    hp5_fail(HP5_EXIT_FAILURE, "a message of %lld bytes %s process %d failed: %s", (long long)request->bytes,
             request->receives ? "from" : "to", request->peer, problem);
}

static void count_message(const Hp5Request *request) {
    if (request->receives) counts.messages_received++, counts.bytes_received += request->bytes;
    else counts.messages_sent++, counts.bytes_sent += request->bytes;
}

void hp5_comm_post(Hp5Request *request, const Hp5Message *message) {
    *request = (Hp5Request){.bytes = message->bytes, .peer = message->peer, .tag = message->tag, .receives = message->receives,
                            .active = !message->kept, .kept = message->kept};
    catch_up();
    pthread_mutex_lock(&lock);
    const char *problem = driver ? driver->post(message, &request->handle) : "hp5_comm_begin was not called";
    if (!message->kept && message->channel == HP5_CHANNEL_DATA) count_message(request);
    pthread_mutex_unlock(&lock);
    if (!message->kept && !message->receives) hp5_account_sent(message->bytes);
    if (problem) fail_message(request, problem);
}

/* A sender's data are only read. */
static void post_data(Hp5Request *request, const void *data, int64_t bytes, int peer, int tag, bool receives, bool kept) {
    const Hp5Message message = {.channel = HP5_CHANNEL_DATA, .data = (void *)(uintptr_t)data, .bytes = bytes, .peer = peer,
                                .tag = tag, .receives = receives, .kept = kept};
    hp5_comm_post(request, &message);
}

void hp5_comm_send(Hp5Request *request, const void *data, int64_t bytes, int peer, int tag) {
    post_data(request, data, bytes, peer, tag, false, false);
}

void hp5_comm_receive(Hp5Request *request, void *data, int64_t bytes, int peer, int tag) {
    post_data(request, data, bytes, peer, tag, true, false);
}

void hp5_comm_prepare_send(Hp5Request *request, const void *data, int64_t bytes, int peer, int tag) {
    post_data(request, data, bytes, peer, tag, false, true);
}

void hp5_comm_prepare_receive(Hp5Request *request, void *data, int64_t bytes, int peer, int tag) {
    post_data(request, data, bytes, peer, tag, true, true);
}

void hp5_comm_start(Hp5Request *requests, int count) {
    const char *problem = NULL;
    int at = 0;
    catch_up();
    pthread_mutex_lock(&lock);
    for (; at < count; at++) {
        problem = driver->start(requests[at].handle);
        if (problem) break;
        requests[at].active = true;
        count_message(&requests[at]);
        if (!requests[at].receives) hp5_account_sent(requests[at].bytes);
    }
    pthread_mutex_unlock(&lock);
    if (problem) fail_message(&requests[at], problem);
}

void hp5_comm_free(Hp5Request *request) {
    pthread_mutex_lock(&lock);
    if (request->kept && driver) driver->release(request->handle);
    pthread_mutex_unlock(&lock);
    *request = (Hp5Request){0};
}

void hp5_comm_progress(void) {
    catch_up();
    if (hp5_comm_is_simulated()) return; /* where looking takes time and moves nothing */
    if (pthread_mutex_trylock(&lock) != 0) return;
    if (driver) driver->progress();
    pthread_mutex_unlock(&lock);
}

/* ---- Waiting ------------------------------------------------------------------------------------------- */

static void end_request(Hp5Request *request, int64_t received) {
    request->active = false;
    if (request->receives && received != request->bytes)
        hp5_fail(HP5_EXIT_FAILURE,
                 "a mistake in HP5, which is worth a report: process %d sent %lld bytes with tag %d where process %d expects %lld",
                 request->peer, (long long)received, request->tag, place.rank, (long long)request->bytes);
}

bool hp5_comm_test(Hp5Request *request) {
    if (!request->active) return true;
    bool done = false;
    int64_t received = request->bytes;
    pthread_mutex_lock(&lock);
    const char *problem = driver->test(&request->handle, &done, &received);
    pthread_mutex_unlock(&lock);
    if (problem) fail_message(request, problem);
    if (done) end_request(request, received);
    return done;
}

/* The first that is not finished, from `at` on; each test moves all messages on, so that only one of them need be asked. */
static int first_active(Hp5Request *requests, int count, int at) {
    while (at < count && hp5_comm_test(&requests[at])) at++;
    return at;
}

bool hp5_comm_test_all(Hp5Request *requests, int count) { return first_active(requests, count, 0) == count; }

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* How a thread waits: at first it looks again at once, or after others had the processor where there are too few of them. Later
 * it sleeps between two looks, longer and longer, so that who waits for a long time costs nothing. An MPI moves a long message while it is
 * looked at, piece by piece: a look that takes long has moved something, and the waiting begins anew. */
typedef struct Patience {
    double began, since; /* seconds(): of the waiting, and of the last look that moved something */
    int rounds, long_looks;
    bool has_slept;
    long sleep; /* nanoseconds */
} Patience;
enum { SHORTEST_SLEEP = 20 * 1000, LONGEST_SLEEP = 2 * 1000 * 1000, YIELDS = 16 };
static const double spin_time = 2e-3; /* seconds before the first sleep, where every thread has a processor */
/* A look that moves nothing takes 0.1 to 1 us, one that moves something 5 us and more. What interrupts a thread makes one look long in 4 ms. */
static const double long_look = 3e-6;

static void start_anew(Patience *patience, double now) {
    patience->since = now;
    patience->rounds = 1;
    patience->long_looks = 0;
    patience->sleep = SHORTEST_SLEEP;
}

/* Between two looks, of which the last one has begun at that time. */
static void wait_a_little(Patience *patience, double look_began) {
    const double now = seconds();
    if (patience->has_slept) { /* the first look after a sleep takes long in any case: nothing is in the caches */
        patience->has_slept = false;
        return;
    }
    if (patience->rounds++ == 0) {
        patience->began = look_began;
        start_anew(patience, now);
    }
    if (now - look_began > long_look && (++patience->long_looks > 1 || patience->sleep > SHORTEST_SLEEP)) start_anew(patience, now);
    if (spins && now - patience->since < spin_time) return;
    if (!spins && patience->rounds < YIELDS) {
        sched_yield();
        return;
    }
    nanosleep(&(struct timespec){.tv_nsec = patience->sleep}, NULL);
    patience->has_slept = true;
    patience->long_looks = 0;
    patience->sleep += patience->sleep / 2;
    if (patience->sleep > LONGEST_SLEEP) patience->sleep = LONGEST_SLEEP;
}

static void count_wait(const Patience *patience) {
    if (patience->rounds == 0) return;
    double waited = seconds() - patience->began;
    pthread_mutex_lock(&lock);
    counts.waited += waited;
    pthread_mutex_unlock(&lock);
    hp5_account_waited(waited);
}

/* Where processes are simulated: who waits lets the others run. One that was under way and is finished now; -1: none was. */
static int wait_simulated(Hp5Request *requests, int count) {
    uint64_t *handles = hp5_alloc((int64_t)sizeof *handles * (count + 1), "messages");
    int *numbers = hp5_alloc((int64_t)sizeof *numbers * (count + 1), "messages"), active = 0, which = -1;
    for (int i = 0; i < count; i++) {
        if (!requests[i].active) continue;
        handles[active] = requests[i].handle;
        numbers[active++] = i;
    }
    catch_up();
    if (active > 0) {
        double since = seconds();
        int64_t received = -1;
        const char *problem = driver->wait(handles, active, &which, &received);
        counts.waited += seconds() - since;
        hp5_account_waited(seconds() - since);
        if (problem) fail_message(&requests[numbers[0]], problem);
        Hp5Request *request = &requests[numbers[which]];
        request->handle = handles[which];
        which = numbers[which];
        end_request(request, received < 0 ? request->bytes : received);
    }
    hp5_free(handles);
    hp5_free(numbers);
    return which;
}

static void wait_for_simulated(Hp5Request *requests, int count) {
    for (int i = 0; i < count; i++)
        if (requests[i].active) wait_simulated(&requests[i], 1);
}

void hp5_comm_wait_all(Hp5Request *requests, int count) {
    if (hp5_comm_is_simulated()) {
        wait_for_simulated(requests, count);
        return;
    }
    Patience patience = {0};
    for (int at = 0;;) {
        const double look_began = seconds();
        at = first_active(requests, count, at);
        if (at == count) break;
        wait_a_little(&patience, look_began);
    }
    count_wait(&patience);
}

void hp5_comm_wait(Hp5Request *request) { hp5_comm_wait_all(request, 1); }

int hp5_comm_wait_any(Hp5Request *requests, int count) {
    if (hp5_comm_is_simulated()) return wait_simulated(requests, count);
    Patience patience = {0};
    for (;;) {
        const double look_began = seconds();
        int active = 0;
        for (int at = 0; at < count; at++) {
            if (!requests[at].active) continue;
            active++;
            if (!hp5_comm_test(&requests[at])) continue;
            count_wait(&patience);
            return at;
        }
        if (active == 0) return -1;
        wait_a_little(&patience, look_began);
    }
}
