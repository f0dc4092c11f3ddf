/* Data items and environments. An item is one array or scalar; environments name items, several
 * may name one. An item goes when no environment names it, unless a coordinator variable may. */
#include "compiler/interpret/internal.h"
#include "runtime/io/files.h"
#include "runtime/report/error.h"
#include <string.h>

Environment *environment_new(Machine *m, const Task *task) {
    Environment *environment = ARENA_NEW(m->arena, Environment);
    environment->task = task;
    environment->items = ARENA_ARRAY(m->arena, Item *, task->globals.count + 1);
    environment->next = m->environments;
    m->environments = environment;
    return environment;
}

void environment_bind(Environment *environment, const Var *var, Item *item) {
    Item **slot = &environment->items[var->id];
    item->references++;
    if (*slot != NULL) (*slot)->references--;
    *slot = item;
}

Item *item_new(Machine *m, Type *type) {
    Item *item = hp5_alloc_zeroed(sizeof *item, "a data item");
    item->type = type;
    item->what = "array";
    item->next = m->items;
    m->items = item;
    if (type->kind != TYPE_ARRAY) item->data = hp5_alloc_zeroed((int64_t)memory_size(m, type), "a scalar");
    return item;
}

void item_set_extents(Machine *m, Item *item, const int64_t *min, const int64_t *max) {
    int rank = item->type->rank;
    for (int d = 0; d < rank; d++) item->sets[d] = hp5_interval(min[d], max[d] + 1);
    size_t size = memory_size(m, item->type->element);
    storage_init(&item->storage, item->sets, rank, size, 1, item->what);
    item->data = item->storage.data[0];
    item->part = (Part){.element = item->type->element, .size = size, .rank = rank, .sets = item->sets,
                        .core = item->sets, .owned = item->sets, .storage = &item->storage};
}

void item_load(Machine *m, Item *item, Span span) {
    if (item->data != NULL) return;
    int rank = item->type->rank;
    const Hp5Element *element = memory_element(m, item->type->element, span);
    Hp5NpyReader *reader = hp5_npy_open(item->path, item->what, element, rank);
    int64_t min[MAX_RANK] = {0}, max[MAX_RANK], extents[MAX_RANK];
    for (int d = 0; d < rank; d++) {
        extents[d] = hp5_npy_extents(reader)[d];
        max[d] = extents[d] - 1;
    }
    item_set_extents(m, item, min, max);
    if (item->storage.count > 0) hp5_npy_read_box(reader, min, extents, item->data, item->storage.stride);
    hp5_npy_close(reader);
}

void item_write(Machine *m, Item *item, const char *path, const char *what, Span span) {
    item_load(m, item, span);
    for (Item *other = m->items; other != NULL; other = other->next) /* --in-place: what is about to be replaced */
        if (other->path != NULL && other->data == NULL && hp5_same_file(other->path, path)) item_load(m, other, span);
    int rank = item->type->rank;
    const Hp5Element *element = memory_element(m, item->type->element, span);
    int64_t origin[MAX_RANK] = {0}, extents[MAX_RANK];
    for (int d = 0; d < rank; d++) extents[d] = item->sets[d].end - item->sets[d].begin;
    Hp5NpyWriter *writer = hp5_npy_create(path, what, element, rank, extents);
    if (item->storage.count > 0) hp5_npy_write_box(writer, origin, extents, item->data, item->storage.stride);
    hp5_npy_finish(writer);
}

static void item_free(Item *item) {
    if (item->type->kind != TYPE_ARRAY) hp5_free(item->data);
    else if (item->data != NULL) storage_free(&item->storage);
    hp5_free(item);
}

void items_collect(Machine *m) {
    for (Item **link = &m->items; *link != NULL;) {
        Item *item = *link;
        if (item->references > 0 || item->pinned) {
            link = &item->next;
            continue;
        }
        *link = item->next;
        item_free(item);
    }
}

void items_free(Machine *m) {
    while (m->items != NULL) {
        Item *item = m->items;
        m->items = item->next;
        item_free(item);
    }
}
