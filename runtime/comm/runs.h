/* Who exchanges messages with whom when all of a group have something for all, or one has something for all. Numbers alone, no messages.
 *
 * A message between two nodes takes much longer than one in a node, and all members of a node share what connects it. So a group is in
 * runs of members that lie on one node; each run speaks to others through one member, its head, and what comes the head hands on. Where
 * all lie on one node, each member is a run of its own.
 *
 * Members are named by their places in the group, 0 … count - 1. */
#ifndef HP5_RUNTIME_RUNS_H
#define HP5_RUNTIME_RUNS_H

enum { HP5_RADIX_IN_NODE = 2, HP5_RADIX_OF_NODES = 16 };

typedef struct Hp5Runs {
    int count;
    int mine;    /* the run that this member is in */
    int radix;   /* a head sends radix - 1 messages at once: to start one costs little beside its way to another node */
    int *begins; /* [count + 1]: the first place of each run, its head */
} Hp5Runs;

/* `each` processes lie on a node, the first ones on the first; 0: all of them. ranks[count], ascending; NULL: every process. */
Hp5Runs hp5_runs_find(const int *ranks, int count, int place, int each);
void hp5_runs_free(Hp5Runs *runs);
int hp5_runs_run_of(const Hp5Runs *runs, int place);
/* How many places `count` runs have from `first` on, around the end. */
int hp5_runs_places(const Hp5Runs *runs, int first, int count);

/* All to all (Bruck et al. 1997): at first each run has what is its own; when it has that of `have` runs, which follow each other and begin
 * with itself, it gets what radix - 1 others have behind them, and has radix times as many. */
typedef struct Hp5Partner {
    int to, from; /* runs */
    int count;    /* so many runs' own travels either way, from that of the sender on */
} Hp5Partner;
/* The partners of a round, at most radix - 1; returns how many. None: it has everything. */
int hp5_runs_partners(const Hp5Runs *runs, int have, Hp5Partner *partners);

/* One to all, or all to one: a tree over 0 … count - 1 whose root is 0. In digits of base `radix`, the parent of a number has 0 for its last
 * digit that is not 0, and whatever has other digits below that one is below the number in the tree: a range that begins with it. */
typedef struct Hp5Node {
    int parent; /* -1: the root */
    int width;  /* a power of the radix: children are number + d * w for all digits d > 0 and powers w < width, where there are such */
    int below;  /* how many are below the number, itself included */
} Hp5Node;
Hp5Node hp5_tree_node(int number, int count, int radix);
int hp5_tree_children(int number, int count, int radix);
/* One to all: heads hear from heads, in a tree of the runs' radix, the others of a run from each other. The root is the head of its run. */
typedef struct Hp5Branches {
    int parent, count; /* -1: the root */
    int *children;     /* those of other runs first, and first those with most below them */
} Hp5Branches;
Hp5Branches hp5_runs_branches(const Hp5Runs *runs, int place, int root);
void hp5_branches_free(Hp5Branches *branches);
#endif
