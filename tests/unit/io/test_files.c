/* Names of files, and outputs of options. */
#include "runtime/io/files.h"
#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "tests/unit/child.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

/* ---- Names ------------------------------------------------------------------------------------ */

/* A relative link leads on from its own folder, wherever the program runs. */
static void test_links_to_nothing(void) {
    CU_ASSERT_EQUAL(mkdir(scratch("sub"), 0777), 0);
    CU_ASSERT_EQUAL(symlink("new.npy", scratch("sub/link.npy")), 0);
    CU_ASSERT_EQUAL(symlink("../new.npy", scratch("sub/up.npy")), 0);
    CU_ASSERT_TRUE(hp5_same_file(scratch("sub/link.npy"), scratch("sub/new.npy")));
    CU_ASSERT_FALSE(hp5_same_file(scratch("sub/link.npy"), scratch("new.npy")));
    CU_ASSERT_TRUE(hp5_same_file(scratch("sub/up.npy"), scratch("new.npy")));
    CU_ASSERT_FALSE(hp5_same_file(scratch("sub/up.npy"), scratch("sub/new.npy")));
    CU_ASSERT_FALSE(hp5_same_file(scratch("sub/link.npy"), "new.npy"));
    CU_ASSERT_PTR_NULL(hp5_file_refuses(scratch("sub/link.npy"), HP5_FILE_ARRAY));
}

/* ---- Outputs of options ------------------------------------------------------------------------- */

static int closes_that_fail;

/* The library's calls come here. */
int close(int file);
int close(int file) {
    int result = (int)syscall(SYS_close, file);
    if (closes_that_fail == 0 || --closes_that_fail > 0) return result;
    errno = EIO;
    return -1;
}

static void put(void *path) {
    closes_that_fail = 1;
    hp5_file_put(path, "--trace", "new", 3);
}

static void test_close_fails(void) {
    char path[2000], expected[2300], kept[10] = "";
    snprintf(path, sizeof path, "%s", scratch("trace.json"));
    FILE *file = fopen(path, "w");
    fputs("old", file);
    fclose(file);
    int entries = scratch_count();
    Child child = child_run(put, path);
    snprintf(expected, sizeof expected, "program: --trace: cannot write '%s': Input/output error\n", path);
    CU_ASSERT_EQUAL(child.status, 1);
    CU_ASSERT_STRING_EQUAL(child.err, expected);
    file = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL(fgets(kept, sizeof kept, file));
    fclose(file);
    CU_ASSERT_STRING_EQUAL(kept, "old");
    CU_ASSERT_EQUAL(scratch_count(), entries); /* nothing half written stays beside it */
}

UNIT_MAIN("files", {"links to nothing", test_links_to_nothing}, {"close fails", test_close_fails})
