/* A small MPI program with one fault, named by its argument, for check_checker.py: `none` and what checker.c must find. Every
 * fault but `none` works without the checker, or seems to. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LENGTH = 100 };

static int rank;
static char first[LENGTH], second[2 * LENGTH];

static void wait_for(MPI_Request *request) {
    int flag = 0;
    while (!flag) MPI_Test(request, &flag, MPI_STATUS_IGNORE);
}

static void exchange(MPI_Comm comm, int source, int tag, int expected) {
    MPI_Request out, in;
    MPI_Irecv(second, expected, MPI_BYTE, source, tag, comm, &in);
    MPI_Isend(first, LENGTH, MPI_BYTE, 1 - rank, 7, comm, &out);
    wait_for(&in);
    wait_for(&out);
}

/* Persistent requests, used twice. */
static void repeat(MPI_Comm comm, int frees) {
    MPI_Request requests[2];
    MPI_Send_init(first, LENGTH, MPI_BYTE, 1 - rank, 9, comm, &requests[0]);
    MPI_Recv_init(second, LENGTH, MPI_BYTE, 1 - rank, 9, comm, &requests[1]);
    for (int round = 0; round < 2; round++) {
        first[0] = (char)round;
        MPI_Start(&requests[1]);
        MPI_Start(&requests[0]);
        wait_for(&requests[0]);
        wait_for(&requests[1]);
        if (second[0] != round || second[1] != 3) printf("wrong\n");
    }
    if (frees) MPI_Request_free(&requests[0]);
    if (frees) MPI_Request_free(&requests[1]);
}

static void change_early(MPI_Comm comm, char *what) {
    MPI_Request out, in;
    MPI_Irecv(second, LENGTH, MPI_BYTE, 1 - rank, 7, comm, &in);
    MPI_Isend(first, LENGTH, MPI_BYTE, 1 - rank, 7, comm, &out);
    what[LENGTH / 2] = 1;
    wait_for(&in);
    wait_for(&out);
}

/* Both send before either receives: right only as long as MPI keeps the message meanwhile. */
static void rely_on_buffers(MPI_Comm comm) {
    MPI_Request out, in;
    MPI_Isend(first, LENGTH, MPI_BYTE, 1 - rank, 7, comm, &out);
    wait_for(&out);
    MPI_Irecv(second, LENGTH, MPI_BYTE, 1 - rank, 7, comm, &in);
    wait_for(&in);
}

static void leave_open(MPI_Comm comm) {
    MPI_Request out;
    MPI_Isend(first, LENGTH, MPI_BYTE, 1 - rank, 8, comm, &out);
    usleep(1000);
}

static void free_early(MPI_Comm comm) {
    MPI_Request out, in;
    MPI_Irecv(second, LENGTH, MPI_BYTE, 1 - rank, 7, comm, &in);
    MPI_Isend(first, LENGTH, MPI_BYTE, 1 - rank, 7, comm, &out);
    MPI_Request_free(&out);
    wait_for(&in);
}

static void reduce_reals(void) {
    double value = rank, sum;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    const char *fault = argc > 1 ? argv[1] : "none";
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    memset(first, 3, sizeof first);
    if (strcmp(fault, "any-source") == 0) exchange(comm, MPI_ANY_SOURCE, 7, LENGTH);
    else if (strcmp(fault, "any-tag") == 0) exchange(comm, 1 - rank, MPI_ANY_TAG, LENGTH);
    else if (strcmp(fault, "too-short") == 0) exchange(comm, 1 - rank, 7, LENGTH + 1);
    else if (strcmp(fault, "not-freed") == 0) repeat(comm, 0);
    else if (strcmp(fault, "send-changed") == 0) change_early(comm, first);
    else if (strcmp(fault, "receive-written") == 0) change_early(comm, second);
    else if (strcmp(fault, "buffered") == 0) rely_on_buffers(comm);
    else if (strcmp(fault, "open") == 0) leave_open(comm);
    else if (strcmp(fault, "freed-early") == 0) free_early(comm);
    else if (strcmp(fault, "reals") == 0) reduce_reals();
    else exchange(comm, 1 - rank, 7, LENGTH), repeat(comm, 1);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
