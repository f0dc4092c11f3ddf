/* The footprint of a run, by formula (memory_footprint.h).
 *
 * How to read it: visit() walks the tree of LPSes, not of LPUs. It knows the sizes of the parts that an LPU of the parent LPS
 * holds, and how many such LPUs there are. In each dimension of the LPS, parts of equal sizes make up a group (there are
 * two or three: full ones, those at the borders, a last one); each combination of groups is a kind of LPU, which is counted and
 * then visited in its turn. Sizes, not places, matter, so each part is taken as one of 0 … n-1. The bytes are those that
 * tree.c, stores.c and exchange.c take for each LPU, and change with them: a unit test compares the two. */
#include "runtime/run/memory_footprint.h"
#include "runtime/move/pattern.h"
#include "runtime/report/memory.h"
#include "runtime/run/private.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_SAMPLES = 64,       /* parts of a dimension that are looked at */
    MOST_GROUPS = 6,         /* kinds of parts of a dimension */
    MOST_KINDS = 256,        /* kinds of LPUs of a grid */
    MOST_VISITS = 4096,      /* beyond, all parts count as of the mean size */
    SMALL_BYTES = 64 << 20   /* runs that need less are not checked */
};

typedef struct Size {
    double count, hull; /* indices of a part, and from its first to its last */
} Size;

/* Parts of one dimension of a grid that are alike. */
typedef struct Group {
    double parts;
    Size *sizes; /* for each listed variable that the dimension divides */
} Group;

typedef struct Groups {
    int count;
    double parts;
    Group group[MOST_SAMPLES];
    Size *memory;
} Groups;

typedef struct Count {
    const Hp5TaskRun *run;
    const Hp5TaskDesc *desc;
    Hp5Footprint *found;
    Size *sizes; /* for each LPS, array and dimension: what an LPU of the kind at hand holds */
    int visits;
} Count;

static Size *held(const Count *count, int lps, int array) {
    return count->sizes + ((size_t)lps * (size_t)count->desc->array_count + (size_t)array) * HP5_MAX_RANK;
}

/* ---- Parts of one dimension ------------------------------------------------------------------------- */

static int64_t argument(const Count *count, int index, int64_t absent) { return index == HP5_NO_ARG ? absent : count->run->args[index]; }

static void part_arguments(const Count *count, int lps, const Hp5DimDesc *dim, int64_t *a, int64_t *b) {
    *a = argument(count, dim->argument[0], 0);
    *b = argument(count, dim->argument[1], count->run->hidden->geometry.level_counts[lps]);
}

static Size size_of_part(const Count *count, int lps, const Hp5DimDesc *dim, Size whole, int64_t p) {
    int64_t a, b;
    part_arguments(count, lps, dim, &a, &b);
    Hp5Pool pool = {0};
    Hp5Set all = hp5_interval(0, (int64_t)whole.count), part = hp5_part(&all, dim->function, a, b, p, &pool);
    if (hp5_set_is_interval(&part)) part = hp5_part_padded(&part, &all, argument(count, dim->front, 0), argument(count, dim->back, 0));
    Size size = {(double)hp5_set_count(&part), (double)(part.end - part.begin)};
    if (whole.count > 0) size.hull *= whole.hull / whole.count; /* of a part with gaps */
    hp5_pool_free(&pool);
    return size;
}

static int64_t parts_of(const Count *count, int lps, int dimension) {
    const Hp5LpsDesc *lps_desc = &count->desc->lpses[lps];
    for (int v = 0; v < lps_desc->var_count; v++) {
        const Hp5DimDesc *dim = &lps_desc->vars[v].dims[dimension];
        int64_t a, b;
        if (dim->function == HP5_REPLICATED) continue;
        part_arguments(count, lps, dim, &a, &b);
        return hp5_part_count(dim->function, (int64_t)held(count, lps, lps_desc->vars[v].array)[dim->array_dimension].count, a, b);
    }
    return 1;
}

/* Which of n parts are looked at: all, or the first, the last, and some between. */
static int64_t sample(int64_t n, int i, double *stands_for) {
    enum { EDGE = MOST_SAMPLES / 4, BETWEEN = MOST_SAMPLES - 2 * EDGE };
    *stands_for = 1;
    if (n <= MOST_SAMPLES || i < EDGE) return i;
    if (i >= MOST_SAMPLES - EDGE) return n - MOST_SAMPLES + i;
    *stands_for = (double)(n - 2 * EDGE) / BETWEEN;
    return EDGE + (int64_t)((double)(n - 2 * EDGE) * ((i - EDGE) + 0.5) / BETWEEN);
}

/* Groups from `first` on become one, of the mean size. */
static void join(Groups *groups, int first, int variables) {
    Group *mean = &groups->group[first];
    for (int v = 0; v < variables; v++) {
        Size sum = {0, 0};
        double parts = 0;
        for (int g = first; g < groups->count; g++) {
            const Group *group = &groups->group[g];
            sum.count += group->parts * group->sizes[v].count;
            sum.hull += group->parts * group->sizes[v].hull;
            parts += group->parts;
        }
        mean->sizes[v] = (Size){round(sum.count / parts), round(sum.hull / parts)};
    }
    for (int g = first + 1; g < groups->count; g++) mean->parts += groups->group[g].parts;
    if (groups->count > first + 1) groups->count = first + 1;
}

static void add_part(Groups *groups, int variables, const Size *sizes, double stands_for) {
    size_t bytes = sizeof *sizes * (size_t)variables;
    int g = 0;
    while (g < groups->count && memcmp(groups->group[g].sizes, sizes, bytes) != 0) g++;
    if (g == groups->count) {
        groups->group[groups->count++] = (Group){0, groups->memory + (size_t)g * (size_t)(variables + 1)};
        memcpy(groups->group[g].sizes, sizes, bytes);
    }
    groups->group[g].parts += stands_for;
}

/* The largest groups first. */
static void sort(Groups *groups) {
    for (int i = 1; i < groups->count; i++)
        for (int j = i; j > 0 && groups->group[j].parts > groups->group[j - 1].parts; j--) {
            Group swapped = groups->group[j];
            groups->group[j] = groups->group[j - 1];
            groups->group[j - 1] = swapped;
        }
}

static void group_parts(Count *count, int lps, int dimension, Groups *groups) {
    const Hp5LpsDesc *desc = &count->desc->lpses[lps];
    int64_t n = parts_of(count, lps, dimension);
    Size sizes[desc->var_count + 1];
    *groups = (Groups){.parts = (double)n};
    groups->memory = hp5_alloc((int64_t)sizeof(Size) * MOST_SAMPLES * (desc->var_count + 1), "sizes of parts");
    for (int i = 0; i < n && i < MOST_SAMPLES; i++) {
        double stands_for;
        int64_t p = sample(n, i, &stands_for);
        for (int v = 0; v < desc->var_count; v++) {
            const Hp5DimDesc *dim = &desc->vars[v].dims[dimension];
            sizes[v] = (Size){0, 0};
            if (dim->function != HP5_REPLICATED)
                sizes[v] = size_of_part(count, lps, dim, held(count, lps, desc->vars[v].array)[dim->array_dimension], p);
        }
        add_part(groups, desc->var_count, sizes, stands_for);
    }
    sort(groups);
    if (groups->count > MOST_GROUPS) join(groups, MOST_GROUPS - 1, desc->var_count);
    if (count->visits > MOST_VISITS && groups->count > 1) join(groups, 0, desc->var_count);
}

/* ---- Bytes -------------------------------------------------------------------------------------------- */

static double round_up(double bytes, double line) { return ceil(bytes / line) * line; }

/* Of all versions of an array's copies in LPUs of the kind at hand. */
static double copy_bytes(const Count *count, int lps, const Hp5ArrayDesc *array) {
    int a = (int)(array - count->desc->arrays);
    Hp5Layout layout = hp5_layout_of(count->desc, a);
    double elements = 1, line = layout.align > 64 ? (double)layout.align : 64;
    for (int d = 0; d < array->rank; d++) elements *= held(count, lps, a)[d].hull;
    if (layout.split) elements = round_up(elements, line);
    double bytes = elements * (double)array->element->size, step = bytes < 1e15 ? (double)hp5_version_step((int64_t)bytes, layout) : bytes;
    return step * array->versions + (array->versions > 2 ? elements : 0);
}

static void count_copies(Count *count, int lps, double lpus) {
    const Hp5LpsDesc *desc = &count->desc->lpses[lps];
    if (hp5_team_is_imagined(count->run->team)) return;
    for (int v = 0; v < desc->var_count; v++) {
        const Hp5ArrayDesc *array = &count->desc->arrays[desc->vars[v].array];
        if (!hp5_has_copies(&desc->vars[v])) continue;
        int times = hp5_copies_are_shared(count->desc, lps, desc->vars[v].array) ? 2 : 1;
        bool copies = desc->vars[v].storage == HP5_COPY;
        bool kept = copies ? !hp5_collects_copies(count->desc, desc->vars[v].array) : !hp5_collects_array(count->desc, desc->vars[v].array);
        count->found->spaces[lps].tables += times * (double)sizeof(Hp5Store) * lpus;
        if (kept) count->found->spaces[lps].copies += times * copy_bytes(count, lps, array) * lpus;
    }
}

static double lpu_bytes(const Count *count, int lps) {
    const Hp5LpsDesc *desc = &count->desc->lpses[lps];
    int dims = 0, children = 0;
    for (int v = 0; v < desc->var_count; v++) dims += count->desc->arrays[desc->vars[v].array].rank;
    for (int x = lps + 1; x < count->desc->lps_count; x++) children += count->desc->lpses[x].parent == lps;
    double bytes = (double)sizeof(Hp5Lpu) + (double)sizeof(Hp5View) * desc->var_count + (double)(sizeof(Hp5Set) + sizeof(Hp5Run)) * dims;
    bytes += (double)sizeof(Hp5Grid) * children + round_up((double)desc->scalars_size, 64);
    const Hp5PlaceDesc *place = count->desc->places ? &count->desc->places[lps] : NULL;
    bool placed = place && (place->place || place->blocks) && count->run->hidden->geometry.level_counts[lps] > 1;
    return bytes + (placed ? 2 * sizeof(int32_t) : 0);
}

/* Bytes of one grid that do not follow the number of its LPUs: tables begin at multiples of 16. */
static double grid_bytes(const Count *count, int lps) { return 40 + (count->desc->lpses[lps].scalars_size > 0 ? 64 : 0); }

/* Lists that grow by halves, as exchange.c has them; while one grows, the old one is there, too. */
static void count_lists(Hp5SpaceFootprint *space, double bytes, double lists, double record) {
    double capacity = 0, before = 0;
    while (capacity < bytes / lists) {
        before = capacity;
        capacity += floor(capacity / 2) + 16 * record;
    }
    space->exchanges += capacity * lists;
    space->growing += before * lists;
}

/* A record for each box of padding that an LPU takes from a neighbour. */
static void count_exchanges(Count *count, int lps, const Groups *dims, double parents) {
    const Hp5TaskDesc *desc = count->desc;
    for (int e = 0; e < desc->exchange_count; e++) {
        const Hp5ExchangeDesc *exchange = &desc->exchanges[e];
        int slot = exchange->lps == lps ? hp5_slot_of(desc, lps, exchange->array) : -1;
        double all = 1, own = 1;
        if (slot < 0 || hp5_exchange_level(desc, *exchange) != lps) continue;
        for (int j = 0; j < desc->lpses[lps].dims; j++) {
            const Hp5DimDesc *dim = &desc->lpses[lps].vars[slot].dims[j];
            int sides = (argument(count, dim->front, 0) > 0) + (argument(count, dim->back, 0) > 0);
            bool divides = dim->function != HP5_REPLICATED;
            own *= dims[j].parts;
            all *= divides && dims[j].parts > 0 ? (1 + sides) * dims[j].parts - sides : dims[j].parts;
        }
        double record = (double)sizeof(int64_t) * (HP5_PIECE_COUNTS + desc->arrays[exchange->array].rank);
        double threads = count->run->hidden->threads;
        count_lists(&count->found->spaces[lps], record * (all - own) * parents, threads > parents ? threads : parents, record);
    }
}

/* ---- The walk ------------------------------------------------------------------------------------------- */

static void visit(Count *count, int lps, double parents);

static void visit_children(Count *count, int lps, double lpus) {
    for (int x = lps + 1; x < count->desc->lps_count; x++) {
        if (count->desc->lpses[x].parent != lps) continue;
        memcpy(held(count, x, 0), held(count, lps, 0), sizeof(Size) * HP5_MAX_RANK * (size_t)count->desc->array_count);
        visit(count, x, lpus);
    }
}

/* All kinds of LPUs: `choice` has a group for each dimension. */
static void visit_kind(Count *count, int lps, const Groups *dims, const int *choice, const Size *whole, double parents) {
    const Hp5LpsDesc *desc = &count->desc->lpses[lps];
    double lpus = parents;
    memcpy(held(count, lps, 0), whole, sizeof *whole * HP5_MAX_RANK * (size_t)count->desc->array_count);
    for (int j = 0; j < desc->dims; j++) {
        const Group *group = &dims[j].group[choice[j]];
        lpus *= group->parts;
        for (int v = 0; v < desc->var_count; v++) {
            const Hp5DimDesc *dim = &desc->vars[v].dims[j];
            if (dim->function != HP5_REPLICATED) held(count, lps, desc->vars[v].array)[dim->array_dimension] = group->sizes[v];
        }
    }
    count_copies(count, lps, lpus);
    visit_children(count, lps, lpus);
}

static void visit_kinds(Count *count, int lps, Groups *dims, double parents) {
    const Hp5LpsDesc *desc = &count->desc->lpses[lps];
    int choice[HP5_MAX_RANK] = {0}, kinds = 1, arrays = count->desc->array_count;
    Size *whole = hp5_alloc((int64_t)sizeof *whole * HP5_MAX_RANK * (arrays + 1), "sizes of parts");
    memcpy(whole, held(count, lps, 0), sizeof *whole * HP5_MAX_RANK * (size_t)arrays);
    for (int j = 0; j < desc->dims; j++) {
        if (kinds * dims[j].count > MOST_KINDS) join(&dims[j], 0, desc->var_count);
        kinds *= dims[j].count;
    }
    for (int k = 0; k < kinds; k++) {
        visit_kind(count, lps, dims, choice, whole, parents);
        for (int j = desc->dims - 1; j >= 0 && ++choice[j] == dims[j].count; j--) choice[j] = 0;
    }
    hp5_free(whole);
}

/* The grids of an LPS in `parents` LPUs of one kind; sizes of `lps` are those of the parent. */
static void visit(Count *count, int lps, double parents) {
    const Hp5LpsDesc *desc = &count->desc->lpses[lps];
    Hp5SpaceFootprint *space = &count->found->spaces[lps];
    Groups *dims = hp5_alloc((int64_t)sizeof *dims * (desc->dims + 1), "sizes of parts");
    double each = 1, transient = 0;
    count->visits++;
    for (int j = 0; j < desc->dims; j++) {
        group_parts(count, lps, j, &dims[j]);
        each *= dims[j].parts;
        for (int v = 0; v < desc->var_count; v++)
            if (desc->vars[v].dims[j].function != HP5_REPLICATED) transient += dims[j].parts * (double)(sizeof(Hp5Set) + sizeof(Hp5Run));
    }
    if (each > INT32_MAX) hp5_too_many_lpus(count->desc, lps);
    space->lpus += parents * each;
    space->tables += parents * (each * lpu_bytes(count, lps) + grid_bytes(count, lps));
    if (transient > space->transient) space->transient = transient;
    count_exchanges(count, lps, dims, parents);
    visit_kinds(count, lps, dims, parents);
    for (int j = 0; j < desc->dims; j++) hp5_free(dims[j].memory);
    hp5_free(dims);
}

/* ---- Arrays and reductions ---------------------------------------------------------------------------- */

static double array_bytes(const Count *count, int array) {
    const Hp5TaskDesc *desc = count->desc;
    const Hp5Item *item = count->run->items[array];
    double elements = 1, new_versions = desc->arrays[array].versions - 1;
    if (desc->arrays[array].home != 0 || hp5_collects_array(desc, array) || hp5_team_is_imagined(count->run->team)) return 0;
    for (int d = 0; d < item->rank; d++) elements *= (double)item->extent[d];
    bool there = item->data != NULL && hp5_layout_holds(item, hp5_layout_of(desc, array));
    for (int b = 0; b < array; b++) there = there || (count->run->items[b] == item && desc->arrays[b].home == 0);
    if (!there) new_versions++;
    if (desc->held != NULL && desc->held[array].reads != NULL) elements /= count->run->hidden->segments.count; /* each process reads what it needs, about its share */
    return elements * ((double)item->element->size * new_versions + (desc->arrays[array].versions > 2 ? 1 : 0));
}

static void count_reductions(Count *count) {
    Hp5SpaceFootprint *spaces = count->found->spaces;
    for (int r = 0; r < count->desc->reduce_count; r++) {
        const Hp5ReduceDesc *reduce = &count->desc->reductions[r];
        spaces[reduce->from].tables += spaces[reduce->from].lpus * (double)(reduce->size + 1);
        if (reduce->to != reduce->from) spaces[reduce->to].tables += spaces[reduce->to].lpus * 2.0 * sizeof(int64_t);
    }
}

Hp5Footprint hp5_footprint(const Hp5TaskRun *run) {
    const Hp5TaskDesc *desc = run->desc;
    Hp5Footprint found = {hp5_alloc_zeroed((int64_t)sizeof *found.spaces * desc->lps_count, "sizes of parts"),
                          hp5_alloc_zeroed((int64_t)sizeof *found.arrays * (desc->array_count + 1), "sizes of parts")};
    Count count = {.run = run, .desc = desc, .found = &found};
    count.sizes = hp5_alloc_zeroed((int64_t)sizeof *count.sizes * HP5_MAX_RANK * desc->lps_count * (desc->array_count + 1), "sizes of parts");
    for (int a = 0; a < desc->array_count; a++) {
        found.arrays[a] = array_bytes(&count, a);
        for (int d = 0; d < run->items[a]->rank; d++) held(&count, 0, a)[d] = (Size){(double)run->items[a]->extent[d], (double)run->items[a]->extent[d]};
    }
    found.spaces[0].lpus = 1;
    visit_children(&count, 0, 1);
    count_reductions(&count);
    hp5_free(count.sizes);
    return found;
}

void hp5_footprint_free(Hp5Footprint *footprint) {
    hp5_free(footprint->spaces);
    hp5_free(footprint->arrays);
}

double hp5_footprint_bytes(const Hp5TaskRun *run, const Hp5Footprint *footprint) {
    double all = 0, transient = 0, later = 0; /* what is filled when the transient is gone */
    for (int x = 0; x < run->desc->lps_count; x++) {
        const Hp5SpaceFootprint *space = &footprint->spaces[x];
        all += space->tables;
        transient += space->transient;
        later += space->copies + space->exchanges + space->growing;
    }
    for (int a = 0; a < run->desc->array_count; a++) later += footprint->arrays[a];
    return all + (transient > later ? transient : later);
}

/* ---- Surely little -------------------------------------------------------------------------------------- */

/* What the largest LPU of an LPS holds, from what the largest of the parent LPS holds; how many there are in one of those. */
static double widest_lpu(Count *count, int lps) {
    const Hp5LpsDesc *desc = &count->desc->lpses[lps];
    double lpus = 1;
    memcpy(held(count, lps, 0), held(count, desc->parent, 0), sizeof(Size) * HP5_MAX_RANK * (size_t)count->desc->array_count);
    for (int j = 0; j < desc->dims; j++) lpus *= (double)parts_of(count, lps, j);
    for (int v = 0; v < desc->var_count; v++)
        for (int j = 0; j < desc->dims; j++) {
            const Hp5DimDesc *dim = &desc->vars[v].dims[j];
            if (dim->function == HP5_REPLICATED) continue;
            Size *size = &held(count, lps, desc->vars[v].array)[dim->array_dimension], first = size_of_part(count, lps, dim, *size, 0);
            double padding = (double)argument(count, dim->front, 0) + (double)argument(count, dim->back, 0);
            *size = (Size){fmin(size->count, first.count + padding), fmin(size->hull, first.hull + padding)};
        }
    return lpus;
}

/* Whether a bound that costs next to nothing says already that the run is small: most are. */
static bool is_surely_small(const Hp5TaskRun *run) {
    enum { MOST_NEIGHBOURS = 26, RECORD = 96 };
    const Hp5TaskDesc *desc = run->desc;
    Count count = {.run = run, .desc = desc};
    double lpus[desc->lps_count], bytes = 0;
    count.sizes = hp5_alloc_zeroed((int64_t)sizeof *count.sizes * HP5_MAX_RANK * desc->lps_count * (desc->array_count + 1), "sizes of parts");
    for (int a = 0; a < desc->array_count; a++) {
        bytes += array_bytes(&count, a);
        for (int d = 0; d < run->items[a]->rank; d++) held(&count, 0, a)[d] = (Size){(double)run->items[a]->extent[d], (double)run->items[a]->extent[d]};
    }
    lpus[0] = 1;
    for (int x = 1; x < desc->lps_count; x++) {
        const Hp5LpsDesc *lps = &desc->lpses[x];
        lpus[x] = lpus[lps->parent] * widest_lpu(&count, x);
        bytes += lpus[x] * (2 * lpu_bytes(&count, x) + grid_bytes(&count, x) + (desc->exchange_count > 0 ? MOST_NEIGHBOURS * RECORD : 0));
        for (int v = 0; v < lps->var_count; v++)
            if (hp5_has_copies(&lps->vars[v]))
                bytes += 2 * lpus[x] * (copy_bytes(&count, x, &desc->arrays[lps->vars[v].array]) + (double)sizeof(Hp5Store));
    }
    for (int r = 0; r < desc->reduce_count; r++) bytes += lpus[desc->reductions[r].from] * (double)(desc->reductions[r].size + 17);
    hp5_free(count.sizes);
    return bytes < SMALL_BYTES;
}

/* ---- Too much --------------------------------------------------------------------------------------------- */

/* "k = 1, l = 4": the arguments that divide an LPS. */
static void describe_arguments(const Hp5TaskRun *run, int lps, char *text, size_t size) {
    const Hp5LpsDesc *desc = &run->desc->lpses[lps];
    bool said[run->desc->arg_count + 1];
    size_t used = 0;
    memset(said, 0, sizeof said);
    text[0] = '\0';
    for (int v = 0; v < desc->var_count; v++)
        for (int j = 0; j < desc->dims; j++)
            for (int i = 0; i < 2; i++) {
                int index = desc->vars[v].dims[j].function == HP5_REPLICATED ? HP5_NO_ARG : desc->vars[v].dims[j].argument[i];
                if (index == HP5_NO_ARG || said[index] || used + 1 >= size) continue;
                said[index] = true;
                int more = snprintf(text + used, size - used, "%s%s = %lld", used > 0 ? ", " : "with ", run->desc->arg_names[index],
                                    (long long)run->args[index]);
                used += more > 0 ? (size_t)more : 0;
            }
}

/* "; the task needs 3.2 GB, and 1.0 GB are available", without what has just been said. */
static void describe_whole(double part, double whole, double available, char *text, size_t size) {
    char all[HP5_BYTES_TEXT], left[HP5_BYTES_TEXT];
    hp5_bytes_text(available, left);
    if (whole > 1.01 * part) snprintf(text, size, "; the task needs %s, and %s are available", hp5_bytes_text(whole, all), left);
    else snprintf(text, size, "; %s are available", left);
}

/* A process that was started alone has what those of a cluster share. */
static void describe_processes(const Hp5TaskRun *run, char *text, size_t size) {
    text[0] = '\0';
    if (run->desc->segments <= 1 || hp5_comm_size() > 1) return;
    snprintf(text, size, "\n  or start several processes, each of which has its share: mpirun -n %d ./%s …", run->desc->segments, hp5_program_name());
}

static __attribute__((noreturn)) void too_many_lpus(const Hp5TaskRun *run, const Hp5Footprint *found, int lps, double bytes, double available) {
    const Hp5SpaceFootprint *space = &found->spaces[lps];
    double rest = space->tables + space->transient + space->exchanges + space->growing;
    char arguments[600], whole[100], processes[400], tables[HP5_BYTES_TEXT], copies[HP5_BYTES_TEXT] = "";
    describe_arguments(run, lps, arguments, sizeof arguments);
    describe_whole(rest + space->copies, bytes, available, whole, sizeof whole);
    describe_processes(run, processes, sizeof processes);
    if (space->copies > 0) hp5_bytes_text(space->copies, copies);
    hp5_fail(HP5_EXIT_USAGE,
             "task %s, Space %s: %.0f LPUs%s%s take %s of memory%s%s%s\n"
             "  use larger parts, or say with --memory SIZE how much it may take%s",
             run->desc->name, run->desc->lpses[lps].name, space->lpus, arguments[0] ? " " : "", arguments, hp5_bytes_text(rest, tables),
             copies[0] ? ", their copies of elements " : "", copies, whole, processes);
}

static __attribute__((noreturn)) void too_large_array(const Hp5TaskRun *run, const Hp5Footprint *found, int array, double bytes, double available) {
    char own[HP5_BYTES_TEXT], whole[100], processes[400];
    describe_processes(run, processes, sizeof processes);
    describe_whole(found->arrays[array], bytes, available, whole, sizeof whole);
    hp5_fail(HP5_EXIT_FAILURE,
             "out of memory: task %s: array %s takes %s%s\n"
             "  use smaller arrays, or say with --memory SIZE how much it may take%s",
             run->desc->name, run->desc->arrays[array].name, hp5_bytes_text(found->arrays[array], own), whole, processes);
}

static double space_bytes(const Hp5SpaceFootprint *space) { return space->tables + space->transient + space->copies + space->exchanges + space->growing; }

void hp5_footprint_check(const Hp5TaskRun *run) {
    if (is_surely_small(run)) return;
    Hp5Footprint found = hp5_footprint(run);
    const Hp5Geometry *geometry = &run->hidden->geometry; /* one process of several has its share */
    double bytes = hp5_footprint_bytes(run, &found) * geometry->mine.count / geometry->ppus, most = 0, largest = 0, available;
    int lps = 0, array = -1;
    if (bytes > SMALL_BYTES && bytes > (available = (double)hp5_memory_available())) {
        for (int x = 1; x < run->desc->lps_count; x++)
            if (space_bytes(&found.spaces[x]) > most) most = space_bytes(&found.spaces[lps = x]);
        for (int a = 0; a < run->desc->array_count; a++)
            if (found.arrays[a] > largest) largest = found.arrays[array = a];
        if (array < 0 || largest < most) too_many_lpus(run, &found, lps, bytes, available);
        if (largest < (double)(INT64_MAX / 16)) too_large_array(run, &found, array, bytes, available); /* else stores.c says more */
    }
    hp5_footprint_free(&found);
}
