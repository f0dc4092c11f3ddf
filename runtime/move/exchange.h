/* The places of a task where padding is exchanged, for the runtime's own files.
 *
 *   exchange.c  the places; what flow functions call
 *   search.c    who has what an LPU wants
 *   pieces.c    lists of boxes: copying, packing
 *   pattern.c   what one process of several does in a movement
 *   replicate.c what many want goes down a tree
 *   courier.c   a pattern's messages
 *   threads.c   the transport between threads of one process; processes.c: between several
 *   late.c      messages that are waited for later; sweep.c: what runs before them in an LPU that gets some
 *   transfer_messages.c  what else moves between processes
 *   copies.c    copies of LPUs: filled, handed back */
#ifndef HP5_RUNTIME_EXCHANGE_H
#define HP5_RUNTIME_EXCHANGE_H
#include "runtime/move/move.h"

struct Hp5TaskRun;

typedef struct Hp5ExchangeSite {
    Hp5ExchangeDesc desc;
    struct Hp5ExchangeState **states; /* of the transport, for each LPU of the parent LPS; made at first use */
    struct Hp5Courier **couriers;     /* what it sends to other processes; NULL where there are none */
    struct Hp5Lateness *lateness;     /* who still waits for that (late.c); likewise */
    struct Hp5Account *account;       /* of these */
} Hp5ExchangeSite;

/* Tags of messages: of exchanges, and of transfers, one after the other. */
enum { HP5_TAG_EXCHANGES = 1000, HP5_TAG_TRANSFERS = 10000 };

void hp5_exchanges_create(struct Hp5TaskRun *run);
void hp5_exchanges_free(struct Hp5TaskRun *run);
/* late.c: for an exchange in so many LPUs of the parent LPS */
struct Hp5Lateness *hp5_lateness_create(const struct Hp5TaskRun *run, int64_t parents);
void hp5_lateness_free(struct Hp5Lateness *late);
/* transfer_messages.c: nothing, where the task has no transfers. */
void hp5_moves_create(struct Hp5TaskRun *run);
void hp5_moves_forget(struct Hp5TaskRun *run); /* before an execution: what the last one has written is where it is needed, or has just come from home */
void hp5_moves_free(struct Hp5TaskRun *run);
/* How many slices in slots (runtime/store/slots.c) leaders of the process may need of an array of a task on a card at the same time; INT64_MAX: any number. */
int64_t hp5_most_in_slots(const struct Hp5TaskRun *run, int array);
/* merge_changes.c */
void hp5_watched_create(struct Hp5TaskRun *run);
void hp5_watched_free(struct Hp5TaskRun *run);
int hp5_exchange_find(const struct Hp5TaskRun *run, int lps, int array);
#endif
