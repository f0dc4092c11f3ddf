/* An image while it is built (image.c, image_moves.c, image_checks.c, image_records.c). */
#ifndef HP5_RUNTIME_CARD_IMAGE_PRIVATE_H
#define HP5_RUNTIME_CARD_IMAGE_PRIVATE_H
#include "runtime/card/batches.h"
#include "runtime/card/image.h"
#include <stddef.h>

typedef struct Hp5ImageScalars {
    void *host;
    int64_t at, bytes;
    int lps;
} Hp5ImageScalars;
typedef struct Hp5ImageText Hp5ImageText;
/* Of an array: place of its list of Hp5CardPlaces, and of its table of the slowest dimension; 0: there is none. */
typedef struct Hp5ImagePlaces {
    int64_t at, slowest;
} Hp5ImagePlaces;

/* The record that an LPU's views have of an array in place of a store's, if it has one (image_batches.c), and those of LPUs below it that would point to that store. */
typedef struct Hp5ImageHere {
    const Hp5Store *base;
    int64_t record;
} Hp5ImageHere;

struct Hp5Image {
    struct Hp5TaskRun *run;
    const Hp5CardDriver *driver;
    char *bytes;              /* the image */
    int64_t used, capacity;
    int64_t *pointers, pointer_count, pointer_capacity; /* places of the image that hold pointers into it */
    Hp5ImageStore *stores;
    int64_t store_count, store_capacity;
    Hp5ImageScalars *scalars;
    int64_t scalar_count, scalar_capacity;
    Hp5ImagePlaces *places;   /* by array */
    int64_t *fields;          /* by array: place of its Hp5Element, where fields lie apart; 0: none yet */
    int64_t *store_places;    /* by a store's number: 1 + its place in `stores`; 0: not there yet */
    int64_t changing, values, stores_begin, stores_end; /* where what executions change begins; the task's values, and scalars; stores */
    int64_t limits;           /* place of the Hp5CardLimits; 0: there are none */
    int64_t globals_size, element_bytes, shared_bytes, passing_bytes;
    int64_t widest;           /* LPUs of the largest grid, other processes' included */
    char *card, *elements;    /* the card's memory */
    char *staging;            /* memory of the host from which what changes travels, and to which it comes back; NULL: it does not, for predictions */
    char *passing;            /* … for the length of an execution */
    char *shared;             /* the host's, for elements; NULL: no array lies there */
    int64_t checks_record, checks_bytes; /* place of the Hp5CardChecks; 0: no checked build */
    char *checks;             /* in the card's memory, too */
    Hp5ImageText *texts;      /* Strings in values, which both sides know (image_texts.c) */
    int64_t text_count, text_capacity, texts_used, texts_room;
    char *texts_on_card;
    Hp5CardDesk *desk, *desk_of_card; /* as the host and the card see it */
    Hp5Batches *batches;      /* NULL: no parts come */
    int64_t *parts;           /* of each batch: place of its list of Hp5CardPart; 0: it does not come */
    Hp5ImageHere *here;       /* by array, of the LPU that is being put */
};

/* A copy of `bytes` bytes (NULL: zeros) in the image: its place. */
int64_t hp5_image_put(Hp5Image *image, const void *data, int64_t bytes);
/* The pointer at `place` points to `target`, another place. */
void hp5_image_point(Hp5Image *image, int64_t place, int64_t target);
/* The pointer at `place` points to the record of the store of that number. */
void hp5_image_point_store(Hp5Image *image, int64_t place, int64_t number);
#define MEMBER(type, place, member) ((place) + (int64_t)offsetof(type, member))

/* place_tables.c, when the stores are known. */
void hp5_image_put_tables(Hp5Image *image);
/* image_moves.c: lists of Hp5CardExchange and of Hp5CardSite, and what they point to. */
int64_t hp5_image_put_exchanges(Hp5Image *image);
int64_t hp5_image_put_sites(Hp5Image *image);
/* image_checks.c, of a checked build: what is known of LPUs; memory for a grid of so many warps, when the records of all stores lie in the image; its zeros,
 * for an execution. */
void hp5_image_put_checks(Hp5Image *image);
void hp5_image_take_checks(Hp5Image *image, int warps);
const char *hp5_image_clear_checks(const Hp5Image *image);
/* image_batches.c: lists of parts, before LPUs; the record that an LPU's view points to in place of its store's, or 0. */
void hp5_image_put_batches(Hp5Image *image);
int64_t hp5_image_put_part(Hp5Image *image, const Hp5Lpu *lpu, int lps, int array, const Hp5View *view);
/* image_records.c: memory for what travels with launches, when the image is complete. */
void hp5_image_take_staging(Hp5Image *image);
/* image_texts.c: Strings of the values in the image, which are the host's, become the card's; the other way round. runs: the kernel does. */
void hp5_image_give_texts(Hp5Image *image, bool runs);
void hp5_image_take_texts(Hp5Image *image);
void hp5_image_free_texts(Hp5Image *image);
#endif
