/* The tree of LPUs of one execution of a task: for each LPU, for each LPS below its own, the
 * grid of child LPUs, and for each listed variable the part that the child holds. Everything is
 * built when the task starts, so bad partition arguments are reported before anything runs. */
#include "compiler/interpret/internal.h"
#include "runtime/report/error.h"
#include "runtime/report/memory.h"
#include <string.h>

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

/* What the source says, in one line with single spaces: arguments and instructions in messages. */
static char *source_text(Machine *m, Span span) {
    const Source *source = m->program->source;
    char *text = arena_copy(m->arena, source->text + span.start, span.end - span.start), *end = text;
    for (const char *c = text; *c != 0; c++) {
        bool space = *c == ' ' || *c == '\t' || *c == '\n' || *c == '\r';
        if (!space) *end++ = *c;
        else if (end > text && end[-1] != ' ') *end++ = ' ';
    }
    *end = 0;
    return text;
}

typedef struct Arguments { int64_t a, b, front, back; } Arguments;

static int64_t argument(Machine *m, const Lps *lps, const Var *var, const DimPartition *dim, const Expr *e, bool padding) {
    if (e == NULL) return padding ? 0 : 1;
    int64_t value = eval_integer(m, e);
    if (value >= (padding ? 0 : 1)) return value;
    hp5_fail(HP5_EXIT_USAGE, "task %s, Space %s: the %s %s of %s for %s is %lld; it must %s", m->execution->task->name,
             lps->name, padding ? "padding" : "partition argument", source_text(m, e->span), source_text(m, dim->span),
             var->name, (long long)value, padding ? "not be negative" : "be at least 1");
}

/* `a` and `b` as hp5_part wants them; an absent PPU count is 1 (there is no mapping). */
static Arguments arguments_of(Machine *m, const Lps *lps, const Var *var, const DimPartition *dim) {
    return (Arguments){.a = argument(m, lps, var, dim, dim->arguments[0], false),
                       .b = argument(m, lps, var, dim, dim->arguments[1], false),
                       .front = argument(m, lps, var, dim, dim->padding_front, true),
                       .back = argument(m, lps, var, dim, dim->padding_back, true)};
}

void spaces_check_arguments(Machine *m) {
    const Task *task = m->execution->task;
    for (size_t i = 0; i < task->spaces.count; i++) {
        const Lps *lps = task->spaces.items[i];
        for (size_t v = 0; v < lps->vars.count; v++)
            for (int d = 0; d < lps->dims; d++)
                if (divides(&lps->vars.items[v].dims[d]))
                    arguments_of(m, lps, lps->vars.items[v].var, &lps->vars.items[v].dims[d]);
    }
}

/* ---- The grid ---------------------------------------------------------------------- */

/* "plate (dimension 2: 10 indices, block_size(k) with k = 4) has 3 parts" */
static char *division_text(Machine *m, const LpsVar *entry, const DimPartition *dim, int64_t n, int64_t parts) {
    char *with = arena_strdup(m->arena, "");
    for (int i = 0; i < 2; i++)
        if (dim->arguments[i] != NULL)
            with = arena_printf(m->arena, "%s%s%s = %lld", with, *with == 0 ? " with " : ", ",
                                source_text(m, dim->arguments[i]->span), (long long)eval_integer(m, dim->arguments[i]));
    bool counts_ppus = (dim->function == PART_STRIDE && dim->arguments[0] == NULL) ||
                       (dim->function == PART_BLOCK_STRIDE && dim->arguments[1] == NULL);
    return arena_printf(m->arena, "%s (dimension %d: %lld indices, %s%s%s) has %lld part%s", entry->var->name,
                        dim->array_dimension + 1, (long long)n, source_text(m, dim->span), with,
                        counts_ppus ? " on 1 PPUs" : "", (long long)parts, parts == 1 ? "" : "s");
}

static int64_t grid_extent(Machine *m, const Lps *lps, int d, const Lpu *parent) {
    const char *first = NULL;
    int64_t extent = 1;
    for (size_t i = 0; i < lps->vars.count; i++) {
        const LpsVar *entry = &lps->vars.items[i];
        const DimPartition *dim = &entry->dims[d];
        if (!divides(dim)) continue;
        Arguments arguments = arguments_of(m, lps, entry->var, dim);
        int64_t n = hp5_set_count(&parent->held[entry->var->id]->sets[dim->array_dimension]);
        int64_t count = n == 0 ? 0 : hp5_part_count(runtime_function(dim->function), n, arguments.a, arguments.b);
        const char *text = first == NULL || count != extent ? division_text(m, entry, dim, n, count) : NULL;
        if (first == NULL) {
            first = text;
            extent = count;
        } else if (count != extent) {
            hp5_fail(HP5_EXIT_USAGE, "task %s, Space %s: all variables must have the same number of parts in dimension %d of the "
                     "Space, but %s and %s", m->execution->task->name, lps->name, d + 1, first, text);
        }
    }
    return extent;
}

/* ---- Parts --------------------------------------------------------------------------- */

/* Part p of `above` with padding, which counts positions in the parent's part. */
static Hp5Set padded_set(Machine *m, const Lps *lps, const LpsVar *entry, const DimPartition *dim, const Hp5Set *above,
                         int64_t p, const Arguments *arguments) {
    Hp5Pool *pool = &m->execution->pool;
    Hp5Set all = hp5_interval(0, hp5_set_count(above));
    Hp5Set positions = hp5_part(&all, runtime_function(dim->function), arguments->a, arguments->b, p, pool);
    if (!hp5_set_is_interval(&positions))
        hp5_fail(HP5_EXIT_USAGE, "task %s, Space %s: %s for %s gives parts with gaps, which cannot have padding; use block_size "
                 "or block_count, or leave the padding out", m->execution->task->name, lps->name, source_text(m, dim->span),
                 entry->var->name);
    Hp5Set padded = hp5_part_padded(&positions, &all, arguments->front, arguments->back);
    Hp5Set hull = hp5_interval(hp5_set_at(above, padded.begin), hp5_set_at(above, padded.end - 1) + 1);
    return hp5_set_intersect(above, &hull, pool);
}

static void divide_part(Machine *m, Part *part, const LpsVar *entry, const Lpu *lpu, Hp5Set *sets, Hp5Set *core) {
    const Part *above = lpu->parent->held[entry->var->id];
    for (int d = 0; d < lpu->lps->dims; d++) {
        const DimPartition *dim = &entry->dims[d];
        if (!divides(dim)) continue;
        int k = dim->array_dimension;
        Arguments arguments = arguments_of(m, lpu->lps, entry->var, dim);
        core[k] = hp5_part(&above->sets[k], runtime_function(dim->function), arguments.a, arguments.b,
                           lpu->coordinates[d], &m->execution->pool);
        sets[k] = core[k];
        if (dim->padding_front != NULL || dim->padding_back != NULL) part->own = true;
        if (arguments.front > 0 || arguments.back > 0)
            sets[k] = padded_set(m, lpu->lps, entry, dim, &above->sets[k], lpu->coordinates[d], &arguments);
    }
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
    divide_part(m, part, entry, lpu, sets, core);
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
    lpu->flat = x->lpu_counts[lps->id]++;
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

/* Whether `count` LPUs like the first, which has taken `each` bytes, fit into memory; before the rest is made. */
static void check_memory(Machine *m, const Lps *lps, const Lpu *parent, int64_t count, size_t each) {
    enum { SMALL_BYTES = 64 << 20 };
    double bytes = (double)each * (double)count, available;
    if (bytes < SMALL_BYTES || bytes <= (available = (double)hp5_memory_available())) return;
    char all[HP5_BYTES_TEXT], left[HP5_BYTES_TEXT];
    const char *why = "";
    for (size_t v = lps->vars.count; v-- > 0;)
        for (int d = lps->dims - 1; d >= 0; d--) {
            const LpsVar *entry = &lps->vars.items[v];
            if (!divides(&entry->dims[d])) continue;
            Arguments arguments = arguments_of(m, lps, entry->var, &entry->dims[d]);
            int64_t n = hp5_set_count(&parent->held[entry->var->id]->sets[entry->dims[d].array_dimension]);
            why = division_text(m, entry, &entry->dims[d], n, hp5_part_count(runtime_function(entry->dims[d].function), n, arguments.a, arguments.b));
        }
    hp5_fail(HP5_EXIT_USAGE, "task %s, Space %s: %lld LPUs take %s of memory in the interpreter, and %s are available: %s\n"
             "  use larger parts, or say with --memory SIZE how much it may take", m->execution->task->name, lps->name, (long long)count,
             hp5_bytes_text(bytes, all), hp5_bytes_text(available, left), why);
}

/* The LPU at a position of a grid, with everything below it. */
static Lpu *grid_lpu(Machine *m, const Lps *lps, Lpu *parent, const int64_t *extents, int64_t position) {
    Lpu *lpu = lpu_new(m, lps, parent);
    int64_t rest = position;
    for (int d = lps->dims - 1; d >= 0; d--) {
        lpu->coordinates[d] = rest % extents[d];
        rest /= extents[d];
    }
    for (size_t k = 0; k < lps->vars.count; k++) {
        const LpsVar *entry = &lps->vars.items[k];
        if (var_is_array(entry->var)) lpu->held[entry->var->id] = part_new(m, entry, lpu);
    }
    build_below(m, lpu);
    return lpu;
}

static LpuList build_grid(Machine *m, const Lps *lps, Lpu *parent) {
    Arena *arena = m->execution->arena;
    int64_t extents[MAX_RANK], count = 1;
    for (int d = 0; d < lps->dims; d++) {
        extents[d] = grid_extent(m, lps, d, parent);
        if (__builtin_mul_overflow(count, extents[d], &count) || count > INT32_MAX)
            hp5_fail(HP5_EXIT_USAGE, "task %s: Space %s would have more than 2147483647 LPUs in one LPU of its parent; "
                     "use larger parts", m->execution->task->name, lps->name);
    }
    if (count == 0) return (LpuList){NULL, 0};
    size_t before = arena_used(arena);
    Lpu *first = grid_lpu(m, lps, parent, extents, 0);
    check_memory(m, lps, parent, count, arena_used(arena) - before + sizeof(Lpu *));
    LpuList list = {ARENA_ARRAY(arena, Lpu *, count), (size_t)count};
    list.items[0] = first;
    for (int64_t i = 1; i < count; i++) list.items[i] = grid_lpu(m, lps, parent, extents, i);
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
    x->lpu_counts = ARENA_ARRAY(x->arena, int64_t, x->task->spaces.count + 1);
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
        if (below->count > 0) memcpy(all.items + all.count, below->items, sizeof *all.items * below->count);
        all.count += below->count;
    }
    (void)m;
    return all;
}
