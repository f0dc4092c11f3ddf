/* Which bytes are still near: a stack of what a thread has touched, the latest on top. What lies at most so many bytes
 * below the top as a memory holds is in that memory (least recently used leaves first). The stack knows boxes of
 * arrays, not lines: that is enough for parts of some kilobytes, and its cost does not depend on their size. */
#include <string.h>
#include "runtime/predict/predict.h"

static double volume(const int64_t *lo, const int64_t *hi) {
    double volume = 1;
    for (int d = 0; d < 3; d++) volume *= hi[d] > lo[d] ? (double)(hi[d] - lo[d]) : 0;
    return volume;
}

/* How much of the entry's box is touched again, 0 to 1. Of a box of which only some is touched, as much is near as of the whole,
 * unless the same code touches it again: that goes on where it was. Two strided parts are the same or have nothing in common. */
static double share(const Hp5ReuseEntry *entry, const Hp5ReuseEntry *touched) {
    if (entry->data != touched->data) return 0;
    int64_t lo[3], hi[3];
    double covered = 1;
    for (int d = 0; d < 3; d++) {
        bool both = entry->stride[d] > 1 && touched->stride[d] > 1;
        if (both && entry->lo[d] != touched->lo[d]) return 0;
        if (!both && touched->stride[d] > 1) covered /= (double)touched->stride[d];
        lo[d] = entry->lo[d] > touched->lo[d] ? entry->lo[d] : touched->lo[d];
        hi[d] = entry->hi[d] < touched->hi[d] ? entry->hi[d] : touched->hi[d];
    }
    double whole = volume(entry->lo, entry->hi);
    if (entry->block != touched->block) covered *= touched->touched;
    return whole > 0 ? covered * volume(lo, hi) / whole : 0;
}

static double largest_memory(const Hp5CostMachine *machine) {
    double largest = 0;
    for (int l = 1; l < machine->levels; l++)
        if (machine->capacity[l] > largest) largest = machine->capacity[l];
    return largest;
}

void hp5_reuse_touch(Hp5Reuse *reuse, const Hp5CostMachine *machine, const Hp5ReuseEntry *touched, double *hits) {
    double above = 0, wanted = touched->bytes, limit = largest_memory(machine);
    int kept = 0;
    for (int l = 0; l < machine->levels; l++) hits[l] = 0;
    for (int i = 0; i < reuse->count && above < limit; i++) {
        Hp5ReuseEntry *entry = &reuse->entries[i];
        double here = share(entry, touched) * entry->whole, found = here < wanted ? here : wanted;
        if (found > entry->bytes) found = entry->bytes; /* the rest has been touched again since */
        for (int l = 1; l < machine->levels && found > 0; l++)
            if (machine->capacity[l] > 0 && above + entry->bytes <= machine->capacity[l]) hits[l] += found;
        wanted -= found;
        above += entry->bytes;
        entry->bytes -= found;
        if (entry->bytes >= 64) reuse->entries[kept++] = *entry;
    }
    if (kept == HP5_REUSE_ENTRIES) kept--;
    memmove(reuse->entries + 1, reuse->entries, sizeof *reuse->entries * (size_t)kept);
    reuse->entries[0] = *touched;
    reuse->entries[0].whole = touched->bytes;
    reuse->count = kept + 1;
}
