#include "runtime/comm/runs.h"
#include "tests/unit/unit.h"

/* What a run sends to another one in a round, the other one expects of it, as much of it. */
static int partners_differ(const Hp5Runs *from, const Hp5Runs *all, int have) {
    Hp5Partner mine[HP5_RADIX_OF_NODES], theirs[HP5_RADIX_OF_NODES];
    int differ = 0, count = hp5_runs_partners(from, have, mine);
    for (int p = 0; p < count; p++) {
        Hp5Runs other = *all;
        other.mine = mine[p].to;
        int found = 0;
        for (int q = 0, others = hp5_runs_partners(&other, have, theirs); q < others; q++)
            found += theirs[q].from == from->mine && theirs[q].count == mine[p].count;
        differ += found != 1;
    }
    return differ;
}

/* How many runs' own the run has after all rounds: what comes lies behind what it has, without a gap. */
static int runs_that_come(const Hp5Runs *runs) {
    Hp5Partner partners[HP5_RADIX_OF_NODES];
    int held = 1;
    for (int have = 1; have < runs->count; have *= runs->radix)
        for (int p = 0, count = hp5_runs_partners(runs, have, partners); p < count; p++) {
            if (partners[p].from != (runs->mine + held) % runs->count) return -1;
            held += partners[p].count;
        }
    return held;
}

static void check_group(const int *ranks, int count, int each) {
    for (int place = 0; place < count; place += 1 + count / 7) {
        Hp5Runs runs = hp5_runs_find(ranks, count, place, each);
        int differ = 0, places = 0;
        for (int have = 1; have < runs.count; have *= runs.radix) differ += partners_differ(&runs, &runs, have);
        for (int r = 0; r < runs.count; r++) places += hp5_runs_places(&runs, r, 1);
        CU_ASSERT_EQUAL(differ, 0);
        CU_ASSERT_EQUAL(runs_that_come(&runs), runs.count);
        CU_ASSERT_EQUAL(places, count);
        CU_ASSERT_EQUAL(hp5_runs_run_of(&runs, place), runs.mine);
        CU_ASSERT_TRUE(runs.begins[runs.mine] <= place && place < runs.begins[runs.mine + 1]);
        CU_ASSERT_EQUAL(hp5_runs_places(&runs, runs.mine, runs.count), count); /* all the way around */
        hp5_runs_free(&runs);
    }
}

static void test_exchanges(void) {
    static const int counts[] = {1, 2, 3, 5, 8, 13, 16, 17, 31, 64, 100, 257, 1024}, sizes[] = {0, 1, 2, 3, 4, 7, 32};
    int ranks[1024];
    for (int c = 0; c < 13; c++)
        for (int s = 0; s < 7; s++) {
            check_group(NULL, counts[c], sizes[s]);
            for (int i = 0; i < counts[c]; i++) ranks[i] = i * 3 + i % 2;
            check_group(ranks, counts[c], sizes[s]);
        }
}

/* Members of one node are apart, those of several lie together. */
static void test_nodes(void) {
    static const int ranks[] = {1, 3, 4, 5, 9};
    Hp5Runs runs = hp5_runs_find(ranks, 5, 2, 4);
    CU_ASSERT_EQUAL(runs.count, 3);
    CU_ASSERT_EQUAL(runs.mine, 1);
    CU_ASSERT_EQUAL(runs.begins[1], 2);
    CU_ASSERT_EQUAL(runs.begins[2], 4);
    hp5_runs_free(&runs);
    runs = hp5_runs_find(ranks, 5, 2, 16);
    CU_ASSERT_EQUAL(runs.count, 5);
    CU_ASSERT_EQUAL(runs.radix, HP5_RADIX_IN_NODE);
    hp5_runs_free(&runs);
}

/* Everybody but the root is the child of its parent, and below it with all that is below itself. */
static void test_trees(void) {
    for (int radix = 2; radix <= 16; radix += 14)
        for (int count = 1; count < 300; count++) {
            int children[300] = {0}, below[300], wrong = 0;
            for (int number = count - 1; number >= 0; number--) {
                Hp5Node node = hp5_tree_node(number, count, radix);
                below[number] = node.below;
                if (node.parent < 0) continue;
                children[node.parent]++;
                wrong += node.parent >= number || node.parent + hp5_tree_node(node.parent, count, radix).below < number + node.below;
            }
            for (int number = 0; number < count; number++) wrong += children[number] != hp5_tree_children(number, count, radix);
            CU_ASSERT_EQUAL(wrong, 0);
            CU_ASSERT_EQUAL(below[0], count);
        }
}

/* From any root everybody hears from the one that has it for a child; between nodes as few messages as there are other nodes. */
static void test_branches(void) {
    enum { ALL = 60 };
    for (int each = 0; each <= 9; each += 3)
        for (int root = 0; root < ALL; root += 7) {
            int parents[ALL], heard[ALL] = {0}, between = 0, wrong = 0;
            for (int place = 0; place < ALL; place++) {
                Hp5Runs runs = hp5_runs_find(NULL, ALL, place, each);
                Hp5Branches branches = hp5_runs_branches(&runs, place, root);
                parents[place] = branches.parent;
                for (int i = 0; i < branches.count; i++) {
                    heard[branches.children[i]] += 1 + place * 1000;
                    between += each > 0 && branches.children[i] / each != place / each;
                }
                hp5_branches_free(&branches);
                hp5_runs_free(&runs);
            }
            for (int place = 0; place < ALL; place++) wrong += heard[place] != (place == root ? 0 : 1 + parents[place] * 1000);
            CU_ASSERT_EQUAL(wrong, 0);
            CU_ASSERT_EQUAL(parents[root], -1);
            CU_ASSERT_EQUAL(between, each > 0 ? (ALL + each - 1) / each - 1 : 0);
        }
}

UNIT_MAIN("runs", {"exchanges", test_exchanges}, {"nodes", test_nodes}, {"trees", test_trees}, {"branches", test_branches})
