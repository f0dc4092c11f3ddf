/* Plans for several processes that are right, and what is done to them: the verifier must say what is wrong then. (That it notices whatever is
 * left out of a plan is another test, tests/tools/omit_verify.py.) */
#include "compiler/mapping/mapping.h"
#include "compiler/plan/levels.h"
#include "compiler/plan/moves.h"
#include "tests/unit/child.h"
#include "tests/unit/unit.h"
#include <string.h>

static const char MODEL[] = "Machine \"Racks\"\n"
                            "Space 4:                Cluster (1)\n"
                            "Space 3:                Rack    (2)\n"
                            "Space 2<segment><unit>: Node    (8)\n"
                            "Space 1<core>:          Core    (2)\n";

static const char MAPPING[] = "\"T\" { Space A: Rack  Space B: Cluster  Space C: Core  Space D: Cluster  Space E: Core  Space G: Rack  Space H: Core  Space P: Rack  Space Q: Core }\n";

static const char PROGRAM[] = "Task \"T\":\n"
                              "Define:\n u, v: 1d Array of Real double-precision\n r: Integer\n"
                              "Environment:\n u, v: link\n"
                              "Stages:\n"
                              " smooth(u) { do { u[i] = 0.5 * (u[i - 1] + u[i + 1]) at (current - 1) } for i in u\n"
                              "     and i > u.local.dimension1.range.min and i < u.local.dimension1.range.max }\n"
                              " wall(u) { u[0] = u[1] * 0.5 }\n"
                              " turn(u) { do { u[i] = 1.0 - u[i] } for i in u }\n"
                              " last(v) { v[v.local.dimension1.range.max] = 1.0 - v[v.local.dimension1.range.max] }\n"
                              " older(u, v) { do { u[i] = v[i] at (current - 1) } for i in u }\n"
                              " pull(u) { do { u[i] = 0.5 * (u[i] at (current - 1)) - (u[0] at (current - 2)) } for i in u }\n"
                              " add(v, u) { do { v[i] = v[i] + u[i] } for i in v }\n"
                              "Computation:\n%s\n"
                              "Partition (k):\n"
                              " Space A <1d> { u: block_size(k) padding(2) }\n"
                              " Space B <1d> { u, v: block_size(k) }\n"
                              " Space C <1d> { u, v: block_count(k) }\n"
                              " Space D <un-partitioned> { u, v }\n"
                              " Space E <1d> divides Space D partitions { u: replicated  v: block_count(k) }\n"
                              " Space G <1d> divides Space D partitions { u: replicated  v: block_count(k) }\n"
                              " Space H <1d> divides Space G partitions { u, v: block_count(k) }\n"
                              " Space P <1d> { v: block_count(k) }\n"
                              " Space Q <1d> divides Space P partitions { v: block_count(k) }\n";

typedef struct Altered {
    const char *flow;
    bool (*alter)(TaskPlan *task); /* false: there is nothing to alter */
} Altered;

static Source *source_of(Arena *arena, const char *name, const char *text) { return source_from_text(arena, name, text, strlen(text)); }

static void verify_altered(void *data) {
    const Altered *altered = data;
    Arena *arena = arena_new();
    const char *text = arena_printf(arena, PROGRAM, altered->flow);
    Source *source = source_of(arena, "t.hp5", text), *model = source_of(arena, "t.pcubes", MODEL), *map = source_of(arena, "t.map", MAPPING);
    Diags *diags = diags_new(arena, source);
    Program *program = check_program(arena, syntax_parse(arena, source, diags), diags);
    diags_set_source(diags, model);
    const Machine *machine = machine_parse(arena, model, diags);
    diags_set_source(diags, map);
    const MappingFile *mapping = mapping_parse(arena, map, diags);
    diags_set_source(diags, source);
    Plan *plan = plan_program(arena, program, (PlanOptions){.moves = true, .machine = machine, .mapping = mapping, .omit_sync = -1, .omit_transfer = -1}, diags);
    if (plan == NULL || !plan_levels(arena, plan, mapping, machine, diags)) printf("no plan\n");
    else {
        if (altered->alter != NULL && !altered->alter(plan->tasks.items[0])) printf("nothing to alter\n");
        plan_verify(plan);
    }
    arena_free(arena);
}

/* The plan passes as it is; altered it is refused, in these words. */
static void expect(const char *flow, bool (*alter)(TaskPlan *task), const char *words) {
    Altered altered = {flow, NULL};
    Child child = child_run(verify_altered, &altered);
    CU_ASSERT_EQUAL(child.status, 0);
    CU_ASSERT_STRING_EQUAL(child.out, "");
    if (child.status != 0) fprintf(stderr, "%s\n%s", flow, child.err);
    altered.alter = alter;
    child = child_run(verify_altered, &altered);
    const bool found = strstr(child.err, words) != NULL;
    CU_ASSERT_NOT_EQUAL(child.status, 0);
    CU_ASSERT_STRING_EQUAL(child.out, "");
    CU_ASSERT(found);
    if (!found) fprintf(stderr, "%s\n%s%s", flow, child.out, child.err);
}

/* ---- Where it comes from ---------------------------------------------------------------------------------------------- */
static bool is_after(const Transfer *transfer, PlanStepKind kind) {
    return transfer->after.count > 0 && transfer->after.items[0] != NULL && transfer->after.items[0]->kind == kind;
}

/* What copies have handed back comes to other copies from those who have handed it back, not from home. */
static bool come_from_each_other(TaskPlan *task) {
    bool found = false;
    for (size_t i = 0; i < task->transfers.count; i++) {
        Transfer *transfer = task->transfers.items[i];
        const bool fills = transfer->step == NULL && transfer->before != NULL && transfer->before->kind == PLAN_COPY_IN;
        if (!fills || !is_after(transfer, PLAN_COPY_OUT) || transfer->to->kind != HELD_STAGED) continue;
        transfer->from = transfer->to;
        found = true;
    }
    return found;
}

/* In a round where Space C changes what Space A has handed back, that is old, and may lie where what Space C has changed does. */
static void test_old_from_each_other(void) {
    expect("Repeat for r in [1...4] { Space A { Epoch { smooth(u) } } Space C { add(v, u) Where r % 2 == 0 { wall(u) } } }", come_from_each_other,
           "moves over what stage wall has written, from where that has not moved");
}

/* The environment takes from a leader what this has written. */
static bool leave_from_leaders(TaskPlan *task) {
    bool found = false;
    for (size_t i = 0; i < task->transfers.count; i++) {
        Transfer *transfer = task->transfers.items[i];
        for (size_t h = 0; transfer->to->kind == HELD_ITEM && h < task->holdings.count; h++) {
            const Holding *leader = task->holdings.items[h];
            if (leader->kind != HELD_STAGED || leader->var != transfer->var) continue;
            transfer->from = leader;
            found = true;
        }
    }
    return found;
}

/* Who has the array's home answers for all of it. */
static void test_left_from_elsewhere(void) {
    expect("Space C { add(v, u) } Space D { turn(u) }", leave_from_leaders, "it needs u, and what stage turn has written has not moved there");
}

/* ---- What goes home beside what was written --------------------------------------------------------------------------- */
static PlanStepVec *sequence_of(PlanStepVec *steps, const PlanStep *step, size_t *at) {
    PlanStepVec *found = NULL;
    for (size_t i = 0; i < steps->count && found == NULL; i++) {
        *at = i;
        found = steps->items[i] == step ? steps : sequence_of(&steps->items[i]->body, step, at);
    }
    return found;
}

static PlanStep *step_of(const PlanStepVec *steps, PlanStepKind kind, const Transfer *transfer, int writer) {
    PlanStep *found = NULL;
    for (size_t i = 0; i < steps->count && found == NULL; i++) {
        PlanStep *step = steps->items[i];
        const bool fits = step->kind == kind && step->lps == transfer->within && (kind == PLAN_MOVE ? step->transfer == transfer : step->writer == writer);
        found = fits ? step : step_of(&step->body, kind, transfer, writer);
    }
    return found;
}

/* At that place of the sequence. */
static void insert(PlanStepVec *steps, size_t at, PlanStep *step) {
    enum { ROOM = 64 };
    static PlanStep *rooms[2][ROOM];
    static int used;
    PlanStep **room = rooms[used++];
    memcpy(room, steps->items, sizeof *room * at);
    room[at] = step;
    memcpy(room + at + 1, steps->items + at, sizeof *room * (steps->count - at));
    *steps = (PlanStepVec){.items = room, .count = steps->count + 1, .capacity = ROOM};
}

/* The leader of Space P gets what Space Q has written where its LPU runs the stage, in front of that, and is told so in each LPU. */
static bool come_to_some(TaskPlan *task) {
    static PlanStep note, visits;
    static PlanStep *body[] = {&note};
    size_t at = 0;
    for (size_t i = 0; i < task->transfers.count; i++) {
        Transfer *transfer = task->transfers.items[i];
        const bool fits = transfer->within != NULL && transfer->before != NULL && transfer->before->use != NULL && strcmp(transfer->before->use->what, "stage last") == 0;
        if (!fits || transfer->to->kind != HELD_STAGED || transfer->from == transfer->to || transfer->within == transfer->to->lps) continue;
        PlanStep *move = step_of(&task->flow, PLAN_MOVE, transfer, 0), *told = step_of(&task->flow, PLAN_WROTE, transfer, transfer->writers.items[0]);
        PlanStepVec *steps = sequence_of(&task->flow, move, &at);
        for (steps->count--; at < steps->count; at++) steps->items[at] = steps->items[at + 1];
        steps = sequence_of(&task->flow, transfer->before, &at);
        insert(steps, at, move);
        note = *told;
        transfer->within = note.lps = move->lps = (Lps *)transfer->to->lps;
        visits = (PlanStep){.kind = PLAN_LPUS, .source = told->source, .lps = note.lps, .beside = told->beside, .reduce = -1, .exchange = -1, .call_id = -1,
                            .body = {.items = body, .count = 1, .capacity = 1}};
        steps = sequence_of(&task->flow, told, &at);
        insert(steps, at + 1, &visits);
        return true;
    }
    return false;
}

/* All leaders send home what they have, for that cannot be told from outside of their LPUs: that of LPU 1 has what was there before Space Q wrote. */
static void test_sent_home_by_all(void) {
    expect("Space P { turn(v) } Space C { add(u, v) } Space P { If lpuId[0] == 1 { Space Q { turn(v) } } } Space P { If lpuId[0] == 0 { last(v) } }", come_to_some,
           "moves over what stage turn has written, from where that has not moved");
}

/* ---- Epochs that some address spaces run -------------------------------------------------------------------------------- */
/* Nothing moves any more because an Epoch has advanced it. */
static bool forget_epochs(TaskPlan *task) {
    bool found = false;
    for (size_t i = 0; i < task->transfers.count; i++) {
        Transfer *transfer = task->transfers.items[i];
        size_t kept = 0;
        for (size_t a = 0; a < transfer->after.count; a++) {
            if (transfer->after.items[a] != NULL && transfer->after.items[a]->kind == PLAN_EPOCH) continue;
            transfer->after.items[kept] = transfer->after.items[a];
            if (transfer->writers.count > 0) transfer->writers.items[kept] = transfer->writers.items[a];
            kept++;
        }
        found = found || kept < transfer->after.count;
        transfer->after.count = kept;
        if (transfer->writers.count > 0) transfer->writers.count = kept;
    }
    return found;
}

static const char EPOCH_OF_RACKS[] = "Repeat for r in [1...4] { Space P { If lpuId[0] == 0 { Epoch { Space Q { turn(v) } } } } Space C { older(u, v) } }";

/* In other racks nobody has advanced anything. */
static void test_unheard(void) { expect(EPOCH_OF_RACKS, forget_epochs, "it needs v[part] at (current - 1), and what another step has written has not moved there"); }

/* What an Epoch has advanced comes from those who read it. */
static bool advance_elsewhere(TaskPlan *task) {
    bool found = false;
    for (size_t i = 0; i < task->transfers.count; i++) {
        Transfer *transfer = task->transfers.items[i];
        for (size_t a = 0; a < transfer->after.count && transfer->within != NULL; a++)
            if (transfer->after.items[a] != NULL && transfer->after.items[a]->kind == PLAN_EPOCH) transfer->from = transfer->to, found = true;
    }
    return found;
}

static void test_advanced_elsewhere(void) {
    expect(EPOCH_OF_RACKS, advance_elsewhere, "versions of v that it advances in LPUs of Space P move from where others have advanced them");
}

/* ---- What is merged --------------------------------------------------------------------------------------------------- */
/* What they have is remembered in front of what comes to them. */
static bool remember_early(PlanStepVec *steps) {
    bool found = false;
    for (size_t i = 0; i < steps->count; i++) {
        PlanStep *step = steps->items[i];
        found = remember_early(&step->body) || found;
        for (size_t at = i; step->kind == PLAN_WATCH && at > 0 && steps->items[at - 1]->kind == PLAN_MOVE; at--, found = true) {
            steps->items[at] = steps->items[at - 1];
            steps->items[at - 1] = step;
        }
    }
    return found;
}

static bool remember_first(TaskPlan *task) { return remember_early(&task->flow); }

/* … and would be merged, too, beside what one of them has written. */
static void test_remembered_early(void) {
    expect("Space C { turn(u) } Space D { Space E { If lpuId[0] == 1 { turn(u) } add(v, u) } }", remember_first,
           "it writes u, of which several address spaces have the same, and nobody remembers what they had");
}

static void forget_merges(PlanStepVec *steps) {
    size_t kept = 0;
    for (size_t i = 0; i < steps->count; i++) {
        forget_merges(&steps->items[i]->body);
        if (steps->items[i]->kind != PLAN_WATCH && steps->items[i]->kind != PLAN_MERGE) steps->items[kept++] = steps->items[i];
    }
    steps->count = kept;
}

/* No two address spaces are said to have the same elements. */
static bool share_nothing(TaskPlan *task) {
    bool found = false;
    for (size_t h = 0; h < task->holdings.count; h++) {
        found = found || task->holdings.items[h]->shared;
        task->holdings.items[h]->shared = false;
    }
    forget_merges(&task->flow);
    return found;
}

/* Parts of Space H lie beside each other in an LPU of Space G, and each of these has all of them. */
static void test_said_to_be_alone(void) {
    expect("Space D { Space G { If lpuId[0] == 1 { Space H { turn(u) } } Space H { add(v, u) } } }", share_nothing,
           "it writes u, of which several address spaces have the same, and nobody remembers what they had");
}

/* Buffers change places, and what a stage reads at current does not take the content of the version before. */
static bool forget_what_is_taken(PlanStepVec *steps) {
    bool found = false;
    for (size_t i = 0; i < steps->count; i++) {
        found = forget_what_is_taken(&steps->items[i]->body) || steps->items[i]->takes.count > 0 || found;
        steps->items[i]->takes.count = 0;
    }
    return found;
}

static bool take_nothing(TaskPlan *task) { return forget_what_is_taken(&task->flow); }

static void test_not_taken(void) {
    expect("Repeat for r in [1...4] { Space A { Epoch { smooth(u) wall(u) } } }", take_nothing, "it reads u at current, and its versions have changed places in front of it");
}

/* An array counts as scratch of which a stage reads what another one has left. */
static bool say_scratch(TaskPlan *task) {
    for (int i = 0; i < task->array_count; i++) task->arrays[i].scratch = true;
    return true;
}

static void test_said_to_be_scratch(void) {
    expect("Space B { turn(u) } Space C { add(v, u) }", say_scratch, "which counts as of no use to anybody");
}

/* A version that other elements are read of has no memory any more. */
static bool take_oldest(TaskPlan *task) {
    ArrayPlan *array = &task->arrays[0];
    if (!array->rotates || array->oldest_in_current) return false;
    return array->oldest_in_current = true;
}

static void test_oldest(void) {
    expect("Repeat for r in [1...5] { Epoch { Space B { pull(u) } } }", take_oldest, "it reads the oldest version of u in the memory of the current one, and does not write it there");
}

UNIT_MAIN("altered", {"old elements from each other", test_old_from_each_other}, {"left from elsewhere than home", test_left_from_elsewhere},
          {"sent home by all leaders", test_sent_home_by_all}, {"an Epoch that nobody hears of", test_unheard},
          {"advanced elsewhere", test_advanced_elsewhere}, {"remembered before it comes", test_remembered_early}, {"said to be alone", test_said_to_be_alone},
          {"not taken on", test_not_taken}, {"said to be scratch", test_said_to_be_scratch}, {"the oldest version", test_oldest})
