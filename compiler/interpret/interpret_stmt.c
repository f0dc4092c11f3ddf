/* Statements. A statement may leave temporaries on the stack; they go when it ends. */
#include "compiler/interpret/internal.h"
#include <math.h>
#include <string.h>

static void assign_value(Machine *m, const Expr *target, Value value, Span span) {
    Place place = eval_place(m, target);
    memory_store(m, place.address, place.type, value, span);
    if (place.part != NULL || place.instance != NULL) place_note_write(m, &place, span);
}

/* x = x + a*b and x = x - a*b round once. */
static void accumulate(Machine *m, const Stmt *stmt) {
    if (stmt->target->kind == EXPR_AT_INDEX) eval(m, stmt->target); /* an element that a list lacks has no value yet */
    Place place = eval_place(m, stmt->target);
    const char *name = stmt->target->var != NULL ? stmt->target->var->name : "the target";
    Value x = load_place(m, &place, name, stmt->span);
    Value a = eval(m, stmt->factor_a), b = eval(m, stmt->factor_b);
    bool minus = stmt->accumulate == ACCUMULATE_FMS;
    if (place.type->kind == TYPE_REAL_SINGLE) x.single = fmaf(minus ? -a.single : a.single, b.single, x.single);
    else x.real = fma(minus ? -a.real : a.real, b.real, x.real);
    memory_store(m, place.address, place.type, x, stmt->span);
    if (place.part != NULL || place.instance != NULL) place_note_write(m, &place, stmt->span);
}

static Outcome run_while(Machine *m, const Stmt *stmt) {
    for (;;) {
        if (run_block(m, &stmt->body) == RETURNED) return RETURNED;
        size_t mark = m->top;
        bool again = eval_integer(m, stmt->value) != 0;
        m->top = mark;
        if (!again) return DONE;
    }
}

static Outcome run_statement(Machine *m, const Stmt *stmt) {
    switch (stmt->kind) {
    case STMT_ASSIGN:
        if (stmt->accumulate != ACCUMULATE_NONE) accumulate(m, stmt);
        else assign_value(m, stmt->target, eval(m, stmt->value), stmt->span);
        return DONE;
    case STMT_CALL: eval(m, stmt->value); return DONE;
    case STMT_IF:
        if (eval_integer(m, stmt->value)) return run_block(m, &stmt->body);
        return stmt->otherwise != NULL ? run_block(m, stmt->otherwise) : DONE;
    case STMT_PARALLEL: return run_parallel(m, stmt);
    case STMT_SEQUENCE: return run_sequence(m, stmt);
    case STMT_WHILE: return run_while(m, stmt);
    case STMT_RETURN:
        if (stmt->value != NULL) m->result = eval(m, stmt->value);
        return RETURNED;
    case STMT_REDUCE: reduce_accumulate(m, stmt); return DONE;
    case STMT_BLOCK: return run_block(m, &stmt->body);
    case STMT_EXTERN: internal_error("interpret", "an extern block was not refused");
    case STMT_SET_BOUNDS: set_bounds(m, stmt); return DONE;
    default:
        if (!run_coordinator_statement(m, stmt)) internal_error("interpret", "statement kind %d", (int)stmt->kind);
        return DONE;
    }
}

Outcome run_block(Machine *m, const Block *block) {
    for (size_t i = 0; i < block->locals.count; i++) {
        const Var *local = block->locals.items[i];
        memory_undefine(m, m->frame->address[local->id], memory_size(m, local->type));
    }
    for (size_t i = 0; i < block->statements.count; i++) {
        size_t mark = m->top;
        Outcome outcome = run_statement(m, block->statements.items[i]);
        m->top = mark;
        if (outcome == RETURNED) return RETURNED;
    }
    return DONE;
}
