/* A card as its crews see it, for the files that predict tasks there: crew.c (what cost functions tell), crew_flow.c (what flows tell), card.c (the
 * machine, all crews one after the other, and what is printed). */
#ifndef HP5_RUNTIME_PREDICT_CREWS_H
#define HP5_RUNTIME_PREDICT_CREWS_H
#include "runtime/card/card.h"
#include "runtime/predict/predict.h"

enum { HP5_TIERS = HP5_LANE_TIER + 1 };

/* What is shared is divided among those that have it at the same time. */
typedef struct Hp5Crews {
    const Hp5CardTask *task;
    Hp5CostMachine card, host;       /* host: one thread of it, for stages that the card asks for; its levels end above the card */
    double multiprocessors, warps;   /* that take part */
    double block_warps;
    double crew_warps[HP5_TIERS];
    double memory, link;             /* of a multiprocessor: bytes; bytes a second from the card's memory while all others want some, too. 0: not stated */
    double warp_link;                /* bytes a second from there to all its warps together */
    double warp_rate;                /* cycles a second of these */
    double wait[HP5_TIERS];          /* seconds of a wait of all threads of a crew */
    double least_warps;              /* so many have that rate between them, and no fewer */

    /* The call in progress */
    Hp5Tier tier;
    double working, working_on;      /* warps of crews that have an LPU at the same time; multiprocessors that these are on */
    Hp5CrewManner manner;
    unsigned shared;
    int from;                        /* the first loop that `shared` and `manner` are about */
    bool inside, waited;             /* between begin and end; nothing has happened since all threads waited */

    /* The crew in progress, and the most of any: waits outside of stages, seconds of these and of copies there; bytes */
    double waits[HP5_TIERS], seconds, copied;
    double most_waits[HP5_TIERS], most_seconds, all_copied;
} Hp5Crews;

/* crew.c: the LPUs of an LPS are run from now on. */
void hp5_crew_enters(Hp5Crews *crews, const Hp5TaskRun *run, int lps);
/* A crew's share of what multiprocessors have together, each so much. */
static inline double hp5_crew_share(const Hp5Crews *crews, double each) { return each * crews->working_on * crews->crew_warps[crews->tier] / crews->working; }
/* card.c: what the run's task would take on blocks of so many threads, into the costs of its first worker. */
void hp5_predict_card(Hp5TaskRun *run, void (*flow)(Hp5Worker *worker), int blocks, int threads);
/* The line above the table; what stands below it, and the seconds of all. */
void hp5_predict_card_head(const Hp5TaskRun *run);
double hp5_predict_card_rest(const Hp5TaskRun *run);
#endif
