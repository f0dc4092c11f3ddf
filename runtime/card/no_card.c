/* Tasks on cards without a card, for --predict: arrays go to and fro by the rules of those that run (resident.c, image.c), through a driver that
 * makes no copies, which are counted as they always are (cargo.c). */
#include "runtime/card/no_card.h"
#include "runtime/report/memory.h"
#include "runtime/run/private.h"

static bool predicts;

/* ---- The driver --------------------------------------------------------------------------------------------------- */
/* An address of its own. */
static const char *allocate(void **memory, int64_t bytes, bool shared) {
    (void)bytes, (void)shared;
    *memory = hp5_alloc(1, "a predicted card");
    return NULL;
}
static void release(void *memory, bool shared) {
    (void)shared;
    hp5_free(memory);
}

static const char *give(void *card, const void *host, int64_t bytes) {
    (void)card, (void)host, (void)bytes;
    return NULL;
}
static const char *take(void *host, const void *card, int64_t bytes) {
    (void)card, (void)host, (void)bytes;
    return NULL;
}
static const char *copy(void *to, const void *from, int64_t bytes) {
    (void)to, (void)from, (void)bytes;
    return NULL;
}
static const char *clear(void *card, int64_t bytes) {
    (void)card, (void)bytes;
    return NULL;
}

static const char *settle(void) { return NULL; }

static const char *make_desk(Hp5CardDesk **host, Hp5CardDesk **card) {
    *host = *card = hp5_alloc_zeroed(sizeof **host, "a predicted card");
    return NULL;
}
static void forget_desk(Hp5CardDesk *host) { hp5_free(host); }

/* No kernel runs: what it would ask for is not here. */
static const Hp5CardDriver driver = {.allocate = allocate, .release = release, .give = give, .take = take, .copy = copy, .clear = clear, .settle = settle, .desk = make_desk,
                                     .forget = forget_desk};

/* ---- The interface ------------------------------------------------------------------------------------------------ */
void hp5_card_predict(void) { predicts = true; }

bool hp5_card_is_predicted(void) { return predicts; }

const Hp5CardDriver *hp5_card_driver(const Hp5CardTask *task) { return predicts ? &driver : task->driver; }

enum { BLOCK_THREADS = 1024 /* of every card that programs run on */ };

Hp5CardLimits hp5_no_card_limits(const Hp5TaskDesc *desc) {
    return (Hp5CardLimits){.multiprocessors = (int)desc->machine_levels[desc->card->first_level + 1].count, .block_threads = BLOCK_THREADS};
}

int hp5_no_card_blocks(const Hp5TaskDesc *desc, int threads) {
    const int warps = (int)desc->machine_levels[desc->card->first_level + 2].count, each = warps * HP5_WARP_THREADS / threads;
    return (int)desc->machine_levels[desc->card->first_level + 1].count * (each > 1 ? each : 1);
}
