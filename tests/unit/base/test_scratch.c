/* The folder that unit tests write to: one for a process and its children, in TMPDIR, gone at the end. */
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include <sys/stat.h>
#include <sys/wait.h>

/* Two files and a folder with one, made by this process and by a child that leaves through exit. */
static void use_folder(void) {
    char first[SCRATCH_PATH];
    strcpy(first, scratch_folder());
    pid_t child = fork();
    if (child == 0) {
        fclose(fopen(scratch("child"), "wb"));
        exit(0);
    }
    waitpid(child, NULL, 0);
    fclose(fopen(scratch("parent"), "wb"));
    mkdir(scratch("folder"), 0700);
    fclose(fopen(scratch("folder/inner"), "wb"));
    exit(strcmp(first, scratch_folder()) == 0 && scratch_count() == 3 ? 0 : 3);
}

/* Often: a rare name must not make a difference. */
static void test_often(void) {
    setenv("TMPDIR", scratch_folder(), 1);
    int wrong = 0;
    for (int i = 0; i < 300; i++) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            scratch_place[0] = '\0'; /* as if nothing had been made */
            use_folder();
        }
        int status = 0;
        wrong += waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(scratch_count(), 0);
}

UNIT_MAIN("scratch folders", {"many processes", test_often})
