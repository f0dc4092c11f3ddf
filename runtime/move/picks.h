/* Picks: elements that are no boxes, which move between the processes of a task again and again. An inspector has said which ones this
 * process touches; those that lie elsewhere are asked for once, of whom the LPUs' parts say, and from then on come in one message
 * from each neighbour, values alone, in the order in which they were asked for. Elements that follow each other in a row are one
 * word of the list. */
#ifndef HP5_RUNTIME_PICKS_H
#define HP5_RUNTIME_PICKS_H
#include "runtime/comm/accounts.h"
#include "runtime/move/pattern.h"
#include "runtime/move/touched.h"

/* Runs of elements to or from another process: where a run begins in the store, and how many elements it has. */
typedef struct Hp5PickList {
    int peer;
    int64_t *runs, count, capacity, elements;
} Hp5PickList;

typedef struct Hp5Picks {
    const Hp5Store *store; /* of the array, in the LPU */
    int receive_count, send_count;
    Hp5PickList *lists;   /* that come, then that go; each in the order of the peers */
    char *memory;
    int64_t *starts;      /* of each message in the memory, and the end of all */
    Hp5Request *requests;
    Hp5Account *account;  /* NULL: of nothing special */
} Hp5Picks;

/* By all processes of `parent`: makes the picks from what was touched in this one, whose bits are used up. `tag`: of their messages; they are
 * counted in `account`. */
void hp5_picks_create(Hp5Picks *picks, const Hp5TaskRun *run, Hp5Movement movement, Hp5Holders holders, const Hp5Lpu *parent, Hp5Touched *touched, int tag,
                      Hp5Account *account);
void hp5_picks_free(Hp5Picks *picks);
void hp5_picks_start(Hp5Picks *picks, const Hp5TaskRun *run);
void hp5_picks_finish(Hp5Picks *picks, const Hp5TaskRun *run);
/* Before an inspector looks at an array: what a card has of it comes to the host's stores. */
void hp5_picks_look(Hp5TaskRun *run, int array);
#endif
