/* What goes between the host and cards (cargo.c), for the runtime's own files. */
#ifndef HP5_RUNTIME_CARD_CARGO_H
#define HP5_RUNTIME_CARD_CARGO_H
#include "runtime/card/card.h"

struct Hp5TraceLog;

/* Through the driver, and counted, but for elements in memory of the host that the card reaches (HP5_CARGO_SHARED). They return NULL, or what went
 * wrong. */
typedef enum { HP5_CARGO_ELEMENTS, HP5_CARGO_RECORDS, HP5_CARGO_SHARED } Hp5Cargo;
const char *hp5_card_give(const Hp5CardDriver *driver, Hp5Cargo cargo, void *card, const void *host, int64_t bytes);
const char *hp5_card_take(const Hp5CardDriver *driver, Hp5Cargo cargo, void *host, const void *card, int64_t bytes);
/* What travels with a launch, in the kernel's time. */
void hp5_card_count(bool takes, Hp5Cargo cargo, int64_t bytes);
/* Rows of elements (Hp5CardDriver.give_rows, take_rows), which are under way until they are settled. */
const char *hp5_card_move_rows(const Hp5CardDriver *driver, Hp5Cargo cargo, bool takes, void *host, void *card, int64_t pitch, int64_t width, int64_t rows);
const char *hp5_card_settle_rows(const Hp5CardDriver *driver);

/* What has gone to and fro since this was asked last, for predictions, whose driver (no_card.h) moves nothing. */
typedef struct Hp5Traffic {
    int64_t given[HP5_CARGO_RECORDS + 1], taken[HP5_CARGO_RECORDS + 1]; /* bytes */
    int64_t gives, takes;                                              /* how often */
} Hp5Traffic;
Hp5Traffic hp5_card_traffic(void);

/* With --timing, in the end. */
void hp5_card_report(void);
/* With --trace: from now on copies are noted; appends those that were. */
void hp5_card_trace_begin(void);
void hp5_card_trace_take(struct Hp5TraceLog *to);
#endif
