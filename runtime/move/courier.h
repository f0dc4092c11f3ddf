/* Couriers: a pattern's messages, with the memory that they travel in. */
#ifndef HP5_RUNTIME_COURIER_H
#define HP5_RUNTIME_COURIER_H
#include "runtime/comm/accounts.h"
#include "runtime/move/pattern.h"

typedef struct Hp5Courier {
    Hp5Pattern pattern;
    bool rotates;     /* the oldest versions do not travel (pattern.h) */
    char *memory;
    Hp5Request *requests;  /* receives, then sends */
    int64_t *starts;       /* of each in the memory, and the end of all */
    int64_t *planned;      /* bytes of each, from the pattern alone */
    int64_t needed;        /* bytes of different elements that come; -1: not known */
    Hp5Account *account;   /* what they are for; or NULL */
    double began;          /* hp5_now() when they were started last, where that is traced */
    int64_t number;        /* how often they have been started */
} Hp5Courier;

/* Takes the pattern. `tag`: of its messages, at any time those of one courier. */
void hp5_courier_create(Hp5Courier *courier, const Hp5TaskRun *run, Hp5Pattern pattern, bool rotates, int tag, Hp5Account *account);
void hp5_courier_free(Hp5Courier *courier);
/* Sends what the stores have now; until finish nobody looks at what is received, in which elements of other messages may lie. */
void hp5_courier_start(Hp5Courier *courier, const Hp5TaskRun *run);
void hp5_courier_finish(Hp5Courier *courier, const Hp5TaskRun *run);
/* Finishes them, by this thread, with spans for --trace. */
void hp5_courier_finish_by(Hp5Courier *courier, Hp5Worker *w);
#endif
