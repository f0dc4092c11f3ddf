/* Processor spaces: what index mapping functions compute with (mapping files, `by f`). hp5c evaluates with
 * these functions at compile time and generated programs call them at run time, so both mean the same.
 *
 * A space is a grid of PPUs and the transformations that made it from a machine's own grid. An index of the space goes
 * back through them, last one first, to the machine's grid (hp5_space_base); the way forward is hp5_space_find.
 *
 *   split(i, d)        m'[… a, b …] = m[… a + b*d …]              d divides the extent
 *   merge(p, q)        m'[… a …]    = m[… a % s_p … a / s_p …]    at p; p's index runs fastest; p < q
 *   swap(p, q)         m'[… a … b …] = m[… b … a …]
 *   slice(i, low, high) m'[… a …]   = m[… a + low …]              both ends included
 *   decompose(i, l)    splits with the factors that hp5_decompose finds
 *
 * What goes wrong (a dimension that is not there, a factor that does not divide, a division by zero) is noted in the
 * Hp5Mapper, the first one only; results after that are harmless and mean nothing. */
#ifndef HP5_RUNTIME_MAPPING_SPACE_H
#define HP5_RUNTIME_MAPPING_SPACE_H
#include <stdbool.h>
#include <stdint.h>

enum { HP5_SPACE_DIMS = 16, HP5_SPACE_STEPS = 40, HP5_DECOMPOSE_DIMS = 8 };
/* The largest extents and halo widths that hp5_decompose takes, and the largest number of PPUs. */
#define HP5_DECOMPOSE_EXTENT ((int64_t)1 << 40)
#define HP5_DECOMPOSE_PPUS ((int64_t)1 << 31)

typedef struct Hp5Tuple {
    int count;
    int64_t at[HP5_SPACE_DIMS];
} Hp5Tuple;

typedef enum Hp5StepKind { HP5_SPLIT, HP5_MERGE, HP5_SWAP, HP5_SLICE } Hp5StepKind;
typedef struct Hp5SpaceStep {
    uint8_t kind, p, q; /* of Hp5StepKind; dimensions */
    uint32_t a;         /* split: factor; merge: extent of p; slice: low */
    uint32_t b;         /* slice: extent */
} Hp5SpaceStep;

typedef struct Hp5Space {
    Hp5Tuple size;
    Hp5Tuple base; /* extents of the machine's own grid */
    int step_count;
    Hp5SpaceStep steps[HP5_SPACE_STEPS];
} Hp5Space;

/* The last few decompositions: mapping functions ask for the same ones for each point. */
enum { HP5_DECOMPOSED = 4 };
typedef struct Hp5Decomposed {
    int64_t ppus;
    uint32_t transpose;
    Hp5Tuple extents, halo, factors;
} Hp5Decomposed;

typedef struct Hp5Mapper {
    bool failed;
    char message[256];
    const char *function; /* generated code: where it is now */
    int line;
    int64_t ppus;         /* that a machine's grid has; 0: as the model says */
    const int *counts;    /* of each level of the machine in one of the level above, as --machine says; NULL: as the model says */
    int above;            /* the level of the PPU that runs the parent LPU; -1: the whole machine */
    Hp5Decomposed known[HP5_DECOMPOSED];
    int next_known;
} Hp5Mapper;

__attribute__((format(printf, 2, 3))) void hp5_mapper_fail(Hp5Mapper *mapper, const char *format, ...);

/* ---- Numbers and tuples --------------------------------------------------------------------- */
/* Truncating, as in C. */
static inline int64_t hp5_mapper_quotient(Hp5Mapper *mapper, int64_t a, int64_t b) {
    if (__builtin_expect(b == 0, 0)) hp5_mapper_fail(mapper, "division by zero (%lld / 0)", (long long)a);
    if (__builtin_expect(b == 0 || b == -1, 0)) return b == 0 ? 0 : (int64_t)(0 - (uint64_t)a);
    return a / b;
}
static inline int64_t hp5_mapper_remainder(Hp5Mapper *mapper, int64_t a, int64_t b) {
    if (__builtin_expect(b == 0, 0)) hp5_mapper_fail(mapper, "division by zero (%lld %% 0)", (long long)a);
    return b == 0 || b == -1 ? 0 : a % b;
}
static inline Hp5Tuple hp5_tuple(int count, const int64_t *values) {
    Hp5Tuple tuple = {.count = count};
    for (int i = 0; i < count; i++) tuple.at[i] = values[i];
    return tuple;
}
#define HP5_TUPLE(...) hp5_tuple((int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]){__VA_ARGS__})
/* As many times `value` as `like` has elements. */
Hp5Tuple hp5_tuple_all(int64_t value, Hp5Tuple like);
/* Element by element: + - * / %. */
Hp5Tuple hp5_tuple_op(Hp5Mapper *mapper, Hp5Tuple a, char op, Hp5Tuple b);
/* Element i; negative ones count from the end. */
void hp5_tuple_lacks(Hp5Mapper *mapper, int count, int64_t i);
static inline int64_t hp5_tuple_get(Hp5Mapper *mapper, Hp5Tuple tuple, int64_t i) {
    int64_t at = i < 0 ? i + tuple.count : i;
    if (__builtin_expect(at >= 0 && at < tuple.count, 1)) return tuple.at[at];
    hp5_tuple_lacks(mapper, tuple.count, i);
    return 0;
}
/* Elements from … to - 1; negative numbers count from the end, too large ones are cut. */
Hp5Tuple hp5_tuple_part(Hp5Tuple tuple, int64_t from, int64_t to);
Hp5Tuple hp5_tuple_join(Hp5Mapper *mapper, Hp5Tuple a, Hp5Tuple b);
/* -1, 0, 1: the first difference decides. */
int hp5_tuple_compare(Hp5Tuple a, Hp5Tuple b);
int64_t hp5_tuple_sum(Hp5Tuple tuple);
int64_t hp5_tuple_min(Hp5Mapper *mapper, Hp5Tuple tuple);
int64_t hp5_tuple_max(Hp5Mapper *mapper, Hp5Tuple tuple);
/* "(2, 3)". Returns `text`. */
const char *hp5_tuple_text(const Hp5Tuple *tuple, char *text, int size);

/* ---- Spaces ------------------------------------------------------------------------------------- */
/* The grid of a machine's PPUs. Where the mapper knows that there are other PPUs than the model has, the extents are made to
 * fit: each but the last is the largest divisor of what is left that is not above the model's, the last takes the rest. */
Hp5Space hp5_machine(Hp5Mapper *mapper, Hp5Tuple extents);
/* The same where --machine may have changed the counts: dimension i spans the levels below ends.at[i - 1] (the first: below
 * mapper->above) down to ends.at[i]. Where their product is not the number of PPUs (--threads, a subset), they are made to fit. */
Hp5Space hp5_machine_levels(Hp5Mapper *mapper, Hp5Tuple extents, Hp5Tuple ends);
Hp5Space hp5_split(Hp5Mapper *mapper, Hp5Space space, int64_t i, int64_t d);
Hp5Space hp5_merge(Hp5Mapper *mapper, Hp5Space space, int64_t p, int64_t q);
Hp5Space hp5_swap(Hp5Mapper *mapper, Hp5Space space, int64_t p, int64_t q);
Hp5Space hp5_slice(Hp5Mapper *mapper, Hp5Space space, int64_t i, int64_t low, int64_t high);
/* halo.count 0: all widths are 1. transpose: a bit for each dimension of `extents`. */
Hp5Space hp5_space_decompose(Hp5Mapper *mapper, Hp5Space space, int64_t i, Hp5Tuple extents, Hp5Tuple halo, uint32_t transpose);
/* Factors of other programs: Chapel's greedy rule, and MPI_Dims_create as Open MPI has it. */
Hp5Space hp5_space_greedy(Hp5Mapper *mapper, Hp5Space space, int64_t i, int64_t k);
Hp5Space hp5_space_dims_create(Hp5Mapper *mapper, Hp5Space space, int64_t i, int64_t k);
/* The bits of dimensions in a tuple. */
uint32_t hp5_dimension_bits(Hp5Mapper *mapper, Hp5Tuple dimensions, int count);

/* The index in the machine's grid of an index of the space; checks that it lies in the space. */
Hp5Tuple hp5_space_base(Hp5Mapper *mapper, const Hp5Space *space, Hp5Tuple index);
/* The index in the space of an index of the machine's grid; false when a slice leaves it out. */
bool hp5_space_find(const Hp5Space *space, Hp5Tuple base, Hp5Tuple *index);
/* The row-major number, in the machine's grid, of an index of the space: the PPU. */
int64_t hp5_space_ppu(Hp5Mapper *mapper, const Hp5Space *space, Hp5Tuple index);

/* ---- Factorisations (decompose.c) ------------------------------------------------------------------ */
/* d = d_1 * … * d_k with the least sum of h_m*d_m/l_m, plus 1 - 1/d_n for each dimension n of `transpose` (volumes divided by
 * that of the whole: mapple.txt 4.2, 7.2.1, 7.2.2), exactly; among equals the lexicographically largest. An extent of 0 counts as
 * 1. 1 <= k <= HP5_DECOMPOSE_DIMS; extents and widths not negative and at most HP5_DECOMPOSE_EXTENT. False: no memory. */
bool hp5_decompose(int64_t d, int k, const int64_t *l, const int64_t *h, uint32_t transpose, int64_t *result);
void hp5_greedy(int64_t d, int k, int64_t *result);
void hp5_dims_create(int64_t d, int k, int64_t *result);
#endif
