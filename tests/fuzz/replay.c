/* Feeds files, and the files of folders, to a fuzz target: the kept corpus without libFuzzer. */
#include "tests/fuzz/fuzz.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int fed;

static void feed_file(const char *path) {
    FILE *file = fopen(path, "rb");
    fuzz_require(file != NULL, path);
    uint8_t *data = malloc(FUZZ_LARGEST + 1);
    size_t size = fread(data, 1, FUZZ_LARGEST + 1, file);
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last one named is the one that crashed */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    fed++;
}

static void feed(const char *path) {
    DIR *folder = opendir(path);
    if (folder == NULL) {
        feed_file(path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char inside[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        feed(inside);
    }
    closedir(folder);
}

int main(int argc, char **argv) {
    fuzz_require(freopen("/dev/null", "w", stdout) != NULL, "/dev/null");
    for (int i = 1; i < argc; i++) feed(argv[i]);
    fprintf(stderr, "%d inputs\n", fed);
    return fed > 0 ? 0 : 1;
}
