/* What a stage costs on a card, for --predict and the prediction of --timing: the function of ../cpu/stage_cost.c, for the host, which also says how the
 * threads of a crew run each nest of loops (runtime/predict/crew.c):
 *
 *     hp5_crew_begin(cost, HP5_CREW_SHARES, 0x3);
 *     hp5_cost_loop(cost, …);
 *     hp5_cost_loop(cost, …);
 *     hp5_cost_block(cost, &scale_A_counts[0], views);
 *     hp5_cost_end(cost);
 *     hp5_cost_end(cost);
 *     hp5_crew_end(cost); */
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"

static const char *const manners[] = {
    [CREW_SHARES] = "SHARES", [CREW_TILES] = "TILES", [CREW_FIRST_RUNS] = "FIRST", [CREW_FOLDS] = "SHARES", [CREW_SUMS_IN_ORDER] = "FIRST", [CREW_REDUCES_EACH] = "SHARES",
    [CREW_REDUCES_CHUNKS] = "CHUNKS", [CREW_REDUCES_INSIDE] = "AS_ONE", [CREW_FIRST_REDUCES] = "FIRST"};

/* The loops whose iterations threads share: bit l for the l-th of the nest. */
static unsigned shared_loops(const Nest *nest, CrewManner manner) {
    unsigned shared = 0;
    if (manner == CREW_REDUCES_EACH && cuda_is_square(nest)) return 3u << (nest->loops.count - 2);
    if (manner == CREW_FOLDS) return cuda_fold_is_square(nest) ? 3u << (nest->loops.count - 2) : 1u << (nest->loops.count - 1);
    if (manner == CREW_REDUCES_EACH) return 1u << (nest->loops.count - 1);
    for (size_t l = manner == CREW_REDUCES_CHUNKS ? cuda_first_of_runs(nest) : nest->loops.count; l < nest->loops.count; l++) shared |= 1u << l;
    for (size_t l = 0; l < nest->loops.count; l++)
        if (manner == CREW_TILES || (manner == CREW_SHARES && nest->loops.items[l].role == ROLE_THREAD)) shared |= 1u << l;
    return shared;
}

bool cuda_cost_begins(Writer *writer, const char *cost, const Nest *nest, int indent) {
    const CrewManner manner = cuda_manner(writer->code, nest);
    if (manner == CREW_AS_ONE || manner == CREW_GOES_ALIKE) return true;
    writer_line(writer, indent, "hp5_crew_begin(%s, HP5_CREW_%s, 0x%x);", cost, manners[manner], shared_loops(nest, manner));
    return manner == CREW_REDUCES_INSIDE;
}

void cuda_cost_ends(Writer *writer, const char *cost, const Nest *nest, int indent) {
    const CrewManner manner = cuda_manner(writer->code, nest);
    if (manner != CREW_AS_ONE && manner != CREW_GOES_ALIKE) writer_line(writer, indent, "hp5_crew_end(%s);", cost);
}

/* Where the order makes no difference the threads' results are joined, behind a wait and in front of one. */
void cuda_cost_of_end(Writer *writer, const char *cost, int indent) {
    int waits = writer_stage_has_end(writer->use);
    for (size_t i = 0; i < writer->use->formals.count; i++) {
        const Formal *formal = &writer->use->formals.items[i];
        if (formal->kind == FORMAL_PARTIAL && lower_reduces_in_any_order(formal->op, formal->value_type)) waits += 2;
    }
    writer_line(writer, indent, "hp5_crew_end_stage(%s, %d);", cost, waits);
}

void cuda_stage_cost(Emit *emit, const LoweredStage *stage, Text *out) { writer_stage_cost(emit, stage, true, out); }
