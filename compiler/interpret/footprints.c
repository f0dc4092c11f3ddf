/* --check-footprints: every element that a stage touches must lie in one of the regions that the planner has found for it
 * (compiler/plan/footprint.h). What regions name is evaluated here and now: it must be the same in one whole run of the stage. */
#include "compiler/interpret/internal.h"
#include "compiler/plan/footprint.h"

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
            if (!is_value_in(m, dim->values, index[d], span)) return false;
            break;
        default: break;
        }
    }
    return true;
}

void footprint_check(Machine *m, const Var *var, int lag, const int64_t *index, FootprintUse use, Span span) {
    if (!m->check_footprints || m->frame == NULL || !m->frame->stage || m->execution->call == NULL) return;
    const RegionVec *regions = footprint(m, m->execution->call);
    for (size_t i = 0; i < regions->count; i++) {
        const Region *region = regions->items[i];
        bool fits = region->write ? use != FOOTPRINT_READ : use != FOOTPRINT_WRITE && region->lag == lag;
        if (fits && region->var == element_global(m, var) && contains(m, region, index, span)) return;
    }
    char *element = arena_strdup(m->arena, var->name);
    for (int d = 0; d < var->type->rank; d++) element = arena_printf(m->arena, "%s[%lld]", element, (long long)index[d]);
    machine_fail(m, span, "%s: %s is %s, which the planner has not foreseen", m->frame->body->name, element,
                 use == FOOTPRINT_WRITE ? "written" : "read");
}
