/* What messages are for: how many are planned for each purpose and how many are sent, and how long processes wait for them
 * (--report=comm). For tests, each planned message (HP5_PLAN=FOLDER: one file of each process; tests/mpi/watched.py reads them).
 *
 * The plan is what a pattern says, by formula, at both ends; what is sent is counted where messages start. Both are for the purpose
 * that the calling thread has at that moment. All functions may be called by any thread. */
#ifndef HP5_RUNTIME_ACCOUNTS_H
#define HP5_RUNTIME_ACCOUNTS_H
#include "runtime/comm/comm.h"
#include <stdatomic.h>

/* Of one process. What it receives others send. */
typedef struct Hp5Account {
    struct Hp5Account *next;
    const void *of; /* what it is the account of, with `number`: nobody else's */
    int number;
    const char *task, *source; /* NULL: no task's */
    char *what;
    int line; /* 0: none */
    _Atomic int64_t times, planned_messages, planned_bytes, messages, bytes;
    _Atomic int64_t needed; /* bytes of different elements that come; less than planned where some come twice. -1: not known */
    _Atomic int64_t waits, waited; /* waited: nanoseconds */
    /* Of a product of matrices: how often multiply-add is done, in all; of one time: bytes of its arrays' elements that the process works
     * on, elements of the result among them, and the bytes of one. */
    _Atomic double work;
    _Atomic int64_t worked_on, kept, element;
} Hp5Account;

/* The account of `of` and `number`; made at the first call, which all processes make in the same order. `what` is copied. */
Hp5Account *hp5_account_open(const void *of, int number, const char *task, const char *source, int line, const char *what);
/* From now on the thread's messages and waits are for this; NULL: for nothing special. Returns what they were for before. */
Hp5Account *hp5_account_use(Hp5Account *account);
/* It happens once more. */
void hp5_account_happens(Hp5Account *account, int64_t needed);
/* By comm.c: a message that starts; a wait. */
void hp5_account_sent(int64_t bytes);
void hp5_account_waited(double seconds);
/* Frees them; by hp5_comm_end. */
void hp5_accounts_free(void);
/* All accounts of the process, the one for nothing special first. */
const Hp5Account *hp5_accounts(void);
/* Whether there will be a report: what costs time is counted for it alone. */
void hp5_accounts_want_report(void);
bool hp5_accounts_are_wanted(void);

/* ---- The plan ---------------------------------------------------------------------------------------- */
/* Begins and ends the process's file. */
void hp5_plan_begin(void);
void hp5_plan_end(void);
/* Whether plans are compared, and written down. */
bool hp5_plan_is_checked(void);
/* This process is going to send or receive a message of the program. */
void hp5_plan_message(bool receives, int peer, int tag, int64_t bytes);
/* The same between members of a group, and what a group does together (comm.h). root: the member's place, where there is one. */
typedef enum { HP5_GROUP_LEAST, HP5_GROUP_BROADCAST, HP5_GROUP_GATHER, HP5_GROUP_GATHER_ALL } Hp5GroupKind;
void hp5_plan_tell(bool receives, int peer, int tag, int64_t bytes);
void hp5_plan_group(Hp5GroupKind kind, Hp5Peers peers, int place, int root, int tag, int64_t bytes);
#endif
