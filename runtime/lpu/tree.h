/* The records of a run's LPUs: those that this process's PPUs run, and their parents. */
#ifndef HP5_RUNTIME_TREE_H
#define HP5_RUNTIME_TREE_H
#include "runtime/lpu/geometry.h"
#include "runtime/store/slab.h"

/* What the tree is built from and into. */
typedef struct Hp5TreeBuild {
    Hp5Geometry *geometry; /* shapes[].lpus are set */
    Hp5Lpu *root;          /* its views are set; its children are made */
    Hp5Slab *slab;         /* the records, LPUs' scalars (cleared) */
    Hp5Pool *pool;         /* run lists of parts */
    /* Called for each new grid, before those below it: gives its LPUs stores. */
    void (*grid)(Hp5Lpu *parent, Hp5Grid *grid, void *data);
    /* Called for each LPU before and after what is below it; next_flat[x]: the records of LPS x so far. */
    void (*around)(int lps, const Hp5Lpu *lpu, bool after, const int64_t *next_flat, void *data);
    void *data;
} Hp5TreeBuild;
void hp5_tree_create(const Hp5TreeBuild *build);

/* Climbs `up` LPUs. */
static inline Hp5Lpu *hp5_ancestor(Hp5Lpu *lpu, int up) {
    while (up-- > 0) lpu = lpu->parent;
    return lpu;
}
#endif
