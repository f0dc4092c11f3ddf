/* What running the C compiler (cc.c) and understanding what it says (said.c) share. */
#ifndef HP5_DRIVER_BUILD_H
#define HP5_DRIVER_BUILD_H
#include "compiler/check/check.h"
#include "compiler/driver/pipeline.h"

#define NAME_OF(symbol) #symbol
#define QUOTED(symbol) NAME_OF(symbol)

typedef struct Runtime {
    const char *library, *include;
} Runtime;

typedef struct Externs {
    Arena *arena;
    NameVec libraries;
    VEC(const ExternCode *) blocks;
    bool cuda; /* some of them are for cards */
} Externs;

/* One build. All files lie in `directory`. With C++ blocks or a text for cards, each text becomes an object file, and the compiler that
 * knows most libraries (nvcc, or the C++ compiler) links them. */
typedef struct Build {
    Arena *arena;
    const Options *options;
    const Program *program;
    Diags *diags;
    const char *directory;
    Externs externs;
    Runtime runtime;
    const char *c_path, *object, *cplusplus_path, *cplusplus_object, *card_path, *card_object, *messages, *output;
    bool kernels; /* the command at work says what kernels take */
    bool keep; /* a compiler has failed by itself: its input stays, for a report */
} Build;

static inline const char *c_compiler(const Build *build) {
    return build->options->cc ? build->options->cc : build->options->smpi ? "smpicc" : "cc";
}
static inline const char *cplusplus_compiler(const Build *build) {
    return build->options->cxx ? build->options->cxx : build->options->smpi ? "smpicxx" : "c++";
}

static inline const char *card_compiler(const Build *build) { return build->options->nvcc ? build->options->nvcc : "nvcc"; }

/* said.c: what a command that ended well has said of extern code; what it says of generated code is nobody's business, and a
 * test looks for it. */
void said_warn(Build *build, const char *compiler, const char *said);
/* --remarks: what the CUDA compiler has said that the kernels of the program's tasks take. */
void said_kernels(Build *build, const char *said);
/* Why a command has failed, as messages; the exit status to use. */
int said_fail(Build *build, const char *compiler, int status, const char *said);
/* hp5c, the runtime's headers and its library are not of one build. */
int said_stale(const Build *build, const char *what);
#endif
