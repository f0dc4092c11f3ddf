/* Which files a program may write (files.h). How to read it: names and files first (hp5_same_file); then what a file holds;
 * then problems of arguments, which are known before anything runs; then what a program reads and writes as it goes. */
#include "runtime/io/files.h"
#include "runtime/comm/comm.h"
#include "runtime/report/error.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Names and files ------------------------------------------------------------------------------ */

/* Splits "a/b/c" into the folder "a/b" ("." or "/" where there is none) and the name "c". */
static bool split(const char *path, char folder[PATH_MAX], const char **name) {
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path);
    *name = slash == NULL ? path : slash + 1;
    if (length >= PATH_MAX) return false;
    memcpy(folder, path, length);
    folder[length] = '\0';
    if (length == 0) strcpy(folder, slash == NULL ? "." : "/");
    return true;
}

/* Where a name leads through links to nothing, one link: the name in `next`. */
static bool follow(const char *path, char next[PATH_MAX]) {
    char target[PATH_MAX], folder[PATH_MAX];
    const char *name;
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0 || !split(path, folder, &name)) return false;
    target[length] = '\0';
    int used = target[0] == '/' ? snprintf(next, PATH_MAX, "%s", target) : snprintf(next, PATH_MAX, "%.*s/%s", PATH_MAX - 1, folder, target);
    return used < PATH_MAX;
}

/* The folder and the name in it where a file that is not there yet would be made. */
static bool place_of(const char *path, struct stat *folder_status, char name[NAME_MAX + 1]) {
    enum { MOST_LINKS = 40 };
    char at[PATH_MAX], next[PATH_MAX], folder[PATH_MAX];
    const char *last;
    if (snprintf(at, sizeof at, "%s", path) >= (int)sizeof at) return false;
    for (int links = 0; links < MOST_LINKS && follow(at, next); links++) strcpy(at, next);
    if (!split(at, folder, &last) || strlen(last) > NAME_MAX) return false;
    strcpy(name, last);
    return stat(folder, folder_status) == 0;
}

bool hp5_same_file(const char *a, const char *b) {
    struct stat first, second;
    char first_name[NAME_MAX + 1], second_name[NAME_MAX + 1];
    bool first_there = stat(a, &first) == 0, second_there = stat(b, &second) == 0;
    if (first_there != second_there) return false;
    if (first_there) return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    if (!place_of(a, &first, first_name) || !place_of(b, &second, second_name)) return false;
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino && strcmp(first_name, second_name) == 0;
}

bool hp5_file_is_stream(const char *path) {
    if (strncmp(path, "/dev/", 5) == 0) return true;
    return strncmp(path, "/proc/", 6) == 0 && strstr(path, "/fd/") != NULL;
}

/* ---- What a file holds --------------------------------------------------------------------------------- */

typedef struct Start {
    const char *what, *starts[2];
} Start;
static const Start kinds[] = {
    [HP5_FILE_ARRAY] = {"it holds something else than an array; remove it first, or choose another name", {"\x93NUMPY", NULL}},
    [HP5_FILE_TRACE] = {"it holds something else than a trace; remove it first, or choose another name", {"{\"displayTimeUnit\"", NULL}},
    [HP5_FILE_PICTURE] = {"it holds something else than an SVG picture; remove it first, or choose another name", {"<svg", "<?xml"}},
    [HP5_FILE_PROGRAM] = {"it holds something else than an executable; remove it first, or choose another name", {"\x7f" "ELF", NULL}},
    [HP5_FILE_C] = {"hp5c has not written what it holds; remove it first, or choose another name", {"/* Written by hp5c", NULL}},
    [HP5_FILE_ANY] = {NULL, {"", NULL}},
};

/* Whether files can be made beside `path`, by renaming; else errno says why not. */
static bool folder_takes_files(const char *path) {
    char folder[PATH_MAX];
    const char *name;
    struct stat status;
    if (!split(path, folder, &name)) return errno = ENAMETOOLONG, false;
    char *resolved = realpath(folder, NULL); /* fails in a folder that has been removed */
    if (resolved == NULL) return false;
    free(resolved);
    if (stat(folder, &status) != 0) return false;
    if (!S_ISDIR(status.st_mode)) return errno = ENOTDIR, false;
    return access(folder, W_OK | X_OK) == 0;
}

static bool starts_as(const char *path, Hp5FileKind kind) {
    char start[32] = "";
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t length = file < 0 ? -1 : read(file, start, sizeof start);
    if (file >= 0) close(file);
    if (length <= 0) return length == 0;
    for (int i = 0; i < 2; i++) {
        const char *wanted = kinds[kind].starts[i];
        if (wanted != NULL && (size_t)length >= strlen(wanted) && memcmp(start, wanted, strlen(wanted)) == 0) return true;
    }
    return false;
}

/* Of a file that is there. */
static const char *refuses_file(const char *path, const struct stat *status, Hp5FileKind kind) {
    if (S_ISDIR(status->st_mode)) return "it is a directory";
    bool pipe = S_ISFIFO(status->st_mode) || S_ISSOCK(status->st_mode);
    if (kind == HP5_FILE_PROGRAM && pipe) return "a linker cannot write to a pipe";
    if (access(path, W_OK) != 0) return strerror(errno);
    if (!S_ISREG(status->st_mode) || hp5_file_is_stream(path)) return NULL;
    if (!starts_as(path, kind)) return kinds[kind].what;
    char *target = realpath(path, NULL);
    bool takes = target != NULL && folder_takes_files(target);
    free(target);
    return takes ? NULL : strerror(errno);
}

/* Of a name that nothing has, or a link to nothing. */
static const char *refuses_name(const char *path) {
    char at[PATH_MAX] = "", next[PATH_MAX];
    if (path[strlen(path) - 1] == '/') return "it names a directory";
    if (snprintf(at, sizeof at, "%s", path) >= (int)sizeof at) return strerror(ENAMETOOLONG);
    if (follow(at, next)) strcpy(at, next);
    return folder_takes_files(at) ? NULL : strerror(errno);
}

const char *hp5_file_refuses(const char *path, Hp5FileKind kind) {
    struct stat status;
    if (path[0] == '\0') return "the file name is empty";
    if (stat(path, &status) == 0) return refuses_file(path, &status, kind);
    return errno == ENOENT || errno == ENOTDIR ? refuses_name(path) : strerror(errno);
}

/* ---- Arguments -------------------------------------------------------------------------------------------- */

static bool in_place;
void hp5_files_in_place(bool allowed) { in_place = allowed; }

/* "'w.npy'", and " ('./w.npy')" where the other name is spelled in another way. */
static void describe_names(const char *path, const char *other, char text[2 * HP5_QUOTED + 4]) {
    char first[HP5_QUOTED], second[HP5_QUOTED];
    hp5_quote(path, first);
    if (strcmp(path, other) == 0) strcpy(text, first);
    else snprintf(text, 2 * HP5_QUOTED + 4, "%s (%s)", first, hp5_quote(other, second));
}

bool hp5_file_problem(const Hp5NamedFile *files, int at, char *text, size_t size) {
    const Hp5NamedFile *file = &files[at];
    char names[2 * HP5_QUOTED + 4], quoted[HP5_QUOTED];
    for (int i = 0; i < at; i++) {
        const Hp5NamedFile *other = &files[i], *input = file->written ? other : file, *output = file->written ? file : other;
        if ((!file->written && !other->written) || !hp5_same_file(file->path, other->path)) continue;
        describe_names(output->path, input->path, names);
        if (file->written && other->written) snprintf(text, size, "%s and %s would both be written to %s", other->name, file->name, names);
        else if (output->option) snprintf(text, size, "%s would replace %s, which this run reads (%s)", output->name, names, input->name);
        else if (!in_place)
            snprintf(text, size, "%s would replace %s, which this run reads (%s): say --in-place if that is meant", output->name, names, input->name);
        else continue;
        return true;
    }
    const char *reason = file->written ? hp5_file_refuses(file->path, file->kind) : NULL;
    if (reason == NULL) return false;
    snprintf(text, size, "%s: cannot write %s: %s", file->name, hp5_quote(file->path, quoted), reason);
    return true;
}

/* ---- What a program reads and writes ---------------------------------------------------------------------- */

typedef enum { INPUT, BOUND, RESERVED, OWN } Role; /* OWN: what the program has stored itself */
typedef struct File {
    struct File *next;
    char *path, *name;
    Role role;
    dev_t device; /* of an input: the file that was there when it was read */
    ino_t number;
} File;
static File *files;

/* Not counted as the program's memory: names are kept to the end. */
static char *copy(const char *text) {
    char *result = strdup(text);
    if (result == NULL) hp5_fail(HP5_EXIT_FAILURE, "out of memory: no room for a file name");
    return result;
}

static void note(const char *path, const char *name, Role role) {
    struct stat status;
    bool there = stat(path, &status) == 0;
    for (const File *file = files; file != NULL; file = file->next)
        if (file->role == role && strcmp(file->path, path) == 0 && (!there || (file->device == status.st_dev && file->number == status.st_ino))) return;
    File *file = malloc(sizeof *file);
    if (file == NULL) hp5_fail(HP5_EXIT_FAILURE, "out of memory: no room for a file name");
    *file = (File){.next = files, .path = copy(path), .name = copy(name), .role = role};
    if (there) file->device = status.st_dev, file->number = status.st_ino;
    files = file;
}

static const File *find(const char *path, Role role) {
    struct stat status;
    bool regular = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    for (const File *file = files; file != NULL; file = file->next) {
        if (file->role != role) continue;
        if (role == INPUT || role == OWN ? regular && file->device == status.st_dev && file->number == status.st_ino : hp5_same_file(file->path, path)) return file;
    }
    return NULL;
}

static __attribute__((noreturn)) void would_replace(const char *output, const char *path, const char *input, const char *input_path, bool option) {
    char names[2 * HP5_QUOTED + 4];
    describe_names(path, input_path, names);
    hp5_fail(HP5_EXIT_USAGE, "%s%s would replace %s, which this run reads (%s)%s", option ? "" : "output ", output, names, input,
             option ? "" : ": say --in-place if that is meant");
}

void hp5_file_reads(const char *path, const char *name) {
    const File *output = in_place ? NULL : find(path, BOUND), *reserved = find(path, RESERVED);
    if (output != NULL) would_replace(output->name, output->path, name, path, false);
    if (reserved != NULL) would_replace(reserved->name, reserved->path, name, path, true);
    if (find(path, OWN) == NULL) note(path, name, INPUT);
}

void hp5_file_writes(const char *path, const char *name, bool end) {
    const File *bound = find(path, BOUND), *reserved = find(path, RESERVED), *input = in_place ? NULL : find(path, INPUT);
    char names[2 * HP5_QUOTED + 4], quoted[HP5_QUOTED];
    if (bound != NULL && strcmp(bound->path, path) == 0) hp5_fail(HP5_EXIT_USAGE, "outputs %s and %s are both bound to \"%s\"", bound->name, name, path);
    if (bound != NULL || reserved != NULL) {
        const File *other = bound != NULL ? bound : reserved;
        describe_names(path, other->path, names);
        hp5_fail(HP5_EXIT_USAGE, "%s and %s would both be written to %s", other->name, name, names);
    }
    if (input != NULL) would_replace(name, path, input->name, input->path, false);
    const char *reason = hp5_file_refuses(path, HP5_FILE_ARRAY);
    if (reason != NULL) hp5_fail(HP5_EXIT_USAGE, "cannot write %s to %s: %s", name, hp5_quote(path, quoted), reason);
    if (end) note(path, name, BOUND);
}

void hp5_file_written(const char *path) { note(path, "", OWN); }

void hp5_file_reserve(const char *path, const char *name) { note(path, name, RESERVED); }

/* ---- Outputs of options --------------------------------------------------------------------------------- */

static bool put_all(int file, const char *text, size_t length) {
    while (length > 0) {
        ssize_t done = write(file, text, length);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        text += done;
        length -= (size_t)done;
    }
    return true;
}

static void remove_file(void *name) { unlink(name); }

/* Beside the file that a link leads to, so that it stays a link. */
static bool put_beside(const char *path, const char *text, size_t length) {
    char *resolved = realpath(path, NULL), *name = NULL;
    const char *target = resolved != NULL ? resolved : path;
    int64_t size = (int64_t)strlen(target) + 40;
    name = hp5_alloc(size, "a file name");
    snprintf(name, (size_t)size, "%s.%ld.tmp", target, (long)getpid());
    hp5_at_failure(remove_file, name);
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    bool good = file >= 0 && put_all(file, text, length);
    if (file >= 0 && close(file) != 0) good = false;
    good = good && rename(name, target) == 0;
    int error = errno;
    if (!good && file >= 0) unlink(name);
    hp5_forget(remove_file, name);
    hp5_free(name);
    free(resolved);
    errno = error;
    return good;
}

void hp5_file_put(const char *path, const char *option, const char *text, size_t length) {
    if (hp5_comm_rank() > 0) return; /* one process writes it */
    struct stat status;
    char quoted[HP5_QUOTED];
    bool direct = hp5_file_is_stream(path) || (stat(path, &status) == 0 && !S_ISREG(status.st_mode)), good;
    if (direct) {
        fflush(stdout);
        int file = open(path, O_WRONLY | O_CLOEXEC);
        good = file >= 0 && put_all(file, text, length);
        if (file >= 0 && close(file) != 0) good = false;
    } else {
        good = put_beside(path, text, length);
    }
    if (!good) hp5_fail(HP5_EXIT_FAILURE, "%s: cannot write %s: %s", option, hp5_quote(path, quoted), strerror(errno));
}
