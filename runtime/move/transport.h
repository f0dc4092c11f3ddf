/* Transports: how movements happen between those who take part. What moves is the same for all of them (pattern.h).
 *
 *   threads     threads of one process: signals between neighbours, and copying
 *   processes   these, and messages to and from the neighbours of other processes
 *
 * Between start and finish the caller may do what neither writes the elements that others take nor looks at those that it gets.
 * A transport starts what can be under way in the meantime, and finishes it: after finish the caller's stores are up to date, and
 * what others took from them may be written. */
#ifndef HP5_RUNTIME_TRANSPORT_H
#define HP5_RUNTIME_TRANSPORT_H
#include "runtime/run/run.h"

struct Hp5ExchangeState;

typedef struct Hp5Transport {
    const char *name;
    /* Both are called by every thread of the group of `parent`, one after the other, for one exchange at a time. */
    void (*start)(Hp5Worker *w, int exchange, Hp5Lpu *parent);
    void (*finish)(Hp5Worker *w, int exchange, Hp5Lpu *parent);
    /* A reduction's partial results become one, in the scalars of `target`: called by every thread of its group. */
    void (*combine)(Hp5Worker *w, int site, Hp5Lpu *target);
    /* Frees what the transport has made for an exchange in one parent LPU (Hp5ExchangeSite.states). */
    void (*forget)(struct Hp5ExchangeState *state);
} Hp5Transport;
/* processes.c: the part of finish that waits for messages. By every thread of the group of `parent`. */
void hp5_messages_finish(Hp5Worker *w, int exchange, Hp5Lpu *parent);
/* The messages alone, by the only thread of a process; where several processes share the LPUs, all of it. */
void hp5_exchange_messages(Hp5Worker *w, int exchange, Hp5Lpu *parent);
extern const Hp5Transport hp5_transport_threads, hp5_transport_processes;
#endif
