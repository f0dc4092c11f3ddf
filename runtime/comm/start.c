/* See start.h. How to read it: HP5_WATCH; the processes beside this one, which /proc knows; the thread. */
#include "runtime/comm/start.h"
#include "runtime/report/error.h"
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double hp5_watch_seconds(void) {
    const char *text = getenv("HP5_WATCH");
    if (text == NULL || *text == '\0') return 3.5;
    if (strcmp(text, "none") == 0) return 0;
    char *end;
    double value = strtod(text, &end);
    return *end == '\0' && value >= 0.1 && value <= 1e6 ? value : -1;
}

/* ---- Processes beside this one ------------------------------------------------------------------------------ */

typedef struct Beside {
    int stopped, process; /* the lowest rank that is stopped, -1: none, and its process */
    int alive;            /* the lowest rank that is not */
} Beside;

/* The parent of a process and its state, a letter; false: it has ended. The name between them may have brackets of its own. */
static bool read_stat(const char *process, char *state, long *parent) {
    char path[300], text[512];
    snprintf(path, sizeof path, "/proc/%s/stat", process);
    FILE *file = fopen(path, "r");
    if (file == NULL) return false;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end && sscanf(name_end, ") %c %ld", state, parent) == 2;
}

/* As its launcher has told it; -1: it has not, so it is none of the program's. */
static int rank_of(const char *process, const char *variable) {
    char path[300], *entry = NULL;
    size_t room = 0, length = strlen(variable);
    int rank = -1;
    snprintf(path, sizeof path, "/proc/%s/environ", process);
    FILE *file = fopen(path, "r");
    if (file == NULL) return -1;
    while (rank < 0 && getdelim(&entry, &room, '\0', file) > 0)
        if (strncmp(entry, variable, length) == 0 && entry[length] == '=') rank = atoi(entry + length + 1);
    free(entry);
    fclose(file);
    return rank;
}

/* Those with the same parent, this one among them. A debugger's stops are others (t), and are its user's business. */
static Beside look_beside(const Hp5Launcher *launcher) {
    Beside found = {.stopped = -1, .alive = launcher->rank};
    DIR *folder = opendir("/proc");
    if (folder == NULL) return found;
    for (const struct dirent *at; (at = readdir(folder)) != NULL;) {
        char state;
        long parent;
        if (at->d_name[0] < '0' || at->d_name[0] > '9' || !read_stat(at->d_name, &state, &parent) || parent != (long)getppid()) continue;
        int rank = rank_of(at->d_name, launcher->rank_variable);
        if (rank < 0) continue;
        if (state != 'T' && rank < found.alive) found.alive = rank;
        if (state == 'T' && (found.stopped < 0 || rank < found.stopped)) found.stopped = rank, found.process = atoi(at->d_name);
    }
    closedir(folder);
    return found;
}

/* ---- The thread ------------------------------------------------------------------------------------------------ */

static const double look_time = 0.5; /* from one look to the next */
static const double later_time = 3;  /* for the launcher, to end all when one has spoken, before another one does */
static pthread_t thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended;
static bool is_running, is_over; /* the thread's; under the lock */

/* False: the start is over. */
static bool rest(double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    long nanoseconds = until.tv_nsec + (long)(seconds * 1e9);
    until.tv_sec += nanoseconds / 1000000000;
    until.tv_nsec = nanoseconds % 1000000000;
    pthread_mutex_lock(&lock);
    while (!is_over && pthread_cond_timedwait(&ended, &lock, &until) != ETIMEDOUT) {}
    bool goes_on = !is_over;
    pthread_mutex_unlock(&lock);
    return goes_on;
}

/* On each node the lowest rank that has been seen alive says it. */
static void end_for(const Beside *beside, int speaker, const Hp5Launcher *launcher, double seconds) {
    if (speaker != launcher->rank && !rest(later_time)) return;
    hp5_launcher_end_others(HP5_EXIT_FAILURE);
    hp5_fail(HP5_EXIT_FAILURE, "process %d has been stopped for %g s, and MPI has not started (HP5_WATCH sets the time)%s", beside->process, seconds,
             hp5_launcher_place(launcher, beside->stopped));
}

static void end_late(const Hp5Launcher *launcher, double seconds) {
    if (launcher->rank > 0 && !rest(later_time)) return;
    hp5_launcher_end_others(HP5_EXIT_FAILURE);
    hp5_fail(HP5_EXIT_FAILURE, "MPI has not started for %g s: a process has not come or was stopped, or its node is down (%d times HP5_WATCH, in seconds)%s",
             HP5_START_ENDS * seconds, HP5_START_ENDS, hp5_launcher_place(launcher, launcher->rank));
}

static void *look_after(void *data) {
    const Hp5Launcher *launcher = data;
    double seconds = hp5_watch_seconds(), look = seconds < look_time ? seconds : look_time, passed = 0, stopped_for = 0;
    bool has_warned = launcher->rank > 0;
    int speaker = launcher->rank;
    for (; rest(look); passed += look) {
        Beside beside = look_beside(launcher);
        stopped_for = beside.stopped >= 0 ? stopped_for + look : 0;
        if (beside.alive < speaker) speaker = beside.alive;
        if (stopped_for >= seconds) end_for(&beside, speaker, launcher, seconds);
        if (passed >= HP5_START_ENDS * seconds) end_late(launcher, seconds);
        if (has_warned || passed < HP5_START_WARNS * seconds) continue;
        has_warned = true;
        hp5_warn("MPI has not started for %g s, and the program ends after %g s: other processes may not have come (HP5_WATCH sets the time)%s",
                 HP5_START_WARNS * seconds, HP5_START_ENDS * seconds, hp5_launcher_place(launcher, launcher->rank));
    }
    return NULL;
}

void hp5_start_begin(const Hp5Launcher *launcher) {
    static Hp5Launcher kept;
    kept = *launcher;
    if (hp5_watch_seconds() <= 0) return; /* what is no number is hp5_watch_begin's business */
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals go to other threads */
    int error = pthread_create(&thread, NULL, look_after, &kept);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    is_running = error == 0;
    if (error != 0) hp5_warn("nobody looks after the start of MPI, since the thread for that cannot be started: %s", strerror(error));
}

void hp5_start_end(void) {
    if (!is_running) return;
    pthread_mutex_lock(&lock);
    is_over = true;
    pthread_cond_signal(&ended);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    is_running = false;
}
