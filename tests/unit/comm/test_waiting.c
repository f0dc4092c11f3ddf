/* How a thread waits for a message, as a driver sees it: how often it sleeps, never how long it takes. */
#include "runtime/comm/comm.h"
#include "runtime/comm/driver.h"
#include "tests/unit/unit.h"
#include <time.h>

static int looks, sleeps, sleeps_before_moving;
static int moves_from, ends_at; /* looks: from one on each moves something, at the other the message is there */
static bool starts_cold, is_cold; /* the first look after a sleep takes long */

int nanosleep(const struct timespec *asked, struct timespec *left) {
    (void)asked, (void)left;
    sleeps++;
    is_cold = starts_cold;
    return 0;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static const char *begin(Hp5CommPlace *place) {
    *place = (Hp5CommPlace){.size = 1, .local_size = 1, .local_processors = 1, .version = "a driver of a test"};
    return NULL;
}

static const char *post(const Hp5Message *message, uint64_t *handle) {
    *handle = (uint64_t)message->peer;
    return NULL;
}

/* A look that moves a piece of a message copies for some microseconds. */
static const char *test(uint64_t *handle, bool *done, int64_t *received) {
    (void)handle, (void)received;
    looks++;
    if (looks == moves_from) sleeps_before_moving = sleeps;
    for (double until = now() + 8e-6; (is_cold || looks >= moves_from) && now() < until;) continue;
    is_cold = false;
    *done = looks >= ends_at;
    return NULL;
}

static void progress(void) {}
static void end(void) {}

const Hp5CommDriver *hp5_comm_driver(void) {
    static const Hp5CommDriver driver = {.abi = HP5_COMM_ABI, .begin = begin, .post = post, .test = test, .progress = progress, .end = end};
    return &driver;
}

/* Sleeps while nothing moves, and from the time on when something does. */
static void wait_for(int moving, int end_of_it, int threads, bool any) {
    static char name[] = "prog";
    char *argv[] = {name, NULL}, data[8];
    hp5_comm_begin(1, argv, NULL);
    hp5_comm_threads(threads);
    Hp5Request request;
    looks = sleeps = sleeps_before_moving = 0;
    moves_from = moving;
    ends_at = end_of_it;
    hp5_comm_receive(&request, data, sizeof data, 0, 1);
    if (any) CU_ASSERT_EQUAL(hp5_comm_wait_any(&request, 1), 0);
    if (!any) hp5_comm_wait(&request);
    CU_ASSERT_EQUAL(looks, ends_at);
    hp5_comm_end();
}

/* Twice as long as a thread looks before it sleeps. */
enum { LONG = 600 };

static void test_moving(void) {
    for (int threads = 1; threads <= 2; threads++)
        for (int any = 0; any <= 1; any++) {
            wait_for(1, LONG, threads, any != 0);
            CU_ASSERT_EQUAL(sleeps, 0);
        }
}

/* Who has waited for long looks on as soon as a message moves: at most the look after a sleep and the next one go by before it is seen. */
static void test_moves_late(void) {
    enum { LATE = 1000000 };
    for (int threads = 1; threads <= 2; threads++) {
        wait_for(LATE, LATE + LONG, threads, false);
        CU_ASSERT(sleeps_before_moving > 0);
        CU_ASSERT(sleeps - sleeps_before_moving <= 1);
    }
}

/* Interruptions are long looks, too, so that not all looks are followed by a sleep. */
static void test_nothing_moves(void) {
    enum { MANY = 1000000, COLD = 200000, OFTEN = 200 };
    for (int threads = 1; threads <= 2; threads++) {
        wait_for(MANY + 1, MANY, threads, false);
        CU_ASSERT(sleeps > OFTEN);
    }
    starts_cold = true;
    wait_for(COLD + 1, COLD, 1, false);
    CU_ASSERT(sleeps > OFTEN);
    starts_cold = false;
}

UNIT_MAIN("waiting", {"a message that moves", test_moving}, {"a message that moves late", test_moves_late}, {"nothing moves", test_nothing_moves})
