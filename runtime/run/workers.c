/* The workers of a run: this process's threads, each with the group of its PPU on every level (geometry.c says which threads
 * a PPU has). Where other processes run threads of a PPU, the group has those of this process. */
#include "runtime/run/private.h"

/* This process's threads of a PPU, as ranks of its team. */
static Hp5Span own_threads(Hp5Span ppu, Hp5Span mine) {
    int first = ppu.first > mine.first ? ppu.first : mine.first;
    int end = ppu.first + ppu.count < mine.first + mine.count ? ppu.first + ppu.count : mine.first + mine.count;
    return (Hp5Span){first - mine.first, end - first};
}

/* The mapping takes some PPUs of a level, of a card or of the segments: behind all that have LPUs. */
static void leave_out(Hp5TaskRun *run, int lps, int thread, int ppus, Hp5Group *group) {
    hp5_group_init(group, run->team, thread, 1);
    run->workers[thread].groups[lps] = group;
    run->workers[thread].position[lps] = run->workers[thread].positions[lps] = ppus > 0 ? ppus : 1;
}

/* Groups of one LPS, for all PPUs of its parent's. `groups` has room for every thread. */
static void place_lps(Hp5TaskRun *run, int lps, Hp5Group **next) {
    const Hp5Geometry *geometry = &run->hidden->geometry;
    int parent = run->desc->lpses[lps].parent;
    for (int t = 0; t < run->hidden->threads;) {
        Hp5Group *above = run->workers[t].groups[parent];
        Hp5Span span = run->workers[t].spans[parent];
        int ppus = span.count > 0 ? hp5_ppus(geometry, lps, span.count) : 0;
        for (int i = 0; i < ppus; i++) {
            Hp5Span ppu = hp5_span_of(geometry, lps, span, ppus, i), mine = own_threads(ppu, geometry->mine);
            if (mine.count <= 0) continue;
            const bool all = ppus == 1 && ppu.count == span.count;
            Hp5Group *group = all ? above : (*next)++;
            if (!all) hp5_group_init(group, run->team, mine.first, mine.count);
            for (int k = mine.first; k < mine.first + mine.count; k++) {
                run->workers[k].groups[lps] = group;
                run->workers[k].spans[lps] = ppu;
                run->workers[k].position[lps] = i;
                run->workers[k].positions[lps] = ppus;
            }
        }
        for (int k = above->first; k < above->first + above->count; k++)
            if (run->workers[k].groups[lps] == NULL) leave_out(run, lps, k, ppus, (*next)++);
        t = above->first + above->count;
    }
}

void hp5_workers_create(Hp5TaskRun *run) {
    const Hp5TaskDesc *desc = run->desc;
    Hp5RunPrivate *hidden = run->hidden;
    int threads = hidden->threads, lpses = desc->lps_count;
    run->workers = hp5_alloc_zeroed((int64_t)sizeof *run->workers * threads, "the threads of a task");
    hidden->slots = hp5_alloc_zeroed((int64_t)sizeof(void *) * threads, "the threads of a task");
    hidden->groups =
        hp5_alloc_zeroed((int64_t)sizeof(Hp5Group) * (1 + (int64_t)threads * lpses), "groups of threads");
    Hp5Group *next = hidden->groups;
    if (threads > 0) hp5_group_init(next, run->team, 0, threads);
    int64_t head = (int64_t)(sizeof(Hp5Group *) + sizeof(Hp5Span) + 2 * sizeof(int)) * lpses;
    int64_t bytes = (head + 63) / 64 * 64 + (int64_t)sizeof(Hp5StageTime) * (desc->stage_count + 2);
    for (int t = 0; t < threads; t++) {
        Hp5Worker *worker = &run->workers[t];
        char *memory = hidden->slots[t] = hp5_alloc_zeroed(bytes, "the threads of a task");
        worker->rank = t;
        worker->run = run;
        worker->groups = (Hp5Group **)(void *)memory;
        worker->spans = (Hp5Span *)(void *)(worker->groups + lpses);
        worker->position = (int *)(void *)(worker->spans + lpses);
        worker->positions = worker->position + lpses;
        worker->times = (Hp5StageTime *)(void *)(memory + (head + 63) / 64 * 64);
        worker->groups[0] = next;
        worker->spans[0] = (Hp5Span){0, hidden->geometry.ppus};
        worker->positions[0] = 1;
    }
    next++;
    for (int x = 1; x < lpses; x++) place_lps(run, x, &next);
}

void hp5_workers_free(Hp5TaskRun *run) {
    for (int t = 0; t < run->hidden->threads; t++) {
        hp5_free(run->workers[t].strip_memory);
        hp5_free(run->hidden->slots[t]);
    }
    hp5_free(run->hidden->slots);
    hp5_free(run->hidden->groups);
    hp5_free(run->workers);
}
