/* Runs a function in a child process and keeps what it said: for tests of what ends a program.
 *
 *     Child child = child_run(fails, &argument);
 *     CU_ASSERT_EQUAL(child.status, 2);
 *     CU_ASSERT_STRING_EQUAL(child.err, "prog: message\n");
 */
#ifndef HP5_TESTS_CHILD_H
#define HP5_TESTS_CHILD_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Child {
    int status;      /* exit status, or 128 + the signal that ended it */
    char out[8192], err[8192];
} Child;

static inline void child_slurp(FILE *file, char *text, size_t size) {
    rewind(file);
    size_t length = fread(text, 1, size - 1, file);
    text[length] = '\0';
    fclose(file);
}

/* A return from `run` counts as status 0. */
static inline Child child_run(void (*run)(void *), void *argument) {
    Child child = {.status = -1};
    FILE *out = tmpfile(), *err = tmpfile();
    if (!out || !err) return child;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        run(argument);
        fflush(NULL);
        _exit(0);
    }
    int status = 0;
    if (pid > 0 && waitpid(pid, &status, 0) == pid)
        child.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    child_slurp(out, child.out, sizeof child.out);
    child_slurp(err, child.err, sizeof child.err);
    return child;
}
#endif
