/* Regions (array_regions.h). How to read it: sets cut to what a box has of them; lists of regions; as words for other processes; what two regions have in common; and
 * regions in the order of where they begin. */
#include "runtime/run/array_regions.h"
#include "runtime/report/error.h"
#include <stdlib.h>
#include <string.h>

/* ---- Sets that are cut ----------------------------------------------------------------------------------------- */

/* A list of runs: a first run that is cut, those that are whole, and a last one. */
static int cut_list(const Hp5Set *set, Hp5Run to, Hp5Set *pieces) {
    int64_t first = hp5_set_find_run(set, to.begin), end = hp5_set_find_run(set, to.end);
    int count = 0;
    if (first < set->run_count && set->runs[first].begin < to.begin) {
        const Hp5Run run = set->runs[first++];
        pieces[count++] = hp5_interval(to.begin, run.end < to.end ? run.end : to.end);
    }
    if (first < end) pieces[count++] = (Hp5Set){set->runs[first].begin, set->runs[end - 1].end, 0, 0, &set->runs[first], end - first};
    if (end < set->run_count && end >= first && set->runs[end].begin < to.end) pieces[count++] = hp5_interval(set->runs[end].begin, to.end);
    return count;
}

/* What a set has of an interval, in pieces that take no memory: at most three. */
static int cut_set(const Hp5Set *set, Hp5Run to, Hp5Set *pieces) {
    const Hp5Set interval = hp5_interval(to.begin, to.end);
    int count = 0;
    if (hp5_set_common(set, &interval, &pieces[0])) return pieces[0].begin < pieces[0].end;
    if (set->runs != NULL) return cut_list(set, to, pieces);
    const Hp5Run first = hp5_set_run(set, hp5_set_find_run(set, to.begin)); /* it begins before, and others follow */
    const Hp5Set behind = hp5_interval(first.end, to.end);
    pieces[count++] = hp5_interval(to.begin, first.end);
    if (hp5_set_common(set, &behind, &pieces[count]) && pieces[count].begin < pieces[count].end) count++;
    return count;
}

/* ---- Lists ------------------------------------------------------------------------------------------------------ */

static void make_room(Hp5Regions *regions) {
    if (regions->count < regions->capacity) return;
    const int64_t capacity = 2 * regions->capacity + 4, rank = regions->rank;
    Hp5Set *sets = hp5_alloc(capacity * rank * (int64_t)sizeof *sets, "shares of arrays");
    const Hp5Store **stores = hp5_alloc(capacity * (int64_t)sizeof *stores, "shares of arrays");
    if (regions->count > 0) {
        memcpy(sets, regions->sets, sizeof *sets * (size_t)(regions->count * rank));
        memcpy(stores, regions->stores, sizeof *stores * (size_t)regions->count);
    }
    hp5_free(regions->sets);
    hp5_free(regions->stores);
    regions->sets = sets;
    regions->stores = stores;
    regions->capacity = capacity;
}

/* The last region joins the one before it, from which it differs in no dimension or one. */
static bool join_last(Hp5Regions *regions) {
    Hp5Set *before = &regions->sets[(regions->count - 2) * regions->rank], *last = before + regions->rank, joined;
    int differs = -1;
    if (regions->stores[regions->count - 2] != regions->stores[regions->count - 1]) return false;
    for (int d = 0; d < regions->rank; d++) {
        if (hp5_set_equal(&before[d], &last[d])) continue;
        if (differs >= 0) return false;
        differs = d;
    }
    if (differs >= 0) {
        if (!hp5_set_join(&before[differs], &last[differs], &joined)) return false;
        before[differs] = joined;
    }
    regions->count--;
    return true;
}

static void add(Hp5Regions *regions, const Hp5Store *store, const Hp5Set *sets) {
    make_room(regions);
    memcpy(&regions->sets[regions->count * regions->rank], sets, sizeof *sets * (size_t)regions->rank);
    regions->stores[regions->count++] = store;
    while (regions->count > 1 && join_last(regions)) continue; /* rows of LPUs become one region, then rows of rows */
}

static void add_pieces(Hp5Regions *regions, const Hp5Store *store, const Hp5Set *sets, const Hp5Box *within, int d, Hp5Set *product) {
    Hp5Set pieces[3];
    if (d == regions->rank) {
        add(regions, store, product);
        return;
    }
    const int count = cut_set(&sets[d], (Hp5Run){within->lo[d], within->hi[d]}, pieces);
    for (int i = 0; i < count; i++) {
        product[d] = pieces[i];
        add_pieces(regions, store, sets, within, d + 1, product);
    }
}

void hp5_regions_add(Hp5Regions *regions, const Hp5Store *store, const Hp5Set *sets, const Hp5Box *within) {
    Hp5Set product[HP5_MAX_RANK] = {{0}};
    add_pieces(regions, store, sets, within, 0, product);
}

void hp5_regions_add_box(Hp5Regions *regions, const Hp5Store *store, const Hp5Box *box) {
    Hp5Set sets[HP5_MAX_RANK];
    for (int d = 0; d < regions->rank; d++) sets[d] = hp5_interval(box->lo[d], box->hi[d]);
    hp5_regions_add(regions, store, sets, box);
}

bool hp5_regions_equal(const Hp5Regions *a, const Hp5Regions *b) {
    bool same = a->count == b->count;
    for (int64_t i = 0; i < a->count && same; i++) {
        same = a->stores[i] == b->stores[i];
        for (int d = 0; d < a->rank && same; d++) same = hp5_set_equal(&hp5_region(a, i)[d], &hp5_region(b, i)[d]);
    }
    return same;
}

void hp5_regions_free(Hp5Regions *regions) {
    hp5_free(regions->sets);
    hp5_free(regions->stores);
    hp5_free(regions->words);
    *regions = (Hp5Regions){0};
}

Hp5Box hp5_region_hull(const Hp5Set *sets, int rank) {
    Hp5Box hull = {{0}, {0}};
    for (int d = 0; d < rank; d++) {
        hull.lo[d] = sets[d].begin;
        hull.hi[d] = sets[d].end;
    }
    return hull;
}

bool hp5_region_is_box(const Hp5Set *sets, int rank) {
    bool is_box = true;
    for (int d = 0; d < rank; d++) is_box = is_box && hp5_set_is_interval(&sets[d]);
    return is_box;
}

typedef struct OfStore {
    const Hp5Store *store;
    void (*visit)(const Hp5Store *store, const Hp5Box *box, void *data);
    void *data;
} OfStore;

static void visit_of_store(const Hp5Box *box, void *data) {
    const OfStore *of = data;
    of->visit(of->store, box, of->data);
}

void hp5_regions_each_box(const Hp5Regions *regions, void (*visit)(const Hp5Store *store, const Hp5Box *box, void *data), void *data) {
    for (int64_t i = 0; i < regions->count; i++) {
        const Hp5Box hull = hp5_region_hull(hp5_region(regions, i), regions->rank);
        hp5_box_each(hp5_region(regions, i), regions->rank, &hull, visit_of_store, &(OfStore){regions->stores[i], visit, data});
    }
}

/* ---- Words ------------------------------------------------------------------------------------------------------ */

/* A set is its ends, block and stride; a list of runs has block 0, and the number of its runs before them. */
enum { SET_WORDS = 4 };

int64_t hp5_regions_length(const Hp5Regions *regions) {
    int64_t length = SET_WORDS * regions->count * regions->rank;
    for (int64_t i = 0; i < regions->count * regions->rank; i++)
        if (regions->sets[i].runs) length += 2 * regions->sets[i].run_count;
    return length;
}

void hp5_regions_write(const Hp5Regions *regions, int64_t *words) {
    for (int64_t i = 0; i < regions->count * regions->rank; i++) {
        const Hp5Set *set = &regions->sets[i];
        *words++ = set->begin;
        *words++ = set->end;
        *words++ = set->block;
        *words++ = set->runs ? set->run_count : set->stride;
        for (int64_t k = 0; set->runs && k < set->run_count; k++) {
            *words++ = set->runs[k].begin;
            *words++ = set->runs[k].end;
        }
    }
}

static bool is_list(const int64_t *words) { return words[2] == 0; }

Hp5Regions hp5_regions_of(int64_t *words, int64_t length, int rank) {
    Hp5Regions regions = {.rank = rank};
    int64_t sets = 0, lists = 0, at = 0;
    for (const int64_t *next = words; next < words + length; next += SET_WORDS + (is_list(next) ? 2 * next[3] : 0), sets++) lists += is_list(next);
    regions.count = regions.capacity = sets / rank;
    regions.sets = hp5_alloc(sets * (int64_t)sizeof *regions.sets, "shares of arrays");
    for (int64_t i = 0; i < sets; i++) {
        const int64_t *next = &words[at];
        Hp5Set set = {next[0], next[1], next[2], next[3], NULL, 0};
        at += SET_WORDS;
        if (is_list(next)) {
            set = (Hp5Set){next[0], next[1], 0, 0, (const Hp5Run *)(const void *)&words[at], next[3]};
            at += 2 * set.run_count;
        }
        regions.sets[i] = set;
    }
    if (lists > 0) regions.words = words;
    else hp5_free(words);
    return regions;
}

void hp5_regions_keep(Hp5Regions *regions, const bool *marks) {
    Hp5Regions kept = {.rank = regions->rank, .words = regions->words};
    for (int64_t i = 0; i < regions->count; i++) kept.capacity += marks[i];
    kept.sets = hp5_alloc(kept.capacity * kept.rank * (int64_t)sizeof *kept.sets, "shares of arrays");
    for (int64_t i = 0; i < regions->count; i++)
        if (marks[i]) memcpy(&kept.sets[kept.count++ * kept.rank], hp5_region(regions, i), sizeof *kept.sets * (size_t)kept.rank);
    hp5_free(regions->sets);
    *regions = kept;
}

/* ---- What two have in common ------------------------------------------------------------------------------------- */

/* False: a closed form says that there is nothing. */
static bool find_common(Hp5Common *common) {
    for (int d = 0; d < common->rank; d++) {
        common->is_closed[d] = hp5_set_common(&common->a[d], &common->b[d], &common->closed[d]);
        if (common->is_closed[d] && common->closed[d].begin >= common->closed[d].end) return false;
    }
    return true;
}

/* To the first run of dimension d. */
static void begin_runs(Hp5Common *common, int d) {
    const Hp5Set *a = &common->a[d], *b = &common->b[d];
    const bool closed = common->is_closed[d];
    common->walks[d] = (Hp5RunWalk){closed ? 0 : hp5_set_find_run(a, b->begin), closed ? 0 : hp5_set_find_run(b, a->begin),
                                    hp5_set_run_count(closed ? &common->closed[d] : a), closed ? 0 : hp5_set_run_count(b)};
}

static bool next_run(Hp5Common *common, int d, Hp5Run *run) {
    Hp5RunWalk *walk = &common->walks[d];
    const Hp5Set *a = &common->a[d], *b = &common->b[d];
    if (common->is_closed[d]) {
        if (walk->i >= walk->runs_of_a) return false;
        *run = hp5_set_run(&common->closed[d], walk->i++);
        return true;
    }
    while (walk->i < walk->runs_of_a && walk->k < walk->runs_of_b) {
        *run = hp5_set_run(a, walk->i);
        const Hp5Run other = hp5_set_run(b, walk->k);
        if (run->end <= other.begin) {
            walk->i = hp5_set_find_run(a, other.begin);
        } else if (other.end <= run->begin) {
            walk->k = hp5_set_find_run(b, run->begin);
        } else {
            if (run->end <= other.end) walk->i++;
            else walk->k++;
            if (other.begin > run->begin) run->begin = other.begin;
            if (other.end < run->end) run->end = other.end;
            return true;
        }
    }
    return false;
}

int64_t hp5_common_count(const Hp5Set *a, const Hp5Set *b, int rank) {
    Hp5Common common = {.a = a, .b = b, .rank = rank};
    int64_t elements = 1;
    if (!find_common(&common)) return 0;
    for (int d = 0; d < rank && elements > 0; d++) {
        int64_t indices = common.is_closed[d] ? hp5_set_count(&common.closed[d]) : 0;
        if (!common.is_closed[d]) begin_runs(&common, d);
        for (Hp5Run run; !common.is_closed[d] && next_run(&common, d, &run);) indices += run.end - run.begin;
        elements *= indices;
    }
    return elements;
}

void hp5_common_begin(Hp5Common *common, const Hp5Set *a, const Hp5Set *b, int rank) {
    *common = (Hp5Common){.a = a, .b = b, .rank = rank};
    common->turns = find_common(common) ? 0 : -1;
    if (common->turns == 0) begin_runs(common, 0);
}

/* The dimension that turns next is the last one, until it has no more runs. */
bool hp5_common_next(Hp5Common *common) {
    while (common->turns >= 0) {
        Hp5Run run;
        const int d = common->turns;
        if (!next_run(common, d, &run)) {
            common->turns--;
            continue;
        }
        common->box.lo[d] = run.begin;
        common->box.hi[d] = run.end;
        if (d + 1 == common->rank) return true;
        begin_runs(common, ++common->turns);
    }
    return false;
}

/* ---- In the order of where they begin ------------------------------------------------------------------------------ */

/* The middle one of a range of hulls knows where all of the range end at the latest: halves that end before what is looked for are left out. */
typedef struct Hp5Hull {
    Hp5Run indices;
    int64_t end, region;
} Hull;

static int by_begin(const void *a, const void *b) {
    const Hull *one = a, *other = b;
    if (one->indices.begin != other->indices.begin) return one->indices.begin < other->indices.begin ? -1 : 1;
    return (one->region > other->region) - (one->region < other->region);
}

static int64_t find_ends(Hull *hulls, int64_t low, int64_t high) {
    if (low >= high) return INT64_MIN;
    const int64_t middle = low + (high - low) / 2, before = find_ends(hulls, low, middle), behind = find_ends(hulls, middle + 1, high);
    int64_t end = hulls[middle].indices.end;
    if (before > end) end = before;
    if (behind > end) end = behind;
    return hulls[middle].end = end;
}

/* How many times as long as one of them all are together, in one dimension. */
static double shortness(const Hp5Regions *regions, int d) {
    int64_t begin = hp5_region(regions, 0)[d].begin, end = hp5_region(regions, 0)[d].end;
    double lengths = 0;
    for (int64_t i = 0; i < regions->count; i++) {
        const Hp5Set *set = &hp5_region(regions, i)[d];
        if (set->begin < begin) begin = set->begin;
        if (set->end > end) end = set->end;
        lengths += (double)(set->end - set->begin);
    }
    return (double)(end - begin) / lengths;
}

Hp5Sorted hp5_regions_sort(const Hp5Regions *regions) {
    Hp5Sorted sorted = {.count = regions->count};
    double most = 0;
    for (int d = 0; d < regions->rank && regions->count > 0; d++) {
        const double found = shortness(regions, d);
        if (found > most) sorted.dimension = d;
        if (found > most) most = found;
    }
    sorted.hulls = hp5_alloc(regions->count * (int64_t)sizeof *sorted.hulls, "shares of arrays");
    for (int64_t i = 0; i < regions->count; i++) {
        const Hp5Set *set = &hp5_region(regions, i)[sorted.dimension];
        sorted.hulls[i] = (Hull){{set->begin, set->end}, set->end, i};
    }
    if (sorted.count > 1) qsort(sorted.hulls, (size_t)sorted.count, sizeof *sorted.hulls, by_begin);
    find_ends(sorted.hulls, 0, sorted.count);
    return sorted;
}

void hp5_sorted_free(Hp5Sorted *sorted) { hp5_free(sorted->hulls); }

typedef struct Finding {
    const Hull *hulls;
    Hp5Run indices;
    void (*visit)(int64_t region, void *data);
    void *data;
} Finding;

static void find(const Finding *finding, int64_t low, int64_t high) {
    if (low >= high) return;
    const int64_t middle = low + (high - low) / 2;
    const Hull *hull = &finding->hulls[middle];
    if (hull->end <= finding->indices.begin) return;
    find(finding, low, middle);
    if (hull->indices.begin >= finding->indices.end) return;
    if (hull->indices.end > finding->indices.begin) finding->visit(hull->region, finding->data);
    find(finding, middle + 1, high);
}

void hp5_sorted_find(const Hp5Sorted *sorted, Hp5Run indices, void (*visit)(int64_t region, void *data), void *data) {
    find(&(Finding){sorted->hulls, indices, visit, data}, 0, sorted->count);
}
