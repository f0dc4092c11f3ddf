/* How much memory there is (memory.h). How to read it: one function for each who may set a limit; hp5_memory_available takes
 * the least. Files that cannot be read set none. Memory that only holds copies of files counts as free: the system gives
 * it away when it is wanted. */
#include "runtime/report/memory.h"
#include "runtime/report/error.h"
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int64_t chosen; /* --memory; 0: none */

void hp5_memory_limit(int64_t bytes) { chosen = bytes; }

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- Files --------------------------------------------------------------------------------------- */

typedef char Path[PATH_MAX];

static FILE *open_in(const char *folder, const char *name) {
    Path path;
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && length < (int)sizeof path ? fopen(path, "re") : NULL;
}

/* The number in a file; INT64_MAX for "max" or no such file. */
static int64_t number_in(const char *folder, const char *name) {
    FILE *file = open_in(folder, name);
    long long number = INT64_MAX;
    if (file == NULL) return number;
    if (fscanf(file, "%lld", &number) != 1) number = INT64_MAX;
    fclose(file);
    return number;
}

/* The number after a word at the start of a line, or `absent`. */
static int64_t entry_in(const char *folder, const char *name, const char *word, int64_t absent) {
    FILE *file = open_in(folder, name);
    char line[256];
    size_t length = strlen(word);
    int64_t number = absent;
    if (file == NULL) return number;
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, word, length) == 0 && (line[length] == ' ' || line[length] == ':')) number = atoll(line + length + 1);
    fclose(file);
    return number;
}

/* ---- Who sets limits ------------------------------------------------------------------------------ */

static int64_t swap_of(const char *root) {
    int64_t kilobytes = entry_in(root, "proc/meminfo", "SwapFree", 0);
    return kilobytes * 1024;
}

static int64_t system_memory(const char *root) {
    int64_t kilobytes = entry_in(root, "proc/meminfo", "MemAvailable", -1);
    return kilobytes < 0 ? INT64_MAX : kilobytes * 1024 + swap_of(root);
}

/* What one control group leaves, and its names of limit, use and files' copies. */
typedef struct GroupNames {
    const char *limit, *used, *active, *inactive, *swap_limit, *swap_used;
} GroupNames;

static int64_t group_memory(const char *folder, const GroupNames *names, int64_t swap) {
    int64_t limit = number_in(folder, names->limit), used = number_in(folder, names->used);
    if (limit >= INT64_MAX / 2 || used == INT64_MAX) return INT64_MAX; /* version 1 says "none" by a huge number */
    used -= entry_in(folder, "memory.stat", names->active, 0) + entry_in(folder, "memory.stat", names->inactive, 0);
    int64_t left = limit > used ? limit - used : 0, most = names->swap_limit ? number_in(folder, names->swap_limit) : 0;
    int64_t taken = most > 0 ? number_in(folder, names->swap_used) : 0;
    if (most < INT64_MAX) swap = smaller(swap, taken < most ? most - taken : 0);
    return left + swap;
}

/* A group and those around it: "/a/b" in `mount`. */
static int64_t nested_groups(const char *mount, const char *group, const GroupNames *names, int64_t swap) {
    int64_t least = INT64_MAX;
    Path path;
    int length = snprintf(path, sizeof path, "%s%s", mount, group);
    if (length < 0 || length >= (int)sizeof path) return least;
    for (;;) {
        least = smaller(least, group_memory(path, names, swap));
        char *slash = strrchr(path + strlen(mount), '/');
        if (slash == NULL) return least;
        *slash = '\0';
    }
}

/* Lines "0::/group" (version 2) and "7:memory:/group" (version 1) of /proc/self/cgroup. In a container the group's name may be
 * one that is not seen from inside; then the mount itself is the group. */
static int64_t groups_memory(const char *root) {
    static const GroupNames second = {"memory.max", "memory.current", "active_file", "inactive_file", "memory.swap.max", "memory.swap.current"};
    static const GroupNames first = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_active_file", "total_inactive_file", NULL, NULL};
    FILE *file = open_in(root, "proc/self/cgroup");
    int64_t least = INT64_MAX, swap = swap_of(root);
    char line[PATH_MAX];
    Path mount;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL) continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        bool memory = strcmp(controllers + 1, "memory") == 0;
        if (!memory && controllers[1] != '\0') continue;
        if (snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s", root, memory ? "/memory" : "") >= (int)sizeof mount) continue;
        least = smaller(least, nested_groups(mount, group, memory ? &first : &second, swap));
    }
    if (file != NULL) fclose(file);
    return least;
}

static int64_t below_limit(int resource, const char *root, int column) {
    struct rlimit limit;
    long long pages[6] = {0};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > INT64_MAX / 2) return INT64_MAX;
    FILE *file = open_in(root, "proc/self/statm");
    if (file == NULL) return (int64_t)limit.rlim_cur;
    int found = fscanf(file, "%lld %lld %lld %lld %lld %lld", &pages[0], &pages[1], &pages[2], &pages[3], &pages[4], &pages[5]);
    fclose(file);
    int64_t used = found > column ? pages[column] * sysconf(_SC_PAGESIZE) : 0;
    return (int64_t)limit.rlim_cur > used ? (int64_t)limit.rlim_cur - used : 0;
}

int64_t hp5_memory_at(const char *root) { return smaller(system_memory(root), groups_memory(root)); }

int64_t hp5_memory_available(void) {
    enum { ALL = 0, DATA = 5 }; /* columns of statm */
    int64_t process = smaller(below_limit(RLIMIT_AS, "", ALL), below_limit(RLIMIT_DATA, "", DATA));
    int64_t used = hp5_allocated_bytes();
    if (chosen > 0) return smaller(process, chosen > used ? chosen - used : 0);
    return smaller(process, hp5_memory_at(""));
}

char *hp5_bytes_text(double bytes, char text[HP5_BYTES_TEXT]) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    int unit = 0;
    while (bytes >= 999.5 && unit < 6) bytes /= 1000, unit++;
    snprintf(text, HP5_BYTES_TEXT, "%.*f %s", unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2, bytes, units[unit]);
    return text;
}
