/* Elements, for the runtime's own files.
 *
 *   boxes.c     copying boxes between stores
 *   memory.c    pieces of memory
 *   stores.c    root stores, COPY and HOME copies
 *   home.c      walks over copies
 *   items.c     the data of environments, output files
 *   collect.c   memory from the first use to the last */
#ifndef HP5_RUNTIME_ELEMENTS_H
#define HP5_RUNTIME_ELEMENTS_H
#include "runtime/lpu/lpu.h"
#include "runtime/store/memory.h"
#include "runtime/store/store.h"
#include <pthread.h>

struct Hp5TaskRun;
struct Hp5Worker;

/* boxes.c: boxes are [lo, hi) in global indices. */
typedef struct Hp5Box {
    int64_t lo[HP5_MAX_RANK], hi[HP5_MAX_RANK];
} Hp5Box;
void hp5_box_copy(const Hp5Store *to, int to_version, const Hp5Store *from, int from_version,
                  const Hp5Box *box);
/* Calls visit for the boxes whose union is the product of the sets within `box`. */
void hp5_box_each(const Hp5Set *sets, int rank, const Hp5Box *box, void (*visit)(const Hp5Box *, void *),
                  void *data);
int64_t hp5_store_elements(const Hp5Store *store);
static inline int64_t hp5_store_offset(const Hp5Store *store, const int64_t *index) {
    int64_t offset = 0;
    for (int d = 0; d < store->rank; d++) offset += (index[d] - store->lo[d]) * store->stride[d];
    return offset;
}
/* A store of these bounds without memory. */
void hp5_store_shape(Hp5Store *store, int rank, const int64_t *lo, const int64_t *extent, int versions,
                     const Hp5Element *element, Hp5Layout layout);
/* The dimension whose slices lie together. */
int hp5_store_slowest(const Hp5Store *store);
/* A box of `count` elements, from the elements at these offsets on. The stores may lie differently. */
void hp5_elements_copy(const Hp5Store *to, int to_version, int64_t to_offset, const Hp5Store *from, int from_version,
                       int64_t from_offset, const int64_t *count);
void hp5_element_copy(const Hp5Store *to, int to_version, int64_t there, const Hp5Store *from, int from_version, int64_t here);
bool hp5_element_same(const Hp5Store *a, int a_version, int64_t there, const Hp5Store *b, int b_version, int64_t here);
/* One element as the C struct or number that it is. */
void hp5_element_gather(const Hp5Store *store, int version, int64_t offset, void *element);
void hp5_box_zero(const Hp5Store *store, int version, const Hp5Box *box);
/* Version 0 of a box, from or to a file whose first element is `origin`. */
void hp5_box_read(const Hp5Store *store, const int64_t *origin, const Hp5Box *box, Hp5NpyReader *file);
void hp5_box_write(const Hp5Store *store, const int64_t *origin, const Hp5Box *box, Hp5NpyWriter *file);

/* stores.c */
void hp5_roots_create(struct Hp5TaskRun *run);     /* before the tree: Root's stores without elements */
void hp5_stores_of_grid(struct Hp5TaskRun *run, Hp5Lpu *parent, Hp5Grid *grid);
/* Elements from the items into the stores, all versions equal, padding up to date: before each execution. */
void hp5_stores_fill(struct Hp5TaskRun *run);
void hp5_stores_free(struct Hp5TaskRun *run);
/* Root's current versions back into the items: after each execution. */
void hp5_stores_return(struct Hp5TaskRun *run);
/* The LPSes from Root's child down to `lps`; their number. */
int hp5_path_to(const Hp5TaskDesc *desc, int lps, int *path);
/* visit(w, lpu, data) for each LPU of `lps` that this thread's PPU runs, on every thread of the PPU. */
typedef void Hp5LpuVisit(struct Hp5Worker *w, Hp5Lpu *lpu, void *data);
void hp5_visit_lpus(struct Hp5Worker *w, int lps, Hp5LpuVisit *visit, void *data);
/* The stores of a run by their numbers: each 64 that lie together have consecutive ones. */
typedef struct Hp5StoreTable {
    Hp5Store **chunks;
    int32_t count, capacity; /* chunks */
} Hp5StoreTable;
enum { HP5_STORE_CHUNK = 64 };
static inline Hp5Store *hp5_store_at(const Hp5StoreTable *table, int32_t number) {
    return table->chunks[number / HP5_STORE_CHUNK] + number % HP5_STORE_CHUNK;
}
/* The hull of a view's part, and of its unpadded part. */
Hp5Box hp5_view_hull(const Hp5View *view, int rank);
Hp5Box hp5_view_own(const Hp5View *view, int rank);
/* Calls visit for boxes that cover a HOME array once: each element with the copy in whose unpadded part it
 * lies at every level. */
void hp5_each_home_box(struct Hp5TaskRun *run, int array,
                       void (*visit)(const Hp5Store *store, const Hp5Box *box, void *data), void *data);

/* Whether several LPUs of `lps` may hold one element of the store above unpadded: an LPS on the way down does not
 * divide the array in each of its dimensions. */
bool hp5_copies_are_shared(const Hp5TaskDesc *desc, int lps, int array);
/* Bytes of one version of a store, and from one version of a copy to the next. */
int64_t hp5_store_bytes(const struct Hp5TaskRun *run, const Hp5Store *store);
int64_t hp5_version_step(int64_t bytes, Hp5Layout layout);
/* Thread t's share of Root's store, a slice that lies together; false when it has none. */
bool hp5_root_slice(const Hp5Store *store, int t, int threads, Hp5Box *box);
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

/* items.c */
void hp5_item_spread(Hp5Item *item, struct Hp5TaskRun *run, int array);
void hp5_item_unspread(Hp5Item *item);
/* The item's data as a store of one version. */
Hp5Store hp5_item_store(const Hp5Item *item);
/* Held while an item's elements change place: tasks that run at the same time may look at each other's items. */
extern pthread_mutex_t hp5_item_lock;

/* collect.c */
bool hp5_collects_array(const Hp5TaskDesc *desc, int array);
bool hp5_collects_copies(const Hp5TaskDesc *desc, int array);
void hp5_collect_create(struct Hp5TaskRun *run);
void hp5_collect_report(const struct Hp5TaskRun *run); /* for --timing */
/* Memory of a copy that is collected; nothing happens to others. */
void hp5_copy_take(const struct Hp5TaskRun *run, Hp5Store *store);
void hp5_copy_drop(const struct Hp5TaskRun *run, Hp5Store *store);
#endif
