/* Threads that stay (team.h). How to read it: the threads of a team meet at one barrier to start a
 * piece of work and at the same barrier to end it; thread 0 is the caller. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "runtime/team/team.h"
#include "runtime/report/crash.h"
#include "runtime/report/error.h"
#include <hwloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

typedef struct Member {
    Hp5Team *team;
    int rank;
    pthread_t thread;
} Member;

struct Hp5Team {
    Hp5Group all; /* every thread: start and end of a piece of work */
    int size;
    int first; /* core of thread 0, when pinned */
    int span;  /* cores from there on that threads are spread over */
    bool spins;
    int processors; /* hardware threads that the process could use when the team was made */
    void (*work)(int rank, void *data); /* NULL: go home. Written by thread 0 before the starting barrier */
    void *data;
    Member *members;
    hwloc_topology_t topology; /* only while threads are pinned */
    bool pinned;
    hwloc_bitmap_t *places;      /* for each thread, when pinned */
    hwloc_bitmap_t caller_place; /* where thread 0 was before */
};

/* Hardware threads that this process may use. */
static int allowed_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
    return 1 << 20; /* more than a cpu_set_t holds: a very large machine */
}

/* The processors of one kind that this process may use, each as one hardware thread, in the order of the machine. */
static int list_places(hwloc_topology_t topology, hwloc_obj_type_t kind, hwloc_const_bitmap_t allowed, hwloc_bitmap_t **list) {
    int most = hwloc_get_nbobjs_by_type(topology, kind), count = 0;
    *list = hp5_alloc_zeroed((int64_t)sizeof **list * (most > 0 ? most : 1), "the places of threads");
    for (int i = 0; i < most; i++) {
        hwloc_bitmap_t place = hwloc_bitmap_dup(hwloc_get_obj_by_type(topology, kind, (unsigned)i)->cpuset);
        hwloc_bitmap_and(place, place, allowed);
        if (hwloc_bitmap_iszero(place)) {
            hwloc_bitmap_free(place);
            continue;
        }
        hwloc_bitmap_singlify(place);
        (*list)[count++] = place;
    }
    return count;
}

/* Thread t gets place first + t*span/size of a list; false where it has not so many. */
static bool take_places(Hp5Team *team, hwloc_bitmap_t *const *list, int count, int span) {
    if (span < team->size || team->first + span > count) return false;
    for (int t = 0; t < team->size; t++) team->places[t] = hwloc_bitmap_dup(list[0][team->first + (int)((int64_t)t * span / team->size)]);
    return true;
}

/* Chooses a place for each thread: spread over the cores of its part of the machine, or its hardware threads; else one
 * core after the other, or one hardware thread. False: pinning is not possible here, which costs speed and nothing
 * else. */
static bool choose_places(Hp5Team *team) {
    setenv("HWLOC_HIDE_ERRORS", "2", 0); /* a container without /sys is no reason to write on stderr */
    if (hwloc_topology_init(&team->topology) != 0) return false;
    hwloc_topology_set_all_types_filter(team->topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(team->topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(team->topology) != 0) {
        hwloc_topology_destroy(team->topology);
        return false;
    }
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc(), *lists[2];
    if (hwloc_get_cpubind(team->topology, allowed, HWLOC_CPUBIND_THREAD) != 0)
        hwloc_bitmap_copy(allowed, hwloc_topology_get_allowed_cpuset(team->topology));
    team->places = hp5_alloc_zeroed((int64_t)sizeof *team->places * team->size, "the places of threads");
    team->caller_place = allowed;
    team->pinned = true;
    bool placed = false;
    int counts[2], spans[2] = {team->span, team->size};
    for (int k = 0; k < 2; k++) counts[k] = list_places(team->topology, k == 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU, allowed, &lists[k]);
    for (int i = 0; i < 4 && !placed; i++) placed = take_places(team, &lists[i % 2], counts[i % 2], spans[i / 2]);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < counts[k]; i++) hwloc_bitmap_free(lists[k][i]);
        hp5_free(lists[k]);
    }
    return placed;
}

/* Errors are ignored: an unpinned thread works as well, only less steadily. */
static void pin(const Hp5Team *team, int rank) {
    if (team->pinned && team->places[rank])
        hwloc_set_cpubind(team->topology, team->places[rank], HWLOC_CPUBIND_THREAD);
}

static void *member_main(void *argument) {
    Member *member = argument;
    Hp5Team *team = member->team;
    pin(team, member->rank);
    hp5_crash_give_stack();
    for (;;) {
        hp5_barrier(&team->all);
        if (team->work == NULL) return NULL;
        team->work(member->rank, team->data);
        hp5_barrier(&team->all);
    }
}

Hp5Team *hp5_team_create(int threads, bool pin_threads) {
    return hp5_team_create_at(0, threads, threads, 0, pin_threads);
}

Hp5Team *hp5_team_imagine(int threads) {
    Hp5Team *team = hp5_alloc_zeroed(sizeof *team, "a team of threads");
    team->size = threads < 1 ? 1 : threads;
    return team;
}

Hp5Team *hp5_team_create_at(int first, int span, int threads, int others, bool pin_threads) {
    if (threads < 1) threads = 1;
    Hp5Team *team = hp5_alloc_zeroed(sizeof *team, "a team of threads");
    team->size = threads;
    team->first = first;
    team->span = span;
    int processors = team->processors = allowed_processors();
    team->spins = threads + others <= processors;
    hp5_group_init(&team->all, team, 0, threads);
    team->members = hp5_alloc_zeroed((int64_t)sizeof *team->members * threads, "a team of threads");
    if (pin_threads && threads > 1 && threads <= processors && choose_places(team)) pin(team, 0);
    for (int t = 1; t < threads; t++) {
        team->members[t] = (Member){.team = team, .rank = t};
        int error = pthread_create(&team->members[t].thread, NULL, member_main, &team->members[t]);
        if (error != 0)
            hp5_fail(HP5_EXIT_FAILURE, "thread %d of %d cannot be started: %s; ask for fewer with --threads",
                     t + 1, threads, strerror(error));
    }
    return team;
}

int hp5_team_size(const Hp5Team *team) { return team->size; }
int hp5_team_processors(const Hp5Team *team) { return team->processors; }
bool hp5_team_is_imagined(const Hp5Team *team) { return team->members == NULL; }
int hp5_team_place(const Hp5Team *team, int rank) {
    return team->pinned && team->places[rank] ? hwloc_bitmap_first(team->places[rank]) : -1;
}

void hp5_team_run(Hp5Team *team, void (*work)(int rank, void *data), void *data) {
    team->work = work;
    team->data = data;
    hp5_barrier(&team->all);
    work(0, data);
    hp5_barrier(&team->all);
}

void hp5_team_enter(const Hp5Team *team) { pin(team, 0); }

void hp5_team_leave(const Hp5Team *team) {
    if (team->pinned) hwloc_set_cpubind(team->topology, team->caller_place, HWLOC_CPUBIND_THREAD);
}

static void unpin(Hp5Team *team) {
    if (!team->pinned) return;
    hp5_team_leave(team);
    for (int t = 0; t < team->size; t++)
        if (team->places[t]) hwloc_bitmap_free(team->places[t]);
    hwloc_bitmap_free(team->caller_place);
    hp5_free(team->places);
    hwloc_topology_destroy(team->topology);
}

void hp5_team_destroy(Hp5Team *team) {
    if (team->members == NULL) {
        hp5_free(team);
        return;
    }
    team->work = NULL;
    hp5_barrier(&team->all);
    for (int t = 1; t < team->size; t++) pthread_join(team->members[t].thread, NULL);
    unpin(team);
    hp5_free(team->members);
    hp5_free(team);
}

void hp5_group_init(Hp5Group *group, const Hp5Team *team, int first, int count) {
    memset(group, 0, sizeof *group);
    group->first = first;
    group->count = count;
    group->spin = team->spins;
}
