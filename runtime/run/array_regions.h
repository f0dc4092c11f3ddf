/* Regions: which elements of an array somebody has or wants, as products of index sets. Rows that are dealt out by `stride` are one region, however many they are;
 * what two regions have in common is found while it is used, box by box, and never stored. */
#ifndef HP5_RUNTIME_ARRAY_REGIONS_H
#define HP5_RUNTIME_ARRAY_REGIONS_H
#include "runtime/run/private.h"

/* Regions, none of them empty, and the stores that have their elements. */
typedef struct Hp5Regions {
    Hp5Set *sets;            /* for each region, one for each dimension */
    const Hp5Store **stores; /* NULL: those of another process */
    int64_t count, capacity;
    int rank;
    int64_t *words;          /* of those of another process: where lists of runs are */
} Hp5Regions;
static inline const Hp5Set *hp5_region(const Hp5Regions *regions, int64_t i) { return &regions->sets[i * regions->rank]; }
/* What a product of sets has within a box, which is copied but for lists of runs. Nothing is added that comes twice in a row; what goes on where the last region of
 * the same store ends, or as its next stride, joins it. */
void hp5_regions_add(Hp5Regions *regions, const Hp5Store *store, const Hp5Set *sets, const Hp5Box *within);
void hp5_regions_add_box(Hp5Regions *regions, const Hp5Store *store, const Hp5Box *box);
bool hp5_regions_equal(const Hp5Regions *a, const Hp5Regions *b);
void hp5_regions_free(Hp5Regions *regions);
Hp5Box hp5_region_hull(const Hp5Set *sets, int rank);
bool hp5_region_is_box(const Hp5Set *sets, int rank);
/* Calls visit for the boxes of all of them. */
void hp5_regions_each_box(const Hp5Regions *regions, void (*visit)(const Hp5Store *store, const Hp5Box *box, void *data), void *data);
/* near_boxes.c: all of them from the item's file. */
void hp5_regions_read(const Hp5Regions *regions, const Hp5Item *item);

/* ---- To other processes ------------------------------------------------------------------------------------- */

/* How many words describe them. */
int64_t hp5_regions_length(const Hp5Regions *regions);
void hp5_regions_write(const Hp5Regions *regions, int64_t *words);
/* Regions from so many words, which are theirs from now on (hp5_alloc). */
Hp5Regions hp5_regions_of(int64_t *words, int64_t length, int rank);
/* Those that are marked, in their order. */
void hp5_regions_keep(Hp5Regions *regions, const bool *marks);

/* ---- Regions that meet ------------------------------------------------------------------------------------------ */

/* How many elements two regions have in common. */
int64_t hp5_common_count(const Hp5Set *a, const Hp5Set *b, int rank);
/* Where one stands in the runs of one dimension. */
typedef struct Hp5RunWalk {
    int64_t i, k, runs_of_a, runs_of_b;
} Hp5RunWalk;
/* The boxes of these, one after the other in ascending order of their indices:
 *     for (hp5_common_begin(&common, a, b, rank); hp5_common_next(&common);) … common.box … */
typedef struct Hp5Common {
    const Hp5Set *a, *b;
    int rank;
    bool is_closed[HP5_MAX_RANK]; /* a closed form has the common indices of a dimension */
    Hp5Set closed[HP5_MAX_RANK];
    Hp5RunWalk walks[HP5_MAX_RANK];
    int turns; /* the dimension whose next run comes; -1: there is nothing more */
    Hp5Box box;
} Hp5Common;
void hp5_common_begin(Hp5Common *common, const Hp5Set *a, const Hp5Set *b, int rank);
bool hp5_common_next(Hp5Common *common);

/* Where regions lie in one dimension: that in which they are shortest, beside what all of them span. */
typedef struct Hp5Sorted {
    struct Hp5Hull *hulls; /* in the order of where they begin */
    int64_t count;
    int dimension;
} Hp5Sorted;
Hp5Sorted hp5_regions_sort(const Hp5Regions *regions);
void hp5_sorted_free(Hp5Sorted *sorted);
/* Calls visit for each region whose hull has something of these indices, in the order of where they begin. */
void hp5_sorted_find(const Hp5Sorted *sorted, Hp5Run indices, void (*visit)(int64_t region, void *data), void *data);
#endif
