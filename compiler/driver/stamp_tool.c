/* A program of the build: prints the checksums of the runtime's headers as a header of its own.
 *
 *     stamp_tool FOLDER HEADER...      (each HEADER relative to FOLDER)
 *
 * It defines HP5_STAMP, the symbol that libhp5.a has and compiled programs ask for, and HP5_STAMP_HEADERS(X) with one
 * X("HEADER", checksum) for each header. */
#include "compiler/driver/stamp.h"
#include <inttypes.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc < 3) return fprintf(stderr, "usage: stamp_tool FOLDER HEADER...\n"), 2;
    uint64_t all = STAMP_START;
    printf("#define HP5_STAMP_HEADERS(X)");
    for (int i = 2; i < argc; i++) {
        char path[4096];
        int length = snprintf(path, sizeof path, "%s/%s", argv[1], argv[i]);
        uint64_t sum = length < (int)sizeof path ? stamp_file(path) : 0;
        if (sum == 0) return fprintf(stderr, "stamp_tool: cannot read '%s'\n", path), 1;
        printf(" \\\n    X(\"%s\", UINT64_C(0x%016" PRIx64 "))", argv[i], sum);
        all = stamp_add(stamp_add(all, argv[i], strlen(argv[i])), &sum, sizeof sum);
    }
    printf("\n#define HP5_STAMP hp5_runtime_%016" PRIx64 "\n", all);
    return fflush(stdout) != 0 || ferror(stdout);
}
