/* See launcher.h. How to read it: the launchers, each known by a variable that it alone sets; the first that fits counts. */
#include "runtime/comm/launcher.h"
#include <stddef.h>
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
        found = (Hp5Launcher){.name = known->alone && !slurm ? known->alone : known->name, .rank = rank, .size = size,
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

void hp5_launcher_leave(int status) {
    sleep(1); /* a launcher ends all others as soon as one has ended badly */
    _exit(status);
}
