/* Which bytes are still near: a stack of what a thread has touched, the latest on top. What lies at most so many bytes
 * below the top as a memory holds is in that memory (least recently used leaves first). The stack knows boxes of
 * arrays, not lines: that is enough for parts of some kilobytes, and its cost does not depend on their size. */
#include "runtime/predict/predict.h"

static double volume(const int64_t *lo, const int64_t *hi) {
    double volume = 1;
    for (int d = 0; d < 3; d++) volume *= hi[d] > lo[d] ? (double)(hi[d] - lo[d]) : 0;
    return volume;
}

/* How much of the entry's box is touched again, 0 to 1. Of a box of which only some is touched, as much is near as of the whole,
 * unless the same code touches it again: that goes on where it was. Two strided parts are the same or have nothing in common. */
static double share(const Hp5ReuseEntry *entry, const Hp5ReuseEntry *touched) {
    int64_t lo[3], hi[3];
    double covered = 1;
    if (entry->lo[0] >= touched->hi[0] || touched->lo[0] >= entry->hi[0]) return 0; /* most often */
    for (int d = 0; d < 3; d++) {
        bool both = entry->stride[d] > 1 && touched->stride[d] > 1;
        if (both && entry->lo[d] != touched->lo[d]) return 0;
        if (!both && touched->stride[d] > 1) covered /= (double)touched->stride[d];
        lo[d] = entry->lo[d] > touched->lo[d] ? entry->lo[d] : touched->lo[d];
        hi[d] = entry->hi[d] < touched->hi[d] ? entry->hi[d] : touched->hi[d];
        if (lo[d] >= hi[d]) return 0;
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

static void forget(Hp5Reuse *reuse, int i) {
    if (reuse->left[i] > 0) reuse->count--;
    reuse->left[i] = 0;
}

/* Moves what counts to the end of the room. */
static void make_room(Hp5Reuse *reuse) {
    int to = HP5_REUSE_ROOM;
    for (int i = reuse->end; i-- > reuse->begin;) {
        if (reuse->left[i] == 0) continue;
        to--;
        reuse->data[to] = reuse->data[i];
        reuse->left[to] = reuse->left[i];
        reuse->entries[to] = reuse->entries[i];
    }
    reuse->begin = to;
    reuse->end = HP5_REUSE_ROOM;
}

static void push(Hp5Reuse *reuse, const Hp5ReuseEntry *touched) {
    while (reuse->count == HP5_REUSE_ENTRIES) forget(reuse, --reuse->end);
    if (reuse->begin == 0) make_room(reuse);
    const int top = --reuse->begin;
    reuse->data[top] = touched->data;
    reuse->left[top] = touched->bytes;
    reuse->entries[top] = *touched;
    if (touched->bytes > 0) reuse->count++;
}

void hp5_reuse_touch(Hp5Reuse *reuse, const Hp5CostMachine *machine, const Hp5ReuseEntry *touched, double *hits) {
    double above = 0, wanted = touched->bytes, limit = largest_memory(machine);
    int i = reuse->begin;
    for (int l = 0; l < machine->levels; l++) hits[l] = 0;
    for (; i < reuse->end && above < limit; i++) {
        const double left = reuse->left[i];
        double found = 0;
        if (reuse->data[i] == touched->data && left > 0) {
            const double here = share(&reuse->entries[i], touched) * reuse->entries[i].bytes;
            found = here < wanted ? here : wanted;
            if (found > left) found = left; /* the rest has been touched again since */
            for (int l = 1; l < machine->levels && found > 0; l++)
                if (machine->capacity[l] > 0 && above + left <= machine->capacity[l]) hits[l] += found;
            wanted -= found;
        }
        above += left;
        if (left - found < 64) forget(reuse, i);
        else reuse->left[i] = left - found;
    }
    while (reuse->end > i) forget(reuse, --reuse->end);
    push(reuse, touched);
}
