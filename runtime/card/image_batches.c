/* Parts of LPUs that come to the card for a visit (batches.c), in a run's records: where they lie then, and the records of stores that stages find them by. */
#include "runtime/card/image_private.h"
#include "runtime/run/run.h"
#include "runtime/report/memory.h"
#include <string.h>

void hp5_image_put_batches(Hp5Image *image) {
    const Hp5CardTask *task = image->run->desc->card;
    if (image->batches == NULL) return;
    const int64_t table = hp5_image_put(image, NULL, task->batch_count * (int64_t)sizeof(Hp5CardBatch));
    image->parts = hp5_alloc_zeroed(task->batch_count * (int64_t)sizeof *image->parts, "records for a card");
    for (int i = 0; i < task->batch_count; i++) {
        const int64_t at = table + i * (int64_t)sizeof(Hp5CardBatch);
        Hp5CardBatch batch;
        if (!hp5_batch_comes(image->batches, i, &batch)) continue;
        memcpy(image->bytes + at, &batch, sizeof batch);
        image->parts[i] = hp5_image_put(image, NULL, batch.count * (int64_t)sizeof(Hp5CardPart));
        hp5_image_point(image, MEMBER(Hp5CardBatch, at, parts), image->parts[i]);
    }
    Hp5BatchDesk *const desk = hp5_batches_desk(image->batches);
    memcpy(image->bytes + MEMBER(Hp5CardRun, 0, batch_desk), &desk, sizeof desk);
    memcpy(image->bytes + MEMBER(Hp5CardRun, 0, batch_count), &task->batch_count, sizeof task->batch_count);
    hp5_image_point(image, MEMBER(Hp5CardRun, 0, batches), table);
}

int64_t hp5_image_put_part(Hp5Image *image, const Hp5Lpu *lpu, int lps, int array, const Hp5View *view) {
    Hp5ImageHere *here = &image->here[array];
    const int which = hp5_batch_of(image->batches, lps, array);
    if (which < 0) return here->base == view->store ? here->record : 0;
    const Hp5CardPart part = hp5_batch_part(image->batches, which, lpu);
    const int64_t at = image->parts[which] + lpu->flat * (int64_t)sizeof part;
    memcpy(image->bytes + at, &part, sizeof part);
    hp5_image_point_store(image, MEMBER(Hp5CardPart, at, base), view->store->number);
    if (hp5_batch_is_own(image->batches, which)) {
        hp5_image_point_store(image, MEMBER(Hp5CardPart, at, here), view->store->number);
        return 0;
    }
    *here = (Hp5ImageHere){view->store, hp5_image_put(image, NULL, sizeof(Hp5Store))};
    hp5_image_point(image, MEMBER(Hp5CardPart, at, here), here->record);
    return here->record;
}
