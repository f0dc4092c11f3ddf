/* What the first thread of a crew does alone: loops whose iterations follow each other, and of which no thread has anything else to do:
 *
 *     crew.sync();
 *     if (crew.rank() == 0) {
 *         for (int64_t i = first; i <= last; i++) {
 *             total = total + x[i];
 *             sums[i] = total;
 *         }
 *     }
 *     hp5_from_first(worker, crew, &total);
 *     crew.sync();
 *
 * (hp5_from_first where something behind it reads the local: the crew waits twice for each.)
 *
 * All threads could go through them together, and wait before each element that one of them writes and behind it; waits of a whole
 * card take longer than what they wait for. The same with lists that are made or changed outside of shared loops: a list is there once, in the card's
 * memory, and all threads get to know where. */
#include <string.h>
#include "compiler/base/diag.h"
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/emit/cuda/fours.h"
#include "compiler/lower/passes.h"

/* The innermost loop, with what stands inside. */
static bool goes_down(Writer *writer, const Nest *nest, int indent) {
    const Loop *loop = nest_innermost(nest);
    Fours fours = {.writer = writer};
    char *begin, *end;
    if (!loop->interval || loop->index->filters.count > 0) return false;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    return cuda_down(&fours, &nest->stmt->body, loop->index->var, begin, end, indent);
}

/* Rounds that are independent read several at a time, as those that threads share. */
static bool goes_abreast(Writer *writer, const Nest *nest, int indent) {
    const Loop *loop = nest_innermost(nest);
    char *begin, *end;
    if (!loop->interval || !loop_may(loop, LOOP_APART_ON_CARDS)) return false;
    const size_t mark = writer->scope.count;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    const char *params = arena_printf(writer->arena, "[[maybe_unused]] int64_t %s", writer_declare(writer, loop->index->var));
    if (cuda_rounds(writer, nest, &(CudaRounds){arena_printf(writer->arena, "%s, %s, 1", begin, end), params, NULL}, cuda_round_body, indent)) return true;
    writer->scope.count = mark;
    return false;
}

void cuda_one_by_one(Writer *writer, const Nest *nest, int indent) {
    int inside = indent;
    if (nest->form == FORM_REDUCTION) {
        for (size_t i = 0; i + 1 < nest->loops.count; i++) inside = writer_loop_begin(writer, &nest->loops.items[i], NULL, inside);
        writer_reducing_loop(writer, nest, inside);
    } else {
        for (size_t i = 0; i + 1 < nest->loops.count; i++) inside = writer_loop_begin(writer, &nest->loops.items[i], NULL, inside);
        if (!goes_down(writer, nest, inside) && !goes_abreast(writer, nest, inside)) {
            inside = writer_loop_begin(writer, nest_innermost(nest), NULL, inside);
            writer_block(writer, &nest->stmt->body, inside);
        }
    }
    writer_loop_end(writer, inside, indent);
}

/* Locals from outside that statements assign. */
typedef struct Assigned {
    const Writer *writer;
    VEC(const Var *) vars;
} Assigned;

static void note_assigned(Assigned *assigned, const Expr *place) {
    if (writer_is_in_list(place)) return; /* which all of them know */
    while (place->kind == EXPR_FIELD || place->kind == EXPR_AT_INDEX || place->kind == EXPR_RANGE_PART) place = place->left;
    if (place->kind != EXPR_VAR || writer_find(assigned->writer, place->var) == NULL) return;
    for (size_t i = 0; i < assigned->vars.count; i++)
        if (assigned->vars.items[i] == place->var) return;
    vec_push(assigned->writer->arena, &assigned->vars, place->var);
}

static void note_assignment(void *data, const Stmt *stmt) {
    Assigned *assigned = data;
    if (stmt->kind == STMT_ASSIGN) note_assigned(assigned, stmt->target);
    for (size_t i = 0; stmt->kind == STMT_EXTERN && i < stmt->external->card->uses.count; i++) {
        Var *var = stmt->external->card->uses.items[i];
        if (writer_extern_changes(assigned->writer, var)) note_assigned(assigned, &(Expr){.kind = EXPR_VAR, .var = var});
    }
}

static void note_changed_argument(void *data, const Expr *expr) {
    for (size_t i = 0; expr->kind == EXPR_CALL && expr->function != NULL && i < expr->arguments.count && i < expr->function->body.params.count; i++)
        if (expr->function->body.params.items[i]->by_reference) note_assigned(data, expr->arguments.items[i]);
}

typedef struct Handed { const Block *loop; const Var *local; } Handed;

static void find_handed(void *data, const Stmt *stmt) {
    Handed *handed = data;
    const Var *var = stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR ? stmt->target->var : NULL;
    if (var != NULL && var->kind == VAR_LOCAL && !lower_is_local_of(handed->loop, var) && lower_expr_mentions(stmt->value, var)) handed->local = var;
}

/* Once, however often the stage is printed. */
bool cuda_is_first_remark(Writer *writer, const Stmt *loop) {
    Emit *emit = writer->emit;
    for (size_t i = 0; i < emit->alone.count; i++)
        if (emit->alone.items[i].start == loop->span.start) return false;
    vec_push(emit->arena, &emit->alone, loop->span);
    return true;
}

static void remark(Writer *writer, const Stmt *loop) {
    Emit *emit = writer->emit;
    if (writer->in_team || !cuda_is_first_remark(writer, loop)) return; /* other teams have other rounds */
    const char *crew = strcmp(writer->crew, "HP5_CARD_TIER") == 0 ? "the card" : strcmp(writer->crew, "HP5_WARP_TIER") == 0 ? "each warp" : "each multiprocessor";
    Handed handed = {&loop->body, NULL};
    lower_walk_block(&(Walk){NULL, find_handed, &handed}, &loop->body);
    if (handed.local == NULL) {
        diag_remark(emit->diags, R_CARD_ALONE, loop->span, "one thread of %s runs this loop alone: its iterations may need each other's results", crew);
        return;
    }
    Diag *diag = diag_remark(emit->diags, R_CARD_ALONE, loop->span, "one thread of %s runs this loop alone: it computes '%s', a local from outside of it, iteration by iteration", crew, handed.local->name);
    const VarVec *locals = &writer->use->stage->body.block.locals;
    for (size_t i = 0; i < locals->count; i++) /* of which the stage has one for each LPU */
        if (locals->items[i] == handed.local) diag_help(diag, "all threads reduce to a Reduction of the task: declare '%s' there, and give it to the stage", handed.local->name);
}

static void remark_loops(Writer *writer, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_PARALLEL) {
            remark(writer, stmt);
            continue;
        }
        remark_loops(writer, &stmt->body);
        if (stmt->otherwise != NULL) remark_loops(writer, stmt->otherwise);
    }
}

/* ---- Locals that all threads need ------------------------------------------------------------------------------------------- */
static bool assigns_element(const Stmt *stmt) { return stmt->kind == STMT_ASSIGN && (writer_is_element(stmt->target) || writer_is_in_list(stmt->target)); }

static void find_extern(void *data, const Stmt *stmt) { *(bool *)data |= stmt->kind == STMT_EXTERN; }

typedef struct Inside { const Stmt *part; bool found; } Inside;

static void find_part(void *data, const Stmt *stmt) { ((Inside *)data)->found |= stmt == ((Inside *)data)->part; }

static bool has_inside(const Block *block, const Stmt *part) {
    Inside inside = {part, false};
    if (block != NULL) lower_walk_block(&(Walk){NULL, find_part, &inside}, block);
    return inside.found;
}

static int reads(const Block *block, const Var *var) {
    int count = 0;
    for (size_t i = 0; i < block->statements.count; i++) count += lower_stmt_reads(block->statements.items[i], var);
    return count;
}

/* What stands in the block behind statements of it that the first thread runs, or comes again in a loop around them, reads the local, and is not the first thread's as well. */
static bool is_read_behind(const Block *block, const Block *alone, const Var *var) {
    const Stmt *last = vec_last(&alone->statements);
    bool behind = false;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (behind && !assigns_element(stmt) && lower_stmt_reads(stmt, var) > 0) return true;
        const bool first = has_inside(&stmt->body, last), second = has_inside(stmt->otherwise, last), again = stmt->kind != STMT_IF && stmt->kind != STMT_BLOCK;
        if ((first || second) && again && lower_stmt_reads(stmt, var) > reads(alone, var)) return true;
        if (first && !again && is_read_behind(&stmt->body, alone, var)) return true;
        if (second && !again && is_read_behind(stmt->otherwise, alone, var)) return true;
        behind |= stmt == last || first || second;
    }
    return !behind;
}

static bool all_need(const Writer *writer, const Block *alone, const Var *var) {
    const Block *whole = &writer->use->stage->body.block;
    const bool is_value = var->type->kind == TYPE_INTEGER || var->type->kind == TYPE_BOOLEAN || type_is_real(var->type);
    bool external = false;
    lower_walk_block(&(Walk){NULL, find_extern, &external}, whole);
    return external || !is_value || var->kind != VAR_LOCAL || alone->statements.count == 0 || is_read_behind(whole, alone, var);
}

/* ---- By the first thread ---------------------------------------------------------------------------------------------------- */
static void begin_first(Writer *writer, int indent) {
    writer_line(writer, indent, "if (crew.rank() == 0) {");
    writer->sharing = CREW_FIRST;
}

/* All threads get the locals from outside that statements of the block have assigned and others read. */
static void end_first(Writer *writer, const Block *block, int indent) {
    Assigned assigned = {.writer = writer};
    lower_walk_block(&(Walk){note_changed_argument, note_assignment, &assigned}, block);
    writer->sharing = CREW_TOGETHER;
    writer_line(writer, indent, "}");
    for (size_t i = 0; i < assigned.vars.count; i++)
        if (all_need(writer, block, assigned.vars.items[i])) writer_line(writer, indent, "hp5_from_first(worker, crew, &%s);", writer_find(writer, assigned.vars.items[i]));
}

/* A sequential loop with which its warp helps the first thread. */
static void print_streaming(Writer *writer, const Stmt *stmt, const Streams *streams, int indent) {
    writer_crew_waits(writer, indent);
    writer_line(writer, indent, "if (crew.warp() == 0) {");
    writer->sharing = CREW_FIRST;
    cuda_stream(writer, stmt, streams, indent + 4);
    end_first(writer, &stmt->body, indent);
    writer_crew_waits(writer, indent);
}

void cuda_by_first(Writer *writer, const Nest *nest, void (*print)(Writer *writer, const Nest *nest, int indent), int indent) {
    remark(writer, nest->stmt);
    begin_first(writer, indent);
    print(writer, nest, indent + 4);
    end_first(writer, &nest->stmt->body, indent);
}

/* ---- Sequential loops ------------------------------------------------------------------------------------------------------ */
typedef struct Work {
    const LoweredBody *code;
    bool in_team, for_one, for_all; /* statements that one thread has to do; that all threads do together */
} Work;

static void note_work(void *data, const Stmt *stmt) {
    Work *work = data;
    const Nest *nest = stmt->kind == STMT_PARALLEL ? lower_nest_of(work->code, stmt) : NULL;
    work->for_all |= stmt->kind == STMT_EXTERN || stmt->kind == STMT_RETURN || stmt->kind == STMT_REDUCE;
    if (nest != NULL) {
        const CrewManner manner = cuda_manner(work->code, nest);
        const bool collects = manner == CREW_FOLDS || manner == CREW_SUMS_IN_ORDER; /* between waits, of a whole card perhaps, in each round */
        work->for_all |= collects ? work->in_team : manner != CREW_FIRST_RUNS && manner != CREW_GOES_ALIKE;
    }
    work->for_one |= nest != NULL || assigns_element(stmt);
}

static void print_counting(Writer *writer, const Stmt *stmt, const Sums *sums, int indent) {
    writer_crew_waits(writer, indent);
    writer->sharing = CREW_COUNTS;
    cuda_count(writer, stmt, sums, indent);
    writer->sharing = CREW_TOGETHER;
    writer_crew_waits(writer, indent);
}

static bool is_of_one(const Writer *writer, const Stmt *loop) {
    Work work = {.code = writer->code, .in_team = writer->in_team};
    if (loop->kind != STMT_SEQUENCE && loop->kind != STMT_WHILE) return false;
    lower_walk_block(&(Walk){NULL, note_work, &work}, &loop->body);
    return work.for_one && !work.for_all;
}

/* ---- Elements that functions change, and lists that they make or change ------------------------------------------------------ */
static void note_changed_element(void *data, const Expr *expr) {
    bool *changes = data;
    for (size_t i = 0; expr->kind == EXPR_CALL && expr->function != NULL && i < expr->arguments.count && i < expr->function->body.params.count; i++)
        if (expr->function->body.params.items[i]->by_reference && writer_is_element(expr->arguments.items[i])) *changes = true;
}

/* All threads know a list of a crew, which is there once. */
static void note_changed_list(void *data, const Expr *expr) {
    bool *changes = data;
    const Function *function = expr->kind == EXPR_CALL ? expr->function : NULL;
    if (writer_makes_list(expr) || (function != NULL && function->changes_lists)) *changes = true;
    for (size_t i = 0; function != NULL && i < expr->arguments.count && i < function->body.params.count; i++) {
        const Expr *argument = expr->arguments.items[i];
        if (function->body.params.items[i]->by_reference && (argument->type->kind == TYPE_LIST || writer_is_in_list(argument))) *changes = true;
    }
}

static bool look_at(const Stmt *stmt, void (*note)(void *data, const Expr *expr)) {
    bool changes = false;
    lower_walk_block(&(Walk){note, NULL, &changes}, &(Block){.statements = {.items = (Stmt *[]){(Stmt *)(uintptr_t)stmt}, .count = 1}});
    return changes;
}

bool cuda_changes_lists(const Stmt *stmt) { return look_at(stmt, note_changed_list); }

bool cuda_changes_elements(const Stmt *stmt) { return look_at(stmt, note_changed_element) || cuda_changes_lists(stmt); }

static bool changes_for_one(const Writer *writer, const Stmt *stmt) {
    Work work = {.code = writer->code, .in_team = writer->in_team};
    if (stmt->kind == STMT_PARALLEL || !cuda_changes_elements(stmt)) return false;
    lower_walk_block(&(Walk){NULL, note_work, &work}, &(Block){.statements = {.items = (Stmt *[]){(Stmt *)(uintptr_t)stmt}, .count = 1}});
    return !work.for_all;
}

/* A local that the statement would declare is needed by all threads. */
static void declare_outside(Writer *writer, const Stmt *stmt, int indent) {
    if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && writer_find(writer, stmt->target->var) == NULL && !writer_is_unread(writer, stmt->target->var))
        writer_declare_zeroed(writer, stmt->target->var, indent);
}

/* ---- Statements of a block --------------------------------------------------------------------------------------------------- */
/* Neighbouring assignments wait once. What calls in values, conditions and ranges change is a local, too. */
size_t cuda_by_one(Writer *writer, const Block *block, size_t first, int indent) {
    Block alone = {0};
    if (writer->crew == NULL || writer->code->one_thread || writer->sharing != CREW_TOGETHER) return 0;
    const Stmt *stmt = block->statements.items[first];
    Sums sums = {0};
    if (!writer->in_team && !writer->emit->options.checked && cuda_counts(writer, stmt, &sums)) {
        print_counting(writer, stmt, &sums, indent);
        return 1;
    }
    if (writer->in_team && cuda_sums_in_sequence(writer, stmt)) {
        cuda_sum_in_sequence(writer, stmt, indent);
        return 1;
    }
    Streams streams = {0};
    if (cuda_streams(writer, stmt, &streams)) {
        print_streaming(writer, stmt, &streams, indent);
        return 1;
    }
    if (!writer->in_team && cuda_owners(writer, stmt, indent)) return 1;
    if (is_of_one(writer, stmt) || changes_for_one(writer, stmt)) vec_push(writer->arena, &alone.statements, block->statements.items[first]);
    for (size_t i = first + alone.statements.count; i < block->statements.count && assigns_element(block->statements.items[i]); i++)
        vec_push(writer->arena, &alone.statements, block->statements.items[i]);
    if (alone.statements.count == 0) return 0;
    declare_outside(writer, stmt, indent);
    remark_loops(writer, &alone);
    writer_crew_waits(writer, indent);
    begin_first(writer, indent);
    for (size_t i = 0; i < alone.statements.count; i++) writer_stmt(writer, alone.statements.items[i], indent + 4);
    end_first(writer, &alone, indent);
    writer_crew_waits(writer, indent);
    return alone.statements.count;
}
