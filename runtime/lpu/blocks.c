/* Blocks of a grid (blocks.h). How to read it: the cuts of dimensions and the order of blocks; owners and lists; then what
 * crosses between groups of PPUs, counted without looking at every LPU: inside a block the order is row-major, so the
 * pairs that a boundary between two groups parts are intervals of it; between blocks all of a face's pairs are parted or
 * none, unless both blocks have LPUs of one group. */
#include "runtime/lpu/blocks.h"
#include "runtime/lpu/geometry.h"

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- Cuts and order ------------------------------------------------------------------------------------ */

/* Where interval q of dimension j begins and ends, and its share in the number of its block. */
static int64_t interval_of(const Hp5Blocks *blocks, int j, int64_t q, int64_t *share) {
    int64_t begin = 0, extent = blocks->extent[j], left = blocks->pieces[j], stride = blocks->ppus;
    *share = 0;
    for (int l = 0; l < blocks->level_count; l++) {
        int64_t factor = blocks->factors[l][j], inside = 1;
        left /= factor;
        stride /= blocks->levels[l];
        int64_t block = q / left % factor;
        for (int k = j + 1; k < blocks->dims; k++) inside *= blocks->factors[l][k];
        *share += block * inside * stride;
        int64_t first = (block * extent + factor - 1) / factor, end = ((block + 1) * extent + factor - 1) / factor;
        begin += first;
        extent = end - first;
    }
    return begin;
}

/* The intervals of a cell, and how many LPUs it has. */
static int64_t cell_intervals(const Hp5Blocks *blocks, int64_t cell, int64_t *q) {
    int64_t volume = 1;
    for (int j = blocks->dims - 1; j >= 0; j--) {
        q[j] = cell % blocks->pieces[j];
        cell /= blocks->pieces[j];
        volume *= blocks->cuts[j][q[j] + 1] - blocks->cuts[j][q[j]];
    }
    return volume;
}

static int64_t block_of(const Hp5Blocks *blocks, const int64_t *q) {
    int64_t block = 0;
    for (int j = 0; j < blocks->dims; j++) block += blocks->shares[j][q[j]];
    return block;
}

int64_t hp5_blocks_bytes(Hp5Blocks *blocks) {
    int64_t words = blocks->ppus + 1;
    for (int j = 0; j < blocks->dims; j++) {
        blocks->pieces[j] = 1;
        for (int l = 0; l < blocks->level_count; l++) blocks->pieces[j] *= blocks->factors[l][j];
        words += 2 * blocks->pieces[j] + 1;
    }
    return words * (int64_t)sizeof(int64_t) + blocks->ppus * (int64_t)sizeof(int32_t);
}

void hp5_blocks_fill(Hp5Blocks *blocks, void *memory) {
    int64_t *next = memory, q[HP5_MAX_RANK], share;
    for (int j = 0; j < blocks->dims; j++) {
        blocks->cuts[j] = next;
        blocks->shares[j] = next + blocks->pieces[j] + 1;
        next += 2 * blocks->pieces[j] + 1;
        for (int64_t i = 0; i < blocks->pieces[j]; i++) {
            blocks->cuts[j][i] = interval_of(blocks, j, i, &share);
            blocks->shares[j][i] = share;
        }
        blocks->cuts[j][blocks->pieces[j]] = blocks->extent[j];
    }
    blocks->starts = next;
    blocks->cells = (int32_t *)(next + blocks->ppus + 1);
    for (int64_t cell = 0; cell < blocks->ppus; cell++) {
        int64_t volume = cell_intervals(blocks, cell, q), block = block_of(blocks, q);
        blocks->starts[block + 1] = volume;
        blocks->cells[block] = (int32_t)cell;
    }
    blocks->starts[0] = 0;
    for (int p = 0; p < blocks->ppus; p++) blocks->starts[p + 1] += blocks->starts[p];
}

/* ---- Owners -------------------------------------------------------------------------------------------------- */

/* The last of `count` ascending values that is not above `value`; the first is not. */
static int64_t last_not_above(const int64_t *values, int64_t count, int64_t value) {
    int64_t low = 0, high = count;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (values[middle] <= value) low = middle;
        else high = middle;
    }
    return low;
}

int hp5_blocks_owner(const Hp5Blocks *blocks, int64_t number) {
    int64_t q[HP5_MAX_RANK], rank = 0, volume = 1;
    for (int j = blocks->dims - 1; j >= 0; j--) {
        int64_t at = number % blocks->extent[j];
        number /= blocks->extent[j];
        q[j] = last_not_above(blocks->cuts[j], blocks->pieces[j], at);
        rank += (at - blocks->cuts[j][q[j]]) * volume;
        volume *= blocks->cuts[j][q[j] + 1] - blocks->cuts[j][q[j]];
    }
    return (int)hp5_ppu_of_run(blocks->starts[block_of(blocks, q)] + rank, blocks->count, blocks->ppus);
}

/* LPUs of one block from rank `rank` on; their number is at most what is left of the block. */
static void list_block(const Hp5Blocks *blocks, const int64_t *q, int64_t rank, int64_t count, int32_t *number) {
    int64_t at[HP5_MAX_RANK], step[HP5_MAX_RANK], here = 0, all = 1;
    for (int j = blocks->dims - 1; j >= 0; j--) {
        int64_t begin = blocks->cuts[j][q[j]], length = blocks->cuts[j][q[j] + 1] - begin;
        at[j] = begin + rank % length;
        rank /= length;
        here += at[j] * all;
        step[j] = all;
        all *= blocks->extent[j];
    }
    for (int64_t i = 0; i < count; i++) {
        number[i] = (int32_t)here;
        for (int j = blocks->dims - 1; j >= 0; j--) {
            here += step[j];
            if (++at[j] < blocks->cuts[j][q[j] + 1]) break;
            at[j] = blocks->cuts[j][q[j]];
            here -= (blocks->cuts[j][q[j] + 1] - at[j]) * step[j];
        }
    }
}

void hp5_blocks_list(const Hp5Blocks *blocks, int64_t begin, int64_t end, int32_t *number) {
    int64_t q[HP5_MAX_RANK];
    for (int64_t block = last_not_above(blocks->starts, blocks->ppus, begin); begin < end; block++) {
        int64_t stop = smaller(end, blocks->starts[block + 1]);
        cell_intervals(blocks, blocks->cells[block], q);
        if (begin < stop) list_block(blocks, q, begin - blocks->starts[block], stop - begin, number);
        number += stop - begin;
        begin = stop;
    }
}

/* ---- What crosses ---------------------------------------------------------------------------------------------- */

/* LPUs in row-major order at positions `start` … of the whole order. */
typedef struct Box {
    int64_t start, volume;
    int64_t extent, step; /* of the dimension that is looked at: indices, and positions from one to the next */
} Box;

/* Of the first n LPUs of a box, those that have a neighbour behind them in its dimension. */
static int64_t with_neighbour(const Box *box, int64_t n) {
    int64_t period = box->step * box->extent;
    return n - n / period * box->step - larger(0, n % period - box->step * (box->extent - 1));
}

typedef struct Groups {
    int64_t count, ppus, group; /* LPUs of the grid; PPUs; PPUs of a group */
} Groups;

static int64_t group_of(const Groups *groups, int64_t position) {
    return hp5_ppu_of_run(position, groups->count, groups->ppus) / groups->group;
}

/* Pairs inside a box that a boundary between two groups parts: for a boundary at position b the pairs whose first LPU is at
 * b - step … b - 1. */
static int64_t parted_inside(const Box *box, const Groups *groups) {
    int64_t parted = 0, done = 0;
    if (box->volume == 0) return 0;
    for (int64_t g = group_of(groups, box->start) + 1; g * groups->group < groups->ppus; g++) {
        int64_t boundary = hp5_run_start(g * groups->group, groups->count, groups->ppus) - box->start;
        if (boundary >= box->volume) break;
        int64_t from = larger(done, boundary - box->step);
        if (from < boundary) parted += with_neighbour(box, boundary) - with_neighbour(box, from);
        done = larger(done, boundary);
    }
    return parted;
}

int64_t hp5_runs_crossing(const Hp5Blocks *blocks, int dim, int64_t group) {
    Box box = {0, blocks->count, blocks->extent[dim], 1};
    for (int j = dim + 1; j < blocks->dims; j++) box.step *= blocks->extent[j];
    return parted_inside(&box, &(Groups){blocks->count, blocks->ppus, group});
}

static Box box_of(const Hp5Blocks *blocks, const int64_t *q, int dim) {
    Box box = {blocks->starts[block_of(blocks, q)], 1, 0, 1};
    for (int j = blocks->dims - 1; j >= 0; j--) {
        int64_t length = blocks->cuts[j][q[j] + 1] - blocks->cuts[j][q[j]];
        if (j == dim) {
            box.extent = length;
            box.step = box.volume;
        }
        box.volume *= length;
    }
    return box;
}

/* Pairs between the last LPUs of one box and the first ones of the next. */
static int64_t parted_between(const Box *box, const Box *next, const Groups *groups) {
    int64_t face = box->volume / box->extent, parted = 0;
    int64_t first = group_of(groups, box->start), last = group_of(groups, box->start + box->volume - 1);
    int64_t next_first = group_of(groups, next->start), next_last = group_of(groups, next->start + next->volume - 1);
    if (last < next_first || next_last < first) return face;
    if (first == last && next_first == next_last) return 0; /* all of one group */
    for (int64_t i = 0; i < face; i++) {
        int64_t outer = i / box->step, inner = i % box->step;
        int64_t here = box->start + (outer * box->extent + box->extent - 1) * box->step + inner;
        parted += group_of(groups, here) != group_of(groups, next->start + outer * next->extent * next->step + inner);
    }
    return parted;
}

int64_t hp5_blocks_crossing(const Hp5Blocks *blocks, int dim, int64_t group) {
    Groups groups = {blocks->count, blocks->ppus, group};
    int64_t q[HP5_MAX_RANK], parted = 0;
    for (int64_t cell = 0; cell < blocks->ppus; cell++) {
        if (cell_intervals(blocks, cell, q) == 0) continue;
        Box box = box_of(blocks, q, dim);
        parted += parted_inside(&box, &groups);
        do q[dim]++; /* an interval may be empty */
        while (q[dim] < blocks->pieces[dim] && blocks->cuts[dim][q[dim]] == blocks->cuts[dim][q[dim] + 1]);
        if (q[dim] == blocks->pieces[dim]) continue;
        Box next = box_of(blocks, q, dim);
        parted += parted_between(&box, &next, &groups);
    }
    return parted;
}
