/* Tuples, and processor spaces with their transformations; see space.h. */
#include "runtime/mapping/space.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hp5_mapper_fail(Hp5Mapper *mapper, const char *format, ...) {
    if (mapper->failed) return;
    mapper->failed = true;
    va_list args;
    va_start(args, format);
    vsnprintf(mapper->message, sizeof mapper->message, format, args);
    va_end(args);
}

/* ---- Numbers and tuples --------------------------------------------------------------------- */

Hp5Tuple hp5_tuple_all(int64_t value, Hp5Tuple like) {
    for (int i = 0; i < like.count; i++) like.at[i] = value;
    return like;
}

Hp5Tuple hp5_tuple_op(Hp5Mapper *mapper, Hp5Tuple a, char op, Hp5Tuple b) {
    if (a.count != b.count) {
        hp5_mapper_fail(mapper, "tuples of %d and %d elements do not go together", a.count, b.count);
        return a;
    }
    for (int i = 0; i < a.count; i++) {
        uint64_t x = (uint64_t)a.at[i], y = (uint64_t)b.at[i];
        switch (op) {
        case '+': a.at[i] = (int64_t)(x + y); break;
        case '-': a.at[i] = (int64_t)(x - y); break;
        case '*': a.at[i] = (int64_t)(x * y); break;
        case '/': a.at[i] = hp5_mapper_quotient(mapper, a.at[i], b.at[i]); break;
        default: a.at[i] = hp5_mapper_remainder(mapper, a.at[i], b.at[i]); break;
        }
    }
    return a;
}

void hp5_tuple_lacks(Hp5Mapper *mapper, int count, int64_t i) {
    hp5_mapper_fail(mapper, "a tuple of %d element%s has no element %lld", count, count == 1 ? "" : "s", (long long)i);
}

static int64_t cut(int64_t i, int count) {
    if (i < 0) i += count;
    return i < 0 ? 0 : i > count ? count : i;
}

Hp5Tuple hp5_tuple_part(Hp5Tuple tuple, int64_t from, int64_t to) {
    Hp5Tuple part = {0};
    for (int64_t i = cut(from, tuple.count), end = cut(to, tuple.count); i < end; i++) part.at[part.count++] = tuple.at[i];
    return part;
}

Hp5Tuple hp5_tuple_join(Hp5Mapper *mapper, Hp5Tuple a, Hp5Tuple b) {
    if (a.count + b.count > HP5_SPACE_DIMS) {
        hp5_mapper_fail(mapper, "a tuple has at most %d elements", HP5_SPACE_DIMS);
        return a;
    }
    for (int i = 0; i < b.count; i++) a.at[a.count++] = b.at[i];
    return a;
}

int hp5_tuple_compare(Hp5Tuple a, Hp5Tuple b) {
    for (int i = 0; i < a.count && i < b.count; i++)
        if (a.at[i] != b.at[i]) return a.at[i] < b.at[i] ? -1 : 1;
    return (a.count > b.count) - (a.count < b.count);
}

int64_t hp5_tuple_sum(Hp5Tuple tuple) {
    uint64_t sum = 0;
    for (int i = 0; i < tuple.count; i++) sum += (uint64_t)tuple.at[i];
    return (int64_t)sum;
}

int64_t hp5_tuple_min(Hp5Mapper *mapper, Hp5Tuple tuple) {
    int64_t least = hp5_tuple_get(mapper, tuple, 0);
    for (int i = 1; i < tuple.count; i++)
        if (tuple.at[i] < least) least = tuple.at[i];
    return least;
}

int64_t hp5_tuple_max(Hp5Mapper *mapper, Hp5Tuple tuple) {
    int64_t most = hp5_tuple_get(mapper, tuple, 0);
    for (int i = 1; i < tuple.count; i++)
        if (tuple.at[i] > most) most = tuple.at[i];
    return most;
}

const char *hp5_tuple_text(const Hp5Tuple *tuple, char *text, int size) {
    int used = snprintf(text, (size_t)size, "(");
    for (int i = 0; i < tuple->count && used < size; i++)
        used += snprintf(text + used, (size_t)(size - used), "%s%lld", i > 0 ? ", " : "", (long long)tuple->at[i]);
    if (used < size) snprintf(text + used, (size_t)(size - used), tuple->count == 1 ? ",)" : ")");
    return text;
}

/* ---- Making spaces ------------------------------------------------------------------------------- */

Hp5Space hp5_machine(Hp5Mapper *mapper, Hp5Tuple extents) {
    int64_t product = 1;
    for (int i = 0; i < extents.count; i++) product *= extents.at[i];
    if (mapper->ppus > 0 && product != mapper->ppus) {
        int64_t left = mapper->ppus;
        for (int i = 0; i < extents.count; i++) {
            int64_t extent = i + 1 == extents.count || extents.at[i] > left ? left : extents.at[i];
            while (left % extent != 0) extent--;
            extents.at[i] = extent;
            left /= extent;
        }
    }
    return (Hp5Space){.size = extents, .base = extents};
}

Hp5Space hp5_machine_levels(Hp5Mapper *mapper, Hp5Tuple extents, Hp5Tuple ends) {
    for (int i = 0; i < extents.count && mapper->counts; i++) {
        extents.at[i] = 1;
        for (int64_t l = (i > 0 ? ends.at[i - 1] : mapper->above) + 1; l <= ends.at[i]; l++) extents.at[i] *= mapper->counts[l];
    }
    return hp5_machine(mapper, extents);
}

static bool has_dimension(Hp5Mapper *mapper, const Hp5Space *space, const char *what, int64_t i) {
    if (i >= 0 && i < space->size.count) return true;
    char text[200];
    hp5_mapper_fail(mapper, "%s: there is no dimension %lld in a processor space of %d dimension%s %s", what, (long long)i,
                    space->size.count, space->size.count == 1 ? "" : "s", hp5_tuple_text(&space->size, text, sizeof text));
    return false;
}

static bool add_step(Hp5Mapper *mapper, Hp5Space *space, Hp5StepKind kind, int64_t p, int64_t q, int64_t a) {
    if (space->step_count == HP5_SPACE_STEPS || (kind == HP5_SPLIT && space->size.count == HP5_SPACE_DIMS)) {
        hp5_mapper_fail(mapper, "a processor space has at most %d dimensions and %d transformations", HP5_SPACE_DIMS, HP5_SPACE_STEPS);
        return false;
    }
    space->steps[space->step_count++] = (Hp5SpaceStep){.kind = (uint8_t)kind, .p = (uint8_t)p, .q = (uint8_t)q, .a = (uint32_t)a};
    return true;
}

static void insert(Hp5Tuple *tuple, int64_t at, int64_t value) {
    for (int j = tuple->count++; j > at; j--) tuple->at[j] = tuple->at[j - 1];
    tuple->at[at] = value;
}

static void drop(Hp5Tuple *tuple, int64_t at) {
    for (int64_t j = at; j + 1 < tuple->count; j++) tuple->at[j] = tuple->at[j + 1];
    tuple->count--;
}

Hp5Space hp5_split(Hp5Mapper *mapper, Hp5Space space, int64_t i, int64_t d) {
    if (!has_dimension(mapper, &space, "split", i)) return space;
    int64_t extent = space.size.at[i];
    if (d < 1 || extent % d != 0) {
        hp5_mapper_fail(mapper, "split: %lld does not divide dimension %lld, whose extent is %lld", (long long)d, (long long)i, (long long)extent);
        return space;
    }
    if (!add_step(mapper, &space, HP5_SPLIT, i, 0, d)) return space;
    space.size.at[i] = d;
    insert(&space.size, i + 1, extent / d);
    return space;
}

Hp5Space hp5_merge(Hp5Mapper *mapper, Hp5Space space, int64_t p, int64_t q) {
    if (!has_dimension(mapper, &space, "merge", p) || !has_dimension(mapper, &space, "merge", q)) return space;
    if (p >= q) {
        hp5_mapper_fail(mapper, "merge(%lld, %lld): the first dimension must come before the second; swap them first", (long long)p, (long long)q);
        return space;
    }
    if (!add_step(mapper, &space, HP5_MERGE, p, q, space.size.at[p])) return space;
    space.size.at[p] *= space.size.at[q];
    drop(&space.size, q);
    return space;
}

static void exchange(Hp5Tuple *tuple, int p, int q) {
    int64_t value = tuple->at[p];
    tuple->at[p] = tuple->at[q];
    tuple->at[q] = value;
}

Hp5Space hp5_swap(Hp5Mapper *mapper, Hp5Space space, int64_t p, int64_t q) {
    if (!has_dimension(mapper, &space, "swap", p) || !has_dimension(mapper, &space, "swap", q)) return space;
    if (add_step(mapper, &space, HP5_SWAP, p, q, 0)) exchange(&space.size, (int)p, (int)q);
    return space;
}

Hp5Space hp5_slice(Hp5Mapper *mapper, Hp5Space space, int64_t i, int64_t low, int64_t high) {
    if (!has_dimension(mapper, &space, "slice", i)) return space;
    if (low < 0 || low > high || high >= space.size.at[i]) {
        hp5_mapper_fail(mapper, "slice: %lld to %lld is no part of dimension %lld, which goes from 0 to %lld", (long long)low,
                        (long long)high, (long long)i, (long long)space.size.at[i] - 1);
        return space;
    }
    if (!add_step(mapper, &space, HP5_SLICE, i, 0, low)) return space;
    space.size.at[i] = high - low + 1;
    space.steps[space.step_count - 1].b = (uint32_t)space.size.at[i];
    return space;
}

/* ---- decompose and the like ---------------------------------------------------------------------------- */

static Hp5Space split_all(Hp5Mapper *mapper, Hp5Space space, int64_t i, const int64_t *factors, int k) {
    for (int m = 0; m + 1 < k; m++) space = hp5_split(mapper, space, i + m, factors[m]);
    return space;
}

static bool can_split(Hp5Mapper *mapper, const Hp5Space *space, const char *what, int64_t i, int64_t k) {
    if (!has_dimension(mapper, space, what, i)) return false;
    if (k < 1 || k > HP5_DECOMPOSE_DIMS)
        hp5_mapper_fail(mapper, "%s: a dimension goes into 1 to %d dimensions, not %lld", what, HP5_DECOMPOSE_DIMS, (long long)k);
    else if (space->size.at[i] > HP5_DECOMPOSE_PPUS)
        hp5_mapper_fail(mapper, "%s: dimension %lld has %lld PPUs; %lld is the most", what, (long long)i,
                        (long long)space->size.at[i], (long long)HP5_DECOMPOSE_PPUS);
    return !mapper->failed;
}

static bool in_limits(Hp5Mapper *mapper, const Hp5Tuple *tuple, const char *what) {
    for (int m = 0; m < tuple->count; m++)
        if (tuple->at[m] < 0 || tuple->at[m] > HP5_DECOMPOSE_EXTENT) {
            hp5_mapper_fail(mapper, "decompose: %s %lld is not between 0 and %lld", what, (long long)tuple->at[m],
                            (long long)HP5_DECOMPOSE_EXTENT);
            return false;
        }
    return true;
}

static const Hp5Decomposed *find_known(Hp5Mapper *mapper, int64_t ppus, const Hp5Tuple *extents, const Hp5Tuple *halo, uint32_t transpose) {
    for (int i = 0; i < HP5_DECOMPOSED; i++) {
        const Hp5Decomposed *known = &mapper->known[i];
        if (known->ppus == ppus && known->transpose == transpose && hp5_tuple_compare(known->extents, *extents) == 0 &&
            hp5_tuple_compare(known->halo, *halo) == 0)
            return known;
    }
    Hp5Decomposed *known = &mapper->known[mapper->next_known++ % HP5_DECOMPOSED];
    *known = (Hp5Decomposed){ppus, transpose, *extents, *halo, {.count = extents->count}};
    if (!hp5_decompose(ppus, extents->count, extents->at, halo->count > 0 ? halo->at : NULL, transpose, known->factors.at))
        hp5_mapper_fail(mapper, "decompose: out of memory");
    return known;
}

Hp5Space hp5_space_decompose(Hp5Mapper *mapper, Hp5Space space, int64_t i, Hp5Tuple extents, Hp5Tuple halo, uint32_t transpose) {
    if (!can_split(mapper, &space, "decompose", i, extents.count)) return space;
    if (halo.count > 0 && halo.count != extents.count) {
        hp5_mapper_fail(mapper, "decompose: halo has %d widths for %d extents", halo.count, extents.count);
        return space;
    }
    if (!in_limits(mapper, &extents, "the extent") || !in_limits(mapper, &halo, "the halo width")) return space;
    const Hp5Decomposed *known = find_known(mapper, space.size.at[i], &extents, &halo, transpose);
    return mapper->failed ? space : split_all(mapper, space, i, known->factors.at, extents.count);
}

Hp5Space hp5_space_greedy(Hp5Mapper *mapper, Hp5Space space, int64_t i, int64_t k) {
    int64_t factors[HP5_DECOMPOSE_DIMS];
    if (!can_split(mapper, &space, "greedy", i, k)) return space;
    hp5_greedy(space.size.at[i], (int)k, factors);
    return split_all(mapper, space, i, factors, (int)k);
}

Hp5Space hp5_space_dims_create(Hp5Mapper *mapper, Hp5Space space, int64_t i, int64_t k) {
    int64_t factors[HP5_DECOMPOSE_DIMS];
    if (!can_split(mapper, &space, "dims_create", i, k)) return space;
    hp5_dims_create(space.size.at[i], (int)k, factors);
    return split_all(mapper, space, i, factors, (int)k);
}

uint32_t hp5_dimension_bits(Hp5Mapper *mapper, Hp5Tuple dimensions, int count) {
    uint32_t bits = 0;
    for (int j = 0; j < dimensions.count; j++) {
        if (dimensions.at[j] < 0 || dimensions.at[j] >= count)
            hp5_mapper_fail(mapper, "decompose: transpose names dimension %lld of %d extents", (long long)dimensions.at[j], count);
        else bits |= 1U << dimensions.at[j];
    }
    return bits;
}

/* ---- Indices ----------------------------------------------------------------------------------------------- */

static void step_back(const Hp5SpaceStep *step, Hp5Tuple *index) {
    switch ((Hp5StepKind)step->kind) {
    case HP5_SPLIT:
        index->at[step->p] += index->at[step->p + 1] * step->a;
        drop(index, step->p + 1);
        break;
    case HP5_MERGE:
        insert(index, step->q, index->at[step->p] / step->a);
        index->at[step->p] %= step->a;
        break;
    case HP5_SWAP: exchange(index, step->p, step->q); break;
    case HP5_SLICE: index->at[step->p] += step->a; break;
    }
}

Hp5Tuple hp5_space_base(Hp5Mapper *mapper, const Hp5Space *space, Hp5Tuple index) {
    bool inside = index.count == space->size.count;
    for (int i = 0; inside && i < index.count; i++) inside = index.at[i] >= 0 && index.at[i] < space->size.at[i];
    if (!inside) {
        char first[100], second[100];
        hp5_mapper_fail(mapper, "index %s is outside the processor space %s", hp5_tuple_text(&index, first, sizeof first),
                        hp5_tuple_text(&space->size, second, sizeof second));
        return hp5_tuple_all(0, space->base);
    }
    for (int s = space->step_count - 1; s >= 0; s--) step_back(&space->steps[s], &index);
    return index;
}

bool hp5_space_find(const Hp5Space *space, Hp5Tuple base, Hp5Tuple *index) {
    for (int s = 0; s < space->step_count; s++) {
        const Hp5SpaceStep *step = &space->steps[s];
        switch ((Hp5StepKind)step->kind) {
        case HP5_SPLIT:
            insert(&base, step->p + 1, base.at[step->p] / step->a);
            base.at[step->p] %= step->a;
            break;
        case HP5_MERGE:
            base.at[step->p] += base.at[step->q] * step->a;
            drop(&base, step->q);
            break;
        case HP5_SWAP: exchange(&base, step->p, step->q); break;
        case HP5_SLICE: base.at[step->p] -= step->a; break;
        }
        if (step->kind == HP5_SLICE && (base.at[step->p] < 0 || base.at[step->p] >= step->b)) return false;
    }
    *index = base;
    return true;
}

int64_t hp5_space_ppu(Hp5Mapper *mapper, const Hp5Space *space, Hp5Tuple index) {
    Hp5Tuple base = hp5_space_base(mapper, space, index);
    int64_t ppu = 0;
    for (int i = 0; i < base.count; i++) ppu = ppu * space->base.at[i] + base.at[i];
    return ppu;
}
