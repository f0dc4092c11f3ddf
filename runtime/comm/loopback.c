/* One process that sends to itself: a message waits in a queue until its counterpart comes, and is copied then. */
#define _GNU_SOURCE /* CPU sets */
#include "runtime/comm/driver.h"
#include "runtime/report/error.h"
#include <sched.h>
#include <stddef.h>
#include <string.h>

typedef struct Posted {
    struct Posted *next; /* in the queue */
    Hp5Message message;
    bool done;
    int64_t received;
} Posted;

static Posted *queue, **last = &queue;

static const char *begin(Hp5CommPlace *place) {
    cpu_set_t processors;
    bool known = sched_getaffinity(0, sizeof processors, &processors) == 0;
    *place = (Hp5CommPlace){.size = 1, .local_size = 1, .local_processors = known ? CPU_COUNT(&processors) : CPU_SETSIZE,
                            .version = "one process"};
    return NULL;
}

static Posted **counterpart(const Posted *posted) {
    for (Posted **at = &queue; *at; at = &(*at)->next) {
        const Hp5Message *a = &(*at)->message, *b = &posted->message;
        if (a->receives != b->receives && a->channel == b->channel && a->tag == b->tag) return at;
    }
    return NULL;
}

static const char *submit(Posted *posted) {
    posted->done = false;
    posted->next = NULL;
    Posted **at = counterpart(posted);
    if (at == NULL) {
        *last = posted;
        last = &posted->next;
        return NULL;
    }
    Posted *other = *at;
    *at = other->next;
    if (last == &other->next) last = at;
    Posted *to = posted->message.receives ? posted : other, *from = posted->message.receives ? other : posted;
    if (from->message.bytes > to->message.bytes) return "the message is longer than its receiver expects";
    if (from->message.bytes > 0) memcpy(to->message.data, from->message.data, (size_t)from->message.bytes);
    to->received = from->message.bytes;
    to->done = from->done = true;
    return NULL;
}

static Posted *posted_of(uint64_t handle) { return (Posted *)(uintptr_t)handle; }

static const char *post(const Hp5Message *message, uint64_t *handle) {
    Posted *posted = hp5_alloc_zeroed(sizeof *posted, "a message");
    posted->message = *message;
    posted->done = true;
    *handle = (uint64_t)(uintptr_t)posted;
    return message->kept ? NULL : submit(posted);
}

static const char *start(uint64_t handle) { return submit(posted_of(handle)); }

static void release(uint64_t handle) { hp5_free(posted_of(handle)); }

static const char *test(uint64_t *handle, bool *done, int64_t *received) {
    Posted *posted = posted_of(*handle);
    *done = posted->done;
    *received = posted->received;
    if (posted->done && !posted->message.kept) release(*handle);
    return NULL;
}

static void progress(void) {}
static void end_all(int status) { (void)status; }
static void end(void) {}

const Hp5CommDriver hp5_comm_loopback = {.abi = HP5_COMM_ABI, .begin = begin, .post = post, .start = start, .test = test,
                                         .release = release, .progress = progress, .abort = end_all, .end = end};
