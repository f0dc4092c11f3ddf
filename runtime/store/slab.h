/* Memory for elements, and for the records of a run. */
#ifndef HP5_RUNTIME_SLAB_H
#define HP5_RUNTIME_SLAB_H
#include <stdbool.h>
#include <stdint.h>

enum { HP5_LARGE_BYTES = 2 << 20 };

/* `bytes` bytes (at least 1), 64-byte aligned; HP5_LARGE_BYTES and more in large pages. Freed with hp5_free. Ends the program with a message
 * that names `name` where there is not so much memory. */
void *hp5_element_buffer(int64_t bytes, const char *name);
/* The same, all zeros, in pages as they come; those that nobody touches are not there. */
void *hp5_element_zeros(int64_t bytes, const char *name);
/* Large pages that lie in these bytes as a whole are large ones when they are touched. */
void hp5_want_large_pages(char *memory, int64_t bytes);

/* Memory that lives as long as a run: many small records from few large pieces. All zero at first. */
typedef struct Hp5Slab {
    struct Hp5SlabPiece *pieces;
    char *at, *end;
    int64_t taken; /* bytes */
} Hp5Slab;
/* 16-byte aligned, not cleared. */
void *hp5_slab_take(Hp5Slab *slab, int64_t bytes);
void hp5_slab_free(Hp5Slab *slab);
#endif
