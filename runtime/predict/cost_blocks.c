/* See cost_blocks.h. Of loops outside of those that are looked at, a crew's threads run some iterations side by side (Hp5CostLoop.side). */
#include "runtime/predict/cost_blocks.h"
#include <math.h>

double hp5_block_trips(const Hp5Block *block, int from, int to) {
    double product = 1;
    for (int l = from; l < to; l++) product *= block->cost->open[l].trips;
    return product;
}

/* Iterations of the l-th loop among those that run while the loops from the k-th on do. */
static double iterations_within(const Hp5Block *block, int l, int k) {
    const Hp5CostLoop *loop = &block->cost->open[l];
    return l < k ? loop->side : loop->trips;
}

double hp5_block_extent(const Hp5Block *block, const Hp5CostAccess *access, int d, int k) {
    const Hp5View *view = block->views[access->view];
    double whole = (double)(view->part[d].end - view->part[d].begin), extent = 1, all = 1;
    for (int l = 0; l < block->loops; l++) {
        double within = iterations_within(block, l, k);
        all *= within;
        if (access->moves[d] & (1u << l)) extent += within - 1;
    }
    if (access->anywhere[d]) return fmin(whole, all);
    return fmax(1, fmin(whole, extent + access->spread[d]));
}

double hp5_block_footprint(const Hp5Block *block, const Hp5CostAccess *access, int k) {
    const Hp5Store *store = block->views[access->view]->store;
    if (store == NULL) return 0;
    double size = (double)store->element_size, rows = 1, line = block->cost->machine->line;
    for (int d = 0; d + 1 < store->rank; d++) rows *= hp5_block_extent(block, access, d, k);
    double row = size * hp5_block_extent(block, access, store->rank - 1, k);
    double held = size * (double)store->extent[store->rank - 1];
    if (access->anywhere[store->rank - 1]) row = fmin(held, row / size * line);
    return rows * fmax(row, fmin(held, line));
}

static double working_set(const Hp5Block *block, int k) {
    double sum = 0;
    for (int a = 0; a < block->counts->access_count; a++) sum += hp5_block_footprint(block, &block->counts->accesses[a], k);
    return sum;
}

int hp5_block_fits(const Hp5Block *block, double capacity) {
    for (int k = 0; k < block->loops; k++)
        if (working_set(block, k) <= capacity) return k;
    return block->loops;
}
