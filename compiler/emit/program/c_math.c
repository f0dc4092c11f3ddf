/* Mathematical functions: which are the runtime's (runtime/math), and which C's, because IEEE defines them exactly. */
#include "compiler/emit/emit.h"

#include <string.h>
#include "runtime/math/names.h"

static bool is_of_runtime(const char *name) {
#define NAME(name) #name,
    static const char *const names[] = {HP5_MATH_ONE(NAME) HP5_MATH_TWO(NAME)};
#undef NAME
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

bool emit_is_costly(const char *math) { return is_of_runtime(math); }

/* Those of runtime/array/arithmetic.h. */
static bool is_extremum(const char *name) {
    static const char *const names[] = {"fmin", "fmax", "fabove", "fbelow"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

const char *emit_math_function(Emit *emit, const char *name, bool single) {
    bool ours = is_of_runtime(name), extremum = is_extremum(name);
    emit->uses_math |= ours;
    return arena_printf(emit->arena, "%s%s%s", ours || extremum ? "hp5_" : "", name, single ? "f" : "");
}
