/* A run's records in a card's memory (image.c), for the runtime's own files. */
#ifndef HP5_RUNTIME_CARD_IMAGE_H
#define HP5_RUNTIME_CARD_IMAGE_H
#include "runtime/card/card.h"

struct Hp5TaskRun;
typedef struct Hp5Image Hp5Image;

/* Which side has the newest elements of a store that lies on both; HP5_BOTH_ZEROS: both shall have zeros, of which the card knows nothing yet. */
typedef enum { HP5_BOTH_SIDES, HP5_HOST_SIDE, HP5_CARD_SIDE, HP5_BOTH_ZEROS } Hp5Side;

/* Where a store's elements are: version k of the host's lies at memory[k], which begins as base + at + k * step in the image's memory for elements; or, where
 * the item stays on the card (resident.c), it is memory of its own, of which the item has that of the current version. Versions change places with epochs. */
typedef struct Hp5ImageStore {
    Hp5Store *host;
    bool stays, shared, passes; /* shared: in memory of the host (HP5_ZCMEM); passes: there for the length of an execution (HP5_SYSMEM) */
    Hp5Side newest;             /* of what does not stay: sides.c */
    char *memory[HP5_MAX_VERSIONS];
    int64_t at, step;
    int64_t record;   /* of the image: the card's Hp5Store */
    int64_t entry;    /* 1 + the place in the list of its `entry`; 0: it has none */
} Hp5ImageStore;

/* All that follows from the run's geometry, for a grid of so many blocks and warps; memory of the card comes from the task's driver. */
Hp5Image *hp5_image_create(struct Hp5TaskRun *run, const Hp5CardTask *task, int blocks, int warps);
/* What brings parts while the kernel runs, or NULL. */
struct Hp5Batches *hp5_image_batches(const Hp5Image *image);
/* The clock of executions from now on, in the card's memory. */
void hp5_image_use_clock(Hp5Image *image, Hp5CardClock *clock);
void hp5_image_free(Hp5Image *image);
/* Around an execution, before elements go there and behind those that come back: the card has memory for them. */
void hp5_image_begin(Hp5Image *image);
void hp5_image_end(Hp5Image *image);
/* Before an execution: scalars and values, with all versions of stores where they were in the beginning. They travel with the launch. `returns`: they come back
 * behind the kernel, too, for hp5_image_returned. */
Hp5CardRecords hp5_image_give(Hp5Image *image, bool returns);
void hp5_image_returned(Hp5Image *image);
/* The same, at once: scalars, and where the card has the stores' versions. */
void hp5_image_take(Hp5Image *image);
/* place_tables.c: bytes of one version of a store in the card's memory: of slices that come and go there is room for some. */
int64_t hp5_card_store_bytes(const struct Hp5TaskRun *run, const Hp5Store *store);
/* Ends the program where the card has no room for a box that begins there. */
void hp5_card_check_box(const struct Hp5TaskRun *run, const Hp5Store *store, int64_t offset, const int64_t *count);
/* Where slices lie that have come since the last time. */
void hp5_image_give_tables(Hp5Image *image);
/* The stores; which version of the host's the card has as its current one. */
int64_t hp5_image_stores(const Hp5Image *image, Hp5ImageStore **stores);
Hp5ImageStore *hp5_image_store(const Hp5Image *image, const Hp5Store *host); /* NULL: nobody has it on the card */
int hp5_image_current(const Hp5Image *image, const Hp5ImageStore *store);
Hp5CardRun *hp5_image_run(const Hp5Image *image);
/* Where the kernel and the host meet, as the host sees it and the card. */
Hp5CardDesk *hp5_image_desk(const Hp5Image *image, Hp5CardDesk **of_card);

/* Bytes that an exchange of padding copies in an LPU. */
int64_t hp5_image_exchanged(const Hp5Image *image, int exchange, const Hp5Lpu *parent);
/* card.c: of a run that has been prepared for the card. */
Hp5Image *hp5_card_image(const struct Hp5TaskRun *run);

/* ---- While the kernel runs (calls.c) ---- */
/* Scalars and values that the host has changed, and nothing else. */
void hp5_image_give_scalars(Hp5Image *image);
/* As the image was taken last: where the card has a version of a store's elements; the host's place of a scalar of the card's; a reduction's results, in the
 * card's memory. */
char *hp5_image_version(const Hp5Image *image, const Hp5Store *host, int lag);
void *hp5_image_scalar(const Hp5Image *image, const void *of_card);
/* The Strings of a value of the host's, by number from 0 on; NULL: there are no more. */
const char **hp5_image_text_in(const Hp5Image *image, const void *value, int64_t bytes, int number);
Hp5CardSite hp5_image_site(const Hp5Image *image, int site);
#endif
