/* Records taken apart: locals of user types become locals of their fields', so that loops on them are loops on numbers, which go in vectors and lanes as others do.
 *
 *     z = new Complex(re: x, im: y)             z_re = x; z_im = y
 *     z = new Complex(re: z.im, im: -z.re)      z_re_next = z_im; z_im = -z_re; z_re = z_re_next
 *     p = body[b].place                         p_x = body[b].place.x; p_y = body[b].place.y
 *     body[b].place = p                         body[b].place.x = p_x; body[b].place.y = p_y
 *
 * A local stays whole that a call gives or changes, that extern code names, or that bounds of a parallel loop do.
 *
 * Needs: a body whose blocks and variables may be changed. Gives: bodies with fewer records, and more locals. Fields of user types are taken apart one level after the other. */
#include "compiler/lower/passes.h"
#include "compiler/lower/rewrite.h"

enum { MOST_FIELDS = 32 };

typedef struct Apart {
    Arena *arena;
    Body *body;
    const Program *program;
    bool gathers;        /* some subscripts are known by themselves (StageUse.gathers) */
    bool *whole;         /* by Var.id: stays as it is */
    Var ***parts;        /* by Var.id: locals by field, or NULL */
    size_t count;        /* of Vars that have a place in these: there are more after a while */
    bool changed;
    Rewriting rewriting; /* of the statement at hand */
} Apart;

/* ---- Which records ------------------------------------------------------------------------------------------ */

static bool can_be_field(const Type *type) {
    switch (type->kind) {
    case TYPE_STRING: case TYPE_LIST: case TYPE_ARRAY: case TYPE_ENVIRONMENT: case TYPE_RANGE: case TYPE_VOID: return false;
    default: return true;
    }
}

static bool can_be_apart(const Type *type) {
    bool fits = type->kind == TYPE_STRUCT && type->fields.count <= MOST_FIELDS && !type->has_string;
    for (size_t i = 0; i < type->fields.count && fits; i++) fits = can_be_field(type->fields.items[i].type);
    return fits;
}

static void keep(const Apart *apart, const Var *var) {
    if (var != NULL && lower_is_counted(apart->body, var)) apart->whole[var->id] = true;
}

static void keep_all(void *data, const Expr *expr) { keep(data, expr->var); }

static void keep_expr(void *data, const Expr *expr) {
    const Apart *apart = data;
    if (expr->kind == EXPR_ELEMENT && apart->gathers)
        for (size_t i = 0; i < expr->arguments.count; i++) lower_walk_expr(&(Walk){keep_all, NULL, data}, expr->arguments.items[i]);
    for (size_t i = 0; expr->kind == EXPR_CALL && i < expr->arguments.count; i++)
        if (expr->function->body.params.items[i]->by_reference) keep(apart, lower_place_root(expr->arguments.items[i]));
}

static void keep_stmt(void *data, const Stmt *stmt) {
    const Apart *apart = data;
    const Walk all = {keep_all, NULL, data};
    const bool given = stmt->kind == STMT_ASSIGN && (stmt->value->kind == EXPR_NEW_STRUCT || lower_place_root(stmt->value) != NULL);
    if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && !given) keep(apart, stmt->target->var);
    for (size_t i = 0; stmt->kind == STMT_EXTERN && i < stmt->external->uses.count; i++) keep(apart, stmt->external->uses.items[i]);
    for (size_t i = 0; i < stmt->indices.count; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        lower_walk_expr(&all, index->domain_range);
        for (size_t b = 0; b < index->lower.count; b++) lower_walk_expr(&all, index->lower.items[b]);
        for (size_t b = 0; b < index->upper.count; b++) lower_walk_expr(&all, index->upper.items[b]);
        for (size_t b = 0; b < index->filters.count; b++) lower_walk_expr(&all, index->filters.items[b]);
    }
}

/* ---- Their parts ---------------------------------------------------------------------------------------------- */

static Var *new_local(Apart *apart, const Var *like, const char *name, Type *type) {
    Var *var = ARENA_NEW(apart->arena, Var);
    *var = (Var){.kind = VAR_LOCAL, .name = name, .type = type, .span = like->span, .id = (int)apart->body->vars.count};
    vec_push(apart->arena, &apart->body->vars, var);
    return var;
}

static void declare_parts(Apart *apart, Block *block, const Var *record) {
    const Type *type = record->type;
    Var **parts = ARENA_ARRAY(apart->arena, Var *, type->fields.count + 1);
    for (size_t f = 0; f < type->fields.count; f++) {
        parts[f] = new_local(apart, record, arena_printf(apart->arena, "%s_%s", record->name, type->fields.items[f].name), type->fields.items[f].type);
        vec_push(apart->arena, &block->locals, parts[f]);
    }
    apart->parts[record->id] = parts;
    apart->changed = true;
}

static bool is_numbered(const Apart *apart, const Var *var) {
    return var != NULL && lower_is_counted(apart->body, var) && (size_t)var->id < apart->count;
}

/* Of an expression that is the record's name. */
static Var **parts_of(const Apart *apart, const Expr *expr) {
    return expr->kind == EXPR_VAR && is_numbered(apart, expr->var) ? apart->parts[expr->var->id] : NULL;
}

/* ---- Expressions ------------------------------------------------------------------------------------------------ */

static Expr *new_expr(const Apart *apart, ExprKind kind, Type *type, Span span) {
    Expr *expr = ARENA_NEW(apart->arena, Expr);
    *expr = (Expr){.kind = kind, .type = type->kind == TYPE_INTEGER ? lower_integer_type(apart->program) : type, .span = span};
    return expr;
}

/* A field of what is a new record, or a place. */
static Expr *field_of(const Apart *apart, Expr *record, size_t field) {
    Type *type = record->type->fields.items[field].type;
    if (record->kind == EXPR_NEW_STRUCT) {
        Expr *value = record->arguments.items[field];
        return value != NULL ? value : lower_zero_of(apart->arena, apart->program, type, record->span);
    }
    Expr *expr = new_expr(apart, EXPR_FIELD, type, record->span);
    expr->left = record;
    expr->field = (int)field;
    return expr;
}

static Expr *whole_of(const Apart *apart, const Expr *record, Var **parts) {
    Expr *expr = new_expr(apart, EXPR_NEW_STRUCT, record->type, record->span);
    for (size_t f = 0; f < record->type->fields.count; f++) vec_push(apart->arena, &expr->arguments, lower_name_of(apart->arena, apart->program, parts[f], record->span));
    return expr;
}

/* The other fields of a new record, of which one alone is read, need not be computed. */
static Expr *without_parts(void *data, Expr *expr) {
    Apart *apart = data;
    Var **parts = parts_of(apart, expr);
    if (parts != NULL) return whole_of(apart, expr, parts);
    if (expr->kind != EXPR_FIELD) return NULL;
    parts = parts_of(apart, expr->left);
    if (parts != NULL) return lower_name_of(apart->arena, apart->program, parts[expr->field], expr->span);
    Expr *left = lower_rewritten(&apart->rewriting, expr->left);
    return left->kind == EXPR_NEW_STRUCT && !lower_expr_has_effect(left) ? field_of(apart, left, (size_t)expr->field) : NULL;
}

/* ---- Statements --------------------------------------------------------------------------------------------------- */

static void push_assignment(Apart *apart, Block *block, Expr *target, Expr *value, Span span) {
    Stmt *stmt = ARENA_NEW(apart->arena, Stmt);
    *stmt = (Stmt){.kind = STMT_ASSIGN, .span = span, .target = target, .value = value};
    vec_push(apart->arena, &block->statements, stmt);
    apart->changed = true;
}

/* Whether fields behind it are computed from what field number `field` of the target was before. */
static bool is_read_later(const Expr *value, const Type *type, const Expr *target, const Var *part, size_t field) {
    if (value->kind != EXPR_NEW_STRUCT) return lower_expr_mentions(value, part);
    for (size_t f = target != NULL ? 0 : field + 1; f < type->fields.count; f++)
        if (value->arguments.items[f] != NULL && lower_expr_mentions(value->arguments.items[f], part)) return true;
    return false;
}

/* The record `value` goes to the local's parts, or, where there are none, to the fields of a place. What is read after it has been set is set last. */
static void assign_fields(Apart *apart, Block *block, Var **parts, Expr *target, Expr *value, Span span) {
    const Type *type = value->type;
    Block last = {0};
    for (size_t f = 0; f < type->fields.count; f++) {
        Expr *field = parts != NULL ? lower_name_of(apart->arena, apart->program, parts[f], span) : field_of(apart, target, f);
        Expr *given = field_of(apart, value, f);
        const Var *root = lower_place_root(field);
        if (is_read_later(value, type, target, root, f)) {
            Var *next = new_local(apart, root, arena_printf(apart->arena, "%s_next", type->fields.items[f].name), type->fields.items[f].type);
            vec_push(apart->arena, &block->locals, next);
            push_assignment(apart, &last, field, lower_name_of(apart->arena, apart->program, next, span), span);
            field = lower_name_of(apart->arena, apart->program, next, span);
        }
        push_assignment(apart, block, field, given, span);
    }
    for (size_t i = 0; i < last.statements.count; i++) vec_push(apart->arena, &block->statements, last.statements.items[i]);
}

/* An element, or a field of one, whose subscripts do not read the array itself. */
static bool is_place_of_array(const Expr *place) {
    while (place->kind == EXPR_FIELD) place = place->left;
    if (place->kind != EXPR_ELEMENT) return false;
    for (size_t i = 0; i < place->arguments.count; i++)
        if (lower_expr_mentions(place->arguments.items[i], place->var) || lower_expr_has_effect(place->arguments.items[i])) return false;
    return true;
}

static void take_apart(Apart *apart, Block *block);

/* alone: it is all that its block has. One assignment that makes a loop stays one (nest.h). */
static void take_statement(Apart *apart, Block *block, Stmt *stmt, bool alone) {
    Var **parts = stmt->kind == STMT_ASSIGN ? parts_of(apart, stmt->target) : NULL;
    if (parts != NULL) stmt->target = NULL; /* it is no value */
    apart->rewriting = (Rewriting){apart->arena, without_parts, apart, {0}};
    lower_rewrite_stmt(&apart->rewriting, stmt);
    const bool stored = stmt->kind == STMT_ASSIGN && parts == NULL && !alone && stmt->value->kind == EXPR_NEW_STRUCT && can_be_apart(stmt->value->type) && is_place_of_array(stmt->target);
    if (parts != NULL || stored) {
        assign_fields(apart, block, parts, parts != NULL ? NULL : stmt->target, stmt->value, stmt->span);
        return;
    }
    take_apart(apart, &stmt->body);
    if (stmt->otherwise != NULL) take_apart(apart, stmt->otherwise);
    vec_push(apart->arena, &block->statements, stmt);
}

static void take_apart(Apart *apart, Block *block) {
    const Block old = *block;
    block->statements = (StmtVec){0};
    block->locals = (VarVec){0};
    for (size_t i = 0; i < old.locals.count; i++) {
        const Var *var = old.locals.items[i];
        if (is_numbered(apart, var) && can_be_apart(var->type) && !apart->whole[var->id]) declare_parts(apart, block, var);
        else vec_push(apart->arena, &block->locals, old.locals.items[i]);
    }
    for (size_t i = 0; i < old.statements.count; i++) take_statement(apart, block, old.statements.items[i], old.statements.count == 1);
}

/* ---- Bodies --------------------------------------------------------------------------------------------------------- */

/* Takes one level of records apart; false: there were none. */
static bool take_level(Apart *apart) {
    apart->count = apart->body->vars.count;
    apart->whole = ARENA_ARRAY(apart->arena, bool, apart->count + 1);
    apart->parts = ARENA_ARRAY(apart->arena, Var **, apart->count + 1);
    apart->changed = false;
    lower_walk_block(&(Walk){keep_expr, keep_stmt, apart}, &apart->body->block);
    take_apart(apart, &apart->body->block);
    return apart->changed;
}

void lower_take_records_apart(Arena *arena, const Program *program, const StageUse *use, Body *body) {
    Apart apart = {.arena = arena, .body = body, .program = program, .gathers = use->gathers.count > 0};
    bool records = false;
    for (size_t i = 0; i < body->vars.count; i++) records = records || body->vars.items[i]->type->kind == TYPE_STRUCT;
    while (records && take_level(&apart)) continue;
}
