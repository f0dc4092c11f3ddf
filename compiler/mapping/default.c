/* The default mapping: see the rule in mapping.h. */
#include "compiler/mapping/resolve.h"

int mapping_root_level(const MachineModel *model) { return model->spaces.items[0].count == 1 ? 0 : -1; }

/* The host levels with several PPUs in each PPU above, down to the lowest that computes.
 * Returns how many there are; without any, that lowest level alone stands for them. 0: none computes. */
static int dividing_levels(const MachineModel *model, int root, int levels[MACHINE_MAX_LEVELS]) {
    int lowest = -1, last = -1; /* last: the last dividing level */
    int count = 0;
    for (int level = 0; (size_t)level < model->spaces.count; level++) {
        if (!model_is_gpu_level(model, level) && model_can_compute(model, level)) lowest = level;
    }
    for (int level = root < 0 ? 0 : root + 1; level <= lowest; level++) {
        if (model->spaces.items[level].count > 1) levels[count++] = last = level;
    }
    if (lowest >= 0 && last != lowest) {
        /* single PPUs below the last dividing level: they do the work, so the lowest stands for it */
        if (count > 0) count--;
        levels[count++] = lowest;
    }
    return count;
}

static bool divides(const MappingLps *lps) {
    return lps->parent >= 0 && !lps->un_partitioned && !lps->is_sub_partition;
}

/* How many partitioned LPSes lie below each LPS on its longest path. */
static int *measure_heights(Arena *arena, const MappingTree *tree) {
    int *heights = ARENA_ARRAY(arena, int, tree->count);
    for (size_t i = tree->count; i-- > 1;) {
        int *above = &heights[tree->lpses[i].parent], height = heights[i] + divides(&tree->lpses[i]);
        if (height > *above) *above = height;
    }
    return heights;
}

bool mapping_default(Arena *arena, const MachineModel *model, const MappingTree *tree, AskedLps *asked) {
    int levels[MACHINE_MAX_LEVELS];
    const int root = mapping_root_level(model);
    int count = dividing_levels(model, root, levels);
    if (count == 0) return false;
    const int *heights = measure_heights(arena, tree);
    asked[0] = (AskedLps){.level = root};
    for (size_t i = 1; i < tree->count; i++) {
        const MappingLps *lps = &tree->lpses[i];
        int index = heights[i] < count ? count - 1 - heights[i] : 0;
        bool own = divides(lps);
        asked[i] = (AskedLps){.level = own ? levels[index] : asked[lps->parent].level, .inherited = !own};
    }
    return true;
}
