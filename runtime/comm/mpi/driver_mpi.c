/* The driver of an MPI (driver.h): compiled once for each MPI that CMake finds, the only source that includes mpi.h. It calls
 * nonblocking functions alone, but for beginning and end; which thread may call when is comm.c's business. */
#define _GNU_SOURCE /* CPU sets */
#include "runtime/comm/driver.h"
#include <mpi.h>
#ifdef HP5_SMPI
#include <xbt/config.h>
#endif
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer messages are counted in blocks of so many bytes, because MPI's counts are ints. */
enum { BLOCK = 1 << 30 };

_Static_assert(sizeof(MPI_Request) <= sizeof(uint64_t), "a request fits a handle");

static MPI_Comm channels[HP5_CHANNELS];
static int own_rank;

static const char *text_of(int error) {
    static char text[MPI_MAX_ERROR_STRING + 1];
    int length = 0;
    if (error == MPI_SUCCESS) return NULL;
    if (MPI_Error_string(error, text, &length) != MPI_SUCCESS) return "an error without a text";
    return text;
}

/* ---- Beginning and end --------------------------------------------------------------------------- */

static void find_version(char *version, size_t size) {
#ifdef HP5_SMPI
    snprintf(version, size, "SimGrid's SMPI");
#elif defined OPEN_MPI
    snprintf(version, size, "Open MPI %d.%d.%d", OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION);
#else
    snprintf(version, size, "MPICH %s", MPICH_VERSION);
#endif
}

#ifdef HP5_SMPI /* each process has a host of its own, of which this machine knows nothing, and one thread */
enum { CALLERS = MPI_THREAD_SINGLE };
static int look_around(Hp5CommPlace *place) {
    place->local_size = place->local_processors = 1;
    return MPI_SUCCESS;
}
#else
enum { CALLERS = MPI_THREAD_SERIALIZED };
/* The node's processes, and the hardware threads that one of them or another may use. */
static int look_around(Hp5CommPlace *place) {
    MPI_Comm node;
    int error = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, place->rank, MPI_INFO_NULL, &node);
    if (error != MPI_SUCCESS) return error;
    cpu_set_t mine, together;
    CPU_ZERO(&mine);
    CPU_ZERO(&together);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0) memset(&mine, 0xFF, sizeof mine); /* more than the set can name */
    error = MPI_Comm_size(node, &place->local_size);
    if (error == MPI_SUCCESS) error = MPI_Comm_rank(node, &place->local_rank);
    if (error == MPI_SUCCESS) error = MPI_Allreduce(&mine, &together, (int)sizeof mine, MPI_BYTE, MPI_BOR, node);
    place->local_processors = CPU_COUNT(&together);
    MPI_Comm_free(&node);
    return error;
}
#endif

static const char *begin(Hp5CommPlace *place) {
    int provided, error = MPI_Init_thread(NULL, NULL, CALLERS, &provided);
    if (error != MPI_SUCCESS) return text_of(error);
    if (provided < (int)CALLERS) return "it can be called by one thread only";
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    find_version(place->version, sizeof place->version);
    error = MPI_Comm_rank(MPI_COMM_WORLD, &place->rank);
    if (error == MPI_SUCCESS) error = MPI_Comm_size(MPI_COMM_WORLD, &place->size);
    if (error == MPI_SUCCESS) error = look_around(place);
    for (int i = 0; i < HP5_CHANNELS && error == MPI_SUCCESS; i++) error = MPI_Comm_dup(MPI_COMM_WORLD, &channels[i]);
    own_rank = place->rank;
    return text_of(error);
}

static void end(void) {
    for (int i = 0; i < HP5_CHANNELS; i++) MPI_Comm_free(&channels[i]);
    MPI_Finalize();
}

static void end_all(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

/* ---- Messages -------------------------------------------------------------------------------------- */

static uint64_t pack(MPI_Request request) {
    uint64_t handle = 0;
    memcpy(&handle, &request, sizeof request);
    return handle;
}

static MPI_Request unpack(uint64_t handle) {
    MPI_Request request;
    memcpy(&request, &handle, sizeof request);
    return request;
}

/* A type of `bytes` bytes, for one that a count of bytes cannot name: whole blocks, then the rest. */
static int long_type(int64_t bytes, MPI_Datatype *type) {
    MPI_Datatype block, types[2] = {MPI_DATATYPE_NULL, MPI_BYTE};
    int64_t blocks = bytes / BLOCK, rest = bytes % BLOCK;
    int lengths[2] = {(int)blocks, (int)rest};
    MPI_Aint places[2] = {0, (MPI_Aint)(blocks * BLOCK)};
    int error = MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
    if (error != MPI_SUCCESS) return error;
    types[0] = block;
    error = MPI_Type_create_struct(2, lengths, places, types, type);
    MPI_Type_free(&block);
    return error == MPI_SUCCESS ? MPI_Type_commit(type) : error;
}

static int post_typed(const Hp5Message *message, int count, MPI_Datatype type, MPI_Request *request) {
    MPI_Comm channel = channels[message->channel];
    void *data = message->data;
    int peer = message->peer, tag = message->tag;
    if (message->kept && message->receives) return MPI_Recv_init(data, count, type, peer, tag, channel, request);
    if (message->kept) return MPI_Send_init(data, count, type, peer, tag, channel, request);
    if (message->receives) return MPI_Irecv(data, count, type, peer, tag, channel, request);
    return MPI_Isend(data, count, type, peer, tag, channel, request);
}

#ifdef HP5_SMPI
static bool imagined;

/* Where the contents of a message would lie: one place for all of them, of which SimGrid copies nothing. Places that were too
 * short stay, because messages that are under way refer to them. */
static void *hollow_place(int64_t bytes) {
    static void *place;
    static int64_t room;
    if (bytes > room) {
        room = bytes > 2 * room ? bytes : 2 * room;
        place = SMPI_SHARED_MALLOC((size_t)room);
    }
    return place;
}
#endif

static const char *post(const Hp5Message *wanted, uint64_t *handle) {
    Hp5Message copy = *wanted, *message = &copy;
#ifdef HP5_SMPI
    if (imagined && message->channel == HP5_CHANNEL_DATA && message->bytes > 0) message->data = hollow_place(message->bytes);
#endif
    MPI_Request request;
    MPI_Datatype type = MPI_BYTE;
    bool is_long = message->bytes > BLOCK;
    int error = is_long ? long_type(message->bytes, &type) : MPI_SUCCESS;
    if (error == MPI_SUCCESS) error = post_typed(message, is_long ? 1 : (int)message->bytes, type, &request);
    if (is_long && type != MPI_BYTE) MPI_Type_free(&type); /* lives on in the request */
    if (error == MPI_SUCCESS) *handle = pack(request);
    return text_of(error);
}

static const char *start(uint64_t handle) {
    MPI_Request request = unpack(handle);
    return text_of(MPI_Start(&request));
}

/* Stays as it is where MPI cannot tell. */
static void note_received(MPI_Status *status, int64_t *received) {
#ifdef HP5_SMPI /* has no MPI_Get_elements_x, and counts in an int that may have gone round */
    int count = -1;
    if (MPI_Get_count(status, MPI_BYTE, &count) == MPI_SUCCESS && count >= 0 && count < BLOCK) *received = count;
#else
    MPI_Count elements = 0;
    if (MPI_Get_elements_x(status, MPI_BYTE, &elements) == MPI_SUCCESS) *received = (int64_t)elements;
#endif
}

static const char *test(uint64_t *handle, bool *done, int64_t *received) {
    MPI_Request request = unpack(*handle);
    MPI_Status status;
    int flag = 0, error = MPI_Test(&request, &flag, &status);
    if (error != MPI_SUCCESS) return text_of(error);
    *done = flag != 0;
    *handle = pack(request);
    if (flag) note_received(&status, received);
    return NULL;
}

static void release(uint64_t handle) {
    MPI_Request request = unpack(handle);
    MPI_Request_free(&request);
}

/* Looking for a message of its own lets MPI move on what is under way. */
static void progress(void) {
    int flag;
    MPI_Iprobe(own_rank, 0, channels[HP5_CHANNEL_GROUP], &flag, MPI_STATUS_IGNORE);
}

#ifdef HP5_SMPI
static const char *wait_for_one(uint64_t *handles, int count, int *which, int64_t *received) {
    MPI_Request *requests = malloc(sizeof *requests * (size_t)count);
    if (requests == NULL) return "no memory for its requests";
    for (int i = 0; i < count; i++) requests[i] = unpack(handles[i]);
    MPI_Status status;
    int error = MPI_Waitany(count, requests, which, &status);
    for (int i = 0; i < count; i++) handles[i] = pack(requests[i]);
    free(requests);
    if (error == MPI_SUCCESS) note_received(&status, received);
    return text_of(error);
}

static void let_pass(double seconds) { smpi_execute(seconds); }

static void imagine_all(void) {
    sg_cfg_set_boolean("smpi/simulate-computation", "no");
    imagined = true;
}
#else
#define wait_for_one NULL
#define let_pass NULL
#define imagine_all NULL
#endif

const Hp5CommDriver *hp5_comm_driver(void) {
    static const Hp5CommDriver driver = {.abi = HP5_COMM_ABI, .begin = begin, .post = post, .start = start, .test = test,
                                         .release = release, .progress = progress, .abort = end_all, .end = end,
                                         .wait = wait_for_one, .compute = let_pass, .imagine = imagine_all};
    return &driver;
}
