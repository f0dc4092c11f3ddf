/* Elements, for the runtime's own files.
 *
 *   slab.c      pieces of memory (slab.h)
 *   boxes.c     copying boxes between stores
 *   places.c    stores of indices with gaps (places.h); slots.c: slices for what comes and goes
 *   stores.c    the stores of a run: Root's, and copies of LPUs; layouts */
#ifndef HP5_RUNTIME_ELEMENTS_H
#define HP5_RUNTIME_ELEMENTS_H
#include "runtime/lpu/lpu.h"
#include "runtime/store/slab.h"
#include "runtime/store/store.h"

struct Hp5Geometry;

/* boxes.c */
void hp5_box_copy(const Hp5Store *to, int to_version, const Hp5Store *from, int from_version,
                  const Hp5Box *box);
/* Calls visit for the boxes whose union is the product of the sets within `box`. */
void hp5_box_each(const Hp5Set *sets, int rank, const Hp5Box *box, void (*visit)(const Hp5Box *, void *),
                  void *data);
/* The first box becomes what the two have in common; false: nothing. */
bool hp5_box_cut(Hp5Box *box, const Hp5Box *other, int rank);
int64_t hp5_store_elements(const Hp5Store *store);
static inline int64_t hp5_store_offset(const Hp5Store *store, const int64_t *index) {
    int64_t offset = 0;
    for (int d = 0; d < store->rank; d++) offset += ((store->places ? hp5_place_of(&store->places[d], index[d]) : index[d]) - store->lo[d]) * store->stride[d];
    return offset;
}
/* Whether the store has room for an index. */
bool hp5_store_has(const Hp5Store *store, int d, int64_t index);
/* The dimension whose slices lie together. */
int hp5_store_slowest(const Hp5Store *store);
/* Slices behind what a store has side by side, in its slowest dimension, from place `first` on. */
struct Hp5Slots *hp5_slots_create(const Hp5Store *store, int64_t first);
void hp5_slots_free(struct Hp5Slots *slots); /* NULL: nothing happens */
/* Those of indices in none of the runs may be used again. */
void hp5_slots_keep(struct Hp5Slots *slots, const Hp5Run *runs, int count);
static inline struct Hp5Slots *hp5_slots_of(const Hp5Store *store) { return store->places ? store->places[hp5_store_slowest(store)].slots : NULL; }
/* Calls visit for the boxes that `box` consists of in which neighbours are neighbours in both stores (NULL: in the first one). What a
 * store has no room for is left out. */
void hp5_box_each_even(const Hp5Store *a, const Hp5Store *b, const Hp5Box *box, void (*visit)(const Hp5Box *, void *), void *data);
/* A store of these bounds without memory. */
void hp5_store_shape(Hp5Store *store, int rank, const int64_t *lo, const int64_t *extent, int versions,
                     const Hp5Element *element, Hp5Layout layout);
/* A box of `count` elements, from the elements at these offsets on. The stores may lie differently. */
void hp5_elements_copy(const Hp5Store *to, int to_version, int64_t to_offset, const Hp5Store *from, int from_version,
                       int64_t from_offset, const int64_t *count);
size_t hp5_field_size(const Hp5Field *field); /* bytes */
void hp5_element_copy(const Hp5Store *to, int to_version, int64_t there, const Hp5Store *from, int from_version, int64_t here);
bool hp5_element_same(const Hp5Store *a, int a_version, int64_t there, const Hp5Store *b, int b_version, int64_t here);
/* One element as the C struct or number that it is. */
void hp5_element_gather(const Hp5Store *store, int version, int64_t offset, void *element);
void hp5_box_zero(const Hp5Store *store, int version, const Hp5Box *box);
/* Version 0 of a box, from or to a file whose first element is `origin`. */
void hp5_box_read(const Hp5Store *store, const int64_t *origin, const Hp5Box *box, Hp5NpyReader *file);
void hp5_box_write(const Hp5Store *store, const int64_t *origin, const Hp5Box *box, Hp5NpyWriter *file);

/* ---- The stores of a run ------------------------------------------------------------------------ */

/* By their numbers: each 64 that lie together have consecutive ones. */
typedef struct Hp5StoreTable {
    Hp5Store **chunks;
    int32_t count, capacity; /* chunks */
} Hp5StoreTable;
enum { HP5_STORE_CHUNK = 64 };
static inline Hp5Store *hp5_store_at(const Hp5StoreTable *table, int32_t number) {
    return table->chunks[(uint32_t)number / HP5_STORE_CHUNK] + (uint32_t)number % HP5_STORE_CHUNK;
}

/* geometry and slab are set, all else is zero at first. */
typedef struct Hp5Stores {
    const struct Hp5Geometry *geometry;
    Hp5Slab *slab;   /* of the run: stores, and elements of small ones */
    Hp5StoreTable table;
    Hp5Store *roots; /* one for each array: Root's store, unused where the array is HOME elsewhere */
    struct Hp5RootBuffer {
        char *memory, *start;
    } *root_buffers; /* [array * HP5_MAX_VERSIONS + k]: the run's buffers for Root's older versions; they change places with the
                        item's when versions rotate */
    void **buffers;  /* of copies */
    int64_t buffer_count, buffer_capacity;
    int64_t bytes;   /* of elements, in all of these */
    int64_t *packed; /* of a process of several: for each array, how many bytes of a version of Root's store parts of LPUs fill; 0: it is small, or has gaps */
} Hp5Stores;
/* Before the tree: Root's stores, without their current version; without any elements unless `elements`. */
void hp5_roots_create(Hp5Stores *stores, Hp5Item *const *items, bool elements);
/* Of a process of several, when the tree is there: Root's store has what it holds (places, or indices where `places` is NULL), with memory
 * for it, if `elements`; `packed`: parts of LPUs fill it, but for what lies behind all sets of places. */
void hp5_root_cut(Hp5Stores *stores, int array, const Hp5Box *held, const Hp5Places *places, bool elements, bool packed);
/* How many bytes the elements of the box have in that version, and where they begin, if they lie side by side; else 0. */
int64_t hp5_box_together(const Hp5Store *store, const Hp5Box *box, int version, char **begin);
/* All elements of the box will be touched: where they lie side by side, they come in large pages (slab.h). */
void hp5_box_wants_large_pages(const Hp5Store *store, const Hp5Box *box);
/* The stores of a new grid's LPUs (COPY and HOME), or those that they work on in place. */
void hp5_stores_of_grid(Hp5Stores *stores, const Hp5Lpu *parent, Hp5Grid *grid);
void hp5_stores_free(Hp5Stores *stores);
/* Where all that the process has of an array in the LPU lies: Root's store, or the copy of the LPU or of one around it. The LPU is one
 * that the process runs. */
const Hp5Store *hp5_store_in(const Hp5Stores *stores, const Hp5Lpu *lpu, int array);
/* The hull of a view's part, and of its unpadded part. */
Hp5Box hp5_view_hull(const Hp5View *view, int rank);
Hp5Box hp5_view_own(const Hp5View *view, int rank);
/* Whether several LPUs of `lps` may hold one element of the store above unpadded: an LPS on the way down does not
 * divide the array in each of its dimensions. */
bool hp5_copies_are_shared(const Hp5TaskDesc *desc, int lps, int array);
/* Bytes of one version of a store, and from one version of a copy to the next. */
int64_t hp5_store_bytes(const Hp5TaskDesc *desc, const Hp5Store *store);
int64_t hp5_version_step(int64_t bytes, Hp5Layout layout);

/* ---- Layouts and collecting --------------------------------------------------------------------- */

/* What an alignment may take, and where aligned elements begin. */
int64_t hp5_layout_slack(Hp5Layout layout);
char *hp5_layout_start(Hp5Layout layout, char *memory);
bool hp5_layout_holds(const Hp5Item *item, Hp5Layout layout); /* the item's data lie so already */
static inline bool hp5_layout_same(Hp5Layout a, Hp5Layout b) {
    return a.fortran == b.fortran && a.split == b.split && a.align == b.align;
}
static inline Hp5Layout hp5_layout_of(const Hp5TaskDesc *desc, int array) {
    return desc->layouts ? desc->layouts[array] : (Hp5Layout){0};
}
/* Whether an array, or its copies, have memory only from their first use to their last, or never. */
static inline bool hp5_collects_array(const Hp5TaskDesc *desc, int array) {
    return desc->collected && (desc->collected[array] == HP5_COLLECT_ARRAY || desc->collected[array] == HP5_NO_MEMORY);
}
static inline bool hp5_collects_copies(const Hp5TaskDesc *desc, int array) { return desc->collected && desc->collected[array] != HP5_KEPT; }
#endif
