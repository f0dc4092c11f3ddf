/* Stages that hand an array on element by element, in one walk. Of
 *
 *     place(places, values, …)     do { places[i] = … values[i] … } for i in values
 *     tally(tallies, places)       do in sequence { … places[i] … } for i in places.local.dimension.range
 *
 * nobody else touches `places` (lower/strips.c, which finds such groups). The last stage of the group goes through the LPU's part, and each of its rounds asks the others for the elements that it
 * needs, which come in registers: a stage that gives is a function that returns what reads what an
 * element needs, and what computes it of that,
 *
 *     static __device__ auto place_in_A(…) {
 *         return hp5_gives([=](int64_t i) {
 *             struct Hp5Read { double values_here1; };
 *             return Hp5Read{values[i]};
 *         }, [=](int64_t i, const auto &read) {
 *             int64_t value;
 *             value = … read.values_here1 …;
 *             return value;
 *         });
 *     }
 *
 * and a stage that takes gets it:
 *
 *     template <class Given1> static __device__ void tally_in_A(…, const Given1 &places_given) {
 *         …
 *         … [&](int64_t i) {
 *             struct Hp5Read { decltype(places_given.read(i)) places_here1; };
 *             return Hp5Read{places_given.read(i)};
 *         }, [&](int64_t i, const auto &read) {
 *             const int64_t places_here = places_given.value(i, read.places_here1);
 *
 * The array keeps its memory, which nobody writes or reads. An element is computed once: one stage takes it, at one place of its round, whatever else that does. */
#include "compiler/emit/cpu/flow.h"
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/lower/passes.h"

enum { MOST_TAKEN = 4 };

typedef struct Making {
    Emit *emit;
    const TaskPlan *task;
    const Strips *strips;
    Relay *relay;
} Making;

static const LoweredStage *stage_of(const Making *making, const StageUse *use) {
    for (size_t i = 0; i < making->task->uses.count; i++)
        if (making->task->uses.items[i] == use) return making->emit->lowered->tasks.items[making->task->task->id]->stages.items[i];
    internal_error("emit", "a stage belongs to no task");
}

static size_t count_calls(const PlanStepVec *steps, const StageUse *use) {
    size_t count = 0;
    for (size_t i = 0; i < steps->count; i++) count += (steps->items[i]->kind == PLAN_STAGE && steps->items[i]->use == use) + count_calls(&steps->items[i]->body, use);
    return count;
}

static bool is_passed(const Strips *strips, const Var *array) {
    for (size_t i = 0; i < strips->passed.count; i++)
        if (strips->passed.items[i] == array) return true;
    return false;
}

/* The loop at the end of the stage, in front of which it sets locals; NULL: there are others. */
static const Stmt *loop_of(const StageUse *use) {
    const Block *block = &use->stage->body.block;
    for (size_t i = 0; i + 1 < block->statements.count; i++)
        if (block->statements.items[i]->kind != STMT_ASSIGN) return NULL;
    return block->statements.count > 0 ? block->statements.items[block->statements.count - 1] : NULL;
}

/* ---- What a stage takes ------------------------------------------------------------------------------------------------------ */
typedef struct Taking {
    const Making *making;
    const Stmt *loop;
    RelayStage *stage;
    bool fails;
} Taking;

static bool is_index(const Stmt *loop, const Expr *subscript) {
    if (subscript->kind != EXPR_VAR) return false;
    if (loop->kind == STMT_SEQUENCE) return subscript->var == loop->index;
    for (size_t i = 0; i < loop->indices.count; i++)
        if (loop->indices.items[i].var == subscript->var) return true;
    return false;
}

static const Var *array_of(const StageUse *use, const Expr *element) {
    const Formal *formal = element->kind == EXPR_ELEMENT ? lower_formal(use, element->var) : NULL;
    return formal && formal->kind == FORMAL_VIEW ? formal->actual : NULL;
}

/* Of an array one element of each round, at the loop's own indices. */
static void note_taken(void *data, const Expr *expr) {
    Taking *taking = data;
    RelayStage *stage = taking->stage;
    const Var *array = array_of(stage->use, expr);
    if (array == NULL || array == stage->gives || !is_passed(taking->making->strips, array)) return;
    for (size_t i = 0; i < stage->takes.count; i++) {
        if (stage->takes.items[i].array != array) continue;
        taking->fails |= !lower_expr_equal(stage->takes.items[i].element, expr);
        return;
    }
    for (size_t d = 0; d < expr->arguments.count; d++) taking->fails |= !is_index(taking->loop, expr->arguments.items[d]);
    vec_push(taking->making->emit->arena, &stage->takes, ((RelayTaken){array, expr}));
    taking->fails |= stage->takes.count > MOST_TAKEN;
}

static bool find_taken(const Making *making, RelayStage *stage, const Stmt *loop) {
    Stmt *const only = (Stmt *)(uintptr_t)loop;
    Taking taking = {making, loop, stage, false};
    lower_walk_block(&(Walk){note_taken, NULL, &taking}, &(Block){.statements = {.items = (Stmt *[]){only}, .count = 1}});
    return !taking.fails;
}

/* ---- What a stage gives ------------------------------------------------------------------------------------------------------ */
/* The array that the loop's last statement assigns an element of. */
static const Var *assigned_by(const StageUse *use, const Stmt *loop) {
    const Block *body = &loop->body;
    const Stmt *last = body->statements.count > 0 ? body->statements.items[body->statements.count - 1] : NULL;
    return last != NULL && last->kind == STMT_ASSIGN ? array_of(use, last->target) : NULL;
}

static bool mentions_taken(const RelayStage *stage, const Expr *expr) {
    for (size_t i = 0; i < stage->takes.count; i++)
        if (lower_expr_mentions(expr, stage->takes.items[i].element->var)) return true;
    return false;
}

/* Rounds whose value is computed at one place, and stored at another one, which does not need what is taken. */
static bool computes_values(Writer *writer, const RelayStage *stage, const Stmt *loop) {
    const Nest *nest = loop->kind == STMT_PARALLEL ? lower_nest_of(writer->code, loop) : NULL;
    ExprVec elements = {0};
    if (nest == NULL || cuda_manner(writer->code, nest) != CREW_SHARES) return false;
    const Shared loops = cuda_shared_loops(writer, nest);
    if (cuda_accumulates(nest) && cuda_rows(writer->arena, writer->code, nest, &elements)) return false;
    if (!cuda_is_walked(nest, &loops) || loops.count != nest->loops.count || cuda_abreast_count(writer, nest, &loops) == 0) return false;
    for (size_t i = 0; i < loops.count; i++)
        for (size_t f = 0; f < loops.items[i]->index->filters.count; f++)
            if (mentions_taken(stage, loops.items[i]->index->filters.items[f])) return false;
    return !mentions_taken(stage, vec_last(&loop->body.statements)->target);
}

typedef struct Mentions {
    const Var *array;
    size_t count;
} Mentions;

static void count_mention(void *data, const Expr *expr) {
    Mentions *mentions = data;
    mentions->count += expr->kind == EXPR_ELEMENT && expr->var == mentions->array;
}

static bool mentions_once(const Block *block, const Var *array) {
    Mentions mentions = {array, 0};
    lower_walk_block(&(Walk){count_mention, NULL, &mentions}, block);
    return mentions.count == 1;
}

/* Neither its own element nor another one of the array is read, and each index has an element. */
static bool gives_all(const RelayStage *stage, const Stmt *loop) {
    const Expr *target = vec_last(&loop->body.statements)->target;
    const size_t indices = loop->indices.count;
    bool filtered = false;
    for (size_t i = 0; i < indices; i++) filtered |= loop->indices.items[i].filters.count > 0 || loop->indices.items[i].lower.count > 0 || loop->indices.items[i].upper.count > 0;
    for (size_t f = 0; f < stage->use->formals.count; f++)
        for (int d = 0; d < stage->use->formals.items[f].var->type->rank; d++) filtered |= stage->use->formals.items[f].gaps[d];
    return !filtered && target->arguments.count == indices && mentions_once(&loop->body, target->var);
}

static bool add_stage(Making *making, const PlanStep *step, bool last) {
    const LoweredStage *lowered = stage_of(making, step->use);
    const Stmt *loop = loop_of(lowered->code.use);
    Text text = {0};
    Writer writer;
    Sums sums = {0};
    RelayStage stage = {.use = lowered->code.use};
    if (loop == NULL || (loop->kind != STMT_PARALLEL && loop->kind != STMT_SEQUENCE) || lowered->code.one_thread || count_calls(&making->task->flow, step->use) != 1) return false;
    writer_stage_init(&writer, making->emit, lowered, &text);
    stage.gives = last ? NULL : assigned_by(stage.use, loop);
    if ((!last && (stage.gives == NULL || !is_passed(making->strips, stage.gives))) || !find_taken(making, &stage, loop)) return false;
    const bool fits = last && loop->kind == STMT_SEQUENCE ? cuda_counts(&writer, loop, &sums) : computes_values(&writer, &stage, loop) && (last || gives_all(&stage, loop));
    text_free(&text);
    if (fits) vec_push(making->emit->arena, &making->relay->stages, stage);
    return fits;
}

/* ---- All of them together ------------------------------------------------------------------------------------------------------ */
static bool names(const StageUse *use, const Var *array) {
    for (size_t f = 0; f < use->formals.count; f++)
        if (use->formals.items[f].actual == array) return true;
    return false;
}

/* Of the stages of the relay one takes it, and no other one of the whole group names it but the one that gives it. */
static bool has_one_taker(const Making *making, const Var *array) {
    const Relay *relay = making->relay;
    size_t takers = 0, users = 0;
    for (size_t s = 0; s < relay->stages.count; s++)
        for (size_t i = 0; i < relay->stages.items[s].takes.count; i++) takers += relay->stages.items[s].takes.items[i].array == array;
    for (size_t s = 0; s < making->strips->steps.count; s++) users += names(making->strips->steps.items[s]->use, array);
    return takers == 1 && users == 2;
}

/* What a stage takes another one of the relay gives. */
static bool has_givers(const Relay *relay) {
    for (size_t s = 0; s < relay->stages.count; s++)
        for (size_t i = 0; i < relay->stages.items[s].takes.count; i++) {
            bool found = false;
            for (size_t g = 0; g < s; g++) found |= relay->stages.items[g].gives == relay->stages.items[s].takes.items[i].array;
            if (!found) return false;
        }
    return true;
}

/* What the last stage writes it writes between the rounds of others: these do not touch it. */
static bool is_apart(const Relay *relay) {
    const StageUse *last = vec_last(&relay->stages).use;
    for (size_t f = 0; f < last->formals.count; f++)
        for (size_t s = 0; last->formals.items[f].written && s + 1 < relay->stages.count; s++)
            if (names(relay->stages.items[s].use, last->formals.items[f].actual)) return false;
    return true;
}

/* The stages from `first` to before `end` of the group. */
static bool make(Making *making, size_t first, size_t end) {
    Relay *relay = making->relay;
    *relay = (Relay){.steps = &making->strips->steps.items[first]};
    for (size_t s = first; s < end; s++)
        if (!add_stage(making, making->strips->steps.items[s], s + 1 == end)) return false;
    for (size_t s = 0; s + 1 < relay->stages.count; s++)
        if (!has_one_taker(making, relay->stages.items[s].gives)) return false;
    return has_givers(relay) && is_apart(relay);
}

/* The longest ones first. */
static void find_in_group(Emit *emit, const TaskPlan *task, const Strips *strips) {
    for (size_t first = 0; first + 1 < strips->steps.count; first++)
        for (size_t end = strips->steps.count; end > first + 1; end--) {
            Relay *relay = ARENA_NEW(emit->arena, Relay);
            if (!make(&(Making){emit, task, strips, relay}, first, end)) continue;
            vec_push(emit->arena, &emit->relays, relay);
            first = end - 1;
            break;
        }
}

void cuda_make_relays(Emit *emit, const TaskPlan *task) {
    const LoweredTask *lowered = emit->lowered->tasks.items[task->task->id];
    emit->relays.count = 0;
    for (size_t i = 0; i < lowered->relays.count; i++)
        if (!backend_on_host(task, lowered->relays.items[i]->steps.items[0]->use->lps)) find_in_group(emit, task, lowered->relays.items[i]);
}

const RelayStage *cuda_relay_stage(const Emit *emit, const StageUse *use) {
    for (size_t r = 0; r < emit->relays.count; r++)
        for (size_t s = 0; s < emit->relays.items[r]->stages.count; s++)
            if (emit->relays.items[r]->stages.items[s].use == use) return &emit->relays.items[r]->stages.items[s];
    return NULL;
}

/* ---- The flow's text ------------------------------------------------------------------------------------------------------------- */
/* The stage's arguments, with a call of each stage that gives it something. */
static char *arguments(TaskWriter *tw, const Relay *relay, size_t number) {
    const RelayStage *stage = &relay->stages.items[number];
    Arena *arena = tw->emit->arena;
    char *text = flow_stage_arguments(tw, relay->steps[number]);
    for (size_t i = 0; i < stage->takes.count; i++)
        for (size_t s = 0; s < number; s++) {
            if (relay->stages.items[s].gives != stage->takes.items[i].array) continue;
            text = arena_printf(arena, "%s%s%s(worker, %s)", text, text[0] != '\0' ? ", " : "", relay->stages.items[s].use->symbol, arguments(tw, relay, s));
        }
    return text;
}

size_t cuda_relay(TaskWriter *tw, const PlanStep *first, int indent) {
    const Relay *relay = NULL;
    for (size_t i = 0; i < tw->emit->relays.count; i++)
        if (tw->emit->relays.items[i]->steps[0] == first) relay = tw->emit->relays.items[i];
    if (relay == NULL) return 0;
    const size_t last = relay->stages.count - 1;
    const Lps *lps = first->use->lps;
    const char *space = task_space(tw, lps->sub_partition ? lps->parent : lps);
    for (size_t s = 0; s < last; s++)
        task_print(tw, indent, "hp5_stage_gives(worker, %d, lpu_%s); /* line %d: %s, element by element */", relay->steps[s]->call_id, space,
                   task_line(tw, relay->steps[s]->source->span), relay->stages.items[s].gives->name);
    const PlanStep *step = relay->steps[last];
    task_print(tw, indent, "HP5_STAGE(worker, %d, lpu_%s, %s, %s); /* line %d */", step->call_id, space, step->use->symbol, arguments(tw, relay, last), task_line(tw, step->source->span));
    return relay->stages.count;
}
