/* How much memory there is: what the system's files say, and what limits do. */
#include "runtime/report/memory.h"
#include "runtime/report/error.h"
#include "tests/unit/child.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* Writes a file below the folder that stands for /; folders on the way are made. */
static void put(const char *path, const char *text) {
    char full[SCRATCH_PATH + 300];
    snprintf(full, sizeof full, "%s", scratch(path));
    for (char *slash = strchr(full + strlen(scratch_folder()) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "wb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fputs(text, file);
    fclose(file);
}

#define SYSTEM "MemTotal:       1000 kB\nMemFree:        10 kB\nMemAvailable:   400 kB\nSwapTotal:  100 kB\nSwapFree:  50 kB\n"

static void test_system(void) {
    CU_ASSERT_EQUAL(hp5_memory_at(scratch("nothing")), INT64_MAX);
    put("one/proc/meminfo", SYSTEM);
    CU_ASSERT_EQUAL(hp5_memory_at(scratch("one")), 450 * 1024);
    put("old/proc/meminfo", "MemTotal: 1000 kB\nMemFree: 10 kB\n"); /* a kernel that does not say */
    CU_ASSERT_EQUAL(hp5_memory_at(scratch("old")), INT64_MAX);
}

/* The tightest group on the way up; memory of files that are there a second time does not count. */
static void test_groups(void) {
    put("two/proc/meminfo", SYSTEM);
    put("two/proc/self/cgroup", "0::/user/job\n");
    put("two/sys/fs/cgroup/user/job/memory.max", "max\n");
    put("two/sys/fs/cgroup/user/job/memory.current", "1000\n");
    CU_ASSERT_EQUAL(hp5_memory_at(scratch("two")), 450 * 1024);
    put("two/sys/fs/cgroup/user/memory.max", "200000\n");
    put("two/sys/fs/cgroup/user/memory.current", "150000\n");
    put("two/sys/fs/cgroup/user/memory.swap.max", "0\n");
    CU_ASSERT_EQUAL(hp5_memory_at(scratch("two")), 50000);
    put("two/sys/fs/cgroup/user/memory.stat", "anon 5000\nactive_file 20000\ninactive_file 10000\n");
    CU_ASSERT_EQUAL(hp5_memory_at(scratch("two")), 80000);
    put("two/sys/fs/cgroup/user/memory.swap.max", "30000\n");
    put("two/sys/fs/cgroup/user/memory.swap.current", "10000\n");
    CU_ASSERT_EQUAL(hp5_memory_at(scratch("two")), 100000);
    put("two/sys/fs/cgroup/user/job/memory.max", "1500\n");
    put("two/sys/fs/cgroup/user/job/memory.swap.max", "0\n");
    CU_ASSERT_EQUAL(hp5_memory_at(scratch("two")), 500);
    put("two/sys/fs/cgroup/user/job/memory.current", "2000\n"); /* above its limit for a moment */
    CU_ASSERT_EQUAL(hp5_memory_at(scratch("two")), 0);
}

static void test_first_version(void) {
    put("v1/proc/meminfo", SYSTEM);
    put("v1/proc/self/cgroup", "3:cpu,cpuacct:/docker/x\n7:memory:/docker/x\n0::/docker/x\n");
    put("v1/sys/fs/cgroup/memory/memory.limit_in_bytes", "120000\n"); /* a container sees its own group as the mount */
    put("v1/sys/fs/cgroup/memory/memory.usage_in_bytes", "60000\n");
    put("v1/sys/fs/cgroup/memory/memory.stat", "total_active_file 2000\ntotal_inactive_file 1000\n");
    CU_ASSERT_EQUAL(hp5_memory_at(scratch("v1")), 63000);
    put("v1/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    CU_ASSERT_EQUAL(hp5_memory_at(scratch("v1")), 450 * 1024);
}

static void allocate(void *data) {
    hp5_set_program_name("prog");
    hp5_memory_limit(300 << 20);
    void *first = hp5_alloc(290 << 20, "the first array");
    hp5_free(first);
    first = hp5_alloc(270 << 20, "the second array");
    hp5_alloc(270 << 20, data);
    hp5_free(first);
}

static void test_limit(void) {
    Child child = child_run(allocate, "the third array");
    CU_ASSERT_EQUAL(child.status, 1);
    CU_ASSERT_STRING_EQUAL(child.err, "prog: out of memory: no 283115520 bytes for the third array (283115520 bytes are in use)\n");
}

static void limit_process(void *data) {
    struct rlimit limit = {(rlim_t)4 << 30, (rlim_t)4 << 30};
    if (setrlimit(*(int *)data, &limit) != 0) _exit(4);
    int64_t before = hp5_memory_available();
    if (before <= 0 || before >= (int64_t)4 << 30) _exit(5);
    void *taken = hp5_alloc(200 << 20, "memory");
    int64_t after = hp5_memory_available();
    hp5_free(taken);
    _exit(before - after < 190 << 20 || before - after > 210 << 20 ? 6 : 0);
}

static void test_process(void) {
#ifndef HP5_SANITIZE /* AddressSanitizer reserves 16 TB of addresses, more than any limit that is tried here */
    int limits[] = {RLIMIT_AS, RLIMIT_DATA};
    for (int i = 0; i < 2; i++) CU_ASSERT_EQUAL(child_run(limit_process, &limits[i]).status, 0);
#else
    (void)limit_process;
#endif
    CU_ASSERT(hp5_memory_available() > 1 << 20);
}

UNIT_MAIN("memory", {"the system", test_system}, {"control groups", test_groups}, {"their first version", test_first_version},
          {"a limit of one's own", test_limit}, {"limits of the process", test_process})
