/* Descriptors by hand, for tests of the runtime: a small builder with room for a few LPSes and arrays. */
#ifndef HP5_TESTS_TASK_FIXTURE_H
#define HP5_TESTS_TASK_FIXTURE_H
#include "runtime/run/run.h"
#include <stdlib.h>
#include <string.h>

enum { FIXTURE_LPSES = 6, FIXTURE_ARRAYS = 4, FIXTURE_ARGS = 64 };

typedef struct Fixture {
    Hp5TaskDesc desc;
    Hp5LpsDesc lpses[FIXTURE_LPSES];
    Hp5LpsVarDesc vars[FIXTURE_LPSES][FIXTURE_ARRAYS];
    Hp5DimDesc dims[FIXTURE_LPSES][FIXTURE_ARRAYS][3];
    Hp5ArrayDesc arrays[FIXTURE_ARRAYS];
    Hp5ExchangeDesc exchanges[4];
    Hp5ReduceDesc reductions[4];
    int level_counts[FIXTURE_LPSES];
    const char *level_names[FIXTURE_LPSES];
    const char *arg_names[FIXTURE_ARGS];
    int64_t args[FIXTURE_ARGS];
    Hp5Item *items[FIXTURE_ARRAYS];
} Fixture;

static inline void fixture_start(Fixture *f) {
    memset(f, 0, sizeof *f);
    f->desc = (Hp5TaskDesc){.name = "Test",
                            .source = "test.hp5",
                            .lps_count = 1,
                            .lpses = f->lpses,
                            .arrays = f->arrays,
                            .arg_names = f->arg_names,
                            .exchanges = f->exchanges,
                            .reductions = f->reductions,
                            .level_counts = f->level_counts,
                            .level_names = f->level_names};
    f->lpses[0] = (Hp5LpsDesc){.name = "Root", .parent = -1, .vars = f->vars[0]};
    f->level_counts[0] = 1;
    f->level_names[0] = "Machine";
}

static inline int fixture_array(Fixture *f, const char *name, const Hp5Element *element, int rank,
                                int versions, bool rotates) {
    int a = f->desc.array_count++;
    f->arrays[a] = (Hp5ArrayDesc){name, element, rank, versions, rotates, 0};
    f->vars[0][f->lpses[0].var_count++] = (Hp5LpsVarDesc){a, HP5_IN_PLACE, NULL};
    return a;
}

static inline int fixture_arg(Fixture *f, const char *name, int64_t value) {
    int n = f->desc.arg_count++;
    f->arg_names[n] = name;
    f->args[n] = value;
    return n;
}

static inline int fixture_lps(Fixture *f, const char *name, int parent, int dims, int count,
                              const char *level) {
    int x = f->desc.lps_count++;
    f->lpses[x] = (Hp5LpsDesc){.name = name, .parent = parent, .dims = dims, .vars = f->vars[x]};
    f->level_counts[x] = count;
    f->level_names[x] = level;
    return x;
}

/* Lists an array in an LPS; its dimensions are replicated until fixture_divide says otherwise. */
static inline int fixture_list(Fixture *f, int lps, int array, Hp5Storage storage) {
    int v = f->lpses[lps].var_count++;
    f->vars[lps][v] = (Hp5LpsVarDesc){array, storage, f->dims[lps][v]};
    for (int j = 0; j < 3; j++)
        f->dims[lps][v][j] = (Hp5DimDesc){
            HP5_REPLICATED, -1, {HP5_NO_ARG, HP5_NO_ARG}, HP5_NO_ARG, HP5_NO_ARG, false, "replicated"};
    if (storage == HP5_HOME) f->arrays[array].home = lps;
    return v;
}

/* a, b, front, back: values; a or b 0 and front or back -1 mean absent. */
static inline void fixture_divide(Fixture *f, int lps, int v, int j, int dimension, Hp5PartFunction function,
                                  const char *text, int64_t a, int64_t b, int64_t front, int64_t back) {
    f->dims[lps][v][j] = (Hp5DimDesc){
        .function = function,
        .array_dimension = dimension,
        .argument = {a ? fixture_arg(f, "a", a) : HP5_NO_ARG, b ? fixture_arg(f, "b", b) : HP5_NO_ARG},
        .front = front >= 0 ? fixture_arg(f, "front", front) : HP5_NO_ARG,
        .back = back >= 0 ? fixture_arg(f, "back", back) : HP5_NO_ARG,
        .text = text};
}
#endif
