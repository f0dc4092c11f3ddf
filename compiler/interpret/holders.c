/* Copies of padded parts, and epochs. On entering an LPS each LPU that has copies of its own
 * gets the latest content of its padded part from the holder above, in all versions. On leaving,
 * the unpadded part goes back. Of an element that several LPUs hold unpadded (replication) counts what the one has that has
 * changed it; if none has, what the one has whose Epochs have advanced it most often. What an LPU has not touched stays as it is
 * above: it may take part in nothing while others that hold the same elements do. */
#include "compiler/interpret/internal.h"
#include "runtime/report/error.h"
#include <string.h>

/* The storage that a part is a copy of, or works in. */
static Storage *above(const Lpu *lpu, size_t global) { return lpu->parent->held[global]->storage; }

/* ---- Entering -------------------------------------------------------------------- */

typedef struct Copy {
    const Part *part;
    Storage *from, *to;
    int became; /* on leaving: the elements that go back now */
    Machine *m; /* with the LPU and the number of this leaving */
    const Lpu *lpu;
    uint32_t number;
    Span span;
} Copy;

static void copy_in_row(const int64_t *index, int64_t length, void *data) {
    const Copy *copy = data;
    int rank = copy->part->rank;
    size_t size = copy->part->size;
    size_t from = (size_t)storage_position(copy->from, rank, index) * size;
    size_t to = (size_t)storage_position(copy->to, rank, index) * size;
    for (int v = 0; v < copy->to->versions; v++)
        memcpy(copy->to->data[v] + to, copy->from->data[v] + from, (size_t)length * size);
}

void holders_enter(Machine *m, LpuList lpus) {
    for (size_t i = 0; i < lpus.count; i++) {
        Lpu *lpu = lpus.items[i];
        for (size_t k = 0; k < lpu->lps->vars.count; k++) {
            const Var *var = lpu->lps->vars.items[k].var;
            if (!var_is_array(var)) continue;
            Part *part = lpu->held[var->id];
            if (!part->own) {
                part->storage = above(lpu, (size_t)var->id);
                continue;
            }
            if (part->storage->data == NULL) {
                storage_init(part->storage, part->sets, part->rank, part->size, var->versions, var->name);
                part->storage->dirty = hp5_alloc_zeroed(part->storage->count + 1, var->name);
            }
            memset(part->storage->dirty, 0, (size_t)part->storage->count);
            Copy copy = {.part = part, .from = above(lpu, (size_t)var->id), .to = part->storage};
            sets_each_row(part->sets, part->rank, copy_in_row, &copy);
        }
    }
    (void)m;
}

/* ---- Leaving ------------------------------------------------------------------------ */

/* Only one of the LPUs that hold an element unpadded may have written it: nothing orders their copies. */
static void mark_handed(const Copy *copy, int64_t to, const int64_t *row, int64_t offset) {
    if (copy->to->handed == NULL)
        copy->to->handed =
            hp5_alloc_zeroed((copy->to->count + 1) * (int64_t)sizeof *copy->to->handed, "overlap checks");
    WriteMark *mark = &copy->to->handed[to];
    uint32_t lpu = (uint32_t)copy->lpu->number;
    if (mark->serial == copy->number && mark->lpu != lpu) {
        char *element = arena_strdup(copy->m->arena, copy->part->var->name);
        for (int d = 0; d < copy->part->rank; d++)
            element = arena_printf(copy->m->arena, "%s[%lld]", element,
                                   (long long)(row[d] + (d + 1 == copy->part->rank ? offset : 0)));
        machine_fail(copy->m, copy->span,
                     "LPUs %lld and %lld of Space %s have both written %s in copies of their own (padding); "
                     "each element must "
                     "be written by one LPU between entering the Space and leaving it",
                     (long long)copy->m->execution->lpus.items[mark->lpu]->flat, (long long)copy->lpu->flat,
                     copy->lpu->lps->name, element);
    }
    *mark = (WriteMark){copy->number, lpu};
}

/* What became of an element: so many times Epochs have advanced it, or it was written, and is not what they would have made of it. */
enum { CHANGED = -1 };

static int what_became(const Copy *copy, int64_t from, int64_t to) {
    size_t size = copy->part->size;
    for (int n = 0; n < copy->from->versions; n++) {
        bool same = true;
        for (int v = 0; same && v < copy->from->versions; v++)
            same = memcmp(copy->from->data[v] + (size_t)from * size, copy->to->data[v < n ? 0 : v - n] + (size_t)to * size, size) == 0;
        if (same) return n;
    }
    return CHANGED;
}

/* Before anything goes back. */
static void compare_row(const int64_t *index, int64_t length, void *data) {
    const Copy *copy = data;
    int rank = copy->part->rank;
    int64_t from = storage_position(copy->from, rank, index), to = storage_position(copy->to, rank, index);
    for (int64_t i = 0; i < length; i++, from++, to++) {
        unsigned char touched = copy->from->dirty[from];
        copy->from->became[from] = touched == 0 ? 0 : what_became(copy, from, to);
        if (copy->to->dirty != NULL) copy->to->dirty[to] |= touched;
        if ((touched & ELEMENT_WRITTEN) != 0 && copy->number > 0) mark_handed(copy, to, index, i);
    }
}

static void copy_back_row(const int64_t *index, int64_t length, void *data) {
    const Copy *copy = data;
    int rank = copy->part->rank;
    size_t size = copy->part->size;
    int64_t from = storage_position(copy->from, rank, index), to = storage_position(copy->to, rank, index);
    for (int64_t i = 0; i < length; i++, from++, to++) {
        if (copy->from->became[from] != copy->became) continue;
        for (int v = 0; v < copy->to->versions; v++)
            memcpy(copy->to->data[v] + (size_t)to * size, copy->from->data[v] + (size_t)from * size, size);
    }
}

/* LPUs of one parent: the sub-partitions of an LPU are left one by one. */
static void each_copy(Machine *m, LpuList lpus, const Var *var, void (*visit)(const int64_t *index, int64_t length, void *data), Copy like) {
    for (size_t i = 0; i < lpus.count; i++) {
        Lpu *lpu = lpus.items[i];
        const Part *part = lpu->held[var->id];
        if (!part->own) continue;
        Copy copy = {part, part->storage, above(lpu, (size_t)var->id), like.became, m, lpu, like.number, like.span};
        if (copy.from->became == NULL) copy.from->became = hp5_alloc_zeroed((copy.from->count + 1) * (int64_t)sizeof(int), var->name);
        sets_each_row(part->core, part->rank, visit, &copy);
    }
}

void holders_leave(Machine *m, LpuList lpus, Span span) {
    uint32_t number = lpus.count > 1 ? ++m->execution->leavings : 0;
    for (size_t k = 0; lpus.count > 0 && k < lpus.items[0]->lps->vars.count; k++) {
        const Var *var = lpus.items[0]->lps->vars.items[k].var;
        if (!var_is_array(var)) continue;
        each_copy(m, lpus, var, compare_row, (Copy){.number = number, .span = span});
        for (int n = 1; n < var->versions; n++) each_copy(m, lpus, var, copy_back_row, (Copy){.became = n});
        each_copy(m, lpus, var, copy_back_row, (Copy){.became = CHANGED});
    }
}

/* ---- Epochs ----------------------------------------------------------------------------- */

typedef struct Advance {
    const Part *part;
    uint32_t number;
} Advance;

/* Elements that several active LPUs hold advance once: `advanced` remembers them. */
static void advance_row(const int64_t *index, int64_t length, void *data) {
    const Advance *advance = data;
    Storage *storage = advance->part->storage;
    size_t size = advance->part->size;
    int64_t position = storage_position(storage, advance->part->rank, index);
    for (int64_t i = 0; i < length; i++, position++) {
        if (storage->advanced[position] == advance->number) continue;
        storage->advanced[position] = advance->number;
        if (storage->dirty != NULL) storage->dirty[position] |= ELEMENT_ADVANCED;
        for (int v = storage->versions - 1; v > 0; v--)
            memcpy(storage->data[v] + (size_t)position * size, storage->data[v - 1] + (size_t)position * size,
                   size);
    }
}

static void advance_array(Part *part, uint32_t number) {
    Storage *storage = part->storage;
    if (storage->versions < 2) return;
    if (storage->advanced == NULL)
        storage->advanced =
            hp5_alloc_zeroed((storage->count + 1) * (int64_t)sizeof *storage->advanced, "epochs");
    Advance advance = {part, number};
    sets_each_row(part->sets, part->rank, advance_row, &advance);
}

static void advance_instance(ScalarInstance *instance, int versions, uint32_t number) {
    if (instance->advanced == number) return;
    instance->advanced = number;
    memmove(instance->data + instance->size, instance->data, instance->size * (size_t)(versions - 1));
}

/* A scalar whose home is below: every instance under the LPU. */
static void advance_scalar(Lpu *lpu, const Var *var, uint32_t number) {
    if (lpu->scalars[var->id] != NULL) {
        advance_instance(lpu->scalars[var->id], var->versions, number);
        return;
    }
    for (size_t k = 0; k < lpu->lps->children.count; k++)
        for (size_t i = 0; i < lpu->below[k].count; i++) advance_scalar(lpu->below[k].items[i], var, number);
}

void holders_advance(Machine *m, LpuList lpus, const VarVec *vars) {
    uint32_t number = ++m->execution->advances;
    for (size_t k = 0; k < vars->count; k++) {
        const Var *var = vars->items[k];
        for (size_t i = 0; i < lpus.count; i++) {
            if (var_is_array(var)) advance_array(lpus.items[i]->held[var->id], number);
            else advance_scalar(lpus.items[i], var, number);
        }
    }
}
