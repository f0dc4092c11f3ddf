/* The library of an MPI: found beside hp5c's own, and loaded. Only a process that a launcher has started gets here. */
#include "runtime/comm/private.h"
#include "runtime/report/error.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 4200, PLACES = 3 };

/* The folder of the program, where a user may have put a copy; "" if it is not known. */
static void own_folder(char folder[PATH_ROOM]) {
    ssize_t length = readlink("/proc/self/exe", folder, PATH_ROOM - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
}

static const Hp5CommDriver *driver_of(void *library, const char *path, const Hp5Launcher *launcher) {
    const Hp5CommDriver *(*give)(void) = NULL;
    void *symbol = dlsym(library, HP5_COMM_DRIVER_SYMBOL);
    memcpy(&give, &symbol, sizeof give); /* ISO C has no cast for it */
    const Hp5CommDriver *driver = give ? give() : NULL;
    if (driver == NULL || driver->abi != HP5_COMM_ABI)
        hp5_fail(HP5_EXIT_USAGE, "%s is of another version of HP5 than this program: compile the program again%s", path,
                 hp5_launcher_wait(launcher));
    return driver;
}

/* Its symbols are for everybody: MPIs load parts of themselves that look for them. NULL: the file is not there. */
static const Hp5CommDriver *load_file(const char *path, const Hp5Launcher *launcher) {
    if (access(path, R_OK) != 0) return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) hp5_fail(HP5_EXIT_USAGE, "the MPI library cannot be loaded: %s%s", dlerror(), hp5_launcher_wait(launcher));
    return driver_of(library, path, launcher);
}

static const Hp5CommDriver *load_named(const char *name, const char *const *folders, const Hp5Launcher *launcher) {
    if (strchr(name, '/')) return load_file(name, launcher);
    for (int i = 0; i < PLACES; i++) {
        char path[2 * PATH_ROOM];
        if (folders[i] == NULL || folders[i][0] == '\0') continue;
        snprintf(path, sizeof path, "%s/libhp5-%s.so", folders[i], name);
        const Hp5CommDriver *driver = load_file(path, launcher);
        if (driver) return driver;
    }
    return NULL;
}

static __attribute__((noreturn)) void fail_without(const Hp5Launcher *launcher, const char *const *folders) {
    const char *first = launcher->libraries[0];
    const char *where = hp5_launcher_wait(launcher);
    if (strchr(first, '/')) hp5_fail(HP5_EXIT_USAGE, "HP5_MPI: there is no library '%s'%s", first, where);
    char places[PLACES * PATH_ROOM] = "";
    for (int i = 0, at = 0; i < PLACES; i++)
        if (folders[i] && folders[i][0])
            at += snprintf(places + at, sizeof places - (size_t)at, "%s%s", at > 0 ? ", " : "", folders[i]);
    hp5_fail(HP5_EXIT_USAGE,
             "%s has started several processes, but there is no libhp5-%s.so to let them talk (looked in %s)\n"
             "  install %s with its headers and build HP5 again (or its target hp5-%s, where HP5 is built in part), or start the program under another MPI%s",
             launcher->name ? launcher->name : "HP5_MPI", first, places, hp5_launcher_mpi_name(first), first, where);
}


const Hp5CommDriver *hp5_comm_load(const Hp5Launcher *launcher, const char *folder) {
    if (hp5_comm_driver) return hp5_comm_driver();
    char own[PATH_ROOM];
    own_folder(own);
    const char *const folders[PLACES] = {getenv("HP5_LIBRARY_PATH"), folder, own};
    for (int i = 0; i < 2 && launcher->libraries[i]; i++) {
        const Hp5CommDriver *driver = load_named(launcher->libraries[i], folders, launcher);
        if (driver) return driver;
    }
    fail_without(launcher, folders);
}
