/* What the PPUs of a task's LPSes are on a card: a grid, a block, a warp, a thread. */
#include "compiler/emit/cuda/cuda.h"

#include "compiler/mapping/mapping.h"

bool backend_on_card(const TaskPlan *task) { return task->mapping != NULL && mapping_on_card(task->mapping); }

bool backend_on_host(const TaskPlan *task, const Lps *lps) {
    return backend_on_card(task) && !mapping_is_cards(task->mapping, lps_proper(lps)->id);
}

int cuda_card_level(const TaskPlan *task) {
    int level = 0;
    while (!model_is_gpu_level(task->mapping->model, level)) level++;
    return level;
}

/* 0: the card or a level above it; 1: a multiprocessor; 2: a warp; 3: a lane. */
enum { BLOCK_TIER = 1, WARP_TIER, LANE_TIER };
static int tier_of(const TaskPlan *task, const Lps *lps) {
    const int tier = task->mapping->lpses[lps_proper(lps)->id].level - cuda_card_level(task);
    return tier < 0 ? 0 : tier;
}

static const char *const tiers[] = {"HP5_CARD_TIER", "HP5_BLOCK_TIER", "HP5_WARP_TIER", "HP5_LANE_TIER"};

const char *cuda_tier(const TaskPlan *task, const Lps *lps) { return tiers[tier_of(task, lps)]; }

bool cuda_by_one_thread(const TaskPlan *task, const Lps *lps) { return tier_of(task, lps) == LANE_TIER; }

bool cuda_warps_are_free(const TaskPlan *task) {
    bool warps = false;
    for (size_t i = 0; i < task->task->spaces.count; i++) {
        const int tier = tier_of(task, task->task->spaces.items[i]);
        if (tier == BLOCK_TIER || tier == LANE_TIER) return false;
        warps = warps || tier == WARP_TIER;
    }
    return warps;
}

const char *cuda_lowest_tier(const TaskPlan *task) {
    int lowest = 0;
    for (size_t i = 0; i < task->task->spaces.count; i++) {
        const int tier = tier_of(task, task->task->spaces.items[i]);
        if (tier > lowest) lowest = tier;
    }
    return tiers[lowest];
}
