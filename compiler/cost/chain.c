/* The chain from one iteration to the next: where a body carries a value along, its additions have to wait for each other. Read
 * cost_chain at the end: what is carried, then how long after the start of an iteration each of it is there. */
#include "compiler/cost/internal.h"

#include <string.h>

/* In additions: what follows what on a processor whose additions and multiplications take equally long. */
static const double integer_step = 0.25, choice_step = 0.5, division_steps = 3.5, function_steps = 10, memory_steps = 1.25;

typedef struct Carried { const Var *var; double length; } Carried;
typedef struct Chain {
    Arena *arena;
    const CountPlace *place;
    VEC(Carried) vars;
    double longest;
} Chain;

static Carried *find_carried(Chain *chain, const Var *var) {
    for (size_t i = 0; i < chain->vars.count; i++)
        if (chain->vars.items[i].var == var) return &chain->vars.items[i];
    return NULL;
}

static double later(double a, double b) { return a > b ? a : b; }

/* How long after the iteration's start the value is there; -1: it does not depend on the iteration before. */
static double chain_of(Chain *chain, const Expr *expr) {
    if (!expr) return -1;
    if (expr->kind == EXPR_VAR || expr->kind == EXPR_ELEMENT) {
        const Carried *carried = find_carried(chain, expr->var);
        return carried ? carried->length : -1;
    }
    double length = later(chain_of(chain, expr->left), chain_of(chain, expr->right));
    for (size_t i = 0; i < expr->arguments.count; i++) length = later(length, chain_of(chain, expr->arguments.items[i]));
    if (length < 0) return -1;
    bool real = expr->left && type_is_real(expr->left->type);
    switch (expr->kind) {
    case EXPR_BINARY:
        if (expr->op == OP_DIV || expr->op == OP_MOD) return length + division_steps;
        return length + (real ? 1 : integer_step);
    case EXPR_UNARY: return length + integer_step;
    case EXPR_CONVERT: return length + 1;
    case EXPR_MATH: return length + (strcmp(expr->math, "sqrt") == 0 ? division_steps : cost_is_cheap_function(expr->math) ? 1 : function_steps);
    case EXPR_CALL: return length + cost_weight_of(chain->arena, expr->function) / 2 * integer_step;
    default: return length;
    }
}

static void chain_block(Chain *chain, const Block *block);

static void chain_assign(Chain *chain, const Stmt *stmt) {
    const Var *root = lower_place_root(stmt->target);
    double length;
    if (stmt->accumulate != ACCUMULATE_NONE) {
        length = later(chain_of(chain, stmt->target), later(chain_of(chain, stmt->factor_a), chain_of(chain, stmt->factor_b)));
        if (length >= 0) length += 1;
    } else {
        length = chain_of(chain, stmt->value);
    }
    Carried *carried = root ? find_carried(chain, root) : NULL;
    if (!carried) {
        if (root && root->kind == VAR_LOCAL && length >= 0) vec_push(chain->arena, &chain->vars, ((Carried){root, length}));
        return;
    }
    if (length < 0) return; /* starts afresh */
    bool in_memory = var_is_array(root) && !(chain->place->nest && chain->place->nest->form == FORM_SUM);
    carried->length = later(carried->length, length + (in_memory ? memory_steps : 0));
    chain->longest = later(chain->longest, carried->length);
}

static void chain_stmt(Chain *chain, const Stmt *stmt) {
    if (stmt->kind == STMT_ASSIGN) chain_assign(chain, stmt);
    if (stmt->kind == STMT_BLOCK) chain_block(chain, &stmt->body);
    if (stmt->kind != STMT_IF) return;
    double asked = chain_of(chain, stmt->value);
    if (asked >= 0) chain->longest = later(chain->longest, asked + choice_step);
    chain_block(chain, &stmt->body);
    if (stmt->otherwise) chain_block(chain, stmt->otherwise);
}

static void chain_block(Chain *chain, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) chain_stmt(chain, block->statements.items[i]);
}

typedef struct Uses { const Var *var; int reads; } Uses;

static void count_use(void *data, const Expr *expr) {
    Uses *uses = data;
    uses->reads += expr->kind == EXPR_ELEMENT && expr->var == uses->var;
}

/* A target that is only written is walked, too. */
static void count_target(void *data, const Stmt *stmt) {
    Uses *uses = data;
    if (stmt->kind == STMT_ASSIGN && stmt->accumulate == ACCUMULATE_NONE && lower_place_root(stmt->target) == uses->var &&
        stmt->target->kind == EXPR_ELEMENT)
        uses->reads--;
}

static bool reads_elements(const Block *block, const Var *var) {
    Uses uses = {var, 0};
    lower_walk_block(&(Walk){count_use, count_target, &uses}, block);
    return uses.reads > 0;
}

typedef struct Starts { Chain *chain; const Block *block; } Starts;

static bool is_own_local(const Block *block, const Var *var) {
    for (size_t i = 0; i < block->locals.count; i++)
        if (block->locals.items[i] == var) return true;
    return false;
}

/* An element that does not move with the innermost loop, or, in a sequential loop, an array that the body also reads
 * at another place. */
static bool element_is_carried(const CountPlace *place, const Block *block, const Expr *target) {
    if (place->loops == 0 || target->kind != EXPR_ELEMENT || !reads_elements(block, target->var)) return false;
    bool moves = false;
    for (size_t d = 0; d < target->arguments.count; d++)
        moves |= lower_expr_mentions(target->arguments.items[d], place->indices[place->loops - 1]);
    return !moves || place->sequential;
}

static void find_start(void *data, const Stmt *stmt) {
    const Starts *starts = data;
    if (stmt->kind != STMT_ASSIGN) return;
    const Var *root = lower_place_root(stmt->target);
    if (!root || is_own_local(starts->block, root) || find_carried(starts->chain, root)) return;
    if (var_is_array(root) && !element_is_carried(starts->chain->place, starts->block, stmt->target)) return;
    if (!var_is_array(root) && !lower_block_reads(starts->block, root)) return;
    vec_push(starts->chain->arena, &starts->chain->vars, ((Carried){root, 0}));
}

double cost_chain(Arena *arena, const CountPlace *place, const Block *block) {
    Chain chain = {.arena = arena, .place = place};
    lower_walk_block(&(Walk){NULL, find_start, &(Starts){&chain, block}}, block);
    chain_block(&chain, block);
    return chain.longest;
}
