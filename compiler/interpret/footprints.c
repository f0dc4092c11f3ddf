/* --check-footprints: every element that a stage touches must lie in one of the regions that the planner has found for it
 * (compiler/plan/footprint.h). What regions name is evaluated here and now: it must be the same in one whole run of the stage. What it
 * overwrites it must write in each run, all of it, and not read before. */
#include "compiler/interpret/internal.h"
#include "compiler/plan/footprint.h"
#include "runtime/report/error.h"

struct FootprintRegions {
    RegionVec regions;
};

static const RegionVec *footprint(Machine *m, const Step *call) {
    Execution *x = m->execution;
    if (x->footprints == NULL) x->footprints = ARENA_ARRAY(x->arena, struct FootprintRegions *, (size_t)x->task->step_count + 1);
    struct FootprintRegions **known = &x->footprints[call->id];
    if (*known == NULL) {
        *known = ARENA_NEW(x->arena, struct FootprintRegions);
        (*known)->regions = footprint_of_call(x->arena, call);
    }
    return &(*known)->regions;
}

static bool contains(Machine *m, const Region *region, const int64_t *index, Span span);

/* Whether the index is the value of an element in the region of an Integer array. */
static bool is_value_in(Machine *m, const Region *region, int64_t value, Span span) {
    const Part *part = element_part(m, region->var, span);
    int64_t at[MAX_RANK];
    for (int d = 0; d < part->rank; d++) {
        if (part->sets[d].begin >= part->sets[d].end) return false;
        at[d] = part->sets[d].begin;
    }
    for (;;) {
        bool inside = true;
        for (int d = 0; d < part->rank && inside; d++) inside = hp5_set_contains(&part->sets[d], at[d]);
        if (inside && contains(m, region, at, span)) {
            int64_t offset = storage_position(part->storage, part->rank, at) * (int64_t)part->size;
            const unsigned char *data = part->storage->data[region->lag];
            if (memory_load(m, data + offset, part->element, region->var->name, span).integer == value) return true;
        }
        int d = part->rank - 1;
        while (d >= 0 && ++at[d] >= part->sets[d].end) {
            at[d] = part->sets[d].begin;
            d--;
        }
        if (d < 0) return false;
    }
}

static bool contains(Machine *m, const Region *region, const int64_t *index, Span span) {
    for (int d = 0; d < region->rank; d++) {
        const RegionDim *dim = &region->dims[d];
        if (dim->of != NULL && !hp5_set_contains(&element_part(m, dim->of, span)->sets[dim->of_dimension], index[d])) return false;
        switch (dim->kind) {
        case REGION_POINT:
        case REGION_SPAN:
            if (dim->low != NULL && index[d] < eval_integer(m, dim->low)) return false;
            if (dim->high != NULL && index[d] > eval_integer(m, dim->high)) return false;
            break;
        case REGION_INDIRECT:
            if (!is_value_in(m, dim->values, index[d] - dim->offset, span)) return false;
            break;
        default: break;
        }
    }
    return true;
}

static char *element_text(Machine *m, const Var *var, const int64_t *index) {
    char *element = arena_strdup(m->arena, var->name);
    for (int d = 0; d < var->type->rank; d++) element = arena_printf(m->arena, "%s[%lld]", element, (long long)index[d]);
    return element;
}

/* ---- What the running stage overwrites in its LPU ---------------------------------------------------------- */
struct FootprintWritten {
    struct FootprintWritten *next;
    const Part *part;
    unsigned char *written; /* by element of the part's storage */
};

void footprint_begin(Machine *m, const Step *call) {
    if (!m->check_footprints) return;
    const RegionVec *regions = footprint(m, call);
    for (size_t i = 0; i < regions->count; i++) {
        if (!regions->items[i]->overwritten) continue;
        struct FootprintWritten *written = hp5_alloc_zeroed(sizeof *written, "footprints");
        written->part = element_part(m, regions->items[i]->var, call->span);
        written->written = hp5_alloc_zeroed(written->part->storage->count + 1, "footprints");
        written->next = m->execution->written;
        m->execution->written = written;
    }
}

static void check_overwritten(Machine *m, const Part *part, int64_t element, const int64_t *index, FootprintUse use, Span span) {
    for (struct FootprintWritten *at = m->execution->written; at != NULL; at = at->next) {
        if (at->part != part) continue;
        if (use == FOOTPRINT_READ && !at->written[element])
            machine_fail(m, span, "%s: %s is read, and the planner has foreseen that it is written before", m->frame->body->name,
                         element_text(m, part->var, index));
        if (use == FOOTPRINT_WRITE) at->written[element] = 1;
    }
}

typedef struct Unwritten {
    Machine *m;
    const struct FootprintWritten *at;
    const Step *call;
} Unwritten;

static void find_unwritten(const int64_t *index, int64_t length, void *data) {
    const Unwritten *unwritten = data;
    const Part *part = unwritten->at->part;
    int64_t at[MAX_RANK];
    for (int d = 0; d < part->rank; d++) at[d] = index[d];
    for (int64_t i = 0; i < length; i++, at[part->rank - 1]++)
        if (!unwritten->at->written[storage_position(part->storage, part->rank, at)])
            machine_fail(unwritten->m, unwritten->call->span, "%s: %s is not written, and the planner has foreseen that all of %s is",
                         unwritten->call->stage->body.name, element_text(unwritten->m, part->var, at), part->var->name);
}

void footprint_end(Machine *m, const Step *call) {
    for (struct FootprintWritten *at = m->execution->written; at != NULL; at = m->execution->written) {
        sets_each_row(at->part->sets, at->part->rank, find_unwritten, &(Unwritten){m, at, call});
        m->execution->written = at->next;
        hp5_free(at->written);
        hp5_free(at);
    }
}

/* ---- Each access ------------------------------------------------------------------------------------------------ */
void footprint_check(Machine *m, const Var *var, int lag, const int64_t *index, FootprintUse use, Span span) {
    if (!m->check_footprints || m->frame == NULL || !m->frame->stage || m->execution->call == NULL) return;
    const Part *part = m->execution->written == NULL || lag > 0 ? NULL : element_part(m, var, span);
    if (part != NULL) check_overwritten(m, part, storage_position(part->storage, part->rank, index), index, use, span);
    const RegionVec *regions = footprint(m, m->execution->call);
    for (size_t i = 0; i < regions->count; i++) {
        const Region *region = regions->items[i];
        bool fits = region->write ? use != FOOTPRINT_READ : use != FOOTPRINT_WRITE && region->lag == lag;
        if (fits && region->var == element_global(m, var) && contains(m, region, index, span)) return;
    }
    machine_fail(m, span, "%s: %s is %s, which the planner has not foreseen", m->frame->body->name, element_text(m, var, index),
                 use == FOOTPRINT_WRITE ? "written" : "read");
}
