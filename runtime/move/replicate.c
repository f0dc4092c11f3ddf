/* Replication (replicate.h). How to read it: whether all destinations want the same; which processes have some; which one has what
 * they want; whether a tree pays; the tree. */
#include "runtime/move/replicate.h"
#include "runtime/lpu/blocks.h"
#include "runtime/comm/runs.h"
#include "runtime/run/private.h"
#include <limits.h>
#include <string.h>

/* ---- Whether all want the same ------------------------------------------------------------------------------------ */

static bool divides(const Hp5TaskDesc *desc, int lps, int array) {
    int slot = hp5_slot_of(desc, lps, array);
    for (int j = 0; slot >= 0 && j < desc->lpses[lps].dims; j++)
        if (desc->lpses[lps].vars[slot].dims[j].function != HP5_REPLICATED) return true;
    return false;
}

/* Where both sides share an LPS, a destination asks the source at its own coordinates: not all ask the same one. */
static bool are_alike(const Hp5Search *search) {
    if (search->movement.beyond >= 0 || !search->movement.in_place) return false;
    for (int i = 0; i < search->to_depth; i++)
        if (divides(search->geometry->desc, search->to_path[i], search->movement.array)) return false;
    return search->from_depth == 0 || search->to_depth == 0 || search->from_path[0] != search->to_path[0];
}

/* ---- Who has destinations ------------------------------------------------------------------------------------------ */

typedef struct Looking {
    Hp5Search search; /* first: callbacks get it */
    const Hp5Segments *segments;
    Hp5Holders holders;
    bool *has; /* for each process */
    int giver;
    bool several; /* givers; or some elements are in several processes */
} Looking;

static Hp5Span segments_of(const Looking *looking, Hp5Span threads) {
    int first = hp5_segment_of(looking->segments, threads.first);
    int last = looking->holders.all_destinations ? hp5_segment_of(looking->segments, threads.first + threads.count - 1) : first;
    return (Hp5Span){first, last - first + 1};
}

/* Whether nobody new can be found in an LPU that these threads run, of the destinations' LPS or above: there each of them may be the first of an
 * LPU inside. */
static bool have_all(const Looking *looking, Hp5Span threads, bool is_destination) {
    int first = hp5_segment_of(looking->segments, threads.first), last = hp5_segment_of(looking->segments, threads.first + threads.count - 1);
    Hp5Span segments = is_destination ? segments_of(looking, threads) : (Hp5Span){first, last - first + 1};
    for (int s = segments.first; s < segments.first + segments.count; s++)
        if (!looking->has[s]) return false;
    return true;
}

static void find_below(Looking *looking, int depth, const Hp5Lpu *parent, Hp5Span threads);

static void find_in(Looking *looking, int depth, const Hp5Lpu *parent, const Hp5Grid *grid, int64_t number, Hp5Span threads) {
    if (have_all(looking, threads, depth + 1 == looking->search.to_depth)) return;
    find_below(looking, depth + 1, hp5_scout_lpu(looking->search.scout, parent, grid, number), threads);
}

/* PPU after PPU: one of its LPUs is enough, mostly. Of LPUs that a function places each is looked at. */
static void find_below(Looking *looking, int depth, const Hp5Lpu *parent, Hp5Span threads) {
    const Hp5Geometry *geometry = looking->search.geometry;
    if (depth == looking->search.to_depth) {
        Hp5Span segments = segments_of(looking, threads);
        memset(looking->has + segments.first, true, (size_t)segments.count);
        return;
    }
    int lps = looking->search.to_path[depth], ppus = hp5_ppus(geometry, lps, threads.count);
    const Hp5Grid *grid = hp5_scout_grid(looking->search.scout, parent, lps);
    const Hp5Blocks *blocks = grid->placed != NULL ? grid->placed->blocks : NULL;
    if (ppus == 1 || (grid->placed != NULL && blocks == NULL)) {
        for (int64_t i = 0; i < grid->count && !have_all(looking, threads, false); i++)
            find_in(looking, depth, parent, grid, i, hp5_lpu_span(geometry, grid, i, threads));
        return;
    }
    for (int ppu = 0; ppu < ppus; ppu++) {
        Hp5Span span = hp5_span_of(geometry, lps, threads, ppus, ppu);
        int64_t end = hp5_run_start(ppu + 1, grid->count, ppus);
        for (int64_t i = hp5_run_start(ppu, grid->count, ppus); i < end && !have_all(looking, span, depth + 1 == looking->search.to_depth); i++) {
            int32_t number = (int32_t)i;
            if (blocks != NULL) hp5_blocks_list(blocks, i, i + 1, &number);
            find_in(looking, depth, parent, grid, number, span);
        }
    }
}

static void list_receivers(const Looking *looking, Hp5Receivers *receivers) {
    int count = looking->segments->count;
    receivers->segments = hp5_alloc((int64_t)sizeof *receivers->segments * count, "movements");
    for (int s = 0; s < count; s++)
        if (looking->has[s]) receivers->segments[receivers->count++] = s;
}

void hp5_receivers_find(Hp5Receivers *receivers, const Hp5TaskRun *run, const Hp5Segments *segments, Hp5Movement movement, Hp5Holders holders,
                        const Hp5Lpu *parent) {
    Looking looking = {.segments = segments, .holders = holders};
    if (receivers->known) return;
    hp5_search_begin(&looking.search, &run->hidden->geometry, movement, parent);
    *receivers = (Hp5Receivers){.known = true, .alike = are_alike(&looking.search)};
    if (receivers->alike) {
        looking.has = hp5_alloc_zeroed((int64_t)sizeof *looking.has * segments->count, "movements");
        find_below(&looking, 0, parent, looking.search.threads);
        list_receivers(&looking, receivers);
        hp5_free(looking.has);
    }
    hp5_search_end(&looking.search);
}

void hp5_receivers_free(Hp5Receivers *receivers) {
    hp5_free(receivers->segments);
    *receivers = (Hp5Receivers){0};
}

/* ---- Who has it ---------------------------------------------------------------------------------------------------- */

static void found_giver(Hp5Search *search, const Hp5Lpu *to, const Hp5Lpu *from, Hp5Span from_threads, const Hp5Box *box) {
    Looking *looking = (Looking *)search;
    int giver = hp5_segment_of(looking->segments, from_threads.first);
    bool shared = looking->holders.sources_alike && hp5_segment_of(looking->segments, from_threads.first + from_threads.count - 1) != giver;
    (void)to, (void)from, (void)box;
    looking->several = looking->several || shared || (looking->giver >= 0 && looking->giver != giver);
    looking->giver = giver;
}

/* The one process that has all that is wanted, or -1. What destinations want the parent LPU has, or what is around it. */
static int giver_of_all(const Hp5TaskRun *run, const Hp5Segments *segments, Hp5Movement movement, Hp5Holders holders, const Hp5Lpu *parent) {
    Looking looking = {.segments = segments, .holders = holders, .giver = -1};
    movement.to = movement.within;
    hp5_search_begin(&looking.search, &run->hidden->geometry, movement, parent);
    looking.search.found = found_giver;
    hp5_search_sources(&looking.search);
    hp5_search_end(&looking.search);
    return looking.several ? -1 : looking.giver;
}

/* ---- Whether a tree pays -------------------------------------------------------------------------------------------- */

/* What a message costs who sends it, whatever its length; and what the model says nothing of: as in one computer. In seconds, bytes a second. */
static const double SENDING = 0.3e-6, LATENCY = 0.3e-6, BANDWIDTH = 10e9;

typedef struct Way { double latency, bandwidth; } Way; /* of messages */

static Way way_at(const Hp5TaskDesc *desc, int level) {
    const Hp5Figures *figures = level > 0 ? &desc->machine_figures[level] : NULL;
    return (Way){figures && figures->latency > 0 ? figures->latency : LATENCY, figures && figures->bandwidth > 0 ? figures->bandwidth : BANDWIDTH};
}

static double step(Way way, int radix, double bytes) { return (radix - 1) * (SENDING + bytes / way.bandwidth) + way.latency; }

static int steps_to(int64_t count, int radix) {
    int steps = 0;
    for (int64_t reached = 1; reached < count; reached *= radix) steps++;
    return steps;
}

/* The lowest level of the model whose PPUs have address spaces of their own; 0: nothing is said. */
static int level_of_segments(const Hp5TaskDesc *desc) {
    int level = desc->machine_figures != NULL ? desc->machine_level_count - 1 : 0;
    while (level > 0 && !desc->machine_levels[level].segment) level--;
    return level;
}

/* How long it takes down a tree, by halves in a node and with the least radix that is best between nodes (0: all of them are on one), and from the
 * giver to each. */
typedef struct Costs {
    double tree, each;
    int radix;
} Costs;

/* Processes fill the machine from one side; the model says how many of them lie beside each other at which level, and what a message costs
 * there: all processes come to the same decision. */
static Costs costs_of(const Hp5TaskDesc *desc, int processes, double bytes) {
    const int level = level_of_segments(desc), of_node = level > 0 ? hp5_comm_node_size() : 0;
    Costs costs = {0};
    Way way = way_at(desc, level);
    int64_t left = processes, beside = 1; /* beside: processes of a PPU of the level above */
    if (level == 0) costs.tree = steps_to(processes, HP5_RADIX_IN_NODE) * step(way, HP5_RADIX_IN_NODE, bytes);
    for (int l = level; l > 0 && left > 1 && (of_node == 0 || beside < of_node); l--) {
        int64_t most = l == 1 ? left : desc->machine_levels[l].count, here = left < most ? left : most;
        beside *= most;
        if (here <= 1) continue;
        way = way_at(desc, l);
        costs.tree += steps_to(here, HP5_RADIX_IN_NODE) * step(way, HP5_RADIX_IN_NODE, bytes);
        left = (left + here - 1) / here;
    }
    if (of_node > 0 && left > 1) {
        double best = 0;
        for (int l = level; l > 0; l--)
            if (desc->machine_levels[l].unit) way = way_at(desc, l);
        for (int radix = HP5_RADIX_IN_NODE; radix <= HP5_RADIX_OF_NODES; radix *= radix) {
            const double seconds = steps_to(left, radix) * step(way, radix, bytes);
            if (costs.radix == 0 || seconds < best) costs.radix = radix, best = seconds;
        }
        costs.tree += best;
    }
    costs.each = (processes - 1) * (SENDING + bytes / way.bandwidth) + way.latency;
    return costs;
}

/* ---- The tree ------------------------------------------------------------------------------------------------------ */

/* Two are no tree; the giver, if there is one, is known by what the pattern says. */
static bool are_two(const Hp5Receivers *receivers, int giver) {
    int members = 1;
    for (int i = 0; i < receivers->count && members <= 2; i++) members += receivers->segments[i] != giver;
    return members <= 2;
}

/* Members are the giver and those who receive, in ascending order; they have places in the tree as those of a group have that one of them tells
 * something (comm/runs.h). */
typedef struct Tree {
    int count, giver, mine, *segments;
} Tree;

static Tree tree_of(const Hp5Receivers *receivers, int giver, int me) {
    Tree tree = {.mine = -1, .giver = -1, .segments = hp5_alloc((int64_t)sizeof(int) * (receivers->count + 1), "movements")};
    for (int i = 0; i <= receivers->count; i++) {
        const int next = i < receivers->count ? receivers->segments[i] : INT_MAX;
        if (tree.giver < 0 && giver <= next) {
            tree.giver = tree.count;
            tree.segments[tree.count++] = giver;
        }
        if (i < receivers->count && next != giver) tree.segments[tree.count++] = next;
    }
    for (int i = 0; i < tree.count; i++)
        if (tree.segments[i] == me) tree.mine = i;
    return tree;
}

/* The segments that this one hears from and sends to, in place of places. */
static Hp5Branches branches_of(const Tree *tree, int first_rank, int radix) {
    int *ranks = hp5_alloc((int64_t)sizeof(int) * tree->count, "movements");
    for (int i = 0; i < tree->count; i++) ranks[i] = first_rank + tree->segments[i];
    Hp5Runs runs = hp5_runs_find(ranks, tree->count, tree->mine, radix > 0 ? hp5_comm_node_size() : 0);
    if (radix > 0) runs.radix = radix;
    Hp5Branches branches = hp5_runs_branches(&runs, tree->mine, tree->giver);
    if (branches.parent >= 0) branches.parent = tree->segments[branches.parent];
    for (int i = 0; i < branches.count; i++) branches.children[i] = tree->segments[branches.children[i]];
    hp5_runs_free(&runs);
    hp5_free(ranks);
    return branches;
}

static void drop_sends(Hp5Pattern *pattern) {
    for (int i = 0; i < pattern->send_count; i++) hp5_free(pattern->sends[i].pieces.words);
    hp5_free(pattern->sends);
    pattern->sends = NULL;
    pattern->send_count = 0;
}

static void send_to_children(Hp5Pattern *pattern, const int *children, int count) {
    Hp5Message *kept = hp5_alloc_zeroed((int64_t)sizeof *kept * (count + 1), "movements");
    for (int c = 0; c < count; c++)
        for (int i = 0; i < pattern->send_count; i++) {
            if (pattern->sends[i].peer != children[c]) continue;
            kept[c] = pattern->sends[i];
            pattern->sends[i].pieces.words = NULL;
        }
    drop_sends(pattern);
    pattern->sends = kept;
    pattern->send_count = count;
}

static void pass_to_children(Hp5Pattern *pattern, const int *children, int count) {
    pattern->sends = hp5_alloc_zeroed((int64_t)sizeof *pattern->sends * (count + 1), "movements");
    for (int c = 0; c < count; c++) pattern->sends[c] = (Hp5Message){.peer = children[c], .passed = true};
    pattern->send_count = count;
}

void hp5_pattern_replicate(Hp5Pattern *pattern, const Hp5Receivers *receivers, const Hp5TaskRun *run, const Hp5Segments *segments, Hp5Movement movement,
                           Hp5Holders holders, const Hp5Lpu *parent) {
    bool gives = pattern->send_count > 0 && pattern->receive_count == 0, takes = pattern->receive_count == 1 && pattern->send_count == 0;
    if (!receivers->alike || (!gives && !takes) || are_two(receivers, gives ? segments->me : pattern->receives[0].peer)) return;
    int giver = giver_of_all(run, segments, movement, holders, parent);
    if (giver < 0) return;
    Tree tree = tree_of(receivers, giver, segments->me);
    int64_t bytes = hp5_pieces_bytes(run, gives ? &pattern->sends[0].pieces : &pattern->receives[0].pieces, pattern->rank, false);
    const Costs costs = costs_of(run->desc, tree.count, (double)bytes);
    if (costs.tree < costs.each) {
        Hp5Branches branches = branches_of(&tree, segments->first_rank, costs.radix);
        if (gives) send_to_children(pattern, branches.children, branches.count);
        else {
            pattern->receives[0].peer = branches.parent;
            pass_to_children(pattern, branches.children, branches.count);
        }
        hp5_branches_free(&branches);
    }
    hp5_free(tree.segments);
}
