/* Which bytes an array element or a scalar means for the running LPU, and what checked mode
 * watches: indices outside the LPU's part, and elements or scalars that two LPUs write in one
 * stage execution (language.md 3.3 rules 4 and 6). */
#include "compiler/interpret/internal.h"
#include "runtime/report/error.h"
#include <string.h>

Part *element_part(Machine *m, const Var *var, Span span) {
    const Var *global = element_global(m, var);
    if (m->lpu != NULL && global->kind == VAR_GLOBAL) return m->lpu->held[global->id];
    if (global->kind != VAR_GLOBAL) {
        Item *item = memory_load(m, m->frame->address[var->id], var->type, var->name, span).pointer;
        if (item == NULL) machine_fail(m, span, "array '%s' has no data yet", var->name);
        item_load(m, item, span);
        return &item->part;
    }
    Item *item = m->execution->items[global->id];
    if (item == NULL)
        machine_fail(m, span, "array '%s' has no elements yet: it is made after Initialize", global->name);
    return &item->part;
}

const char *lpu_name(Machine *m, const Lpu *lpu) {
    Arena *arena = m->execution->arena;
    const Lps *lps = lpu->lps;
    char *text = arena_strdup(arena, lps->dims == 0 ? "the LPU" : "LPU ");
    for (int d = 0; d < lps->dims; d++)
        text = arena_printf(arena, "%s%s%lld", text, d > 0 ? ", " : "(", (long long)lpu->coordinates[d]);
    text = arena_printf(arena, "%s%s of Space %s", text, lps->dims == 0 ? "" : ")", lps->name);
    if (lpu->parent != NULL && lpu->parent->parent != NULL)
        text = arena_printf(arena, "%s in %s", text, lpu_name(m, lpu->parent));
    return text;
}

/* ---- Indices outside the part -------------------------------------------------- */

static const char *set_text(Machine *m, const Hp5Set *set) {
    if (set->begin >= set->end) return "empty";
    long long first = set->begin, last = set->end - 1;
    if (hp5_set_is_interval(set)) return arena_printf(m->arena, "%lld to %lld", first, last);
    if (set->runs != NULL)
        return arena_printf(m->arena, "%lld runs of indices from %lld to %lld", (long long)set->run_count, first, last);
    return arena_printf(m->arena, "%lld ind%s out of every %lld from %lld to %lld", (long long)set->block,
                        set->block == 1 ? "ex" : "ices", (long long)set->stride, first, last);
}

__attribute__((noreturn)) static void fail_outside(Machine *m, const Expr *e, const Part *part, int64_t index, int d) {
    if (m->frame == NULL)
        machine_fail(m, e->span, "index %lld of %s lies outside the LPU's part in dimension %d", (long long)index,
                     e->var->name, d + 1);
    machine_fail(m, e->span, "%s: index %lld of dimension %d of %s is outside this LPU's part, which is %s",
                 m->frame->body->name, (long long)index, d + 1, e->var->name, set_text(m, &part->sets[d]));
}

/* The element's position in part->storage; fills `index`. */
static inline int64_t element_position(Machine *m, const Expr *e, const Part *part, int64_t *index) {
    const Storage *storage = part->storage;
    int64_t position = 0;
    for (int d = 0; d < part->rank; d++) {
        int64_t i = index[d] = eval_integer(m, e->arguments.items[d]);
        const Hp5Set *set = &part->sets[d];
        if (i < set->begin || i >= set->end || (!hp5_set_is_interval(set) && !hp5_set_contains(set, i)))
            fail_outside(m, e, part, i, d);
        position += (i - storage->origin[d]) * storage->stride[d];
    }
    return position;
}

Value element_value(Machine *m, const Expr *e) {
    const Part *part = element_part(m, e->var, e->span);
    int64_t index[MAX_RANK];
    size_t offset = (size_t)element_position(m, e, part, index) * part->size;
    if (m->check_footprints) footprint_check(m, e->var, e->lag, index, FOOTPRINT_READ, e->span);
    const unsigned char *address = part->storage->data[e->lag] + offset;
    if (part->element->kind == TYPE_REAL_DOUBLE) {
        Value value;
        memcpy(&value.real, address, sizeof value.real);
        return value;
    }
    return memory_load(m, address, part->element, e->var->name, e->span);
}

Place element_place(Machine *m, const Expr *e) {
    Place place;
    place.part = element_part(m, e->var, e->span);
    place.type = place.part->element;
    place.element = element_position(m, e, place.part, place.index);
    place.lag = e->lag;
    if (m->check_footprints) footprint_check(m, e->var, e->lag, place.index, FOOTPRINT_EITHER, e->span);
    place.instance = NULL;
    place.var = e->var;
    place.address = place.part->storage->data[e->lag] + (size_t)place.element * place.part->size;
    return place;
}

/* ---- Scalars ----------------------------------------------------------------------- */

/* A scalar whose home is below the running LPU can be read when there is exactly one instance. */
static ScalarInstance *instance_below(Machine *m, Lpu *lpu, const Var *global, Span span) {
    size_t count = 1;
    while (lpu->scalars[global->id] == NULL) {
        const Lps *lps = lpu->lps;
        size_t k = 0;
        while (k < lps->children.count && !lps_is_within(global->home, lps->children.items[k])) k++;
        count = k < lps->children.count ? lpu->below[k].count : 0;
        if (count != 1) break;
        lpu = lpu->below[k].items[0];
    }
    if (count != 1)
        machine_fail(m, span, "scalar '%s' lives in Space %s, which has %zu LPUs here, so it has no single value", global->name,
                     global->home->name, count);
    return lpu->scalars[global->id];
}

ScalarInstance *scalar_instance(Machine *m, const Var *global, Span span) {
    if (m->lpu == NULL) return m->execution->start[global->id];
    ScalarInstance *instance = m->lpu->scalars[global->id];
    return instance != NULL ? instance : instance_below(m, m->lpu, global, span);
}

/* ---- Writes ---------------------------------------------------------------------------- */

void scalar_note_write(Machine *m, ScalarInstance *instance, const Var *global, const Lpu *writer, Span span) {
    Execution *x = m->execution;
    if (writer == NULL || !x->many) return;
    if (instance->serial == x->serial && instance->writer != writer)
        machine_fail(m, span, "two LPUs write the scalar '%s' in one execution of %s: %s and %s; use a reduction",
                     global->name, machine_where(m), lpu_name(m, instance->writer), lpu_name(m, writer));
    instance->serial = x->serial;
    instance->writer = writer;
}

static void mark_element(Machine *m, const Place *place, Span span) {
    Part *part = place->part, *root = part->root;
    for (int d = 0; d < part->rank; d++)
        if (!hp5_set_contains(&part->owned[d], place->index[d])) return;
    if (root->marks == NULL)
        root->marks = hp5_alloc_zeroed(root->storage->count * (int64_t)sizeof *root->marks, "overlap checks");
    WriteMark *mark = &root->marks[storage_position(root->storage, part->rank, place->index)];
    Execution *x = m->execution;
    if (mark->serial == x->serial && mark->lpu != m->lpu->number) {
        char *element = arena_strdup(m->arena, place->var->name);
        for (int d = 0; d < part->rank; d++)
            element = arena_printf(m->arena, "%s[%lld]", element, (long long)place->index[d]);
        machine_fail(m, span, "%s: LPUs %lld and %lld both write %s in one execution of the stage; each element must be "
                     "written by one LPU", x->call->stage->body.name, (long long)x->lpus.items[mark->lpu]->flat,
                     (long long)m->lpu->flat, element);
    }
    *mark = (WriteMark){x->serial, m->lpu->number};
}

void place_note_write(Machine *m, const Place *place, Span span) {
    if (place->instance != NULL) scalar_note_write(m, place->instance, element_global(m, place->var), m->lpu, span);
    if (place->part == NULL || m->lpu == NULL) return;
    if (m->check_footprints) footprint_check(m, place->var, place->lag, place->index, FOOTPRINT_WRITE, span);
    Storage *storage = place->part->storage;
    if (storage->dirty != NULL) storage->dirty[place->element] |= ELEMENT_WRITTEN;
    if (m->execution->many && place->lag == 0) mark_element(m, place, span);
}
