/* A folder for the files of one unit test, in TMPDIR or /tmp:
 *
 *     FILE *file = fopen(scratch("a.npy"), "wb");
 *
 * It is made when first asked for, and removed with everything in it when the process that made it ends;
 * children that are forked later use it too, and leave it where it is. */
#ifndef HP5_TESTS_SCRATCH_H
#define HP5_TESTS_SCRATCH_H
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCRATCH_PATH = 1024, SCRATCH_PATHS = 16 };
static char scratch_place[SCRATCH_PATH]; /* empty until it is made */
static pid_t scratch_maker;

static inline void scratch_empty(int descriptor) {
    DIR *folder = descriptor < 0 ? NULL : fdopendir(descriptor);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (unlinkat(descriptor, entry->d_name, 0) == 0) continue;
        scratch_empty(openat(descriptor, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
        unlinkat(descriptor, entry->d_name, AT_REMOVEDIR);
    }
    if (folder != NULL) closedir(folder);
}

static inline void scratch_remove(void) {
    if (getpid() != scratch_maker) return;
    scratch_empty(open(scratch_place, O_RDONLY | O_DIRECTORY));
    rmdir(scratch_place);
}

static inline const char *scratch_folder(void) {
    if (scratch_place[0] != '\0') return scratch_place;
    const char *place = getenv("TMPDIR");
    char folder[SCRATCH_PATH];
    int length = snprintf(folder, sizeof folder, "%s/hp5-unit-XXXXXX", place != NULL && place[0] != '\0' ? place : "/tmp");
    if (length >= (int)sizeof folder || mkdtemp(folder) == NULL) {
        perror(folder);
        abort();
    }
    scratch_maker = getpid();
    strcpy(scratch_place, folder);
    atexit(scratch_remove);
    return scratch_place;
}

/* "NAME" in the folder; one of sixteen buffers. */
static inline const char *scratch(const char *name) {
    static char paths[SCRATCH_PATHS][SCRATCH_PATH + 300];
    static int next;
    next = (next + 1) % SCRATCH_PATHS;
    snprintf(paths[next], sizeof paths[next], "%s/%s", scratch_folder(), name);
    return paths[next];
}

/* Entries of the folder, without . and .. */
static inline int scratch_count(void) {
    int count = 0;
    DIR *folder = opendir(scratch_folder());
    if (folder == NULL) return 0;
    while (readdir(folder) != NULL) count++;
    closedir(folder);
    return count - 2;
}
#endif
