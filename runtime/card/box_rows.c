/* A box in two dimensions, as the copy engine takes it: of more dimensions there are rows for each index of the others, and where fields lie apart
 * there are those of each field. */
#include "runtime/card/box_rows.h"
#include "runtime/store/elements.h"

/* The dimension along which both have neighbours side by side; -1: there is none. */
static int fast_dimension(const Hp5Store *here, const Hp5Store *there) {
    int fast = -1;
    for (int d = 0; d < here->rank; d++)
        if (here->stride[d] == 1 && there->stride[d] == 1) fast = d;
    return fast;
}

bool hp5_boxes_are_alike(const Hp5Store *here, const Hp5Store *there) {
    return (here->fields == NULL) == (there->fields == NULL) && fast_dimension(here, there) >= 0;
}

typedef struct Walk {
    const Hp5BoxSide *here, *there;
    const int64_t *count;
    int fast, slow; /* dimensions: of the elements of a row, of the rows that go together; slow < 0: there is one row */
    int64_t size, at_here, at_there; /* of an element, or of the field that these are; where it begins in each version */
    void (*visit)(const Hp5Rows *rows, void *data);
    void *data;
} Walk;

/* All dimensions but the two, one after the other. */
static void walk_rows(const Walk *walk) {
    const Hp5Store *here = walk->here->store, *there = walk->there->store;
    const int64_t width = walk->count[walk->fast] * walk->size;
    Hp5Rows rows = {.here_pitch = width, .there_pitch = width, .width = width, .rows = 1};
    int64_t at[HP5_MAX_RANK] = {0};
    int d = 0;
    if (walk->slow >= 0) {
        rows.rows = walk->count[walk->slow];
        rows.here_pitch = here->stride[walk->slow] * walk->size;
        rows.there_pitch = there->stride[walk->slow] * walk->size;
    }
    while (d < here->rank) {
        int64_t place_here = walk->here->offset, place_there = walk->there->offset;
        for (int i = 0; i < here->rank; i++) {
            place_here += at[i] * here->stride[i];
            place_there += at[i] * there->stride[i];
        }
        rows.here = walk->here->memory + walk->at_here + place_here * walk->size;
        rows.there = walk->there->memory + walk->at_there + place_there * walk->size;
        walk->visit(&rows, walk->data);
        for (d = 0; d < here->rank; d++) {
            if (d == walk->fast || d == walk->slow) continue;
            if (++at[d] < walk->count[d]) break;
            at[d] = 0;
        }
    }
}

void hp5_each_rows(const Hp5BoxSide *here, const Hp5BoxSide *there, const int64_t *count, void (*visit)(const Hp5Rows *rows, void *data), void *data) {
    const Hp5Store *store = here->store;
    Walk walk = {.here = here, .there = there, .count = count, .fast = fast_dimension(store, there->store), .slow = -1, .size = (int64_t)store->element_size,
                 .visit = visit, .data = data};
    for (int d = 0; d < store->rank; d++) {
        if (count[d] == 0) return;
        if (d != walk.fast && count[d] > 1 && (walk.slow < 0 || store->stride[d] < store->stride[walk.slow])) walk.slow = d;
    }
    if (store->fields == NULL) walk_rows(&walk);
    for (int f = 0; store->fields != NULL && f < store->fields->field_count; f++) {
        const Hp5Field *field = &store->fields->fields[f];
        walk.size = (int64_t)hp5_field_size(field);
        walk.at_here = store->capacity * (int64_t)field->offset;
        walk.at_there = there->store->capacity * (int64_t)field->offset;
        walk_rows(&walk);
    }
}
