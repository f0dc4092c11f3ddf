/* Rounds over sub-partitions above the segments that have elements in common: what one round writes, the next one reads and writes in other LPUs.
 * So it moves in the LPU of the sub-partitions, once for all of them. What several segments have alike needs no more: all that run one
 * sub-partition merge it, and in each round these are the same. Where sub-partitions have some elements in common, and not all, elements of
 * other rounds would move as well, old ones perhaps: in_time.c refuses that.
 *
 * Needs: the resolved mapping. Gives: rounds_around, rounds_mixed. Breaks: nothing. */
#include "compiler/plan/moves.h"

typedef enum { SHARE_NOTHING, SHARE_SOME, SHARE_ALL } Share;

/* Sub-partitions lie beside each other in the dimension: some array is divided there. */
static bool has_several(const Lps *rounds, int d) {
    for (size_t i = 0; i < rounds->vars.count; i++)
        if (rounds->vars.items[i].dims[d].function != PART_REPLICATED) return true;
    return false;
}

/* What sub-partitions have of the array in common. */
static Share share(const Lps *rounds, const Var *var) {
    const LpsVar *entry = lps_find_var(rounds, var);
    int divided = 0, repeated = 0;
    for (int d = 0; d < rounds->dims; d++) {
        const bool divides = entry != NULL && entry->dims[d].function != PART_REPLICATED;
        divided += divides;
        repeated += !divides && has_several(rounds, d);
    }
    if (repeated == 0 && !lps_lists_padded(rounds, var)) return SHARE_NOTHING;
    return divided == 0 ? SHARE_ALL : SHARE_SOME;
}

static bool is_above(const TaskPlan *task, const Lps *lps) { return lps->sub_partition && !hold_is_local(task, lps); }

const Lps *rounds_around(const TaskPlan *task, const Var *var, const Lps *lps, const Lps *store) {
    const Lps *found = lps;
    for (const Lps *at = lps; at != store && at->parent != NULL; at = at->parent)
        if (is_above(task, at) && share(at, var) == SHARE_ALL) found = at->parent;
    return found;
}

const Lps *rounds_mixed(const TaskPlan *task, const Var *var, const Lps *lps, const Lps *store) {
    for (const Lps *at = lps; at != store && at->parent != NULL; at = at->parent)
        if (is_above(task, at) && share(at, var) == SHARE_SOME) return at;
    return NULL;
}
