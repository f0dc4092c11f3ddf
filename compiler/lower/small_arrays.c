/* Small arrays taken apart: what a loop's body keeps in a static array of a few elements, and comes to in short loops alone,
 *
 *     f = new Array[3][3] of Real double-precision
 *     do in sequence {
 *         do in sequence { f[p][q] = x[t][p] * y[t][q] } for q in [0...2]
 *     } for p in [0...2]
 *
 * are locals f_0_0 … f_2_2 (of `g = f`, too, where both can be), and rounds that stand one behind the other (write_out.c). The loop around is one on numbers then, which goes in vectors and lanes as others do.
 *
 * Rounds may follow from rounds around them, `for q in [p + 1...2]`, and subscripts from locals that are assigned once, `next = q + 1`. What is written out is bounded (MOST_STATEMENTS): the C compiler takes seconds for it at worst.
 *
 * Needs: lower_put_in_place; a use of its own, whose body's blocks and variables may be changed. Gives: bodies with fewer arrays, and more locals. */
#include "compiler/lower/passes.h"
#include "compiler/lower/rewrite.h"
#include "compiler/lower/known_integers.h"
#include "compiler/lower/uses.h"

enum { MOST_ELEMENTS = 32, MOST_ROUNDS = 32, MOST_STATEMENTS = 1536, MOST_NODES = 16 };

typedef struct Arrays {
    Arena *arena;
    const Program *program;
    Body *body;
    size_t count;             /* of Vars that have a place in these */
    bool *fits;               /* by Var.id: a local of a data-parallel loop that can be taken apart */
    const Stmt **loop;        /* of an index: its short loop */
    const Expr **given;       /* a local that is assigned once, before all that reads it, what is known in rounds: that */
    bool *put_in;             /* such a local: what it is given stands in its place */
    bool *refused;            /* an index: its loop cannot be written out, as others inside of it cannot */
    int64_t *value;           /* an index, while statements are counted: in the round at hand */
    bool *has_value;
    bool gathers;             /* some subscripts are known by themselves (StageUse.gathers) */
    bool *written_out;        /* an index: its loop is to be written out */
    bool changed;             /* `fits` has, on the way through the body */
    bool finally;             /* loops are written out: subscripts are literals */
    Var ***parts;             /* of a local: its elements in order, or NULL */
} Arrays;

static int64_t elements_of(const Type *type) {
    int64_t count = 1;
    for (int d = 0; d < type->rank && count <= MOST_ELEMENTS; d++) count *= type->extents[d] <= MOST_ELEMENTS ? type->extents[d] : MOST_ELEMENTS + 1;
    return count;
}

bool lower_is_small_array(const Type *type) {
    if (type->kind != TYPE_STATIC_ARRAY || elements_of(type) > MOST_ELEMENTS) return false;
    return type_is_numeric(type->element) || type->element->kind == TYPE_BOOLEAN || type->element->kind == TYPE_CHARACTER;
}

static bool is_numbered(const Arrays *arrays, const Var *var) {
    return var != NULL && (size_t)var->id < arrays->count && arrays->body->vars.items[var->id] == var;
}

/* ---- What is known in rounds ------------------------------------------------------------------------------------- */

static bool is_short_index(const Arrays *arrays, const Expr *expr) { return expr->kind == EXPR_VAR && is_numbered(arrays, expr->var) && arrays->loop[expr->var->id] != NULL; }

static const Expr *given_to(const Arrays *arrays, const Expr *expr) { return expr->kind == EXPR_VAR && is_numbered(arrays, expr->var) ? arrays->given[expr->var->id] : NULL; }

/* Made of literals and indices of short loops: a literal in each round. */
static bool is_known_in_rounds(const Arrays *arrays, const Expr *expr) {
    if (expr->kind == EXPR_INTEGER || is_short_index(arrays, expr) || given_to(arrays, expr) != NULL) return true;
    if (expr->kind == EXPR_UNARY && expr->op == OP_NEG) return is_known_in_rounds(arrays, expr->left);
    if (lower_is_extremum(expr)) return is_known_in_rounds(arrays, expr->arguments.items[0]) && is_known_in_rounds(arrays, expr->arguments.items[1]);
    if (expr->kind != EXPR_BINARY || !is_known_in_rounds(arrays, expr->left) || !is_known_in_rounds(arrays, expr->right)) return false;
    switch (expr->op) {
    case OP_DIV: case OP_MOD: return expr->right->kind == EXPR_INTEGER && expr->right->integer > 0;
    case OP_ADD: case OP_SUB: case OP_MUL: case OP_BITAND: case OP_BITOR: case OP_BITXOR: case OP_SHL: case OP_SHR: return true;
    default: return false;
    }
}

static void count_node(void *data, const Expr *expr) {
    (void)expr;
    ++*(size_t *)data;
}

static Expr *with_given(void *data, Expr *expr) {
    const Arrays *arrays = data;
    if (expr->kind == EXPR_ELEMENT && arrays->gathers) return expr;
    const Expr *given = given_to(arrays, expr);
    return given != NULL && (arrays->put_in == NULL || arrays->put_in[expr->var->id]) ? (Expr *)given : NULL;
}

/* What statement number `at` of the block gives a local of it, which is assigned nothing else, and which nobody reads before: an Integer that is known in rounds; or NULL. */
static const Expr *given_by(Arrays *arrays, const VarUses *uses, const Block *block, size_t at) {
    const Stmt *stmt = block->statements.items[at];
    if (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_VAR || stmt->accumulate != ACCUMULATE_NONE || !is_numbered(arrays, stmt->target->var)) return NULL;
    const Var *var = stmt->target->var;
    if (var->type->kind != TYPE_INTEGER || var->type->stored_single || uses[var->id].writes != 1 || !is_known_in_rounds(arrays, stmt->value)) return NULL;
    bool own = false;
    for (size_t i = 0; i < block->locals.count; i++) own = own || block->locals.items[i] == var;
    const Block before = {.statements = {.items = block->statements.items, .count = at}};
    if (!own || lower_block_mentions(&before, var)) return NULL;
    const Expr *value = lower_rewritten(&(Rewriting){arrays->arena, with_given, arrays, {0}}, stmt->value);
    size_t nodes = 0;
    lower_walk_expr(&(Walk){count_node, NULL, &nodes}, value);
    return nodes <= MOST_NODES ? value : NULL;
}

/* ---- Which arrays, and which loops ---------------------------------------------------------------------------- */

static bool has_literal_ranges(const Stmt *loop) {
    bool fits = true;
    for (size_t i = 0; i < loop->indices.count; i++) {
        const LoopIndex *index = &loop->indices.items[i];
        fits = fits && index->domain_range != NULL && index->domain_var == NULL && index->domain_range->kind == EXPR_RANGE && index->domain_range->left->kind == EXPR_INTEGER &&
               index->domain_range->right->kind == EXPR_INTEGER && index->lower.count + index->upper.count + index->filters.count == 0;
    }
    return fits;
}

/* What rounds may be made of. */
static void look_at_stmt(void *data, const Stmt *stmt) {
    const bool plain = stmt->kind == STMT_ASSIGN || stmt->kind == STMT_IF || stmt->kind == STMT_CALL || stmt->kind == STMT_BLOCK || stmt->kind == STMT_SEQUENCE;
    *(bool *)data &= plain || (stmt->kind == STMT_PARALLEL && has_literal_ranges(stmt));
}

static bool is_short_loop(const Arrays *arrays, const Stmt *stmt) {
    if (stmt->kind != STMT_SEQUENCE || !is_numbered(arrays, stmt->index) || arrays->refused[stmt->index->id] || stmt->value->kind != EXPR_RANGE) return false;
    if (!is_known_in_rounds(arrays, stmt->value->left) || !is_known_in_rounds(arrays, stmt->value->right) || (stmt->step != NULL && !is_known_in_rounds(arrays, stmt->step))) return false;
    Rounds rounds;
    if (lower_known_rounds(NULL, stmt, &rounds) && (rounds.count == 0 || rounds.count > MOST_ROUNDS)) return false;
    bool plain = true;
    lower_walk_block(&(Walk){NULL, look_at_stmt, &plain}, &stmt->body);
    return plain;
}

static void find_locals(Arrays *arrays, const VarUses *uses, const Block *block, bool inside) {
    for (size_t i = 0; i < block->locals.count; i++) {
        const Var *var = block->locals.items[i];
        if (is_numbered(arrays, var)) arrays->fits[var->id] = inside && lower_is_small_array(var->type);
    }
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (inside && is_short_loop(arrays, stmt)) arrays->loop[stmt->index->id] = stmt;
        const Expr *given = inside ? given_by(arrays, uses, block, i) : NULL;
        if (given != NULL) arrays->given[stmt->target->var->id] = given;
        find_locals(arrays, uses, &stmt->body, inside || stmt->kind == STMT_PARALLEL);
        if (stmt->otherwise != NULL) find_locals(arrays, uses, stmt->otherwise, inside);
    }
}

/* Loops with others inside that are not short are refused; says whether the block has some that are not short. */
static bool refuse_around(Arrays *arrays, const Block *block) {
    bool any = false;
    for (size_t i = 0; block != NULL && i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        const bool inside = refuse_around(arrays, &stmt->body), beside = refuse_around(arrays, stmt->otherwise);
        any = any || inside || beside;
        if (stmt->kind != STMT_SEQUENCE) continue;
        const bool found = is_numbered(arrays, stmt->index) && arrays->loop[stmt->index->id] == stmt;
        any = any || !found;
        if (!found || !inside) continue;
        arrays->refused[stmt->index->id] = true;
        arrays->changed = true;
    }
    return any;
}

/* What others know is forgotten with each loop that is refused. */
static void find_rounds(Arrays *arrays) {
    const VarUses *uses = lower_count_uses(arrays->arena, arrays->body);
    do {
        arrays->changed = false;
        for (size_t i = 0; i < arrays->count; i++) arrays->loop[i] = NULL;
        for (size_t i = 0; i < arrays->count; i++) arrays->given[i] = NULL;
        find_locals(arrays, uses, &arrays->body->block, false);
        refuse_around(arrays, &arrays->body->block);
    } while (arrays->changed);
}

static bool is_within(const Expr *subscript, int64_t extent) {
    int64_t value = 0;
    return lower_known_value(NULL, subscript, &value) && value >= 0 && value < extent;
}

/* An element: its array need not be looked at again. */
static bool is_known_element(Arrays *arrays, const Expr *expr) {
    if (expr->kind != EXPR_AT_INDEX || expr->left->kind != EXPR_VAR || !is_numbered(arrays, expr->left->var) || !lower_is_small_array(expr->left->type)) return false;
    for (size_t d = 0; d < expr->arguments.count; d++) {
        const bool literal = is_within(expr->arguments.items[d], expr->left->type->extents[d]);
        if (!literal && (arrays->finally || !is_known_in_rounds(arrays, expr->arguments.items[d]))) return false;
    }
    return true;
}

static void find_misfits(Arrays *arrays, const Expr *expr) {
    if (expr == NULL || is_known_element(arrays, expr)) return;
    if (is_numbered(arrays, expr->var)) arrays->fits[expr->var->id] = false;
    find_misfits(arrays, expr->left);
    find_misfits(arrays, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) find_misfits(arrays, expr->arguments.items[i]);
}

/* One array assigned to another as a whole. */
static bool copies_array(const Arrays *arrays, const Stmt *stmt) {
    return stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && stmt->value->kind == EXPR_VAR && lower_is_small_array(stmt->target->type) &&
           stmt->value->type == stmt->target->type && is_numbered(arrays, stmt->target->var) && is_numbered(arrays, stmt->value->var);
}

static void find_misfits_in(void *data, const Stmt *stmt) {
    Arrays *arrays = data;
    const bool copies = copies_array(arrays, stmt);
    const bool zeros = stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && stmt->value->kind == EXPR_NEW_ARRAY;
    if (!zeros && !copies) find_misfits(arrays, stmt->target);
    if (!copies) find_misfits(arrays, stmt->value);
    find_misfits(arrays, stmt->step);
    for (size_t i = 0; i < stmt->indices.count; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        find_misfits(arrays, index->domain_range);
        for (size_t b = 0; b < index->lower.count; b++) find_misfits(arrays, index->lower.items[b]);
        for (size_t b = 0; b < index->upper.count; b++) find_misfits(arrays, index->upper.items[b]);
        for (size_t b = 0; b < index->filters.count; b++) find_misfits(arrays, index->filters.items[b]);
    }
    for (size_t i = 0; stmt->kind == STMT_EXTERN && i < stmt->external->uses.count; i++)
        if (is_numbered(arrays, stmt->external->uses.items[i])) arrays->fits[stmt->external->uses.items[i]->id] = false;
}

/* Of a copy both fit or neither. */
static void find_misfits_by_copies(void *data, const Stmt *stmt) {
    Arrays *arrays = data;
    if (!copies_array(arrays, stmt)) return;
    bool *target = &arrays->fits[stmt->target->var->id], *value = &arrays->fits[stmt->value->var->id];
    arrays->changed |= *target != *value;
    *target = *value = *target && *value;
}

/* What the subscript, or an end of a loop that is written out, is made of: loops to be written out, too, and locals to be put in. */
static void find_loops_of(void *data, const Expr *expr) {
    Arrays *arrays = data;
    const Walk all = {find_loops_of, NULL, data};
    const Expr *given = given_to(arrays, expr);
    if (given != NULL && !arrays->put_in[expr->var->id]) {
        arrays->put_in[expr->var->id] = true;
        lower_walk_expr(&all, given);
    }
    if (!is_short_index(arrays, expr) || arrays->written_out[expr->var->id]) return;
    arrays->written_out[expr->var->id] = true;
    const Stmt *loop = arrays->loop[expr->var->id];
    lower_walk_expr(&all, loop->value);
    if (loop->step != NULL) lower_walk_expr(&all, loop->step);
}

static void find_loops(void *data, const Expr *expr) {
    const Arrays *arrays = data;
    if (expr->kind != EXPR_AT_INDEX || expr->left->kind != EXPR_VAR || !is_numbered(arrays, expr->left->var) || !arrays->fits[expr->left->var->id]) return;
    for (size_t d = 0; d < expr->arguments.count; d++) lower_walk_expr(&(Walk){find_loops_of, NULL, data}, expr->arguments.items[d]);
}

static bool value_in_round(void *data, const Var *var, int64_t *value) {
    const Arrays *arrays = data;
    if (!is_numbered(arrays, var)) return false;
    if (arrays->given[var->id] != NULL) return lower_known_value(&(Knowledge){value_in_round, data}, arrays->given[var->id], value);
    *value = arrays->value[var->id];
    return arrays->has_value[var->id];
}

static int64_t statements_of(Arrays *arrays, const Block *block);

/* Of a loop that is written out. */
static int64_t statements_of_rounds(Arrays *arrays, const Stmt *loop) {
    Rounds rounds;
    if (!lower_known_rounds(&(Knowledge){value_in_round, arrays}, loop, &rounds)) return MOST_STATEMENTS + 1;
    const int index = loop->index->id;
    int64_t count = 0;
    arrays->has_value[index] = true;
    for (int64_t round = 0; round < rounds.count && count <= MOST_STATEMENTS; round++) {
        arrays->value[index] = rounds.first + round * rounds.step;
        const int64_t inside = statements_of(arrays, &loop->body);
        count += inside > 0 ? inside : 1;
    }
    arrays->has_value[index] = false;
    return count;
}

/* Statements of the block once loops are written out. */
static int64_t statements_of(Arrays *arrays, const Block *block) {
    int64_t count = 0;
    for (size_t i = 0; block != NULL && i < block->statements.count && count <= MOST_STATEMENTS; i++) {
        const Stmt *stmt = block->statements.items[i];
        const bool written_out = stmt->kind == STMT_SEQUENCE && is_numbered(arrays, stmt->index) && arrays->written_out[stmt->index->id];
        int64_t holds = 0;
        const bool decided = stmt->kind == STMT_IF && lower_known_value(&(Knowledge){value_in_round, arrays}, stmt->value, &holds);
        if (stmt->kind == STMT_ASSIGN && given_to(arrays, stmt->target) != NULL) continue;
        if (decided) count += statements_of(arrays, holds ? &stmt->body : stmt->otherwise);
        else count += written_out ? statements_of_rounds(arrays, stmt) : 1 + statements_of(arrays, &stmt->body) + statements_of(arrays, stmt->otherwise);
    }
    return count;
}

/* ---- Their elements --------------------------------------------------------------------------------------------- */

static Var *new_local(Arrays *arrays, const Var *like, const char *name) {
    Var *var = ARENA_NEW(arrays->arena, Var);
    *var = (Var){.kind = VAR_LOCAL, .name = name, .type = like->type->element, .span = like->span, .id = (int)arrays->body->vars.count};
    vec_push(arrays->arena, &arrays->body->vars, var);
    return var;
}

static void declare_parts(Arrays *arrays, Block *block, const Var *array) {
    const Type *type = array->type;
    const int64_t count = elements_of(type);
    Var **parts = ARENA_ARRAY(arrays->arena, Var *, count + 1);
    for (int64_t n = 0; n < count; n++) {
        const char *name = "";
        int64_t rest = n;
        for (int d = type->rank; d-- > 0; rest /= type->extents[d]) name = arena_printf(arrays->arena, "_%lld%s", (long long)(rest % type->extents[d]), name);
        parts[n] = new_local(arrays, array, arena_printf(arrays->arena, "%s%s", array->name, name));
        vec_push(arrays->arena, &block->locals, parts[n]);
    }
    arrays->parts[array->id] = parts;
}

static Var **parts_of(const Arrays *arrays, const Expr *expr) {
    return expr->kind == EXPR_VAR && is_numbered(arrays, expr->var) ? arrays->parts[expr->var->id] : NULL;
}

static Expr *with_part(void *data, Expr *expr) {
    const Arrays *arrays = data;
    Var **parts = expr->kind == EXPR_AT_INDEX ? parts_of(arrays, expr->left) : NULL;
    if (parts == NULL) return NULL;
    int64_t number = 0;
    for (size_t d = 0; d < expr->arguments.count; d++) {
        int64_t subscript = 0;
        lower_known_value(NULL, expr->arguments.items[d], &subscript);
        number = number * expr->left->type->extents[d] + subscript;
    }
    Expr *name = ARENA_NEW(arrays->arena, Expr);
    *name = (Expr){.kind = EXPR_VAR, .type = expr->type, .span = expr->span, .var = parts[number]};
    return name;
}

/* What stands for `array = new …` and `array = other`: an assignment for each element. */
static void assign_parts(Arrays *arrays, Block *block, const Stmt *stmt) {
    Var **parts = parts_of(arrays, stmt->target), **others = parts_of(arrays, stmt->value);
    for (int64_t n = 0; n < elements_of(stmt->target->type); n++) {
        Stmt *part = ARENA_NEW(arrays->arena, Stmt);
        *part = (Stmt){.kind = STMT_ASSIGN, .span = stmt->span};
        part->target = lower_name_of(arrays->arena, arrays->program, parts[n], stmt->span);
        part->value = others != NULL ? lower_name_of(arrays->arena, arrays->program, others[n], stmt->span)
                                     : lower_zero_of(arrays->arena, arrays->program, parts[n]->type, stmt->span);
        vec_push(arrays->arena, &block->statements, part);
    }
}

static void take_apart(Arrays *arrays, Block *block) {
    const Block old = *block;
    block->statements = (StmtVec){0};
    block->locals = (VarVec){0};
    for (size_t i = 0; i < old.locals.count; i++) {
        Var *var = old.locals.items[i];
        if (is_numbered(arrays, var) && arrays->fits[var->id]) declare_parts(arrays, block, var);
        else vec_push(arrays->arena, &block->locals, var);
    }
    for (size_t i = 0; i < old.statements.count; i++) {
        Stmt *stmt = old.statements.items[i];
        if (stmt->kind == STMT_ASSIGN && parts_of(arrays, stmt->target) != NULL) {
            assign_parts(arrays, block, stmt);
            continue;
        }
        lower_rewrite_stmt(&(Rewriting){arrays->arena, with_part, arrays, {0}}, stmt);
        take_apart(arrays, &stmt->body);
        if (stmt->otherwise != NULL) take_apart(arrays, stmt->otherwise);
        vec_push(arrays->arena, &block->statements, stmt);
    }
}

/* ---- Bodies --------------------------------------------------------------------------------------------------------- */

static bool find_arrays(Arrays *arrays) {
    const size_t count = arrays->count = arrays->body->vars.count;
    arrays->fits = ARENA_ARRAY(arrays->arena, bool, count + 1);
    arrays->loop = ARENA_ARRAY(arrays->arena, const Stmt *, count + 1);
    arrays->written_out = ARENA_ARRAY(arrays->arena, bool, count + 1);
    arrays->parts = ARENA_ARRAY(arrays->arena, Var **, count + 1);
    arrays->given = ARENA_ARRAY(arrays->arena, const Expr *, count + 1);
    arrays->refused = ARENA_ARRAY(arrays->arena, bool, count + 1);
    arrays->put_in = NULL;
    find_rounds(arrays);
    lower_walk_block(&(Walk){NULL, find_misfits_in, arrays}, &arrays->body->block);
    do {
        arrays->changed = false;
        lower_walk_block(&(Walk){NULL, find_misfits_by_copies, arrays}, &arrays->body->block);
    } while (arrays->changed);
    bool found = false;
    for (size_t i = 0; i < count; i++) found = found || arrays->fits[i];
    return found;
}

static bool is_to_write_out(void *data, const Stmt *stmt) {
    const Arrays *arrays = data;
    return stmt->kind == STMT_SEQUENCE && is_numbered(arrays, stmt->index) && arrays->written_out[stmt->index->id];
}

static void put_in(Arrays *arrays, Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        const bool gives = stmt->kind == STMT_ASSIGN && given_to(arrays, stmt->target) != NULL;
        if (!gives) lower_rewrite_stmt(&(Rewriting){arrays->arena, with_given, arrays, {0}}, stmt);
        put_in(arrays, &stmt->body);
        if (stmt->otherwise != NULL) put_in(arrays, stmt->otherwise);
    }
}

void lower_take_arrays_apart(Arena *arena, const Program *program, StageUse *use, Body *body) {
    Arrays arrays = {.arena = arena, .program = program, .body = body, .gathers = use->gathers.count > 0};
    if (!find_arrays(&arrays)) return;
    arrays.put_in = ARENA_ARRAY(arena, bool, arrays.count + 1);
    arrays.value = ARENA_ARRAY(arena, int64_t, arrays.count + 1);
    arrays.has_value = ARENA_ARRAY(arena, bool, arrays.count + 1);
    lower_walk_block(&(Walk){find_loops, NULL, &arrays}, &body->block);
    if (statements_of(&arrays, &body->block) > MOST_STATEMENTS) return;
    put_in(&arrays, &body->block);
    lower_write_out_loops(arena, use, body, is_to_write_out, &arrays);
    arrays.finally = true;
    if (find_arrays(&arrays)) take_apart(&arrays, &body->block);
}
