/* See launcher.h. How to read it: the launchers, each known by a variable that it alone sets; the first that fits counts. */
#include "runtime/comm/launcher.h"
#include "runtime/report/error.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Known {
    const char *name, *alone; /* alone: the same outside of Slurm, where that differs */
    const char *rank, *size, *libraries[2];
} Known;

static const Known launchers[] = {
    {"mpirun of Open MPI", NULL, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"openmpi", NULL}},
    {"srun", "mpiexec of MPICH", "PMI_RANK", "PMI_SIZE", {"mpich", "openmpi"}},
    {"srun", "a PMIx launcher", "PMIX_RANK", "SLURM_STEP_NUM_TASKS", {"openmpi", "mpich"}},
    {"srun", NULL, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", {"openmpi", "mpich"}},
};

/* A number of processes or a rank; `missing` where the variable is not there or says nothing. */
static int number(const char *text, int missing) {
    if (text == NULL || *text == '\0') return missing;
    char *end;
    long value = strtol(text, &end, 10);
    return *end != '\0' || value < 0 || value > 1 << 30 ? missing : (int)value;
}

Hp5Launcher hp5_launcher_find(const char *(*get)(const char *name)) {
    Hp5Launcher found = {.rank = 0, .size = 0};
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0] && found.name == NULL; i++) {
        const Known *known = &launchers[i];
        int rank = number(get(known->rank), -1), size = number(get(known->size), 0);
        bool is_pmix = strcmp(known->rank, "PMIX_RANK") == 0; /* the only one that need not say how many there are */
        if (rank < 0 || (size == 0 && !is_pmix)) continue;
        bool slurm = get("SLURM_STEP_ID") != NULL;
        found = (Hp5Launcher){.name = known->alone && !slurm ? known->alone : known->name, .rank_variable = known->rank, .rank = rank, .size = size,
                              .libraries = {known->libraries[0], known->libraries[1]}};
    }
    const char *chosen = get("HP5_MPI");
    if (chosen == NULL || *chosen == '\0') return found;
    found.chosen = true;
    found.libraries[0] = strcmp(chosen, "none") == 0 ? NULL : chosen;
    found.libraries[1] = NULL;
    return found;
}

bool hp5_launcher_is_parallel(const Hp5Launcher *launcher) {
    return launcher->name != NULL && launcher->size != 1;
}

const char *hp5_launcher_mpi_name(const char *library) {
    if (strcmp(library, "openmpi") == 0) return "Open MPI";
    return strcmp(library, "mpich") == 0 ? "MPICH" : library;
}

int hp5_launcher_connection(void) { return number(getenv("PMI_FD"), -1); }

enum { TIME_TO_FORWARD = 300000 }; /* microseconds */

static int status_of_all; /* which end_others gives to the launcher */

/* Launchers of MPICH do not end the others when a process ends that has not spoken to them. Told to, they end all at once: what has
 * been said before must have gone through them by then. */
static void end_others(void *status) {
    usleep(TIME_TO_FORWARD);
    int connection = hp5_launcher_connection();
    char text[60];
    int length = snprintf(text, sizeof text, "cmd=abort exitcode=%d\n", *(const int *)status);
    if (connection >= 0 && write(connection, text, (size_t)length) == length) sleep(1);
}

void hp5_launcher_end_others(int status) {
    status_of_all = status;
    hp5_at_failure(end_others, &status_of_all);
}

const char *hp5_launcher_place(const Hp5Launcher *launcher, int rank) {
    static _Thread_local char text[340];
    char node[256] = "";
    gethostname(node, sizeof node - 1);
    if (launcher->size > 1) snprintf(text, sizeof text, "\n  on rank %d of %d (node %s)", rank, launcher->size, node);
    return text;
}

const char *hp5_launcher_wait(const Hp5Launcher *launcher) {
    if (launcher->rank > 0) sleep(2);
    hp5_launcher_end_others(HP5_EXIT_USAGE);
    return hp5_launcher_place(launcher, launcher->rank);
}
