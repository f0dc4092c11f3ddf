/* What the environment says about who has started this process: mpirun, mpiexec, srun, or nobody. */
#ifndef HP5_RUNTIME_COMM_LAUNCHER_H
#define HP5_RUNTIME_COMM_LAUNCHER_H
#include <stdbool.h>

typedef struct Hp5Launcher {
    const char *name;          /* for messages: "mpirun of Open MPI"; NULL: started alone */
    const char *libraries[2];  /* the MPIs to try, "openmpi" or "mpich", in this order; NULL: none */
    const char *rank_variable; /* the environment's, which each process has */
    int rank, size;            /* as the launcher says; size 0: it does not say */
    bool chosen;               /* HP5_MPI has named the library */
} Hp5Launcher;

/* `get` is getenv, or a test's. HP5_MPI=openmpi|mpich|none|FILE overrides what follows from the launcher. */
Hp5Launcher hp5_launcher_find(const char *(*get)(const char *name));
/* Several processes may have been started. */
bool hp5_launcher_is_parallel(const Hp5Launcher *launcher);
/* Before the message about a failure that all processes may have, and that comes before they know of each other: the first one says
 * it at once, and then its launcher ends the others. Gives the last line of the message, which says where. */
const char *hp5_launcher_wait(const Hp5Launcher *launcher);
/* Parts of it: when this process fails, a launcher of MPICH ends the others, with `status`; and "\n  on rank R of N (node X)", nothing where the number of
 * processes is not known. */
void hp5_launcher_end_others(int status);
const char *hp5_launcher_place(const Hp5Launcher *launcher, int rank);
/* Where processes speak to a launcher of MPICH (PMI-1), a file descriptor; -1: they do not. */
int hp5_launcher_connection(void);
/* "Open MPI", "MPICH". */
const char *hp5_launcher_mpi_name(const char *library);
#endif
