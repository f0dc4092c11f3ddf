/* Preloaded into a program: before MPI ends it writes into the file $HP5_PEAK-PID how many KiB it had in memory at most, since MPI was there. What
 * MPI takes while it starts and ends is not counted. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int status = PMPI_Init_thread(argc, argv, required, provided);
    FILE *forget = fopen("/proc/self/clear_refs", "w");
    if (forget != NULL) {
        fputs("5", forget);
        fclose(forget);
    }
    return status;
}

static void say_peak(void) {
    const char *prefix = getenv("HP5_PEAK");
    char name[4096], line[256];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    if (prefix == NULL || status == NULL) return;
    while (fgets(line, sizeof line, status) != NULL && sscanf(line, "VmHWM: %ld", &kib) != 1) continue;
    fclose(status);
    snprintf(name, sizeof name, "%s-%ld", prefix, (long)getpid());
    FILE *out = fopen(name, "w");
    if (out == NULL) return;
    fprintf(out, "%ld\n", kib);
    fclose(out);
}

int MPI_Finalize(void) {
    say_peak();
    return PMPI_Finalize();
}
