/* The tree of LPUs of one execution of a task: for each LPU, for each LPS below its own, the
 * grid of child LPUs, and for each listed variable the part that the child holds. Everything is
 * built when the task starts, so bad partition arguments are reported before anything runs. */
#include "compiler/interpret/internal.h"
#include "runtime/report/error.h"
#include <string.h>

static const char *const FUNCTION_NAMES[] = {
    [PART_NONE] = "", [PART_REPLICATED] = "replicated", [PART_BLOCK_SIZE] = "block_size",
    [PART_BLOCK_COUNT] = "block_count", [PART_STRIDE] = "stride", [PART_BLOCK_STRIDE] = "block_stride"};

const Lps *lps_real(const Lps *lps) {
    while (lps->sub_partition) lps = lps->parent;
    return lps;
}

Lpu *lpu_ancestor(Lpu *lpu, const Lps *lps) {
    while (lpu->lps != lps && lpu->parent != NULL) lpu = lpu->parent;
    return lpu;
}

static bool divides(const DimPartition *dim) { return dim->function != PART_NONE && dim->function != PART_REPLICATED; }

static Hp5PartFunction runtime_function(PartFunction function) {
    switch (function) {
    case PART_BLOCK_SIZE: return HP5_BLOCK_SIZE;
    case PART_BLOCK_COUNT: return HP5_BLOCK_COUNT;
    case PART_STRIDE: return HP5_STRIDE;
    case PART_BLOCK_STRIDE: return HP5_BLOCK_STRIDE;
    default: return HP5_REPLICATED;
    }
}

/* ---- Arguments ------------------------------------------------------------------ */

/* "k" for a partition argument, "" for anything else. */
static const char *argument_name(const Expr *e) { return e->kind == EXPR_VAR ? e->var->name : ""; }

typedef struct Arguments { int64_t a, b, front, back; } Arguments;

static int64_t positive_argument(Machine *m, const Lps *lps, const Var *var, const DimPartition *dim, const Expr *e) {
    int64_t value = eval_integer(m, e);
    if (value >= 1) return value;
    const char *name = argument_name(e);
    machine_fail(m, e->span, "Space %s: the argument %s%s%lld of %s for '%s' must be at least 1", lps->name, name,
                 *name != 0 ? " = " : "", (long long)value, FUNCTION_NAMES[dim->function], var->name);
}

static int64_t padding_argument(Machine *m, const Lps *lps, const Var *var, const Expr *e) {
    if (e == NULL) return 0;
    int64_t value = eval_integer(m, e);
    if (value >= 0) return value;
    const char *name = argument_name(e);
    machine_fail(m, e->span, "Space %s: the padding %s%s%lld of '%s' must not be negative", lps->name, name,
                 *name != 0 ? " = " : "", (long long)value, var->name);
}

/* `a` and `b` as hp5_part wants them; an absent PPU count is 1 (there is no mapping). */
static Arguments arguments_of(Machine *m, const Lps *lps, const Var *var, const DimPartition *dim) {
    Arguments arguments = {1, 1, 0, 0};
    if (dim->arguments[0] != NULL) arguments.a = positive_argument(m, lps, var, dim, dim->arguments[0]);
    if (dim->arguments[1] != NULL) arguments.b = positive_argument(m, lps, var, dim, dim->arguments[1]);
    arguments.front = padding_argument(m, lps, var, dim->padding_front);
    arguments.back = padding_argument(m, lps, var, dim->padding_back);
    return arguments;
}

/* ---- The grid ---------------------------------------------------------------------- */

static char *instruction_text(Machine *m, const Lps *lps, const LpsVar *entry, int d, const Lpu *parent) {
    Arena *arena = m->execution->arena;
    const DimPartition *dim = &entry->dims[d];
    char *arguments = arena_strdup(arena, "");
    for (int i = 0; i < 2 && dim->arguments[i] != NULL; i++) {
        const char *name = argument_name(dim->arguments[i]);
        arguments = arena_printf(arena, "%s%s%s%s%lld", arguments, i > 0 ? ", " : "", name, *name != 0 ? " = " : "",
                                 (long long)positive_argument(m, lps, entry->var, dim, dim->arguments[i]));
    }
    const Hp5Set *set = &parent->held[entry->var->id]->sets[dim->array_dimension];
    return arena_printf(arena, "%s(%s) of dimension %d, extent %lld", FUNCTION_NAMES[dim->function], arguments,
                        dim->array_dimension + 1, (long long)hp5_set_count(set));
}

static int64_t grid_extent(Machine *m, const Lps *lps, int d, const Lpu *parent) {
    const LpsVar *first = NULL;
    int64_t extent = 1;
    for (size_t i = 0; i < lps->vars.count; i++) {
        const LpsVar *entry = &lps->vars.items[i];
        const DimPartition *dim = &entry->dims[d];
        if (!divides(dim)) continue;
        Arguments arguments = arguments_of(m, lps, entry->var, dim);
        int64_t n = hp5_set_count(&parent->held[entry->var->id]->sets[dim->array_dimension]);
        int64_t count = n == 0 ? 0 : hp5_part_count(runtime_function(dim->function), n, arguments.a, arguments.b);
        if (first == NULL) {
            first = entry;
            extent = count;
        } else if (count != extent) {
            machine_fail(m, entry->span,
                         "Space %s: its variables give different numbers of parts in dimension %d: '%s' %lld (%s), '%s' %lld (%s)",
                         lps->name, d + 1, first->var->name, (long long)extent, instruction_text(m, lps, first, d, parent),
                         entry->var->name, (long long)count, instruction_text(m, lps, entry, d, parent));
        }
    }
    return extent;
}

/* ---- Parts --------------------------------------------------------------------------- */

static Hp5Set padded_set(Machine *m, const Lps *lps, const Var *var, const Hp5Set *core, const Hp5Set *parent,
                         const Arguments *arguments, Span span) {
    if (!hp5_set_is_interval(core) || !hp5_set_is_interval(parent))
        machine_fail(m, span, "Space %s: '%s' has padding in a dimension whose parts are not contiguous", lps->name, var->name);
    return hp5_part_padded(core, parent, arguments->front, arguments->back);
}

static Part *part_new(Machine *m, const LpsVar *entry, const Lpu *lpu) {
    Execution *x = m->execution;
    const Part *above = lpu->parent->held[entry->var->id];
    int rank = above->rank;
    Part *part = ARENA_NEW(x->arena, Part);
    *part = *above;
    part->own = false;
    part->marks = NULL;
    Hp5Set *sets = ARENA_ARRAY(x->arena, Hp5Set, rank), *core = ARENA_ARRAY(x->arena, Hp5Set, rank);
    memcpy(sets, above->sets, sizeof *sets * (size_t)rank);
    memcpy(core, above->sets, sizeof *core * (size_t)rank);
    for (int d = 0; d < lpu->lps->dims; d++) {
        const DimPartition *dim = &entry->dims[d];
        if (!divides(dim)) continue;
        int k = dim->array_dimension;
        Arguments arguments = arguments_of(m, lpu->lps, entry->var, dim);
        core[k] = hp5_part(&above->sets[k], runtime_function(dim->function), arguments.a, arguments.b,
                           lpu->coordinates[d], &x->pool);
        sets[k] = core[k];
        if (arguments.front == 0 && arguments.back == 0) continue;
        sets[k] = padded_set(m, lpu->lps, entry->var, &core[k], &above->sets[k], &arguments, dim->span);
        part->own = true;
    }
    Hp5Set *owned = ARENA_ARRAY(x->arena, Hp5Set, rank);
    for (int k = 0; k < rank; k++) owned[k] = hp5_set_intersect(&core[k], &above->owned[k], &x->pool);
    part->sets = sets;
    part->core = core;
    part->owned = owned;
    if (part->own) {
        part->storage = ARENA_NEW(x->arena, Storage);
        vec_push(x->arena, &x->storages, part->storage);
    }
    return part;
}

/* ---- LPUs ------------------------------------------------------------------------------- */

static ScalarInstance *instance_new(Machine *m, const Var *global) {
    const ScalarInstance *start = m->execution->start[global->id];
    ScalarInstance *instance = ARENA_NEW(m->execution->arena, ScalarInstance);
    instance->size = start->size;
    instance->data = arena_alloc(m->execution->arena, start->size * (size_t)global->versions);
    memcpy(instance->data, start->data, start->size * (size_t)global->versions);
    return instance;
}

static Lpu *lpu_new(Machine *m, const Lps *lps, Lpu *parent) {
    Execution *x = m->execution;
    size_t globals = x->task->globals.count;
    Lpu *lpu = ARENA_NEW(x->arena, Lpu);
    lpu->lps = lps;
    lpu->parent = parent;
    lpu->number = (uint32_t)x->lpus.count;
    vec_push(x->arena, &x->lpus, lpu);
    lpu->coordinates = ARENA_ARRAY(x->arena, int64_t, lps->dims + 1);
    lpu->held = ARENA_ARRAY(x->arena, Part *, globals + 1);
    lpu->scalars = ARENA_ARRAY(x->arena, ScalarInstance *, globals + 1);
    lpu->below = ARENA_ARRAY(x->arena, LpuList, lps->children.count + 1);
    if (parent != NULL) {
        memcpy(lpu->held, parent->held, sizeof *lpu->held * globals);
        memcpy(lpu->scalars, parent->scalars, sizeof *lpu->scalars * globals);
    }
    for (size_t i = 0; i < globals; i++) {
        const Var *global = x->task->globals.items[i];
        const Lps *home = global->home != NULL ? global->home : x->task->spaces.items[0];
        if (!var_is_array(global) && home == lps) lpu->scalars[i] = instance_new(m, global);
    }
    return lpu;
}

static void build_below(Machine *m, Lpu *lpu);

static LpuList build_grid(Machine *m, const Lps *lps, Lpu *parent) {
    Arena *arena = m->execution->arena;
    int64_t extents[MAX_RANK], count = 1;
    for (int d = 0; d < lps->dims; d++) {
        extents[d] = grid_extent(m, lps, d, parent);
        if (__builtin_mul_overflow(count, extents[d], &count) || count > UINT32_MAX / 2)
            machine_fail(m, lps->span, "Space %s would have more than %u LPUs", lps->name, UINT32_MAX / 2);
    }
    LpuList list = {ARENA_ARRAY(arena, Lpu *, count + 1), (size_t)count};
    for (int64_t i = 0; i < count; i++) {
        Lpu *lpu = list.items[i] = lpu_new(m, lps, parent);
        int64_t rest = i;
        for (int d = lps->dims - 1; d >= 0; d--) {
            lpu->coordinates[d] = rest % extents[d];
            rest /= extents[d];
        }
        for (size_t k = 0; k < lps->vars.count; k++) {
            const LpsVar *entry = &lps->vars.items[k];
            if (var_is_array(entry->var)) lpu->held[entry->var->id] = part_new(m, entry, lpu);
        }
        build_below(m, lpu);
    }
    return list;
}

static void build_below(Machine *m, Lpu *lpu) {
    for (size_t k = 0; k < lpu->lps->children.count; k++) lpu->below[k] = build_grid(m, lpu->lps->children.items[k], lpu);
}

/* Root holds every array whole; its versions all start equal. */
static Part *root_part(Machine *m, const Var *global) {
    Execution *x = m->execution;
    const Item *item = x->items[global->id];
    Part *part = ARENA_NEW(x->arena, Part);
    *part = item->part;
    part->var = global;
    part->core = part->owned = part->sets;
    part->root = part;
    part->storage = ARENA_NEW(x->arena, Storage);
    *part->storage = item->storage;
    part->storage->versions = global->versions;
    part->storage->data = ARENA_ARRAY(x->arena, unsigned char *, global->versions);
    part->storage->data[0] = item->storage.data[0];
    int64_t bytes = item->storage.count * (int64_t)part->size;
    for (int v = 1; v < global->versions; v++) {
        part->storage->data[v] = hp5_alloc_zeroed(bytes + 1, global->name);
        memcpy(part->storage->data[v], part->storage->data[0], (size_t)bytes);
    }
    return part;
}

void spaces_build(Machine *m) {
    Execution *x = m->execution;
    x->root = lpu_new(m, x->task->spaces.items[0], NULL);
    for (size_t i = 0; i < x->task->globals.count; i++)
        if (var_is_array(x->task->globals.items[i])) x->root->held[i] = root_part(m, x->task->globals.items[i]);
    build_below(m, x->root);
}

LpuList spaces_below(Machine *m, LpuList lpus, const Lps *space) {
    if (lpus.count == 0) return lpus;
    const Lps *lps = lpus.items[0]->lps;
    size_t slot = 0, count = 0;
    while (slot < lps->children.count && lps->children.items[slot] != space) slot++;
    if (slot == lps->children.count) internal_error("interpret", "Space %s is not below Space %s", space->name, lps->name);
    for (size_t i = 0; i < lpus.count; i++) count += lpus.items[i]->below[slot].count;
    LpuList all = {hp5_alloc((int64_t)(sizeof *all.items * (count + 1)), "the list of LPUs"), 0};
    for (size_t i = 0; i < lpus.count; i++) {
        const LpuList *below = &lpus.items[i]->below[slot];
        memcpy(all.items + all.count, below->items, sizeof *all.items * below->count);
        all.count += below->count;
    }
    (void)m;
    return all;
}
