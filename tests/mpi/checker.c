/* Watches the messages of one process: preloaded before an MPI program (watched.py), it stands between the program and MPI.
 *
 *   - Sends become synchronous: a program that needs MPI to keep a message until somebody takes it waits for ever.
 *   - Messages and their completion are delayed at random (HP5_CHECKER_SEED; HP5_CHECKER_DELAY: microseconds at most).
 *   - What is sent must not change before the send is complete. What is received arrives in a buffer of the checker; the program's
 *     buffer is poisoned meanwhile, so that reading it early gives other results, and writing to it is noticed.
 *   - Receives name their sender and tag, and get as many bytes as they expect. At the end no request is open.
 *   - Reals are not reduced by MPI, whose order of operations is its own.
 *
 * It writes one line for each message to HP5_CHECKER/rank-N: `send` or `receive`, channel (0 is MPI_COMM_WORLD, then duplicates in order),
 * peer, tag, bytes, hash, in the order in which they were posted; and `finding: …` for what is wrong. watched.py compares the
 * lines of both ends. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POISON = 0xA5, CHANNELS = 64 };

typedef struct Watched {
    struct Watched *next;
    MPI_Request request;
    bool receives, kept, active, typed; /* typed: not of bytes; only counted */
    char *data, *shadow;                /* the program's buffer, the one that MPI receives into */
    size_t bytes;
    uint64_t hash; /* of what is sent */
    int channel, peer, tag;
    long line; /* where the message's line stands in the report; hashes of receives are written there later */
} Watched;

typedef struct Line {
    bool receives;
    int channel, peer, tag;
    size_t bytes;
    uint64_t hash;
    bool complete;
} Line;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Watched *watched;
static Line *lines;
static long line_count, line_room;
static MPI_Comm channels[CHANNELS];
static int channel_count, delay_most;
static unsigned random_state;
static FILE *report;

static void find(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void find(const char *format, ...) {
    if (report == NULL) return;
    va_list values;
    va_start(values, format);
    fputs("finding: ", report);
    vfprintf(report, format, values);
    fputc('\n', report);
    fflush(report);
    va_end(values);
}

static uint64_t hash_of(const void *data, size_t bytes) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ ((const unsigned char *)data)[i]) * 1099511628211u;
    return hash;
}

static unsigned draw(void) {
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

static void delay(void) {
    pthread_mutex_lock(&lock);
    unsigned time = delay_most > 0 && draw() % 4 == 0 ? draw() % (unsigned)delay_most : 0;
    pthread_mutex_unlock(&lock);
    if (time > 0) usleep(time);
}

static int channel_of(MPI_Comm comm) {
    for (int i = 0; i < channel_count; i++)
        if (channels[i] == comm) return i;
    return -1;
}

static void add_channel(MPI_Comm comm) {
    if (channel_count < CHANNELS) channels[channel_count++] = comm;
}

/* ---- Beginning and end ------------------------------------------------------------------------------------- */

static void begin(void) {
    int rank;
    char path[4096];
    const char *folder = getenv("HP5_CHECKER"), *seed = getenv("HP5_CHECKER_SEED"), *most = getenv("HP5_CHECKER_DELAY");
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    add_channel(MPI_COMM_WORLD);
    random_state = (seed != NULL ? (unsigned)atoi(seed) : 1u) * 7919u + (unsigned)rank;
    delay_most = most != NULL ? atoi(most) : 300;
    if (folder == NULL) return;
    snprintf(path, sizeof path, "%s/rank-%d", folder, rank);
    report = fopen(path, "w");
    if (report == NULL) perror(path), exit(1);
}

int MPI_Init(int *argc, char ***argv) {
    int error = PMPI_Init(argc, argv);
    begin();
    return error;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int error = PMPI_Init_thread(argc, argv, required, provided);
    begin();
    return error;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy) {
    int error = PMPI_Comm_dup(comm, copy);
    if (error == MPI_SUCCESS) add_channel(*copy);
    return error;
}

int MPI_Finalize(void) {
    pthread_mutex_lock(&lock);
    for (Watched *one = watched; one != NULL; one = one->next) {
        if (one->active)
            find("open at the end: %s %s %d, tag %d, %zu bytes", one->receives ? "receive" : "send", one->receives ? "from" : "to", one->peer,
                 one->tag, one->bytes);
        else
            find("not freed at the end: a persistent request, peer %d, tag %d", one->peer, one->tag);
    }
    bool is_open = false;
    for (Watched *one = watched; one != NULL; one = one->next) is_open = is_open || one->active;
    for (long i = 0; report != NULL && i < line_count; i++)
        fprintf(report, "%s %d %d %d %zu %016llx\n", lines[i].receives ? "receive" : "send", lines[i].channel, lines[i].peer, lines[i].tag, lines[i].bytes,
                (unsigned long long)(lines[i].complete ? lines[i].hash : 0));
    if (report != NULL) fputs("end\n", report), fclose(report), report = NULL;
    pthread_mutex_unlock(&lock);
    if (is_open) _exit(0); /* MPI would wait for what is open */
    return PMPI_Finalize();
}

/* ---- Messages that are posted ------------------------------------------------------------------------------ */

static long new_line(const Watched *one) {
    if (line_count == line_room) {
        line_room = line_room > 0 ? 2 * line_room : 1024;
        lines = realloc(lines, (size_t)line_room * sizeof *lines);
        if (lines == NULL) abort();
    }
    lines[line_count] = (Line){one->receives, one->channel, one->peer, one->tag, one->bytes, one->hash, !one->receives};
    return line_count++;
}

static void post(Watched *one) {
    one->active = true;
    if (one->receives && !one->typed) {
        memset(one->data, POISON, one->bytes);
        memset(one->shadow, POISON, one->bytes);
    }
    if (!one->receives && !one->typed) one->hash = hash_of(one->data, one->bytes);
    one->line = new_line(one);
}

static Watched *new_watched(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, bool receives, bool kept) {
    Watched *one = calloc(1, sizeof *one);
    int size = 0;
    PMPI_Type_size(type, &size);
    one->data = (char *)(uintptr_t)data;
    one->bytes = (size_t)count * (size_t)size;
    one->typed = type != MPI_BYTE;
    one->shadow = receives && !one->typed ? malloc(one->bytes > 0 ? one->bytes : 1) : one->data;
    one->receives = receives, one->kept = kept, one->peer = peer, one->tag = tag, one->channel = channel_of(comm);
    if (receives && peer == MPI_ANY_SOURCE) find("a receive from anybody, tag %d", tag);
    if (receives && tag == MPI_ANY_TAG) find("a receive of any tag, from %d", peer);
    return one;
}

static void keep(Watched *one, MPI_Request request) {
    one->request = request;
    Watched **end = &watched; /* MPICH gives several requests that are complete one handle: the oldest is asked for first */
    while (*end != NULL) end = &(*end)->next;
    *end = one;
}

static int post_now(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request, bool receives, bool kept) {
    delay();
    pthread_mutex_lock(&lock);
    Watched *one = new_watched(data, count, type, peer, tag, comm, receives, kept);
    if (!kept) post(one);
    int error = receives ? (kept ? PMPI_Recv_init : PMPI_Irecv)(one->shadow, count, type, peer, tag, comm, request)
                         : (kept ? PMPI_Ssend_init : PMPI_Issend)(data, count, type, peer, tag, comm, request);
    keep(one, *request);
    pthread_mutex_unlock(&lock);
    return error;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request) {
    return post_now(data, count, type, peer, tag, comm, request, false, false);
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request) {
    return post_now(data, count, type, peer, tag, comm, request, true, false);
}

int MPI_Send_init(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request) {
    return post_now(data, count, type, peer, tag, comm, request, false, true);
}

int MPI_Recv_init(void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request) {
    return post_now(data, count, type, peer, tag, comm, request, true, true);
}

static Watched *watched_of(MPI_Request request, bool active) {
    for (Watched *one = watched; one != NULL; one = one->next)
        if (one->request == request && one->active == active) return one;
    return NULL;
}

int MPI_Start(MPI_Request *request) {
    delay();
    pthread_mutex_lock(&lock);
    Watched *one = watched_of(*request, false);
    if (one != NULL)
        post(one);
    else
        find("a request is started that is none, or under way");
    int error = PMPI_Start(request);
    pthread_mutex_unlock(&lock);
    return error;
}

int MPI_Startall(int count, MPI_Request *requests) {
    for (int i = 0; i < count; i++) {
        int error = MPI_Start(&requests[i]);
        if (error != MPI_SUCCESS) return error;
    }
    return MPI_SUCCESS;
}

/* ---- Completion ---------------------------------------------------------------------------------------------- */

static void forget(Watched *one) {
    for (Watched **at = &watched; *at != NULL; at = &(*at)->next)
        if (*at == one) {
            *at = one->next;
            break;
        }
    if (one->shadow != one->data) free(one->shadow);
    free(one);
}

static void complete_receive(Watched *one, const MPI_Status *status) {
    int received = 0;
    PMPI_Get_count((MPI_Status *)(uintptr_t)status, MPI_BYTE, &received);
    if ((size_t)received != one->bytes)
        find("a receive from %d, tag %d, of %zu bytes gets %d", one->peer, one->tag, one->bytes, received);
    for (size_t i = 0; i < one->bytes; i++)
        if ((unsigned char)one->data[i] != POISON) {
            find("byte %zu of what comes from %d, tag %d, was written while it was under way", i, one->peer, one->tag);
            break;
        }
    memcpy(one->data, one->shadow, (size_t)received);
    lines[one->line].hash = hash_of(one->data, (size_t)received);
    lines[one->line].bytes = (size_t)received;
}

static void complete(Watched *one, const MPI_Status *status) {
    one->active = false;
    lines[one->line].complete = true;
    if (one->receives && !one->typed) complete_receive(one, status);
    if (!one->receives && !one->typed && hash_of(one->data, one->bytes) != one->hash)
        find("what goes to %d, tag %d, %zu bytes, was changed before it was sent", one->peer, one->tag, one->bytes);
    if (!one->kept) forget(one);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    MPI_Status own;
    pthread_mutex_lock(&lock);
    MPI_Request asked = *request;
    Watched *one = watched_of(asked, true);
    *flag = 0;
    int error = MPI_SUCCESS;
    if (one == NULL || draw() % 4 != 0) { /* else it is taken for one that is not complete yet */
        error = PMPI_Test(request, flag, &own);
        if (*flag && one != NULL) complete(one, &own);
        if (*flag && status != MPI_STATUS_IGNORE) *status = own;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    int flag = 0, error = MPI_SUCCESS;
    while (!flag && error == MPI_SUCCESS) {
        error = MPI_Test(request, &flag, status);
        if (!flag) usleep(20);
    }
    return error;
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
    for (int i = 0; i < count; i++) {
        int error = MPI_Wait(&requests[i], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]);
        if (error != MPI_SUCCESS) return error;
    }
    return MPI_SUCCESS;
}

int MPI_Request_free(MPI_Request *request) {
    pthread_mutex_lock(&lock);
    Watched *one = watched_of(*request, false);
    if (one == NULL && (one = watched_of(*request, true)) != NULL)
        find("freed while it is under way: %s %d, tag %d", one->receives ? "receive from" : "send to", one->peer, one->tag);
    int error = PMPI_Request_free(request);
    if (one != NULL) forget(one);
    pthread_mutex_unlock(&lock);
    return error;
}

/* ---- Reductions ------------------------------------------------------------------------------------------------ */

static void refuse_reals(MPI_Datatype type, const char *function) {
    if (type == MPI_DOUBLE || type == MPI_FLOAT) find("%s of Reals: its order of operations is MPI's own", function);
}

int MPI_Reduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    refuse_reals(type, "MPI_Reduce");
    return PMPI_Reduce(from, to, count, type, op, root, comm);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    refuse_reals(type, "MPI_Allreduce");
    return PMPI_Allreduce(from, to, count, type, op, comm);
}
