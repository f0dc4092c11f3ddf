/* Memory for elements and records (slab.h). Pieces of a slab grow with what is there already, so that small runs stay small
 * and large ones take few, large pages. */
#include "runtime/store/slab.h"
#include "runtime/report/error.h"
#include <sys/mman.h>

enum { LARGE_PAGE = HP5_LARGE_BYTES };

void hp5_want_large_pages(char *memory, int64_t bytes) {
    uintptr_t begin = ((uintptr_t)memory + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    uintptr_t end = ((uintptr_t)memory + (uintptr_t)bytes) / LARGE_PAGE * LARGE_PAGE;
    if (begin < end) madvise((void *)begin, end - begin, MADV_HUGEPAGE); /* only a hint: failing is fine */
}

void *hp5_element_buffer(int64_t bytes, const char *name) {
    char *memory = hp5_alloc(bytes > 0 ? bytes : 1, name);
    hp5_want_large_pages(memory, bytes);
    return memory;
}

void *hp5_element_zeros(int64_t bytes, const char *name) { return hp5_alloc_zeroed(bytes > 0 ? bytes : 1, name); }

/* ---- Slabs ------------------------------------------------------------------------------------- */

enum { SMALLEST_PIECE = 4 << 10, LARGEST_PIECE = 8 << 20 };
struct Hp5SlabPiece {
    struct Hp5SlabPiece *next;
    char pad[64 - sizeof(void *)];
    char memory[];
};

static int64_t next_piece(const Hp5Slab *slab) {
    int64_t size = slab->taken / 4;
    return size < SMALLEST_PIECE ? SMALLEST_PIECE : size > LARGEST_PIECE ? LARGEST_PIECE : size;
}

void *hp5_slab_take(Hp5Slab *slab, int64_t bytes) {
    bytes = (bytes + 15) / 16 * 16;
    if (slab->end - slab->at < bytes) {
        int64_t usual = next_piece(slab), room = bytes > usual / 4 ? bytes : usual;
        struct Hp5SlabPiece *piece = hp5_element_buffer((int64_t)sizeof *piece + room, "LPUs");
        piece->next = slab->pieces;
        slab->pieces = piece;
        slab->taken += room;
        if (room == bytes) return piece->memory; /* a large one of its own; the current piece stays in use */
        slab->at = piece->memory;
        slab->end = piece->memory + room;
    }
    void *result = slab->at;
    slab->at += bytes;
    return result;
}

void hp5_slab_free(Hp5Slab *slab) {
    for (struct Hp5SlabPiece *piece = slab->pieces, *next; piece; piece = next) {
        next = piece->next;
        hp5_free(piece);
    }
    *slab = (Hp5Slab){0};
}
