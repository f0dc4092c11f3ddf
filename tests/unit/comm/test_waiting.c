/* How a thread waits for a message, as a driver sees it, in a time of the test's own: looks and sleeps make it pass. */
#include "runtime/comm/comm.h"
#include "runtime/comm/driver.h"
#include "tests/unit/unit.h"
#include <time.h>

static int looks, sleeps, sleeps_before_moving;
static int moves_from, ends_at; /* looks: from one on each moves something, at the other the message is there */
static bool starts_cold, is_cold; /* the first look after a sleep takes long */
static int64_t clock_time; /* nanoseconds */

int nanosleep(const struct timespec *asked, struct timespec *left) {
    (void)left;
    sleeps++;
    is_cold = starts_cold;
    clock_time += asked->tv_sec * 1000000000 + asked->tv_nsec;
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    (void)clock;
    *time = (struct timespec){clock_time / 1000000000, clock_time % 1000000000};
    return 0;
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
    clock_time += is_cold || looks >= moves_from ? 8000 : 150;
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
enum { LONG = 600, MANY = 100000 };

static void test_moving(void) {
    for (int threads = 1; threads <= 2; threads++)
        for (int any = 0; any <= 1; any++) {
            wait_for(1, LONG, threads, any != 0);
            CU_ASSERT_EQUAL(sleeps, 0);
        }
}

/* Who has waited for long looks on as soon as a message moves: the look after a sleep takes long in any case, and the next one tells. */
static void test_moves_late(void) {
    for (int threads = 1; threads <= 2; threads++) {
        wait_for(MANY, MANY + LONG, threads, false);
        CU_ASSERT(sleeps_before_moving > 0);
        CU_ASSERT(sleeps - sleeps_before_moving <= 1);
    }
}

/* Two looks for each sleep, once those of the first 2 ms are done. */
static void test_nothing_moves(void) {
    for (int threads = 1; threads <= 2; threads++)
        for (int cold = 0; cold <= 1; cold++) {
            starts_cold = cold != 0;
            wait_for(MANY + 1, MANY, threads, false);
            CU_ASSERT(sleeps > MANY / 3);
        }
    starts_cold = false;
}

UNIT_MAIN("waiting", {"a message that moves", test_moving}, {"a message that moves late", test_moves_late}, {"nothing moves", test_nothing_moves})
