/* Between processes: who they are, messages, small collectives, and the end of all of them together.
 *
 * How to read it: beginning and end first, then messages, then what groups of processes do together. Nothing here or above knows
 * about MPI: driver.h has the few functions that an MPI must give, mpi/ the one source of them, from which CMake builds a shared
 * library for each MPI that is installed (libhp5-openmpi.so, libhp5-mpich.so). It is loaded when the program starts, and which one
 * follows from the launcher (launcher.h): so one executable runs under any of them. Without a launcher there is one process, and
 * no library is loaded.
 *
 * Every function may be called by any thread: a lock is inside. Processes are named by their ranks, 0 … size - 1. All errors end
 * the program. */
#ifndef HP5_RUNTIME_COMM_H
#define HP5_RUNTIME_COMM_H
#include <stdbool.h>
#include <stdint.h>

/* ---- Beginning and end --------------------------------------------------------------------------- */
/* Called by main before it looks at its arguments. `folder`: where hp5c's library lies, with those for MPIs beside it, or NULL.
 * Ends the program (status 2) where the launcher has started several processes and MPI knows of one. */
void hp5_comm_begin(int argc, char **argv, const char *folder);
#ifndef HP5_FOLDER /* hp5c defines it */
#define HP5_FOLDER NULL
#endif
/* Waits for all processes. Nothing happens when it has not begun. */
void hp5_comm_end(void);
/* Whether the processes are those of a simulator (hp5c --smpi): each has one thread, and time is simulated. */
bool hp5_comm_is_simulated(void);
/* Simulated processes that only count: from now on messages (not those of groups) have a length and no contents, and time passes by
 * them and by hp5_comm_compute alone: so many seconds for this process, before its next message or hp5_comm_progress. */
void hp5_comm_imagine(void);
bool hp5_comm_is_imagined(void);
void hp5_comm_compute(double seconds);
int hp5_comm_rank(void);
int hp5_comm_size(void);
/* Of the processes on this node, from 0 on. */
int hp5_comm_local_rank(void);
/* Hardware threads that the processes on this node may use together. */
int hp5_comm_processors(void);
/* So many processes lie on each node, as the model of the machine has it: for what groups do together. Said by all processes at the same
 * point, while no group is at work; 0: nothing is known. */
void hp5_comm_set_node_size(int processes);
int hp5_comm_node_size(void);
/* The name of the node that this process runs on. */
const char *hp5_comm_node(void);
/* "Open MPI 4.1.4", or "one process". */
const char *hp5_comm_library(void);
/* So many threads of this process compute: those that wait spin only where every thread on the node has a processor. */
void hp5_comm_threads(int threads);

/* ---- Messages ------------------------------------------------------------------------------------------ */
/* Tags are 0 … HP5_COMM_TAGS - 1. Messages between two processes with one tag arrive in the order in which they were sent; their
 * sizes must be those that the receiver expects. A process may send to itself. */
enum { HP5_COMM_TAGS = 32768 };

/* A message under way, or one that is prepared and can be started again and again. All zeros: nothing, which counts as finished. */
typedef struct Hp5Request {
    uint64_t handle;
    int64_t bytes;
    int peer, tag;
    bool receives, active, kept; /* kept: prepared, freed by hp5_comm_free alone */
} Hp5Request;

/* Nonblocking: the data stay untouched (unread, for a receive) until the request is finished. */
void hp5_comm_send(Hp5Request *request, const void *data, int64_t bytes, int peer, int tag);
void hp5_comm_receive(Hp5Request *request, void *data, int64_t bytes, int peer, int tag);
/* The same for messages that are sent many times from one place: prepared once, then hp5_comm_start for each. */
void hp5_comm_prepare_send(Hp5Request *request, const void *data, int64_t bytes, int peer, int tag);
void hp5_comm_prepare_receive(Hp5Request *request, void *data, int64_t bytes, int peer, int tag);
void hp5_comm_start(Hp5Request *requests, int count);
/* Frees a prepared request, which must not be under way. */
void hp5_comm_free(Hp5Request *request);

/* Whether it is finished; also moves other messages on. */
bool hp5_comm_test(Hp5Request *request);
bool hp5_comm_test_all(Hp5Request *requests, int count);
void hp5_comm_wait(Hp5Request *request);
void hp5_comm_wait_all(Hp5Request *requests, int count);
/* One that was under way and is finished now; -1: none was. */
int hp5_comm_wait_any(Hp5Request *requests, int count);
/* Moves messages on, between two pieces of work; does nothing while another thread does it. Simulated time catches up. */
void hp5_comm_progress(void);

/* What this process has sent and received since the beginning, without what groups do below. */
typedef struct Hp5CommCounts {
    int64_t messages_sent, bytes_sent, messages_received, bytes_received;
    double waited; /* seconds in the wait functions, over all threads */
} Hp5CommCounts;
Hp5CommCounts hp5_comm_counts(void);

/* ---- Groups -------------------------------------------------------------------------------------------- */
/* Processes that do something together: their ranks in ascending order. ranks == NULL: everybody. Every member calls the same
 * functions in the same order with the same tag (0 … HP5_COMM_TAGS - 1, apart from those of messages); groups that may be at work
 * at the same time and share two processes take different tags. Each member sends about log2(count) messages, in one node; between nodes
 * one member of each speaks for it (runs.h). */
typedef struct Hp5Peers { const int *ranks; int count; } Hp5Peers;
#define HP5_EVERYBODY ((Hp5Peers){NULL, 0})

/* Messages between two members, of what all do together: like those of the functions below they count as none of the program's. */
void hp5_comm_tell(Hp5Request *request, int tag, int rank, const void *data, int64_t bytes);
void hp5_comm_hear(Hp5Request *request, int tag, int rank, void *data, int64_t bytes);
void hp5_comm_barrier(Hp5Peers peers, int tag);
/* Each member has a number for some others, which do not know of it: returns how many have one for this member, and who, in the order of
 * their ranks; *notices is freed with hp5_free. Costs nothing for members that have nothing to do with each other but log2(count)
 * messages of what all have. */
typedef struct Hp5Notice {
    int64_t peer, number;
} Hp5Notice;
int hp5_comm_notify(Hp5Peers peers, int tag, const Hp5Notice *mine, int count, Hp5Notice **notices);
/* `bytes` from the member at `root` (its place among the ranks) to all. */
void hp5_comm_broadcast(Hp5Peers peers, int tag, int root, void *data, int64_t bytes);
/* `bytes` of each member, in the order of the ranks, at the member at `root`; `all` is not used elsewhere. */
void hp5_comm_gather(Hp5Peers peers, int tag, int root, const void *mine, int64_t bytes, void *all);
/* The same at all members. */
void hp5_comm_gather_all(Hp5Peers peers, int tag, const void *mine, int64_t bytes, void *all);
/* Every member calls it with what went wrong, or NULL. When something did, the program ends on all of them with the message of the
 * lowest rank that had one; else it returns. For steps that all must have done before one goes on (files). */
void hp5_comm_agree(Hp5Peers peers, int tag, int status, const char *problem);
#endif
