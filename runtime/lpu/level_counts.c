/* Level counts: how many PPUs each LPS has in its parent's, from the model, --machine and --threads. Threads are as many as the
 * largest product of counts along a path of the LPS tree.
 *
 * --threads N spreads N threads over the levels from the top: an LPS keeps the largest count that its model
 * allows and that divides the threads left, and the lowest mapped LPS of each path takes all that are left.
 * So N threads run whenever the mapping has any parallelism, also more than the model has. */
#include "runtime/lpu/level_memory.h"
#include "runtime/lpu/lpu.h"
#include "runtime/report/error.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_THREADS = 4096 };

/* ---- Counts ------------------------------------------------------------------------------ */

int hp5_threads_needed(const Hp5TaskDesc *desc, const int *level_counts) {
    int64_t product[desc->lps_count], most = 1;
    product[0] = 1;
    for (int x = 1; x < desc->lps_count; x++) {
        int count = desc->lpses[x].sub_partition ? 1 : level_counts[x];
        product[x] = product[desc->lpses[x].parent] * (count < 1 ? 1 : count);
        if (product[x] > MOST_THREADS) product[x] = MOST_THREADS;
        if (product[x] > most) most = product[x];
    }
    return (int)most;
}

/* An LPS on its parent's level, or a sub-partition, always has one PPU there. */
static bool splits_threads(const Hp5TaskDesc *desc, int x) {
    return x > 0 && !desc->lpses[x].sub_partition &&
           strcmp(desc->level_names[x], desc->level_names[desc->lpses[x].parent]) != 0;
}

bool hp5_is_on_one_ppu(const Hp5TaskDesc *desc) {
    for (int x = 1; x < desc->lps_count; x++)
        if (splits_threads(desc, x)) return false;
    return true;
}

static bool same_name(const char *level, const char *name, size_t length) {
    return strlen(level) == length && strncmp(level, name, length) == 0;
}

/* The program's tasks; none: not told. */
static struct { const Hp5TaskDesc *const *items; int count; } tasks;

void hp5_levels_of(const Hp5TaskDesc *const *of, int count) {
    tasks.items = of;
    tasks.count = count;
}

/* Another task has a model of its own, which has the level. */
static bool is_another_tasks(const char *name, size_t length) {
    for (int t = 0; t < tasks.count; t++)
        for (int l = 0; l < tasks.items[t]->machine_level_count; l++)
            if (same_name(tasks.items[t]->machine_levels[l].name, name, length)) return true;
    return false;
}

/* In a list with commas. */
static bool has_word(const char *list, const char *word) {
    for (const char *at = list; *at != '\0'; at += strspn(at, ", ")) {
        const size_t length = strcspn(at, ",");
        if (same_name(word, at, length)) return true;
        at += length;
    }
    return false;
}

/* A level whose name is written otherwise. */
static void suggest_level(const Hp5TaskDesc *desc, const char *name, size_t length) {
    for (int l = 0; l < desc->machine_level_count; l++)
        if (strncasecmp(desc->machine_levels[l].name, name, length) == 0 && strlen(desc->machine_levels[l].name) == length)
            hp5_fail(HP5_EXIT_USAGE, "--machine: the model of the machine has no level '%.*s': did you mean %s?", (int)length, name, desc->machine_levels[l].name);
}

/* Adds the model's levels to the list but for those that are in it. */
static size_t list_levels(const Hp5TaskDesc *desc, char *known, size_t size, size_t used) {
    for (int l = 0; l < desc->machine_level_count && used < size; l++)
        if (!has_word(known, desc->machine_levels[l].name)) used += (size_t)snprintf(known + used, size - used, "%s%s", used > 0 ? ", " : "", desc->machine_levels[l].name);
    return used;
}

static void unknown_level(const Hp5TaskDesc *desc, const char *name, size_t length) {
    char known[600] = "";
    size_t used = list_levels(desc, known, sizeof known, 0);
    suggest_level(desc, name, length);
    for (int t = 0; t < tasks.count; t++) {
        suggest_level(tasks.items[t], name, length);
        used = list_levels(tasks.items[t], known, sizeof known, used);
    }
    if (used > 0)
        hp5_fail(HP5_EXIT_USAGE, "--machine: the model of the machine has no level '%.*s'; it has %s", (int)length, name, known);
    for (int x = 1; x < desc->lps_count; x++) {
        if (!splits_threads(desc, x) || strstr(known, desc->level_names[x])) continue;
        int n =
            snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", desc->level_names[x]);
        if (n < 0 || (size_t)n >= sizeof known - used) break;
        used += (size_t)n;
    }
    hp5_fail(HP5_EXIT_USAGE, "--machine: no Space of task %s is mapped to a level '%.*s'%s%s", desc->name,
             (int)length, name, used > 0 ? "; it uses " : "", known);
}

/* Of a task whose model is not known, LPSes take the count as it is; false if no LPS is on that level. */
static bool change_spaces(const Hp5TaskDesc *desc, const char *name, size_t length, int count, int *result) {
    bool found = same_name(desc->level_names[0], name, length);
    for (int x = 1; x < desc->lps_count; x++) {
        if (!same_name(desc->level_names[x], name, length)) continue;
        found = true;
        if (splits_threads(desc, x)) result[x] = count;
    }
    return found;
}

static bool change_level(const Hp5TaskDesc *desc, const char *name, size_t length, int count, int *changed) {
    for (int l = 0; l < desc->machine_level_count; l++) {
        if (!same_name(desc->machine_levels[l].name, name, length)) continue;
        changed[l] = count;
        return true;
    }
    return false;
}

/* An LPS has the product of the counts of the levels below its parent's down to its own. A mapping that takes
 * only some PPUs of a level takes no more of them on a larger machine. */
static void count_anew(const Hp5TaskDesc *desc, const int *changed, int *result) {
    for (int x = 1; x < desc->lps_count; x++) {
        int64_t model = 1, now = 1;
        if (!splits_threads(desc, x)) continue;
        for (int l = desc->machine_level[desc->lpses[x].parent] + 1; l <= desc->machine_level[x]; l++) {
            model *= desc->machine_levels[l].count;
            now *= changed[l] > 0 ? changed[l] : desc->machine_levels[l].count;
            if (now > MOST_THREADS) now = MOST_THREADS;
        }
        if (model == result[x] || now < result[x]) result[x] = (int)now;
    }
}

/* Whether the text before `at` gives a count of the level that is named there. */
static bool is_named_before(const char *machine, const char *at, size_t length) {
    for (const char *before = machine; before < at; before += strcspn(before, ",") + 1)
        if (strncmp(before, at, length) == 0 && before[length] == '=') return true;
    return false;
}

/* "Core=4,Node=2". */
static void apply_machine(const Hp5TaskDesc *desc, const char *machine, int *result) {
    int changed[desc->machine_level_count + 1];
    memset(changed, 0, sizeof changed);
    for (const char *at = machine, *more = machine; more;) {
        size_t length = strcspn(at, ","), name = strcspn(at, "=,");
        if (name == 0 || at[name] != '=')
            hp5_fail(HP5_EXIT_USAGE,
                     "--machine: found '%.*s', expected LEVEL=COUNT, as in --machine Core=4,Node=2",
                     (int)length, at);
        if (is_named_before(machine, at, name)) hp5_fail(HP5_EXIT_USAGE, "--machine: the count of %.*s is given twice", (int)name, at);
        size_t level;
        more = at[length] == ',' ? at + length + 1 : NULL;
        if (hp5_names_memory(at, name, &level)) {
            bool found = hp5_is_cards_level(desc, at, level);
            for (int t = 0; t < tasks.count; t++) found = found || hp5_is_cards_level(tasks.items[t], at, level);
            hp5_check_memory(found, at, level, at + name + 1, length - name - 1);
            at = more;
            continue;
        }
        char *end;
        errno = 0;
        long count = strtol(at + name + 1, &end, 10);
        if (end != at + length || end == at + name + 1 || count < 1 || count > MOST_THREADS)
            hp5_fail(HP5_EXIT_USAGE, "--machine: the count of %.*s is '%.*s', expected a number from 1 to %d",
                     (int)name, at, (int)(length - name - 1), at + name + 1, MOST_THREADS);
        bool found = desc->machine_level_count > 0 ? change_level(desc, at, name, (int)count, changed)
                                                   : change_spaces(desc, at, name, (int)count, result);
        if (!found && !is_another_tasks(at, name)) unknown_level(desc, at, name);
        at = more;
    }
    if (desc->machine_level_count > 0) count_anew(desc, changed, result);
}

void hp5_machine_counts(const Hp5TaskDesc *desc, const char *machine, int *result) {
    for (int l = 0; l < desc->machine_level_count; l++) result[l] = desc->machine_levels[l].count;
    for (const char *at = machine; at && *at;) {
        size_t length = strcspn(at, ","), name = strcspn(at, "=,");
        change_level(desc, at, name, (int)strtol(at + name + 1, NULL, 10), result);
        at += length + (at[length] == ',');
    }
}

static int largest_divisor(int64_t of, int not_above) {
    int divisor = not_above;
    while (divisor > 1 && of % divisor != 0) divisor--;
    return divisor < 1 ? 1 : divisor;
}

static bool is_below(const Hp5TaskDesc *desc, int x, int level) { return level == INT_MIN || desc->machine_level[x] > level; }

/* The rule of --threads above, for LPSes below machine level `above`: those on it and above it keep what they have. `left`: threads that each PPU of an
 * LPS has for what is below it. */
static void apply_threads(const Hp5TaskDesc *desc, int64_t threads, int above, int *result) {
    int count = desc->lps_count;
    bool any = false, splits[count], below[count]; /* may have several PPUs; so may something below it */
    int64_t left[count];
    for (int x = 0; x < count; x++) any = any || (x > 0 && !desc->lpses[x].sub_partition && result[x] > 1);
    for (int x = 0; x < count; x++) {
        splits[x] = x > 0 && !desc->lpses[x].sub_partition && is_below(desc, x, above) && (any ? result[x] > 1 : splits_threads(desc, x));
        below[x] = false;
    }
    for (int x = count - 1; x > 0; x--)
        if (splits[x] || below[x]) below[desc->lpses[x].parent] = true;
    left[0] = threads;
    for (int x = 1; x < count; x++) {
        int64_t mine = left[desc->lpses[x].parent];
        if (!splits[x]) result[x] = 1;
        else if (below[x]) result[x] = largest_divisor(mine, result[x]);
        else result[x] = (int)mine;
        left[x] = mine / result[x];
    }
}

void hp5_level_counts(const Hp5TaskDesc *desc, const char *machine, int64_t threads, int *result) {
    for (int x = 0; x < desc->lps_count; x++)
        result[x] =
            x == 0 || desc->lpses[x].sub_partition || desc->level_counts[x] < 1 ? 1 : desc->level_counts[x];
    hp5_memory_given(machine);
    if (machine) apply_machine(desc, machine, result);
    if (threads > MOST_THREADS)
        hp5_fail(HP5_EXIT_USAGE, "--threads: %lld is more than the %d threads that a program can have",
                 (long long)threads, MOST_THREADS);
    if (threads > 0) apply_threads(desc, threads, INT_MIN, result);
}

/* ---- Several processes --------------------------------------------------------------------------- */

static int segment_level(const Hp5TaskDesc *desc) {
    for (int l = 0; l < desc->machine_level_count; l++)
        if (desc->machine_levels[l].segment) return l;
    return -1;
}

int hp5_node_processes(const Hp5TaskDesc *desc, const char *machine) {
    int counts[desc->machine_level_count + 1], segment = segment_level(desc), processes = 1, unit = 0;
    while (unit < segment && !desc->machine_levels[unit].unit) unit++;
    if (segment < 0 || !desc->machine_levels[unit].unit) return 0;
    hp5_machine_counts(desc, machine, counts);
    for (int l = unit + 1; l <= segment; l++) processes *= counts[l];
    return processes;
}

/* Parts the counts into those of segments (across) and those inside of one (within). */
static void part_counts(const Hp5TaskDesc *desc, int segment, const int *machine, const int *counts, int *across, int *within) {
    for (int x = 0; x < desc->lps_count; x++) {
        int level = desc->machine_level[x], inside = 1;
        bool above = x == 0 || desc->machine_level[desc->lpses[x].parent] < segment;
        across[x] = above ? counts[x] : 1;
        within[x] = above ? 1 : counts[x];
        if (!above || level <= segment || x == 0 || desc->lpses[x].sub_partition) continue;
        for (int l = segment + 1; l <= level; l++) inside *= machine[l];
        across[x] = (counts[x] + inside - 1) / inside;
        within[x] = (counts[x] + across[x] - 1) / across[x];
    }
}

/* Levels down to the segments have so many PPUs together, those below so many threads. */
static void count_machine(const Hp5TaskDesc *desc, int segment, const Hp5SegmentCounts *segments, int *machine) {
    int64_t above = segments->segments, below = segments->each;
    for (int l = 0; l < segment; l++) above /= machine[l] = largest_divisor(above, machine[l]);
    machine[segment] = (int)above;
    for (int l = segment + 1; l < desc->machine_level_count; l++) {
        machine[l] = l + 1 == desc->machine_level_count ? (int)below : largest_divisor(below, machine[l]);
        below /= machine[l];
    }
}

void hp5_spread_counts(const Hp5TaskDesc *desc, int64_t threads, int each, int processes, int *counts, int *machine_counts, Hp5SegmentCounts *segments) {
    int segment = segment_level(desc), across[desc->lps_count], spaces[desc->lps_count], most = 1;
    part_counts(desc, segment, machine_counts, counts, across, segments->within);
    for (int x = 0; x < desc->lps_count; x++) {
        int above = x == 0 ? 1 : spaces[desc->lpses[x].parent];
        spaces[x] = above > processes ? above : above * across[x];
        if (spaces[x] > most) most = spaces[x];
    }
    segments->segments = most < processes ? most : processes;
    if (threads > 0) apply_threads(desc, threads, segment, segments->within); /* a Space on segments has one thread in each, whatever --threads says */
    segments->each = each > 0 ? each : hp5_threads_needed(desc, segments->within);
    for (int x = 0; x < desc->lps_count; x++) { /* spaces: segments in a PPU of the LPS, at most */
        int left = x == 0 ? segments->segments : spaces[desc->lpses[x].parent];
        int taken = x == 0 ? 1 : across[x] < left ? across[x] : left;
        bool whole = x == 0 || desc->machine_level[x] <= segment || desc->lpses[x].sub_partition || (counts[x] == 1 && left > 1);
        spaces[x] = (left + taken - 1) / taken;
        counts[x] = whole ? taken : left * segments->within[x];
        if (left == 1) counts[x] = segments->within[x];
        if (whole) segments->within[x] = 0;
    }
    if (segment >= 0) count_machine(desc, segment, segments, machine_counts);
}

void hp5_segment_counts(const Hp5TaskDesc *desc, const char *machine, int64_t threads, int processes, int *counts, int *machine_counts,
                        Hp5SegmentCounts *segments) {
    hp5_level_counts(desc, machine, 0, counts);
    hp5_machine_counts(desc, machine, machine_counts);
    if (threads > MOST_THREADS)
        hp5_fail(HP5_EXIT_USAGE, "--threads: %lld is more than the %d threads that a program can have", (long long)threads, MOST_THREADS);
    hp5_spread_counts(desc, threads, 0, processes, counts, machine_counts, segments);
}
