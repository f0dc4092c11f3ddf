/* Boxes of elements: shapes of stores, copying a box from one store to another however the two lie in memory, and taking a
 * product of index sets apart into boxes.
 *
 * An element of a store that is not split lies at version + offset * element size. Of a split store, field f has a piece of
 * its own: at version + capacity * (the field's offset in the C struct), one value after the other. */
#include "runtime/store/elements.h"
#include "runtime/report/error.h"
#include <string.h>

/* ---- Shapes ---------------------------------------------------------------------------------- */

enum { LINE = 64, SPREAD = 512 };

static void shape_rows(Hp5Store *store, bool fortran) {
    int64_t stride = 1;
    for (int k = 0; k < store->rank; k++) {
        int d = fortran ? k : store->rank - 1 - k;
        store->stride[d] = stride;
        stride *= store->extent[d] > 0 ? store->extent[d] : 1;
    }
}

void hp5_store_shape(Hp5Store *store, int rank, const int64_t *lo, const int64_t *extent, int versions,
                     const Hp5Element *element, Hp5Layout layout) {
    memset(store, 0, sizeof *store);
    store->rank = rank;
    store->versions = versions;
    store->element_size = element->size;
    for (int d = 0; d < rank; d++) {
        store->lo[d] = lo[d];
        store->extent[d] = extent[d];
    }
    shape_rows(store, layout.fortran);
    store->capacity = hp5_store_elements(store);
    if (!layout.split) return;
    int64_t round = layout.align > LINE ? layout.align : LINE;
    store->fields = element;
    store->capacity = (store->capacity + round - 1) / round * round;
    /* Fields of 8 bytes that start at the same place in their pages get in each other's way in the first-level cache: an odd number of lines' elements
     * puts up to eight of them at different ones. */
    if (store->capacity >= SPREAD && round == LINE && store->capacity / LINE % 2 == 0) store->capacity += LINE;
}

int64_t hp5_store_elements(const Hp5Store *store) {
    int64_t count = 1;
    for (int d = 0; d < store->rank; d++) count *= store->extent[d];
    return count;
}

int hp5_store_slowest(const Hp5Store *store) { return store->rank > 1 && store->stride[0] < store->stride[store->rank - 1] ? store->rank - 1 : 0; }

/* ---- Blocks: the same values in two places, by bytes ---------------------------------------------- */

typedef struct Side {
    char *at;
    int64_t step[HP5_MAX_RANK]; /* bytes from one index to the next */
} Side;

typedef struct Block {
    Side to, from;
    int64_t count[HP5_MAX_RANK];
    int rank;
    size_t size; /* bytes of a value */
} Block;

/* `count` values along one dimension. */
static void copy_line(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t count, size_t size) {
    if (to_step == (int64_t)size && from_step == (int64_t)size) {
        memcpy(to, from, (size_t)count * size);
    } else if (size == 8) { /* sizes that are known become plain loads and stores */
        for (int64_t i = 0; i < count; i++) memcpy(to + i * to_step, from + i * from_step, 8);
    } else if (size == 4) {
        for (int64_t i = 0; i < count; i++) memcpy(to + i * to_step, from + i * from_step, 4);
    } else {
        for (int64_t i = 0; i < count; i++) memcpy(to + i * to_step, from + i * from_step, size);
    }
}

/* The dimension whose steps are the smallest, of those with several indices. */
static int fastest(const Block *block, const Side *side) {
    int best = block->rank - 1;
    for (int d = block->rank - 1; d >= 0; d--)
        if (block->count[d] > 1 && (block->count[best] == 1 || side->step[d] < side->step[best])) best = d;
    return best;
}

/* Dimensions d and up but for `inner` and `across`, then tiles of those two, so that both sides use the lines of memory that
 * they have touched. */
static void copy_dimensions(const Block *block, int d, char *to, const char *from, int inner, int across) {
    enum { TILE = 32 };
    while (d < block->rank && (d == inner || d == across)) d++;
    if (d < block->rank) {
        for (int64_t i = 0; i < block->count[d]; i++)
            copy_dimensions(block, d + 1, to + i * block->to.step[d], from + i * block->from.step[d], inner, across);
        return;
    }
    int64_t ti = block->to.step[inner], fi = block->from.step[inner], n = block->count[inner];
    if (inner == across) {
        copy_line(to, ti, from, fi, n, block->size);
        return;
    }
    int64_t ta = block->to.step[across], fa = block->from.step[across], m = block->count[across];
    for (int64_t a = 0; a < m; a += TILE)
        for (int64_t i = 0; i < n; i += TILE)
            for (int64_t k = a; k < a + TILE && k < m; k++)
                copy_line(to + k * ta + i * ti, ti, from + k * fa + i * fi, fi, n - i < TILE ? n - i : TILE, block->size);
}

static void copy_block(const Block *block) {
    int inner = fastest(block, &block->to), across = fastest(block, &block->from);
    copy_dimensions(block, 0, block->to.at, block->from.at, inner, across);
}

/* ---- Elements of stores -------------------------------------------------------------------------------- */

/* Where one field of a store's elements lies. */
static Side field_side(const Hp5Store *store, char *version, int64_t offset, const Hp5Field *field, size_t size) {
    int64_t each = store->fields ? (int64_t)size : (int64_t)store->element_size;
    Side side = {version + (int64_t)field->offset * (store->fields ? store->capacity : 1) + offset * each, {0}};
    for (int d = 0; d < store->rank; d++) side.step[d] = store->stride[d] * each;
    return side;
}

static Side whole_side(const Hp5Store *store, char *version, int64_t offset) {
    int64_t each = (int64_t)store->element_size;
    Side side = {version + offset * each, {0}};
    for (int d = 0; d < store->rank; d++) side.step[d] = store->stride[d] * each;
    return side;
}

size_t hp5_field_size(const Hp5Field *field) {
    size_t size = field->element->size;
    for (int d = 0; d < field->rank; d++) size *= (size_t)field->extents[d];
    return size;
}

/* A length that is known becomes a load and a store: padding of vectors is often one element. */
static inline void copy_row(char *to, const char *from, size_t bytes) {
    if (bytes == 8) memcpy(to, from, 8);
    else memcpy(to, from, bytes);
}

/* Rows lie in the last dimension on both sides, or in several that follow each other without gaps on both; the dimensions before are counted
 * like an odometer. */
static void copy_rows(const Hp5Store *to, char *into, const Hp5Store *from, const char *out, const int64_t *count) {
    int last = to->rank - 1;
    int64_t at[HP5_MAX_RANK] = {0}, row = count[last];
    while (last > 0 && to->stride[last - 1] == row && from->stride[last - 1] == row) row *= count[--last];
    size_t size = to->element_size, bytes = (size_t)row * size;
    for (;;) {
        copy_row(into, out, bytes);
        int d = last - 1;
        for (; d >= 0; d--) {
            into += to->stride[d] * (int64_t)size;
            out += from->stride[d] * (int64_t)size;
            if (++at[d] < count[d]) break;
            into -= count[d] * to->stride[d] * (int64_t)size;
            out -= count[d] * from->stride[d] * (int64_t)size;
            at[d] = 0;
        }
        if (d < 0) return;
    }
}

static bool is_plain(const Hp5Store *store) { return store->fields == NULL && store->stride[store->rank - 1] == 1; }

void hp5_elements_copy(const Hp5Store *to, int to_version, int64_t to_offset, const Hp5Store *from, int from_version,
                       int64_t from_offset, const int64_t *count) {
    char *into = to->version[to_version], *out = from->version[from_version];
    size_t size = to->element_size;
    if (is_plain(to) && is_plain(from)) {
        into += to_offset * (int64_t)size;
        out += from_offset * (int64_t)size;
        if (to->rank == 1) copy_row(into, out, (size_t)count[0] * size);
        else copy_rows(to, into, from, out, count);
        return;
    }
    Block block = {.rank = to->rank, .size = size};
    memcpy(block.count, count, sizeof *count * (size_t)to->rank);
    const Hp5Element *fields = to->fields ? to->fields : from->fields;
    if (fields == NULL) {
        block.to = whole_side(to, into, to_offset);
        block.from = whole_side(from, out, from_offset);
        copy_block(&block);
    }
    for (int f = 0; fields && f < fields->field_count; f++) {
        block.size = hp5_field_size(&fields->fields[f]);
        block.to = field_side(to, into, to_offset, &fields->fields[f], block.size);
        block.from = field_side(from, out, from_offset, &fields->fields[f], block.size);
        copy_block(&block);
    }
}

typedef struct Copying {
    const Hp5Store *to, *from;
    int to_version, from_version;
} Copying;

static void copy_even_box(const Hp5Box *box, void *data) {
    const Copying *copying = data;
    const Hp5Store *to = copying->to, *from = copying->from;
    int64_t count[HP5_MAX_RANK];
    for (int d = 0; d < to->rank; d++) count[d] = box->hi[d] - box->lo[d];
    hp5_elements_copy(to, copying->to_version, hp5_store_offset(to, box->lo), from, copying->from_version, hp5_store_offset(from, box->lo), count);
}

void hp5_box_copy(const Hp5Store *to, int to_version, const Hp5Store *from, int from_version,
                  const Hp5Box *box) {
    int64_t count[HP5_MAX_RANK];
    if (to->places || from->places) {
        hp5_box_each_even(to, from, box, copy_even_box, &(Copying){to, from, to_version, from_version});
        return;
    }
    for (int d = 0; d < to->rank; d++) {
        count[d] = box->hi[d] - box->lo[d];
        if (count[d] <= 0) return;
    }
    hp5_elements_copy(to, to_version, hp5_store_offset(to, box->lo), from, from_version, hp5_store_offset(from, box->lo), count);
}

static const int64_t ONE[HP5_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};

void hp5_element_copy(const Hp5Store *to, int to_version, int64_t there, const Hp5Store *from, int from_version, int64_t here) {
    hp5_elements_copy(to, to_version, there, from, from_version, here, ONE);
}

bool hp5_element_same(const Hp5Store *a, int a_version, int64_t there, const Hp5Store *b, int b_version, int64_t here) {
    const Hp5Element *fields = a->fields ? a->fields : b->fields;
    size_t size = a->element_size;
    if (fields == NULL)
        return memcmp(a->version[a_version] + there * (int64_t)size, b->version[b_version] + here * (int64_t)size, size) == 0;
    for (int f = 0; f < fields->field_count; f++) {
        size = hp5_field_size(&fields->fields[f]);
        Side x = field_side(a, a->version[a_version], there, &fields->fields[f], size);
        Side y = field_side(b, b->version[b_version], here, &fields->fields[f], size);
        if (memcmp(x.at, y.at, size) != 0) return false;
    }
    return true;
}

void hp5_element_gather(const Hp5Store *store, int version, int64_t offset, void *element) {
    Hp5Store single = {.rank = store->rank, .element_size = store->element_size, .capacity = 1};
    memcpy(single.stride, ONE, sizeof ONE);
    single.version[0] = element;
    hp5_element_copy(&single, 0, 0, store, version, offset);
}

/* All zeros. */
static void zero_dimensions(const Block *block, int d, char *to, int inner) {
    if (d == inner) d++;
    if (d < block->rank) {
        for (int64_t i = 0; i < block->count[d]; i++) zero_dimensions(block, d + 1, to + i * block->to.step[d], inner);
    } else if (block->to.step[inner] == (int64_t)block->size) {
        memset(to, 0, (size_t)block->count[inner] * block->size);
    } else {
        for (int64_t i = 0; i < block->count[inner]; i++) memset(to + i * block->to.step[inner], 0, block->size);
    }
}

static void zero_even_box(const Hp5Store *store, int version, const Hp5Box *box) {
    Block block = {.rank = store->rank, .size = store->element_size};
    for (int d = 0; d < store->rank; d++) {
        block.count[d] = box->hi[d] - box->lo[d];
        if (block.count[d] <= 0) return;
    }
    int64_t offset = hp5_store_offset(store, box->lo);
    int fields = store->fields ? store->fields->field_count : 1;
    for (int f = 0; f < fields; f++) {
        if (store->fields) block.size = hp5_field_size(&store->fields->fields[f]);
        block.to = store->fields ? field_side(store, store->version[version], offset, &store->fields->fields[f], block.size)
                                 : whole_side(store, store->version[version], offset);
        zero_dimensions(&block, 0, block.to.at, fastest(&block, &block.to));
    }
}

typedef struct OfVersion {
    const Hp5Store *store;
    int version;
} OfVersion;

static void zero_visited(const Hp5Box *box, void *data) {
    const OfVersion *of = data;
    zero_even_box(of->store, of->version, box);
}

void hp5_box_zero(const Hp5Store *store, int version, const Hp5Box *box) {
    hp5_box_each_even(store, NULL, box, zero_visited, &(OfVersion){store, version});
}

/* ---- Files ----------------------------------------------------------------------------------------------- */

/* Files hold whole elements: boxes of a split store go through a small buffer of these, in halves until they fit. */
typedef void FileBox(void *file, const int64_t *lo, const int64_t *hi, void *elements, const int64_t *strides);

static void through_buffer(const Hp5Store *store, const int64_t *origin, const Hp5Box *box, FileBox *visit, void *file, bool reads) {
    enum { MOST = 1 << 20 };
    int64_t lo[HP5_MAX_RANK], hi[HP5_MAX_RANK], extent[HP5_MAX_RANK], bytes = (int64_t)store->element_size;
    int longest = 0;
    for (int d = 0; d < store->rank; d++) {
        extent[d] = box->hi[d] - box->lo[d];
        if (extent[d] <= 0) return;
        bytes *= extent[d];
        if (extent[d] > extent[longest]) longest = d;
    }
    if (bytes > MOST && extent[longest] > 1) {
        Hp5Box half = *box;
        half.hi[longest] = box->lo[longest] + extent[longest] / 2;
        through_buffer(store, origin, &half, visit, file, reads);
        half.lo[longest] = half.hi[longest];
        half.hi[longest] = box->hi[longest];
        through_buffer(store, origin, &half, visit, file, reads);
        return;
    }
    Hp5Element element = {.size = store->element_size};
    Hp5Store whole;
    hp5_store_shape(&whole, store->rank, box->lo, extent, 1, &element, (Hp5Layout){0});
    whole.version[0] = hp5_alloc_zeroed(bytes, "elements on their way to or from a file"); /* no gap is left as it was */
    for (int d = 0; d < store->rank; d++) lo[d] = box->lo[d] - origin[d], hi[d] = box->hi[d] - origin[d];
    if (!reads) hp5_box_copy(&whole, 0, store, 0, box);
    visit(file, lo, hi, whole.version[0], whole.stride);
    if (reads) hp5_box_copy(store, 0, &whole, 0, box);
    hp5_free(whole.version[0]);
}

typedef struct InPlace {
    const Hp5Store *store;
    const int64_t *origin;
    FileBox *visit;
    void *file;
} InPlace;

static void visit_in_place(const Hp5Box *box, void *data) {
    const InPlace *place = data;
    const Hp5Store *store = place->store;
    int64_t lo[HP5_MAX_RANK], hi[HP5_MAX_RANK];
    for (int d = 0; d < store->rank; d++) {
        lo[d] = box->lo[d] - place->origin[d];
        hi[d] = box->hi[d] - place->origin[d];
    }
    place->visit(place->file, lo, hi, store->version[0] + hp5_store_offset(store, box->lo) * (int64_t)store->element_size, store->stride);
}

static void in_place(const Hp5Store *store, const int64_t *origin, const Hp5Box *box, FileBox *visit, void *file) {
    hp5_box_each_even(store, NULL, box, visit_in_place, &(InPlace){store, origin, visit, file});
}

static void read_elements(void *file, const int64_t *lo, const int64_t *hi, void *elements, const int64_t *strides) {
    hp5_npy_read_box(file, lo, hi, elements, strides);
}

static void write_elements(void *file, const int64_t *lo, const int64_t *hi, void *elements, const int64_t *strides) {
    hp5_npy_write_box(file, lo, hi, elements, strides);
}

void hp5_box_read(const Hp5Store *store, const int64_t *origin, const Hp5Box *box, Hp5NpyReader *file) {
    if (store->fields) through_buffer(store, origin, box, read_elements, file, true);
    else in_place(store, origin, box, read_elements, file);
}

void hp5_box_write(const Hp5Store *store, const int64_t *origin, const Hp5Box *box, Hp5NpyWriter *file) {
    if (store->fields) through_buffer(store, origin, box, write_elements, file, false);
    else in_place(store, origin, box, write_elements, file);
}

/* ---- Boxes that meet ---------------------------------------------------------------------------------------- */

bool hp5_box_cut(Hp5Box *box, const Hp5Box *other, int rank) {
    for (int d = 0; d < rank; d++) {
        if (other->lo[d] > box->lo[d]) box->lo[d] = other->lo[d];
        if (other->hi[d] < box->hi[d]) box->hi[d] = other->hi[d];
        if (box->lo[d] >= box->hi[d]) return false;
    }
    return true;
}

/* ---- Products of sets -------------------------------------------------------------------------------------- */

static bool all_intervals(const Hp5Set *sets, int rank) {
    for (int d = 0; d < rank; d++)
        if (!hp5_set_is_interval(&sets[d])) return false;
    return true;
}

static void each_from(const Hp5Set *sets, int rank, int d, Hp5Box *box, const Hp5Box *within,
                      void (*visit)(const Hp5Box *, void *), void *data) {
    if (d == rank) {
        visit(box, data);
        return;
    }
    int64_t count = hp5_set_run_count(&sets[d]);
    for (int64_t k = hp5_set_find_run(&sets[d], within->lo[d]); k < count; k++) {
        Hp5Run run = hp5_set_run(&sets[d], k);
        if (run.begin >= within->hi[d]) break;
        box->lo[d] = run.begin > within->lo[d] ? run.begin : within->lo[d];
        box->hi[d] = run.end < within->hi[d] ? run.end : within->hi[d];
        each_from(sets, rank, d + 1, box, within, visit, data);
    }
}

void hp5_box_each(const Hp5Set *sets, int rank, const Hp5Box *within, void (*visit)(const Hp5Box *, void *),
                  void *data) {
    Hp5Box box;
    if (!all_intervals(sets, rank)) {
        each_from(sets, rank, 0, &box, within, visit, data);
        return;
    }
    for (int d = 0; d < rank; d++) {
        box.lo[d] = sets[d].begin > within->lo[d] ? sets[d].begin : within->lo[d];
        box.hi[d] = sets[d].end < within->hi[d] ? sets[d].end : within->hi[d];
        if (box.lo[d] >= box.hi[d]) return;
    }
    visit(&box, data);
}
