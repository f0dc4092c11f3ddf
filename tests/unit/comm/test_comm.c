#include "runtime/comm/comm.h"
#include "runtime/comm/launcher.h"
#include "tests/unit/child.h"
#include "tests/unit/unit.h"

/* ---- Launchers: an environment is a text of NAME=value lines ------------------------------------------- */
static const char *variables;

static const char *get(const char *name) {
    static char value[100];
    size_t length = strlen(name);
    for (const char *at = variables; at && *at; at = strchr(at, '\n') + 1)
        if (strncmp(at, name, length) == 0 && at[length] == '=') {
            snprintf(value, sizeof value, "%.*s", (int)strcspn(at + length + 1, "\n"), at + length + 1);
            return value;
        }
    return NULL;
}

static void launcher_is(const char *lines, const char *expected) {
    char text[200];
    variables = lines;
    Hp5Launcher found = hp5_launcher_find(get);
    snprintf(text, sizeof text, "%s %d of %d: %s %s%s", found.name ? found.name : "nobody", found.rank, found.size,
             found.libraries[0] ? found.libraries[0] : "-", found.libraries[1] ? found.libraries[1] : "-",
             hp5_launcher_is_parallel(&found) ? " parallel" : "");
    CU_ASSERT_STRING_EQUAL(text, expected);
    if (strcmp(text, expected) != 0) printf("  got '%s'\n  not '%s'\n", text, expected);
}

static void test_launchers(void) {
    launcher_is("", "nobody 0 of 0: - -");
    launcher_is("OMPI_COMM_WORLD_RANK=3\nOMPI_COMM_WORLD_SIZE=8\nPMIX_RANK=3\n", "mpirun of Open MPI 3 of 8: openmpi - parallel");
    launcher_is("OMPI_COMM_WORLD_RANK=0\nOMPI_COMM_WORLD_SIZE=1\n", "mpirun of Open MPI 0 of 1: openmpi -");
    launcher_is("PMI_RANK=1\nPMI_SIZE=2\n", "mpiexec of MPICH 1 of 2: mpich openmpi parallel");
    launcher_is("PMI_RANK=1\nPMI_SIZE=2\nSLURM_STEP_ID=0\n", "srun 1 of 2: mpich openmpi parallel");
    launcher_is("PMIX_RANK=5\nSLURM_STEP_NUM_TASKS=6\nSLURM_STEP_ID=0\nSLURM_PROCID=5\n", "srun 5 of 6: openmpi mpich parallel");
    launcher_is("PMIX_RANK=5\n", "a PMIx launcher 5 of 0: openmpi mpich parallel");
    launcher_is("SLURM_PROCID=1\nSLURM_STEP_NUM_TASKS=4\nSLURM_STEP_ID=2\n", "srun 1 of 4: openmpi mpich parallel");
    launcher_is("SLURM_PROCID=0\nSLURM_NTASKS=4\n", "nobody 0 of 0: - -"); /* the batch script itself */
    launcher_is("PMI_RANK=1\nPMI_SIZE=2\nHP5_MPI=openmpi\n", "mpiexec of MPICH 1 of 2: openmpi - parallel");
    launcher_is("PMI_RANK=1\nPMI_SIZE=2\nHP5_MPI=none\n", "mpiexec of MPICH 1 of 2: - - parallel");
    launcher_is("PMI_RANK=1\nPMI_SIZE=2\nHP5_MPI=\n", "mpiexec of MPICH 1 of 2: mpich openmpi parallel");
    launcher_is("PMI_RANK=x\nPMI_SIZE=2\n", "nobody 0 of 0: - -");
    launcher_is("PMI_RANK=-1\nPMI_SIZE=2\n", "nobody 0 of 0: - -");
}

/* ---- One process ------------------------------------------------------------------------------------------ */
static void begin(void) {
    static char name[] = "prog";
    char *argv[] = {name, NULL};
    hp5_comm_begin(1, argv, NULL);
}

static void test_alone(void) {
    CU_ASSERT_EQUAL(hp5_comm_size(), 1);
    hp5_comm_end(); /* nothing has begun */
    begin();
    CU_ASSERT_EQUAL(hp5_comm_rank(), 0);
    CU_ASSERT_EQUAL(hp5_comm_size(), 1);
    CU_ASSERT_STRING_EQUAL(hp5_comm_library(), "one process");
    CU_ASSERT(hp5_comm_node()[0] != '\0');
    int value = 5, all = 0;
    hp5_comm_barrier(HP5_EVERYBODY, 0);
    hp5_comm_broadcast(HP5_EVERYBODY, 0, 0, &value, sizeof value);
    hp5_comm_gather(HP5_EVERYBODY, 0, 0, &value, sizeof value, &all);
    CU_ASSERT_EQUAL(all, 5);
    value = 6;
    hp5_comm_gather_all(HP5_EVERYBODY, 0, &value, sizeof value, &all);
    CU_ASSERT_EQUAL(all, 6);
    hp5_comm_agree(HP5_EVERYBODY, 0, 1, NULL);
    hp5_comm_end();
}

/* Messages to oneself: by tag, and in order within a tag, whoever comes first. */
static void test_self(void) {
    begin();
    int sent[4] = {10, 11, 12, 13}, got[4] = {0};
    Hp5Request requests[8] = {0};
    hp5_comm_send(&requests[0], &sent[0], sizeof(int), 0, 1);
    CU_ASSERT_FALSE(hp5_comm_test(&requests[0]));
    hp5_comm_send(&requests[1], &sent[1], sizeof(int), 0, 1);
    hp5_comm_receive(&requests[2], &got[2], sizeof(int), 0, 2);
    hp5_comm_receive(&requests[3], &got[0], sizeof(int), 0, 1);
    CU_ASSERT_TRUE(hp5_comm_test(&requests[0]));
    CU_ASSERT_FALSE(hp5_comm_test_all(requests, 4));
    hp5_comm_receive(&requests[4], &got[1], sizeof(int), 0, 1);
    hp5_comm_send(&requests[5], &sent[2], sizeof(int), 0, 2);
    hp5_comm_wait_all(requests, 8); /* all zeros are finished */
    CU_ASSERT(got[0] == 10 && got[1] == 11 && got[2] == 12);
    hp5_comm_prepare_send(&requests[6], &sent[3], sizeof(int), 0, 9);
    hp5_comm_prepare_receive(&requests[7], &got[3], sizeof(int), 0, 9);
    for (int round = 0; round < 3; round++) {
        sent[3] = round;
        hp5_comm_start(&requests[6], 2);
        CU_ASSERT(hp5_comm_wait_any(requests, 8) >= 6);
        CU_ASSERT(hp5_comm_wait_any(requests, 8) >= 6);
        CU_ASSERT_EQUAL(hp5_comm_wait_any(requests, 8), -1);
        CU_ASSERT_EQUAL(got[3], round);
    }
    hp5_comm_free(&requests[6]);
    hp5_comm_free(&requests[7]);
    Hp5CommCounts counts = hp5_comm_counts();
    CU_ASSERT_EQUAL(counts.messages_sent, 6);
    CU_ASSERT_EQUAL(counts.bytes_received, 6 * (int64_t)sizeof(int));
    hp5_comm_end();
}

/* ---- What ends a program ---------------------------------------------------------------------------------- */
static void set_and_begin(void *lines) {
    for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) putenv(line);
    begin();
}

static void ends(const char *lines, const char *message) {
    char copy[300];
    snprintf(copy, sizeof copy, "%s", lines);
    Child child = child_run(set_and_begin, copy);
    CU_ASSERT_EQUAL(child.status, 2);
    CU_ASSERT_STRING_EQUAL(child.err, message);
    if (strcmp(child.err, message) != 0) printf("  got '%s'\n", child.err);
}

/* The first process says it at once; another one later, as only it may lack the library. */
static void test_no_library(void) {
    char node[256] = "", first[400], second[400];
    gethostname(node, sizeof node - 1);
    snprintf(first, sizeof first, "prog: HP5_MPI: there is no library '/nowhere/lib.so'\n  on rank 0 of 2 (node %s)\n", node);
    snprintf(second, sizeof second, "prog: HP5_MPI: there is no library '/nowhere/lib.so'\n  on rank 1 of 2 (node %s)\n", node);
    ends("PMI_RANK=0\nPMI_SIZE=2\nHP5_MPI=/nowhere/lib.so", first);
    ends("PMI_RANK=1\nPMI_SIZE=2\nHP5_MPI=/nowhere/lib.so", second);
}

static void longer(void *unused) {
    (void)unused;
    begin();
    int data[2];
    Hp5Request requests[2];
    hp5_comm_receive(&requests[0], data, 4, 0, 3);
    hp5_comm_send(&requests[1], data, 8, 0, 3);
}

static void shorter(void *unused) {
    (void)unused;
    begin();
    int data[2] = {0};
    Hp5Request requests[2];
    hp5_comm_send(&requests[0], &data[1], 2, 0, 3);
    hp5_comm_receive(&requests[1], data, 4, 0, 3);
    hp5_comm_wait(&requests[1]);
}

static void test_sizes(void) {
    Child child = child_run(longer, NULL);
    CU_ASSERT_STRING_EQUAL(child.err, "prog: a message of 8 bytes to process 0 failed: the message is longer than its receiver expects\n");
    child = child_run(shorter, NULL);
    CU_ASSERT_STRING_EQUAL(child.err, "prog: a mistake in HP5, which is worth a report: process 0 sent 2 bytes with tag 3 where "
                                      "process 0 expects 4\n");
}

UNIT_MAIN("comm", {"launchers", test_launchers}, {"alone", test_alone}, {"self", test_self}, {"no library", test_no_library},
          {"sizes", test_sizes})
