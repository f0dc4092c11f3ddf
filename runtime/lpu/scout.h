/* LPUs of which this process has no record, made up when somebody asks: their parts and PPUs follow from the geometry alone.
 *
 * A scout has room for one grid and one LPU of each LPS; what it gives is good until the next call for the same LPS or one
 * above. Every thread that asks has a scout of its own. Made-up LPUs have views without stores, no children, no scalars,
 * and flat is -1. */
#ifndef HP5_RUNTIME_SCOUT_H
#define HP5_RUNTIME_SCOUT_H
#include "runtime/lpu/geometry.h"
#include <stdatomic.h>

typedef struct Hp5Scout Hp5Scout;
typedef struct Hp5IdleScout { _Atomic(Hp5Scout *) scout; } Hp5IdleScout;
Hp5Scout *hp5_scout_create(const Hp5Geometry *geometry);
void hp5_scout_free(Hp5Scout *scout);
/* The one that waits for the next who asks, if the geometry keeps one. */
void hp5_scout_dismiss(const Hp5Geometry *geometry);
/* The grid of `lps` in `parent`: the record's own where `parent` is one. */
const Hp5Grid *hp5_scout_grid(Hp5Scout *scout, const Hp5Lpu *parent, int lps);
/* The position of `lpu`, a record, among all LPUs of its LPS below `above`, the record of an ancestor or itself: results are combined by
 * it, whoever runs the LPUs. Costs those of the LPSes between. */
int64_t hp5_position_below(Hp5Scout *scout, const Hp5Lpu *above, const Hp5Lpu *lpu);
/* LPU `number` of such a grid: its record where there is one. */
const Hp5Lpu *hp5_scout_lpu(Hp5Scout *scout, const Hp5Lpu *parent, const Hp5Grid *grid, int64_t number);
#endif
