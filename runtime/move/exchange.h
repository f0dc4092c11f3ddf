/* Padding between siblings, for the runtime's own files: exchange.c. */
#ifndef HP5_RUNTIME_EXCHANGE_H
#define HP5_RUNTIME_EXCHANGE_H
#include "runtime/move/move.h"

struct Hp5TaskRun;

void hp5_exchanges_create(struct Hp5TaskRun *run);
void hp5_exchanges_free(struct Hp5TaskRun *run);
int hp5_exchange_find(const struct Hp5TaskRun *run, int lps, int array);
#endif
