/* Reductions whose partial results several processes have.
 *
 * The result is a tree of pairs over all partial results in the order of the LPUs (trust.md), whoever runs them. Of LPUs that follow each other a process has whole
 * parts of that tree, and sends what these come to: so many numbers as the tree is deep, not one for each LPU.
 *
 *     place      0 1 2 3 4 5 6 7 8 9          process 0 has the LPUs 0 to 6, process 1 the others
 *     sent       [0..3]  [4 5] 6 | 7 [8 9]    three numbers, and two
 *
 * Where LPUs leave results out, because a condition does, the others move up in the tree; then all of them go to all processes, in this round and from then on.
 * The order follows from the LPUs' numbers: what each process has of it, in stretches, the processes tell each other once. */
#define _GNU_SOURCE /* qsort_r */
#include "runtime/comm/accounts.h"
#include "runtime/run/private.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 16, LEVELS = 64 };

/* LPUs that follow each other, of one process. */
typedef struct Stretch { int process; int64_t from; /* among the process's */ int64_t begin, count; /* in the order of all */ } Stretch;

/* What the processes of a target know of each other's partial results. */
typedef struct Partials {
    Hp5Peers peers;
    Hp5Account *account;
    int64_t *records; /* this process's: flat numbers, in order */
    int64_t count;    /* of them */
    int64_t total, most; /* of all processes, and of one of them */
    Stretch *stretches; /* of all processes, in order */
    int64_t stretch_count;
    bool one_by_one;  /* some LPU has left its result out */
    int64_t bytes;    /* of one process's message: whether it has all results, then nodes of the tree */
    char *mine, *all; /* messages */
    char *levels;     /* of the tree */
} Partials;

typedef struct Hp5Partials {
    Partials **sites; /* for each site: one for each record of its target; empty until it is used */
} Hp5Partials;

static Hp5Account *account_of(const Hp5TaskRun *run, int site) {
    const Hp5TaskDesc *desc = run->desc;
    const Hp5ReduceDesc *reduction = &desc->reductions[site];
    char what[300];
    snprintf(what, sizeof what, "reduction to %s in Space %s", reduction->target, desc->lpses[reduction->to].name);
    return hp5_account_open(reduction, 0, desc->name, desc->source, reduction->line, what);
}

void hp5_partials_create(Hp5TaskRun *run) {
    Hp5Partials *partials = run->hidden->partials = hp5_alloc_zeroed(sizeof *partials, "reductions");
    for (int r = 0; r < run->desc->reduce_count; r++) account_of(run, r);
    partials->sites = hp5_alloc_zeroed((int64_t)sizeof *partials->sites * (run->desc->reduce_count + 1), "reductions");
    for (int r = 0; r < run->desc->reduce_count; r++)
        partials->sites[r] = hp5_alloc_zeroed((int64_t)sizeof(Partials) * (run->hidden->geometry.shapes[run->desc->reductions[r].to].lpus + 1), "reductions");
}

void hp5_partials_free(Hp5TaskRun *run) {
    for (int r = 0; r < run->desc->reduce_count; r++) {
        for (int64_t t = 0; t < run->hidden->geometry.shapes[run->desc->reductions[r].to].lpus; t++) {
            Partials *partials = &run->hidden->partials->sites[r][t];
            hp5_free((void *)partials->peers.ranks);
            hp5_free(partials->records);
            hp5_free(partials->stretches);
            hp5_free(partials->mine);
            hp5_free(partials->all);
            hp5_free(partials->levels);
        }
        hp5_free(run->hidden->partials->sites[r]);
    }
    hp5_free(run->hidden->partials->sites);
    hp5_free(run->hidden->partials);
}

/* ---- The order ------------------------------------------------------------------------------------------- */

/* This process's LPUs as rows: its numbers from below the target down, how many LPUs there are beside each of these, its flat number. */
typedef struct Numbers {
    const Hp5TaskRun *run;
    int depth, width, path[64];
    int64_t *rows, count, capacity;
    struct { int64_t number, of; } chain[64];
} Numbers;

static void note_numbers(Numbers *numbers, const Hp5Lpu *lpu) {
    const Hp5Geometry *geometry = &numbers->run->hidden->geometry;
    if (hp5_threads_of(geometry, lpu).first < geometry->mine.first) return; /* another process runs it as well, and has its result */
    if (numbers->count == numbers->capacity) {
        numbers->capacity = 2 * numbers->capacity + 16;
        int64_t *rows = hp5_alloc(numbers->capacity * numbers->width * (int64_t)sizeof *rows, "reductions");
        if (numbers->count > 0) memcpy(rows, numbers->rows, sizeof *rows * (size_t)(numbers->count * numbers->width));
        hp5_free(numbers->rows);
        numbers->rows = rows;
    }
    int64_t *row = numbers->rows + numbers->count++ * numbers->width;
    for (int d = 0; d < numbers->depth; d++) {
        row[d] = numbers->chain[d].number;
        row[numbers->depth + d] = numbers->chain[d].of;
    }
    row[2 * numbers->depth] = lpu->flat;
}

static void walk_numbers(Numbers *numbers, int depth, const Hp5Lpu *lpu) {
    if (depth == numbers->depth) {
        note_numbers(numbers, lpu);
        return;
    }
    const Hp5Grid *grid = &lpu->children[numbers->run->hidden->geometry.shapes[numbers->path[depth]].slot];
    for (int64_t i = 0; i < grid->own; i++) {
        numbers->chain[depth].number = grid->lpus[i].number;
        numbers->chain[depth].of = grid->count;
        walk_numbers(numbers, depth + 1, &grid->lpus[i]);
    }
}

static int in_order(const void *a, const void *b, void *data) {
    const int depth = *(const int *)data;
    const int64_t *x = a, *y = b;
    for (int d = 0; d < depth; d++)
        if (x[d] != y[d]) return x[d] < y[d] ? -1 : 1;
    return 0;
}

/* Whether nothing lies between two LPUs of this process. */
static bool follows(const Numbers *numbers, const int64_t *before, const int64_t *row) {
    int d = 0;
    while (d < numbers->depth && before[d] == row[d]) d++;
    if (d == numbers->depth || before[d] + 1 != row[d]) return false;
    for (d++; d < numbers->depth; d++)
        if (row[d] != 0 || before[d] + 1 != before[numbers->depth + d]) return false;
    return true;
}

/* The stretches of this process, told as the numbers of the first LPU and how many there are; returns how many stretches. */
static int64_t tell_stretches(const Numbers *numbers, int64_t *told) {
    int64_t count = 0;
    for (int64_t i = 0; i < numbers->count; i++) {
        const int64_t *row = numbers->rows + i * numbers->width;
        if (i > 0 && follows(numbers, row - numbers->width, row)) {
            if (told != NULL) told[(count - 1) * (numbers->depth + 1) + numbers->depth]++;
            continue;
        }
        if (told != NULL) {
            memcpy(told + count * (numbers->depth + 1), row, sizeof *told * (size_t)numbers->depth);
            told[count * (numbers->depth + 1) + numbers->depth] = 1;
        }
        count++;
    }
    return count;
}

/* Stretches of all processes, of which each told `counts`, `most` at most, put in order: they are sorted with what they are behind their numbers. */
static void put_in_order(Partials *partials, int depth, const int64_t *counts, int64_t most, const int64_t *told) {
    const int width = depth + 3;
    for (int p = 0; p < partials->peers.count; p++) partials->stretch_count += counts[p];
    int64_t *sorted = hp5_alloc((partials->stretch_count + 1) * width * (int64_t)sizeof *sorted, "reductions"), at = 0;
    for (int p = 0; p < partials->peers.count; p++) {
        int64_t from = 0;
        for (int64_t i = 0; i < counts[p]; i++, at++) {
            const int64_t *stretch = told + (p * most + i) * (depth + 1);
            memcpy(sorted + at * width, stretch, sizeof *sorted * (size_t)(depth + 1));
            sorted[at * width + depth + 1] = p;
            sorted[at * width + depth + 2] = from;
            from += stretch[depth];
        }
        if (from > partials->most) partials->most = from;
    }
    qsort_r(sorted, (size_t)at, sizeof *sorted * (size_t)width, in_order, &depth);
    partials->stretches = hp5_alloc((int64_t)sizeof *partials->stretches * (at + 1), "reductions");
    for (int64_t i = 0; i < at; i++) {
        const int64_t *row = sorted + i * width;
        partials->stretches[i] = (Stretch){(int)row[depth + 1], row[depth + 2], partials->total, row[depth]};
        partials->total += row[depth];
    }
    hp5_free(sorted);
}

static void tell_order(Partials *partials, Numbers *numbers) {
    qsort_r(numbers->rows, (size_t)numbers->count, sizeof *numbers->rows * (size_t)numbers->width, in_order, &numbers->depth);
    partials->count = numbers->count;
    partials->records = hp5_alloc((int64_t)sizeof *partials->records * (numbers->count + 1), "reductions");
    for (int64_t i = 0; i < numbers->count; i++) partials->records[i] = numbers->rows[(i + 1) * numbers->width - 1];
    int64_t mine = tell_stretches(numbers, NULL), most = 0;
    int64_t *counts = hp5_alloc((int64_t)sizeof *counts * partials->peers.count, "reductions");
    hp5_comm_gather_all(partials->peers, HP5_TAG_REDUCE, &mine, sizeof mine, counts);
    for (int p = 0; p < partials->peers.count; p++) most = counts[p] > most ? counts[p] : most;
    int64_t bytes = most * (numbers->depth + 1) * (int64_t)sizeof(int64_t);
    int64_t *told = hp5_alloc_zeroed(bytes + 8, "reductions"), *all = hp5_alloc(bytes * partials->peers.count + 8, "reductions");
    tell_stretches(numbers, told);
    if (bytes > 0) hp5_comm_gather_all(partials->peers, HP5_TAG_REDUCE, told, bytes, all);
    put_in_order(partials, numbers->depth, counts, most, all);
    hp5_free(told);
    hp5_free(all);
    hp5_free(counts);
}

/* ---- The tree -------------------------------------------------------------------------------------------- */

/* The level of the greatest whole part of the tree that begins at a place and ends at another one, or before. */
static int level_at(int64_t begin, int64_t end) {
    int level = 0;
    while (level + 2 < LEVELS && (begin & ((INT64_C(2) << level) - 1)) == 0 && begin + (INT64_C(2) << level) <= end) level++;
    return level;
}

static int64_t nodes_of(const Stretch *stretch) {
    int64_t count = 0, end = stretch->begin + stretch->count;
    for (int64_t at = stretch->begin; at < end; at += INT64_C(1) << level_at(at, end)) count++;
    return count;
}

/* A tree of pairs that is built from left to right, as those of runtime/array/reduce.h are. */
typedef struct Tree { const Hp5ReduceDesc *desc; char *levels; uint64_t count; } Tree;

static char *node_at(const Tree *tree, int level) { return tree->levels + (size_t)level * tree->desc->size; }

/* A whole part of the tree: 2^level results. Those in front of it end where it begins. */
static void add_node(Tree *tree, int level, const char *value) {
    int at = level;
    memmove(node_at(tree, LEVELS), value, tree->desc->size);
    for (; tree->count >> at & 1; at++) tree->desc->join(node_at(tree, at), node_at(tree, LEVELS), node_at(tree, LEVELS));
    memcpy(node_at(tree, at), node_at(tree, LEVELS), tree->desc->size);
    tree->count += UINT64_C(1) << level;
}

/* The lone last one passes up. Returns the place of what all of them come to. */
static const char *end_of(Tree *tree) {
    const char *result = NULL;
    for (int level = 0; level < LEVELS && tree->count >> level; level++) {
        if ((tree->count >> level & 1) == 0) continue;
        if (result != NULL) {
            tree->desc->join(node_at(tree, level), result, node_at(tree, LEVELS));
            result = node_at(tree, LEVELS);
        } else result = memcpy(node_at(tree, LEVELS), node_at(tree, level), tree->desc->size);
    }
    return result;
}

static void meet(Hp5TaskRun *run, int site, const Hp5Lpu *target, Partials *partials) {
    const Hp5ReduceDesc *desc = &run->desc->reductions[site];
    Numbers numbers = {.run = run};
    for (int x = desc->from; x != desc->to; x = run->desc->lpses[x].parent) numbers.depth++;
    for (int x = desc->from, d = numbers.depth; x != desc->to; x = run->desc->lpses[x].parent) numbers.path[--d] = x;
    numbers.width = 2 * numbers.depth + 1;
    partials->peers = hp5_peers_of(run, hp5_threads_of(&run->hidden->geometry, target));
    walk_numbers(&numbers, 0, target);
    tell_order(partials, &numbers);
    hp5_free(numbers.rows);
    int64_t *nodes = hp5_alloc_zeroed((int64_t)sizeof *nodes * partials->peers.count, "reductions"), most = 0;
    for (int64_t i = 0; i < partials->stretch_count; i++) {
        int64_t *of = &nodes[partials->stretches[i].process];
        *of += nodes_of(&partials->stretches[i]);
        if (*of > most) most = *of;
    }
    hp5_free(nodes);
    partials->bytes = (HEAD + most * (int64_t)desc->size + HEAD - 1) / HEAD * HEAD;
    partials->mine = hp5_alloc_zeroed(partials->bytes, "reductions");
    partials->all = hp5_alloc(partials->bytes * partials->peers.count, "reductions");
    partials->levels = hp5_alloc((LEVELS + 1) * (int64_t)desc->size, "reductions");
}

static int own_process(const Partials *partials) {
    int p = 0;
    while (partials->peers.ranks[p] != hp5_comm_rank()) p++;
    return p;
}

/* What this process's stretches come to. */
static void join_own(const Partials *partials, const Hp5ReduceDesc *desc, const Hp5Site *site) {
    const int process = own_process(partials);
    char *to = partials->mine + HEAD;
    for (int64_t i = 0; i < partials->stretch_count; i++) {
        const Stretch *stretch = &partials->stretches[i];
        const int64_t *record = partials->records + stretch->from;
        if (stretch->process != process) continue;
        for (int64_t at = stretch->begin, end = stretch->begin + stretch->count; at < end; to += desc->size) {
            Tree tree = {desc, partials->levels, 0};
            const int64_t stop = at + (INT64_C(1) << level_at(at, end));
            for (; at < stop; at++) add_node(&tree, 0, site->partials + (size_t)*record++ * desc->size);
            memcpy(to, end_of(&tree), desc->size);
        }
    }
}

static void join_all(const Partials *partials, const Hp5ReduceDesc *desc, void *scalars) {
    Tree tree = {desc, partials->levels, 0};
    const char **from = hp5_alloc((int64_t)sizeof *from * partials->peers.count, "reductions");
    for (int p = 0; p < partials->peers.count; p++) from[p] = partials->all + p * partials->bytes + HEAD;
    for (int64_t i = 0; i < partials->stretch_count; i++) {
        const Stretch *stretch = &partials->stretches[i];
        for (int64_t at = stretch->begin, end = stretch->begin + stretch->count; at < end; from[stretch->process] += desc->size) {
            const int level = level_at(at, end);
            add_node(&tree, level, from[stretch->process]);
            at += INT64_C(1) << level;
        }
    }
    hp5_free(from);
    if (tree.count > 0) desc->combine(end_of(&tree), (const unsigned char[]){1}, 1, scalars);
}

/* ---- One by one ------------------------------------------------------------------------------------------- */

/* All results of all processes, with whether they are there. */
static void combine_one_by_one(const Partials *partials, const Hp5ReduceDesc *desc, const Hp5Site *site, void *scalars) {
    const int64_t head = (partials->most + HEAD - 1) / HEAD * HEAD, bytes = head + (partials->most * (int64_t)desc->size + HEAD - 1) / HEAD * HEAD;
    char *mine = hp5_alloc_zeroed(bytes + 1, "reductions"), *all = hp5_alloc(bytes * partials->peers.count + 1, "reductions");
    char *values = hp5_alloc(partials->total * (int64_t)desc->size + 1, "reductions");
    unsigned char *present = hp5_alloc(partials->total + 1, "reductions");
    for (int64_t i = 0; i < partials->count; i++) {
        mine[i] = (char)site->present[partials->records[i]];
        memcpy(mine + head + (size_t)i * desc->size, site->partials + (size_t)partials->records[i] * desc->size, desc->size);
    }
    hp5_comm_gather_all(partials->peers, HP5_TAG_REDUCE, mine, bytes, all);
    for (int64_t i = 0; i < partials->stretch_count; i++) {
        const Stretch *stretch = &partials->stretches[i];
        const char *message = all + stretch->process * bytes;
        memcpy(present + stretch->begin, message + stretch->from, (size_t)stretch->count);
        memcpy(values + (size_t)stretch->begin * desc->size, message + head + (size_t)stretch->from * desc->size, (size_t)stretch->count * desc->size);
    }
    desc->combine(values, present, partials->total, scalars);
    hp5_free(mine);
    hp5_free(all);
    hp5_free(values);
    hp5_free(present);
}

/* Whether each process has all results of its LPUs: then all have the parts of the tree. */
static bool exchange_parts(const Partials *partials, const Hp5ReduceDesc *desc, const Hp5Site *site) {
    bool whole = true;
    for (int64_t i = 0; i < partials->count && whole; i++) whole = site->present[partials->records[i]] != 0;
    partials->mine[0] = (char)whole;
    if (whole) join_own(partials, desc, site);
    hp5_comm_gather_all(partials->peers, HP5_TAG_REDUCE, partials->mine, partials->bytes, partials->all);
    for (int p = 0; p < partials->peers.count; p++) whole = whole && partials->all[p * partials->bytes] != 0;
    return whole;
}

void hp5_combine_across(Hp5TaskRun *run, int at, Hp5Lpu *target) {
    const Hp5ReduceDesc *desc = &run->desc->reductions[at];
    const Hp5Site *site = &run->hidden->sites[at];
    Partials *partials = &run->hidden->partials->sites[at][target->flat];
    if (partials->account == NULL) partials->account = account_of(run, at);
    Hp5Account *before = hp5_account_use(partials->account);
    hp5_account_happens(partials->account, -1);
    if (partials->peers.ranks == NULL) meet(run, at, target, partials);
    partials->one_by_one = partials->one_by_one || !exchange_parts(partials, desc, site);
    if (partials->one_by_one) combine_one_by_one(partials, desc, site, target->scalars);
    else join_all(partials, desc, target->scalars);
    hp5_account_use(before);
}
