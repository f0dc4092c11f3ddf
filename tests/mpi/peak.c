/* Preloaded into a program: before MPI ends it writes into the file $HP5_PEAK-PID how many KiB it had in memory at most, and into $HP5_BUSY-RANK how many
 * seconds it has passed and how many of a processor it has taken, since MPI was there. What MPI takes while it starts and ends is not counted. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID};
static double since[2];

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int status = PMPI_Init_thread(argc, argv, required, provided);
    FILE *forget = fopen("/proc/self/clear_refs", "w");
    if (forget != NULL) {
        fputs("5", forget);
        fclose(forget);
    }
    for (int i = 0; i < 2; i++) since[i] = seconds(clocks[i]);
    return status;
}

static void say_busy(void) {
    const char *prefix = getenv("HP5_BUSY");
    char name[4096];
    int rank;
    if (prefix == NULL || MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) return;
    snprintf(name, sizeof name, "%s-%d", prefix, rank);
    FILE *out = fopen(name, "w");
    if (out == NULL) return;
    fprintf(out, "%f %f\n", seconds(clocks[0]) - since[0], seconds(clocks[1]) - since[1]);
    fclose(out);
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
    say_busy();
    return PMPI_Finalize();
}
