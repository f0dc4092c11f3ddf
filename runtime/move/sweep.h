/* What comes by messages to which LPUs, and where in these nothing of it lies: between the files that let LPUs begin without (late.c). */
#ifndef HP5_RUNTIME_SWEEP_H
#define HP5_RUNTIME_SWEEP_H
#include "runtime/move/pattern.h"

typedef struct Hp5Coming {
    int32_t *places; /* by the number of a store: 1 + its place in `untouched`, or 0, where nothing comes */
    Hp5Box *untouched; /* a box of each such store to which nothing comes, without an end on sides where nothing lies */
} Hp5Coming;

/* What the pattern receives. hp5_coming_free frees it. */
Hp5Coming *hp5_coming_create(const Hp5TaskRun *run, const Hp5Pattern *pattern);
void hp5_coming_free(Hp5Coming *coming); /* NULL: nothing happens */
/* Sets the sweep of an LPU with this store: at first what uses nothing outside of the box. false: it is all at once, behind the messages. */
bool hp5_sweep_around(Hp5Sweep *sweep, const Hp5Late *late, const Hp5Store *store, const Hp5Box *untouched);
/* Whether the messages have come (late.c). */
bool hp5_is_settled(const Hp5Late *late);
#endif
