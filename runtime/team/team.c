/* Threads that stay (team.h). How to read it: the threads of a team meet at one barrier to start a
 * piece of work and at the same barrier to end it; thread 0 is the caller. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "runtime/team/team.h"
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
    bool spins;
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

/* Chooses a place for each thread: a core each if they suffice, else a hardware thread each. False: pinning
 * is not possible here, which costs speed and nothing else. */
static bool choose_places(Hp5Team *team) {
    setenv("HWLOC_HIDE_ERRORS", "2", 0); /* a container without /sys is no reason to write on stderr */
    if (hwloc_topology_init(&team->topology) != 0) return false;
    hwloc_topology_set_all_types_filter(team->topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(team->topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(team->topology) != 0) {
        hwloc_topology_destroy(team->topology);
        return false;
    }
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    if (hwloc_get_cpubind(team->topology, allowed, HWLOC_CPUBIND_THREAD) != 0)
        hwloc_bitmap_copy(allowed, hwloc_topology_get_allowed_cpuset(team->topology));
    team->places = hp5_alloc_zeroed((int64_t)sizeof *team->places * team->size, "the places of threads");
    static const hwloc_obj_type_t kinds[] = {HWLOC_OBJ_CORE, HWLOC_OBJ_PU};
    int placed = 0;
    for (int k = 0; k < 2 && placed < team->size; k++) {
        for (int t = 0; t < placed; t++) hwloc_bitmap_free(team->places[t]);
        placed = 0;
        int skip = team->first;
        hwloc_obj_t object = NULL;
        while (placed < team->size &&
               (object = hwloc_get_next_obj_by_type(team->topology, kinds[k], object))) {
            hwloc_bitmap_t place = hwloc_bitmap_dup(object->cpuset);
            hwloc_bitmap_and(place, place, allowed);
            if (hwloc_bitmap_iszero(place)) {
                hwloc_bitmap_free(place);
                continue;
            }
            if (skip > 0) {
                skip--;
                hwloc_bitmap_free(place);
                continue;
            }
            hwloc_bitmap_singlify(place);
            team->places[placed++] = place;
        }
    }
    team->caller_place = allowed;
    team->pinned = true;
    if (placed == team->size) return true;
    for (int t = 0; t < placed; t++) hwloc_bitmap_free(team->places[t]);
    memset(team->places, 0, sizeof *team->places * (size_t)team->size);
    return false;
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
    for (;;) {
        hp5_barrier(&team->all);
        if (team->work == NULL) return NULL;
        team->work(member->rank, team->data);
        hp5_barrier(&team->all);
    }
}

Hp5Team *hp5_team_create(int threads, bool pin_threads) {
    return hp5_team_create_at(0, threads, 0, pin_threads);
}

Hp5Team *hp5_team_create_at(int first, int threads, int others, bool pin_threads) {
    if (threads < 1) threads = 1;
    Hp5Team *team = hp5_alloc_zeroed(sizeof *team, "a team of threads");
    team->size = threads;
    team->first = first;
    int processors = allowed_processors();
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
bool hp5_team_spins(const Hp5Team *team) { return team->spins; }

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
