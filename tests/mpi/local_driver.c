/* A driver (runtime/comm/driver.h) for tests: processes of one computer that talk over sockets, without an MPI, so that hundreds of short
 * runs take seconds. launch.Local starts them. It keeps to what MPI promises and to nothing more: messages between two processes with
 * one channel and tag arrive in order, and nothing else about time. A message is sent at once from a copy, or, as HP5_LOCAL_LATE draws
 * (a number other than 0), only when its receiver asks for it, from where the sender has it: who sends before it receives and relies
 * on copies then waits for ever, and who changes early what it sends gives other values.
 *
 * How to read it: what goes over a socket; requests and how they meet; sockets; the driver's functions. */
#define _GNU_SOURCE /* CPU sets */
#include "runtime/comm/driver.h"
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 64 };

typedef enum { NOW, OFFER, ASK, LATE } Kind; /* a message; or one that is offered, asked for, and comes */
typedef struct Head {
    Kind kind;
    int channel, tag;
    int64_t bytes;
    uint64_t sender, receiver; /* requests, each known to its own side */
} Head;

typedef struct Sent { /* a head and what follows it, on its way into a socket */
    struct Sent *next;
    int64_t length, at;
    char bytes[];
} Sent;

typedef struct Request {
    struct Request *next; /* among those that wait for a message */
    Hp5Message message;
    bool done;
    int64_t received;
} Request;

typedef struct Come { /* nobody has waited for it yet */
    struct Come *next;
    Head head;
    char bytes[];
} Come;

typedef struct Peer {
    int fd, to; /* read and written; of this process itself two ends, else one. -1: it has ended */
    Sent *out, **last;
    Request *waiting;
    Come *come;
    Head head; /* coming in: `had` bytes of it, and of what follows */
    int64_t had;
    char *into;
    Come *kept;
} Peer;

static Peer peers[MOST];
static int own, size;
static uint64_t late; /* the state of what is drawn; 0: never */
static const char *problem;

static void *take(size_t bytes) {
    void *memory = calloc(1, bytes);
    if (memory == NULL) abort();
    return memory;
}

/* ---- What goes over a socket ------------------------------------------------------------------------------------- */

static void queue(Peer *peer, Head head, const void *data, int64_t bytes) {
    Sent *sent = take(sizeof *sent + sizeof head + (size_t)bytes);
    sent->length = (int64_t)sizeof head + bytes;
    memcpy(sent->bytes, &head, sizeof head);
    if (bytes > 0) memcpy(sent->bytes + sizeof head, data, (size_t)bytes);
    if (peer->out == NULL) peer->last = &peer->out;
    *peer->last = sent;
    peer->last = &sent->next;
}

static void flush(Peer *peer) {
    while (peer->out != NULL) {
        Sent *sent = peer->out;
        ssize_t went = send(peer->to, sent->bytes + sent->at, (size_t)(sent->length - sent->at), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (went < 0) return; /* there is no room; or the other one has gone, which others notice */
        sent->at += went;
        if (sent->at < sent->length) return;
        peer->out = sent->next;
        free(sent);
    }
}

/* ---- Requests meet messages ---------------------------------------------------------------------------------------- */

static bool fits(const Hp5Message *message, const Head *head) { return (int)message->channel == head->channel && message->tag == head->tag; }

static bool takes(Request *request, const Head *head) {
    if (head->bytes > request->message.bytes) problem = "the message is longer than its receiver expects";
    return head->bytes <= request->message.bytes;
}

static void finish(Request *request, int64_t bytes) {
    request->received = bytes;
    request->done = true;
}

static void ask_for(Peer *peer, Request *request, const Head *offer) {
    if (takes(request, offer)) queue(peer, (Head){.kind = ASK, .sender = offer->sender, .receiver = (uint64_t)(uintptr_t)request}, NULL, 0);
}

/* A message that has come before anybody waited for it. */
static void give(Request *request, Come *come) {
    if (takes(request, &come->head)) {
        if (come->head.bytes > 0) memcpy(request->message.data, come->bytes, (size_t)come->head.bytes);
        finish(request, come->head.bytes);
    }
    free(come);
}

static void receive(Peer *peer, Request *request) {
    for (Come **at = &peer->come; *at; at = &(*at)->next) {
        Come *come = *at;
        if (!fits(&request->message, &come->head)) continue;
        *at = come->next;
        if (come->head.kind == NOW) {
            give(request, come);
            return;
        }
        ask_for(peer, request, &come->head);
        free(come);
        return;
    }
    Request **last = &peer->waiting;
    while (*last) last = &(*last)->next;
    request->next = NULL;
    *last = request;
}

static Request *waiting_for(Peer *peer, const Head *head) {
    for (Request **at = &peer->waiting; *at; at = &(*at)->next) {
        Request *request = *at;
        if (!fits(&request->message, head)) continue;
        *at = request->next;
        return request;
    }
    return NULL;
}

static void keep(Peer *peer, Come *come) {
    Come **last = &peer->come;
    while (*last) last = &(*last)->next;
    *last = come;
}

/* The head is there: where goes what follows? */
static void begin_message(Peer *peer) {
    const Head *head = &peer->head;
    Request *request = NULL;
    peer->into = NULL;
    peer->kept = NULL;
    if (head->kind == LATE) request = (Request *)(uintptr_t)head->receiver;
    if (head->kind == NOW) request = waiting_for(peer, head);
    if (request != NULL) {
        if (!takes(request, head)) return;
        peer->into = request->message.data;
        peer->head.receiver = (uint64_t)(uintptr_t)request;
    } else if (head->kind == NOW) {
        peer->kept = take(sizeof *peer->kept + (size_t)head->bytes);
        peer->kept->head = *head;
        peer->into = peer->kept->bytes;
    }
}

static int64_t follows(const Head *head) { return head->kind == NOW || head->kind == LATE ? head->bytes : 0; }

static void end_message(Peer *peer) {
    Head head = peer->head;
    peer->had = 0;
    if (head.kind == OFFER) {
        Request *request = waiting_for(peer, &head);
        if (request != NULL) {
            ask_for(peer, request, &head);
            return;
        }
        Come *come = take(sizeof *come);
        come->head = head;
        keep(peer, come);
    } else if (head.kind == ASK) {
        Request *request = (Request *)(uintptr_t)head.sender;
        queue(peer, (Head){.kind = LATE, .bytes = request->message.bytes, .receiver = head.receiver}, request->message.data, request->message.bytes);
        finish(request, 0);
    } else if (peer->kept != NULL) { /* of which somebody may have begun to wait since its head came */
        Request *request = waiting_for(peer, &head);
        if (request != NULL) give(request, peer->kept);
        else keep(peer, peer->kept);
    } else {
        finish((Request *)(uintptr_t)head.receiver, head.bytes);
    }
}

/* ---- Sockets --------------------------------------------------------------------------------------------------------- */

static void hear(Peer *peer) {
    const int64_t head = sizeof peer->head;
    while (problem == NULL) {
        bool in_head = peer->had < head;
        char *to = in_head ? (char *)&peer->head + peer->had : peer->into + (peer->had - head);
        int64_t rest = in_head ? head - peer->had : head + follows(&peer->head) - peer->had;
        ssize_t got = rest > 0 ? recv(peer->fd, to, (size_t)rest, MSG_DONTWAIT) : 0;
        if (rest > 0 && got == 0) { /* it has ended */
            close(peer->fd);
            peer->fd = peer->to = -1;
        }
        if (rest > 0 && got <= 0) return;
        peer->had += got;
        if (in_head && peer->had == head) begin_message(peer);
        if (peer->had >= head && peer->had == head + follows(&peer->head)) end_message(peer);
    }
}

static void progress(void) {
    struct pollfd wanted[MOST];
    for (int p = 0; p < size; p++) wanted[p] = (struct pollfd){.fd = peers[p].fd, .events = POLLIN};
    poll(wanted, (nfds_t)size, 0);
    for (int p = 0; p < size; p++) {
        if (wanted[p].revents) hear(&peers[p]);
        if (peers[p].to >= 0) flush(&peers[p]);
    }
}

/* ---- The driver -------------------------------------------------------------------------------------------------------- */

static const char *begin(Hp5CommPlace *place) {
    const char *rank = getenv("PMI_RANK"), *count = getenv("PMI_SIZE"), *list = getenv("HP5_LOCAL_SOCKETS"), *drawn = getenv("HP5_LOCAL_LATE");
    if (rank == NULL || count == NULL || list == NULL || atoi(count) > MOST) return "launch.Local has not started this process";
    own = atoi(rank);
    size = atoi(count);
    late = drawn ? strtoull(drawn, NULL, 10) : 0;
    late += late > 0 ? (uint64_t)own : 0;
    for (int p = 0; p < size; p++) {
        char *end;
        peers[p].fd = peers[p].to = (int)strtol(list, &end, 10);
        list = *end == ',' ? end + 1 : end;
    }
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return strerror(errno);
    peers[own].fd = ends[0];
    peers[own].to = ends[1];
    cpu_set_t processors;
    bool known = sched_getaffinity(0, sizeof processors, &processors) == 0;
    *place = (Hp5CommPlace){.rank = own, .size = size, .local_rank = own, .local_size = size, .local_processors = known ? CPU_COUNT(&processors) : 1,
                            .version = "sockets"};
    return NULL;
}

static bool draws_late(void) {
    if (late == 0) return false;
    late = late * 6364136223846793005u + 1442695040888963407u;
    return (late >> 40 & 1) != 0;
}

static void submit(Request *request) {
    const Hp5Message *message = &request->message;
    Peer *peer = &peers[message->peer];
    Head head = {.kind = NOW, .channel = (int)message->channel, .tag = message->tag, .bytes = message->bytes, .sender = (uint64_t)(uintptr_t)request};
    request->done = false;
    if (message->receives) {
        receive(peer, request);
        return;
    }
    if (draws_late()) head.kind = OFFER;
    queue(peer, head, message->data, head.kind == NOW ? message->bytes : 0);
    if (head.kind == NOW) finish(request, 0);
    if (peer->to >= 0) flush(peer);
}

static const char *post(const Hp5Message *message, uint64_t *handle) {
    Request *request = take(sizeof *request);
    request->message = *message;
    request->done = true;
    *handle = (uint64_t)(uintptr_t)request;
    if (!message->kept) submit(request);
    return problem;
}

static const char *start(uint64_t handle) {
    submit((Request *)(uintptr_t)handle);
    return problem;
}

static void release(uint64_t handle) { free((Request *)(uintptr_t)handle); }

static const char *test(uint64_t *handle, bool *done, int64_t *received) {
    Request *request = (Request *)(uintptr_t)*handle;
    if (!request->done) progress();
    *done = request->done;
    *received = request->received;
    if (request->done && !request->message.kept) release(*handle);
    return problem;
}

static void end_all(int status) { _exit(status); }

/* Everybody has what was sent before anybody ends. */
static void end(void) {
    for (int p = 0; p < size; p++)
        while (peers[p].out != NULL && peers[p].to >= 0) progress();
}

const Hp5CommDriver *hp5_comm_driver(void) {
    static const Hp5CommDriver driver = {.abi = HP5_COMM_ABI, .begin = begin, .post = post, .start = start, .test = test,
                                         .release = release, .progress = progress, .abort = end_all, .end = end};
    return &driver;
}
