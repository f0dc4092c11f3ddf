/* Index mapping functions at run time (mapping files, `Space A: Core by f`): hp5c writes a place function for the Space, which
 * the LPU tree calls once for each grid; it gives each LPU a PPU, counted within the PPU of the parent. LPUs keep their
 * numbers, so that results do not change: only who runs them does. */
#ifndef HP5_RUNTIME_PLACING_H
#define HP5_RUNTIME_PLACING_H
#include "runtime/desc/desc.h"
#include "runtime/mapping/space.h"

/* What a parameter `Task task` is. */
typedef struct Hp5MapperTask {
    Hp5Tuple ipoint, ispace;
} Hp5MapperTask;

typedef struct Hp5Placing {
    Hp5Mapper mapper;
    Hp5MapperTask task;     /* the LPU's coordinates, the grid's extents */
    int64_t number, count;  /* the LPU, -1 before LPU 0; where to stop */
    int64_t first;          /* owner[0] is that of LPU `first` */
    int32_t *owner;         /* result: for each LPU its PPU */
    const Hp5TaskDesc *desc;
    int lps;
} Hp5Placing;

/* Ends the program: names function, point and extents. */
__attribute__((noreturn)) void hp5_placing_fail(const Hp5Placing *placing);

/* The next point; false after the last. */
static inline bool hp5_placing_next(Hp5Placing *placing) {
    if (__builtin_expect(placing->mapper.failed, 0)) hp5_placing_fail(placing);
    if (++placing->number == placing->count) return false;
    if (placing->number == 0) return true;
    Hp5Tuple *point = &placing->task.ipoint;
    for (int d = point->count - 1; d >= 0 && ++point->at[d] == placing->task.ispace.at[d]; d--) point->at[d] = 0;
    return true;
}

static inline void hp5_placing_put(Hp5Placing *placing, int64_t ppu) {
    if (__builtin_expect(placing->mapper.failed, 0)) hp5_placing_fail(placing);
    placing->owner[placing->number - placing->first] = (int32_t)ppu;
}
#endif
