/* What executions change of an image, scalars, values and where versions of stores lie: to the card and back. It travels with the launch, from memory of the host that the card's copy
 * engines read by themselves, and back to it; or, while a kernel runs that has called the host, at once. */
#include "runtime/card/cargo.h"
#include "runtime/card/image_private.h"
#include "runtime/card/no_card.h"
#include "runtime/run/private.h"
#include <string.h>

static void check(const Hp5Image *image, const char *error, const char *what) {
    if (error != NULL) hp5_fail(HP5_EXIT_FAILURE, "task \"%s\": %s failed on the card: %s", image->run->desc->name, what, error);
}

void hp5_image_take_staging(Hp5Image *image) {
    void *memory = NULL;
    if (!hp5_card_is_predicted()) check(image, image->driver->allocate(&memory, image->used - image->changing, true), "taking memory of the host for records");
    image->staging = memory;
}

/* Into the image, from where the host has them; runs: the kernel does. */
static void note_scalars(Hp5Image *image, bool runs) {
    memcpy(image->bytes + image->values, image->run->globals, (size_t)image->globals_size);
    for (int64_t i = 0; i < image->scalar_count; i++)
        memcpy(image->bytes + image->scalars[i].at, image->scalars[i].host, (size_t)image->scalars[i].bytes);
    hp5_image_give_texts(image, runs);
}

static Hp5CardLimit *limit_of(const Hp5Image *image, int lps) { return (Hp5CardLimit *)(void *)(image->bytes + image->limits) + lps; }

Hp5CardRecords hp5_image_give(Hp5Image *image, bool returns) {
    char *strays;
    memcpy(&strays, image->bytes + MEMBER(Hp5CardRun, 0, strays), sizeof strays);
    memcpy(image->bytes + (strays - image->card), image->run->strays, (size_t)image->run->desc->gather_groups);
    note_scalars(image, false);
    for (int x = 0; image->limits > 0 && x < image->run->desc->lps_count; x++)
        *limit_of(image, x) = (Hp5CardLimit){.places = (unsigned long long)image->run->desc->limits[x]};
    for (int64_t i = 0; i < image->store_count; i++)
        for (int k = 0; k < image->stores[i].host->versions; k++) {
            const char *address = image->stores[i].memory[k];
            memcpy(image->bytes + MEMBER(Hp5Store, image->stores[i].record, version) + k * (int64_t)sizeof address, &address, sizeof address);
        }
    check(image, hp5_image_clear_checks(image), "clearing checks of writes");
    check(image, hp5_card_settle_rows(image->driver), "copying elements");
    const int64_t bytes = image->used - image->changing;
    if (image->staging != NULL) memcpy(image->staging, image->bytes + image->changing, (size_t)bytes);
    hp5_card_count(false, HP5_CARGO_RECORDS, bytes);
    return (Hp5CardRecords){image->card + image->changing, image->staging, bytes, returns ? image->stores_end - image->changing : 0};
}

void hp5_image_give_scalars(Hp5Image *image) {
    note_scalars(image, true);
    check(image, hp5_card_give(image->driver, HP5_CARGO_RECORDS, image->card + image->values, image->bytes + image->values, image->stores_begin - image->values), "copying scalars");
}

/* To where the host has them. */
static void note_results(Hp5Image *image) {
    hp5_image_take_texts(image);
    for (int64_t i = 0; i < image->scalar_count; i++)
        memcpy(image->scalars[i].host, image->bytes + image->scalars[i].at, (size_t)image->scalars[i].bytes);
    memcpy(image->run->globals, image->bytes + image->values, (size_t)image->globals_size);
    for (int x = 0; image->limits > 0 && x < image->run->desc->lps_count; x++) hp5_limit_reached(image->run, x, (int64_t)limit_of(image, x)->most);
}

void hp5_image_take(Hp5Image *image) {
    check(image, hp5_card_take(image->driver, HP5_CARGO_RECORDS, image->bytes + image->changing, image->card + image->changing, image->stores_end - image->changing), "copying values back");
    note_results(image);
}

void hp5_image_returned(Hp5Image *image) {
    const int64_t bytes = image->stores_end - image->changing;
    if (image->staging != NULL) memcpy(image->bytes + image->changing, image->staging, (size_t)bytes);
    hp5_card_count(true, HP5_CARGO_RECORDS, bytes);
    note_results(image);
}
