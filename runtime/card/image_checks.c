/* What checked builds look at on a card (checking.h): stamps of its threads, and who wrote each element last, in memory of its own, which is zeros
 * before each execution. */
#include "runtime/card/image_private.h"
#include "runtime/run/private.h"
#include "runtime/run/session.h"
#include <string.h>

/* ---- LPUs that stand for others -------------------------------------------------------------------------------------------- */

typedef struct InFirst {
    const Hp5TaskDesc *desc;
    int64_t *flat;
} InFirst;

static void note_in_first(Hp5Lpu *lpu, void *data) {
    const InFirst *in_first = data;
    in_first->flat[lpu->flat] = hp5_in_first_round(in_first->desc, lpu)->flat;
}

/* The LPS, or one above it, is walked in rounds. */
static bool has_rounds(const Hp5TaskDesc *desc, int lps) {
    while (lps > 0 && !desc->lpses[lps].sub_partition) lps = desc->lpses[lps].parent;
    return lps > 0;
}

void hp5_image_put_checks(Hp5Image *image) {
    const Hp5TaskDesc *desc = image->run->desc;
    const int64_t lists = hp5_image_put(image, NULL, desc->lps_count * (int64_t)sizeof(int64_t *));
    image->checks_record = hp5_image_put(image, NULL, sizeof(Hp5CardChecks));
    hp5_image_point(image, MEMBER(Hp5CardRun, 0, checks), image->checks_record);
    hp5_image_point(image, MEMBER(Hp5CardChecks, image->checks_record, in_first), lists);
    for (int x = 0; x < desc->lps_count; x++) {
        const int64_t bytes = (image->run->hidden->geometry.shapes[x].lpus + 1) * (int64_t)sizeof(int64_t);
        if (!has_rounds(desc, x)) continue;
        InFirst in_first = {desc, hp5_alloc_zeroed(bytes, "records for a card")};
        hp5_each_lpu(image->run, x, note_in_first, &in_first);
        hp5_image_point(image, lists + x * (int64_t)sizeof(int64_t *), hp5_image_put(image, in_first.flat, bytes));
        hp5_free(in_first.flat);
    }
}

/* ---- Memory of the card ---------------------------------------------------------------------------------------------------- */

/* Only what stages write has writers; what a copy had when it was filled (its `entry`) is a store that they do not know. */
static int64_t writers_of(const Hp5Image *image, int64_t place) {
    const Hp5Store *host = image->stores[place].host;
    const bool written = image->run->desc->written == NULL || image->run->desc->written[host->array];
    return written && image->store_places[host->number] == place + 1 ? hp5_card_store_bytes(image->run, host) / (int64_t)host->element_size : 0;
}

static void set_address(Hp5Image *image, int64_t place, const char *address) { memcpy(image->bytes + place, &address, sizeof address); }

void hp5_image_take_checks(Hp5Image *image, int warps) {
    const int64_t newest = 1 + 2 * (int64_t)warps, threads = (int64_t)warps * HP5_WARP_THREADS; /* at most as many blocks as warps */
    int64_t words = newest + (threads + 1) / 2;
    void *memory;
    if (image->checks_record == 0) return;
    for (int64_t i = 0; i < image->store_count; i++) words += writers_of(image, i);
    image->checks_bytes = words * (int64_t)sizeof(uint64_t);
    const char *error = image->driver->allocate(&memory, image->checks_bytes, false);
    if (error != NULL)
        hp5_fail(HP5_EXIT_FAILURE, "task \"%s\": the card has no memory for checks of writes, which take %lld bytes: %s", image->run->desc->name, (long long)image->checks_bytes, error);
    char *at = image->checks = memory;
    set_address(image, MEMBER(Hp5CardChecks, image->checks_record, newest), at);
    at += newest * (int64_t)sizeof(uint64_t);
    set_address(image, MEMBER(Hp5CardChecks, image->checks_record, stamps), at);
    at += (threads + 1) / 2 * (int64_t)sizeof(uint64_t);
    for (int64_t i = 0; i < image->store_count; i++) {
        if (writers_of(image, i) == 0) continue;
        set_address(image, MEMBER(Hp5Store, image->stores[i].record, writers), at);
        at += writers_of(image, i) * (int64_t)sizeof(uint64_t);
    }
}

const char *hp5_image_clear_checks(const Hp5Image *image) {
    image->desk->stamp = 0;
    return image->checks == NULL ? NULL : image->driver->clear(image->checks, image->checks_bytes);
}
