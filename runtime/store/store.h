/* Elements: items (data that environments share) and stores (the elements of one array or copy while a task runs). */
#ifndef HP5_RUNTIME_STORE_H
#define HP5_RUNTIME_STORE_H
#include "runtime/desc/desc.h"
#include "runtime/store/places.h"

/* ---- Items: the data of environments ------------------------------------------------------- */
typedef struct Hp5Item {             /* one array's data, shared by reference */
    const Hp5Element *element;
    int rank;
    int64_t lo[HP5_MAX_RANK], extent[HP5_MAX_RANK];
    char *data;                      /* NULL while it is only in a file or spread over copies */
    Hp5Layout layout;                /* of `data` */
    Hp5NpyReader *file;              /* not read yet */
    struct Hp5TaskRun *spread;       /* HOME copies of this run hold it */
    struct Hp5Resident *resident;    /* what a card's memory has of it (card/resident.c), or NULL */
    int spread_array;
    bool distributed;                /* each process has a share, this one what is spread over the run, if any */
    int64_t id, changes;             /* several processes: which item, in the program's order; how often tasks have changed it */
    _Atomic int references;
    char *memory;                    /* what to free for `data` */
    bool extremes_known;             /* of an array of Integers; for the execution that has the item */
    int64_t least, greatest;
    const struct Hp5TaskRun *extremes_of; /* several processes: of what this run has of it */
} Hp5Item;
/* An item without data, file and spread is all zeros and takes no memory yet: read `data` after hp5_item_gather. New items have
 * one reference, the caller's; the last hp5_item_release frees them. `name` is for messages. */
/* Opens a .npy file, whose elements are read when somebody wants them. Ends the program where it is not there, or is of another
 * element or rank. Indices begin at 0. */
Hp5Item *hp5_item_from_file(const char *path, const char *name, const Hp5Element *element, int rank);
/* lo[rank], extent[rank]: the first index and the number of indices of each dimension. */
Hp5Item *hp5_item_zeroed(const char *name, const Hp5Element *element, int rank, const int64_t *lo, const int64_t *extent);
/* One more reference; returns the item. */
Hp5Item *hp5_item_retain(Hp5Item *item);
void hp5_item_release(Hp5Item *item); /* NULL: nothing happens */
/* Makes `data` hold it all, rows together. */
void hp5_item_gather(Hp5Item *item);
/* As a .npy file, from wherever the elements are: copies are not gathered first. Ends the program where that fails. */
void hp5_item_write(Hp5Item *item, const char *path, const char *name);

/* ---- Stores: elements while a task runs -------------------------------------------------------- */
typedef struct Hp5Box { int64_t lo[HP5_MAX_RANK], hi[HP5_MAX_RANK]; } Hp5Box; /* [lo, hi) in global indices */
typedef struct Hp5Store {            /* elements of one array or copy, for each version */
    char *version[HP5_MAX_VERSIONS]; /* version[lag]: the element at lo; rotates with epochs */
    int64_t lo[HP5_MAX_RANK];        /* first index held in each dimension; with `places`, the first place */
    int64_t extent[HP5_MAX_RANK];    /* of indices, or places */
    const Hp5Places *places;         /* [rank], where a process has indices with gaps; NULL: each index is its place */
    int64_t stride[HP5_MAX_RANK];    /* in elements; the last is 1, or the first with `fortran` */
    const Hp5Element *fields;        /* split: whose fields lie apart (boxes.c); else NULL */
    int64_t capacity;                /* elements that a version has room for */
    const int64_t *array_lo, *array_extent; /* bounds of the whole array (the item's lo and extent): x.dimensionK.range */
    int rank, versions;
    size_t element_size;
    int lps;                         /* whose LPU it belongs to (0: Root) */
    int array;
    struct Hp5Store *entry;          /* of a copy whose unpadded part other LPUs hold too: its elements when it was filled,
                                        so that it hands back only what changed; else NULL */
    int32_t number;                  /* in its run: what pieces of movements say instead of a pointer; -1: of an array of which
                                        there is never more than `capacity` elements (runtime/run/visit_strips.h) */
    _Atomic int handing;             /* 1 while such a copy hands back to this store, or a shared epoch advances it */
    char *memory;                    /* of a store that is collected: what its versions lie in */
    unsigned char *advanced;         /* of three or more versions: the elements that the shared epoch in progress has advanced */
    _Atomic uint64_t *_Atomic writers;  /* checked builds: who wrote each element last; made at first use */
} Hp5Store;
#endif
