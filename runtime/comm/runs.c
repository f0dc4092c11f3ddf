/* Runs of members on nodes, and trees: see runs.h. */
#include "runtime/comm/runs.h"
#include "runtime/report/error.h"
#include <stddef.h>

static int node_of(const int *ranks, int place, int each) { return (ranks ? ranks[place] : place) / each; }

Hp5Runs hp5_runs_find(const int *ranks, int count, int place, int each) {
    Hp5Runs runs = {.radix = HP5_RADIX_OF_NODES, .begins = hp5_alloc((int64_t)sizeof(int) * (count + 1), "a group of processes")};
    if (each <= 0 || node_of(ranks, 0, each) == node_of(ranks, count - 1, each)) {
        each = 1;
        ranks = NULL;
        runs.radix = HP5_RADIX_IN_NODE;
    }
    for (int p = 0; p < count; p++) {
        if (p == 0 || node_of(ranks, p, each) != node_of(ranks, p - 1, each)) runs.begins[runs.count++] = p;
        if (p == place) runs.mine = runs.count - 1;
    }
    runs.begins[runs.count] = count;
    return runs;
}

void hp5_runs_free(Hp5Runs *runs) {
    hp5_free(runs->begins);
    *runs = (Hp5Runs){0};
}

int hp5_runs_run_of(const Hp5Runs *runs, int place) {
    int run = 0;
    while (runs->begins[run + 1] <= place) run++;
    return run;
}

int hp5_runs_places(const Hp5Runs *runs, int first, int count) {
    int end = first + count, around = end > runs->count ? runs->begins[runs->count] : 0;
    return around + runs->begins[around > 0 ? end - runs->count : end] - runs->begins[first];
}

int hp5_runs_partners(const Hp5Runs *runs, int have, Hp5Partner *partners) {
    int found = 0;
    for (int far = have; far < runs->count && far < have * runs->radix; far += have) {
        int left = runs->count - far;
        partners[found++] = (Hp5Partner){(runs->mine + left) % runs->count, (runs->mine + far) % runs->count, have < left ? have : left};
    }
    return found;
}

Hp5Node hp5_tree_node(int number, int count, int radix) {
    int width = 1;
    while (width < count && number % (width * radix) == 0) width *= radix;
    if (number == 0) return (Hp5Node){-1, width, count};
    return (Hp5Node){number - number % (width * radix), width, width < count - number ? width : count - number};
}

int hp5_tree_children(int number, int count, int radix) {
    int children = 0;
    for (int width = hp5_tree_node(number, count, radix).width / radix; width > 0; width /= radix)
        for (int child = number + width; child < count && child < number + width * radix; child += width) children++;
    return children;
}

/* Numbers of a tree are counted from `first` on, around the end, among `count` runs, or among the places of a run. */
static void add_children(Hp5Branches *branches, int number, int count, int radix, int first, const Hp5Runs *runs, int begin) {
    for (int width = hp5_tree_node(number, count, radix).width / radix; width > 0; width /= radix)
        for (int child = number + width; child < count && child < number + width * radix; child += width) {
            const int at = (first + child) % count;
            branches->children[branches->count++] = runs ? runs->begins[at] : begin + at;
        }
}

Hp5Branches hp5_runs_branches(const Hp5Runs *runs, int place, int root) {
    const int first = hp5_runs_run_of(runs, root), begin = runs->begins[runs->mine], own = runs->begins[runs->mine + 1] - begin;
    const int head = runs->mine == first ? root : begin, inside = (place - head + own) % own;
    const int number = (runs->mine - first + runs->count) % runs->count;
    const int most = hp5_tree_children(inside, own, HP5_RADIX_IN_NODE) + hp5_tree_children(number, runs->count, runs->radix);
    Hp5Branches branches = {.parent = -1, .children = hp5_alloc((int64_t)sizeof(int) * (most + 1), "a group of processes")};
    if (inside > 0) branches.parent = begin + (head - begin + hp5_tree_node(inside, own, HP5_RADIX_IN_NODE).parent) % own;
    else if (number > 0) {
        const int above = hp5_tree_node(number, runs->count, runs->radix).parent;
        branches.parent = above == 0 ? root : runs->begins[(first + above) % runs->count];
    }
    if (inside == 0) add_children(&branches, number, runs->count, runs->radix, first, runs, 0);
    add_children(&branches, inside, own, HP5_RADIX_IN_NODE, head - begin, NULL, begin);
    return branches;
}

void hp5_branches_free(Hp5Branches *branches) {
    hp5_free(branches->children);
    *branches = (Hp5Branches){0};
}
