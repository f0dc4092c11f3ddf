/* Whether all processes are the same program with the same arguments: they compute what others will do from what they do themselves. */
#include "runtime/comm/private.h"
#include "runtime/report/error.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAG = HP5_COMM_TAGS - 3, SHOWN = HP5_QUOTED };

/* FNV-1a over words of eight bytes: a program of megabytes takes a millisecond. */
static uint64_t sum(const unsigned char *data, size_t bytes) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t word = 0;
        memcpy(&word, data + at, bytes - at < 8 ? bytes - at : 8);
        hash = (hash ^ word) * 0x100000001b3u;
    }
    return hash;
}

/* 0: it cannot be read, and is not compared. */
static uint64_t sum_of_program(void) {
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat there;
    if (fd < 0) return 0;
    uint64_t result = 0;
    if (fstat(fd, &there) == 0 && there.st_size > 0) {
        void *data = mmap(NULL, (size_t)there.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED) {
            result = sum(data, (size_t)there.st_size);
            munmap(data, (size_t)there.st_size);
        }
    }
    close(fd);
    return result;
}

/* The arguments behind the program's name, each with its zero. */
static int64_t join(int argc, char **argv, char *to) {
    int64_t length = 0;
    for (int i = 1; i < argc; i++) {
        size_t size = strlen(argv[i]) + 1;
        if (to) memcpy(to + length, argv[i], size);
        length += (int64_t)size;
    }
    return length;
}

/* The first argument that differs, in the words of a message. */
static void describe(const char *mine, int64_t my_length, const char *theirs, int64_t their_length, char *text, size_t size) {
    int64_t at = 0;
    while (at < my_length && at < their_length && strcmp(mine + at, theirs + at) == 0) at += (int64_t)strlen(mine + at) + 1;
    char a[SHOWN], b[SHOWN];
    const char *here = at < my_length ? hp5_quote(mine + at, a) : "nothing", *there = at < their_length ? hp5_quote(theirs + at, b) : "nothing";
    snprintf(text, size, "all processes must have the same arguments, but this one has %s where process 0 has %s", here, there);
}

void hp5_comm_compare(int argc, char **argv) {
    struct { uint64_t program; int64_t length; } mine = {sum_of_program(), join(argc, argv, NULL)}, theirs = mine;
    hp5_comm_broadcast(HP5_EVERYBODY, TAG, 0, &theirs, sizeof theirs);
    char *arguments = hp5_alloc(mine.length + 1, "the arguments"), *others = hp5_alloc(theirs.length + 1, "the arguments");
    join(argc, argv, arguments);
    join(argc, argv, hp5_comm_rank() == 0 ? others : NULL);
    hp5_comm_broadcast(HP5_EVERYBODY, TAG, 0, others, theirs.length);
    char text[2 * SHOWN + 200];
    const char *problem = NULL;
    if (mine.program != theirs.program && mine.program != 0 && theirs.program != 0)
        problem = "all processes must run the same program, but the executable of this one differs from that of process 0";
    else if (mine.length != theirs.length || memcmp(arguments, others, (size_t)mine.length) != 0) {
        describe(arguments, mine.length, others, theirs.length, text, sizeof text);
        problem = text;
    }
    hp5_comm_agree(HP5_EVERYBODY, TAG, HP5_EXIT_USAGE, problem);
    hp5_free(arguments);
    hp5_free(others);
}
