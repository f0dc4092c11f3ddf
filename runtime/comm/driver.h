/* What runtime/comm needs of an MPI: the interface between libhp5 and the library that is loaded for it. It speaks of bytes and
 * handles alone, so that neither side includes the other's headers. All functions are called by one thread at a time. Functions
 * that give a text give NULL when all went well, else what went wrong. */
#ifndef HP5_RUNTIME_COMM_DRIVER_H
#define HP5_RUNTIME_COMM_DRIVER_H
#include <stdbool.h>
#include <stdint.h>

enum { HP5_COMM_ABI = 3 }; /* rises whenever this file changes */

/* Messages of different channels never meet. */
typedef enum { HP5_CHANNEL_DATA, HP5_CHANNEL_GROUP, HP5_CHANNELS } Hp5Channel;

typedef struct Hp5CommPlace {
    int rank, size;
    int local_rank, local_size; /* of the processes on this node */
    int local_processors;       /* hardware threads that these may use together */
    char version[64];
} Hp5CommPlace;

typedef struct Hp5Message {
    Hp5Channel channel;
    void *data; /* only read where the message is sent */
    int64_t bytes;
    int peer, tag;
    bool receives;
    bool kept; /* prepared, to be started by `start` */
} Hp5Message;

typedef struct Hp5CommDriver {
    int abi;
    const char *(*begin)(Hp5CommPlace *place);
    const char *(*post)(const Hp5Message *message, uint64_t *handle);
    const char *(*start)(uint64_t handle);
    /* `done`: it is finished; `received`: the bytes of a message that has been received. */
    const char *(*test)(uint64_t *handle, bool *done, int64_t *received);
    void (*release)(uint64_t handle); /* one that was kept */
    void (*progress)(void);
    void (*abort)(int status); /* ends all processes */
    void (*end)(void);
    /* Only where processes are simulated, else NULL: time stands still there until somebody waits, so that looking again and again
     * (test) would never end. Waits for one of some handles under way; *which says for which. */
    const char *(*wait)(uint64_t *handles, int count, int *which, int64_t *received);
    void (*compute)(double seconds); /* likewise: so much simulated time passes for this process */
    /* Likewise: from now on time passes by `compute` and messages alone, whatever a process really takes, and messages of
     * HP5_CHANNEL_DATA have a length and no contents. */
    void (*imagine)(void);
} Hp5CommDriver;

/* The one symbol of a driver's library. A program that is linked with a driver (under a simulator) has it, too. */
const Hp5CommDriver *hp5_comm_driver(void) __attribute__((weak));
#define HP5_COMM_DRIVER_SYMBOL "hp5_comm_driver"

/* One process without any MPI. */
extern const Hp5CommDriver hp5_comm_loopback;
#endif
