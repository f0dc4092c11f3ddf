/* Which names of a body are its locals, which block each one belongs to, and whether it
 * has a value wherever it is read.
 *
 * A name that is assigned and belongs to nothing else is a local. It lives in the innermost
 * block that contains all its uses, with one refinement: when its uses lie in several
 * sub-blocks and each of them assigns it before reading it, each has a variable of its own
 * (two loops may both use `total`). A read is `exposed` for a block when the value may come
 * from before the block; that keeps a local carried around a loop outside of it.
 *
 * `state[name]` is the level of the block since whose start the name has certainly been
 * assigned (0: not at all). Java's rules: a branch of an `if` counts only when both assign,
 * a loop that may run zero times counts for nothing, `do … while` runs at least once.
 * Every change of it is logged in `trail`, so that a branch costs what it changes, not
 * what there is. */
#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include "compiler/check/bodies.h"

enum { FEW = 8 };                      /* up to so many names are looked for one by one */

typedef struct StateChange { int name, before; } StateChange;

typedef struct Scoper {
    Arena *arena;
    ScopeTree *tree;
    ScopeNode *node;
    ScopeIsOuter is_outer; void *data;
    VEC(const char *) names;
    VEC(Span) first_defs;
    NameTable table;                   /* values: number + 1 */
    int *state, *other;                /* other: room for state_merge */
    VEC(StateChange) trail;
    bool dead;
    bool collecting;                   /* first walk: only finds the assigned names */
    VEC(const char *) indices;
    const char *assigned;              /* its new value is walked */
} Scoper;

/* The number of an assigned name, or -1. */
static int name_number(const Scoper *s, const char *text) {
    return (int)(intptr_t)name_table_find(&s->table, text) - 1;
}

static void name_add(Scoper *s, const char *text, Span span) {
    if (name_number(s, text) >= 0) return;
    vec_push(s->arena, &s->names, text);
    vec_push(s->arena, &s->first_defs, span);
    name_table_put(s->arena, &s->table, text, (void *)(intptr_t)s->names.count);
}

static bool is_index(const Scoper *s, const char *name) {
    for (size_t i = s->indices.count; i-- > 0;)
        if (strcmp(s->indices.items[i], name) == 0) return true;
    return false;
}

/* ---- Uses --------------------------------------------------------------------- */
static ScopeUse *find_use(const Scoper *s, ScopeNode *node, int name) {
    if (node->use_numbers.count > 0) {
        size_t number = (size_t)(uintptr_t)name_table_find(&node->use_numbers, s->names.items[name]);
        return number == 0 ? NULL : &node->uses.items[number - 1];
    }
    for (size_t i = 0; i < node->uses.count; i++)
        if (node->uses.items[i].name == name) return &node->uses.items[i];
    return NULL;
}

static ScopeUse *add_use(Scoper *s, ScopeNode *node, int name) {
    vec_push(s->arena, &node->uses, ((ScopeUse){.name = name}));
    for (size_t i = node->use_numbers.count; node->uses.count > FEW && i < node->uses.count; i++)
        name_table_put(s->arena, &node->use_numbers, s->names.items[node->uses.items[i].name], (void *)(uintptr_t)(i + 1));
    return &vec_last(&node->uses);
}

static void note_use(Scoper *s, int name, bool reads) {
    ScopeNode *below = NULL;           /* a child that uses the name for the first time */
    for (ScopeNode *node = s->node; node != NULL; node = node->parent) {
        ScopeUse *use = find_use(s, node, name);
        bool fresh = use == NULL;
        if (fresh) use = add_use(s, node, name);
        if (node == s->node) use->direct = true;
        if (below != NULL) vec_push(s->arena, &use->below, below);
        if (reads && !s->dead && node->level > s->state[name]) use->exposed = true;
        below = fresh ? node : NULL;
    }
}

static void set_state(Scoper *s, int name, int state) {
    if (s->state[name] == state) return;
    vec_push(s->arena, &s->trail, ((StateChange){name, s->state[name]}));
    s->state[name] = state;
}

static void undo_state(Scoper *s, size_t mark) {
    while (s->trail.count > mark) {
        StateChange change = s->trail.items[--s->trail.count];
        s->state[change.name] = change.before;
    }
}

/* What was assigned since `mark` counts as assigned in this block. */
static void lower_state(Scoper *s, size_t mark) {
    int level = s->node->level;
    for (size_t i = mark, end = s->trail.count; i < end; i++)
        if (s->state[s->trail.items[i].name] > level) set_state(s, s->trail.items[i].name, level);
}

static void finding(Scoper *s, DiagCode code, Span span, const char *name) {
    vec_push(s->arena, &s->tree->findings, ((ScopeFinding){code, span, name, name != NULL && s->assigned != NULL && strcmp(name, s->assigned) == 0}));
}

static void read_name(Scoper *s, const char *name, Span span) {
    if (s->collecting || is_index(s, name)) return;
    int number = name_number(s, name);
    if (number < 0) return;
    note_use(s, number, true);
    if (s->state[number] == 0 && !s->dead) {
        finding(s, E_USED_BEFORE_VALUE, span, name);
        set_state(s, number, s->node->level); /* say it once */
    }
}

static void define_name(Scoper *s, const char *name, Span span) {
    if (is_index(s, name)) return;
    if (s->collecting) {
        if (!s->is_outer(s->data, name, true)) name_add(s, name, span);
        return;
    }
    int number = name_number(s, name);
    if (number < 0) return;
    note_use(s, number, false);
    if (s->state[number] < s->node->level) set_state(s, number, s->node->level);
}

/* ---- Expressions ---------------------------------------------------------------- */
static void walk_ast_expr(Scoper *s, const AstExpr *ast);

static void walk_assign(Scoper *s, const AstExpr *ast) {
    const AstExpr *target = ast->left;
    while (target->kind == AST_AT) target = target->left;
    const char *around = s->assigned;
    if (target->kind == AST_NAME) s->assigned = target->name.text;
    walk_ast_expr(s, ast->right);
    s->assigned = around;
    if (target->kind == AST_NAME) define_name(s, target->name.text, target->span);
    else walk_ast_expr(s, target);
}

static void walk_ast_expr(Scoper *s, const AstExpr *ast) {
    if (ast == NULL) return;
    if (ast->kind == AST_NAME) {
        read_name(s, ast->name.text, ast->span);
        return;
    }
    if (ast->kind == AST_ASSIGN) {
        walk_assign(s, ast);
        return;
    }
    walk_ast_expr(s, ast->left);
    walk_ast_expr(s, ast->right);
    for (size_t i = 0; i < ast->arguments.count; i++) walk_ast_expr(s, ast->arguments.items[i]);
    for (size_t i = 0; i < ast->named.count; i++)
        for (size_t k = 0; k < ast->named.items[i].values.count; k++)
            walk_ast_expr(s, ast->named.items[i].values.items[k]);
}

/* ---- Statements ------------------------------------------------------------------ */
static void walk_ast_stmt(Scoper *s, const AstStmt *ast);

typedef struct Branch { size_t count; StateChange *states; bool dead; } Branch; /* `before` is the state at its end */

/* Takes back what the branch since `mark` did, and returns it. */
static Branch leave_branch(Scoper *s, size_t mark, bool dead_before) {
    Branch branch = {.count = s->trail.count - mark, .dead = s->dead};
    branch.states = ARENA_ARRAY(s->arena, StateChange, branch.count);
    for (size_t i = 0; i < branch.count; i++) {
        int name = s->trail.items[mark + i].name;
        branch.states[i] = (StateChange){name, s->state[name]};
    }
    undo_state(s, mark);
    s->dead = dead_before;
    return branch;
}

static void merge_name(Scoper *s, int name, bool other_dead) {
    int mine = s->state[name], theirs = s->other[name], level = s->node->level;
    int both = s->dead ? theirs : other_dead ? mine : mine < theirs ? mine : theirs;
    set_state(s, name, both < level ? both : level);
}

/* After two ways to the same point, one of them since `mark`: assigned only where both assign, and in this block at most. */
static void state_merge(Scoper *s, size_t mark, const Branch *other) {
    size_t end = s->trail.count;
    for (size_t i = end; i-- > mark;) s->other[s->trail.items[i].name] = s->trail.items[i].before;
    for (size_t i = 0; i < other->count; i++) s->other[other->states[i].name] = other->states[i].before;
    for (size_t i = mark; i < end; i++) merge_name(s, s->trail.items[i].name, other->dead);
    for (size_t i = 0; i < other->count; i++) merge_name(s, other->states[i].name, other->dead);
    s->dead = s->dead && other->dead;
}

static void walk_statements(Scoper *s, const AstBlock *block) {
    bool reported = false;
    for (size_t i = 0; i < block->statements.count; i++) {
        const AstStmt *stmt = block->statements.items[i];
        if (s->dead && !reported && !s->collecting) {
            finding(s, W_UNREACHABLE, stmt->span, NULL);
            reported = true;
        }
        walk_ast_stmt(s, stmt);
    }
}

static void walk_child(Scoper *s, const AstBlock *block) {
    if (s->collecting) {
        walk_statements(s, block);
        return;
    }
    ScopeNode *node = ARENA_NEW(s->arena, ScopeNode);
    *node = (ScopeNode){.block = block, .parent = s->node, .level = s->node->level + 1};
    vec_push(s->arena, &s->node->children, node);
    s->node = node;
    walk_statements(s, block);
    s->node = node->parent;
}

static void walk_if(Scoper *s, const AstStmt *ast) {
    walk_ast_expr(s, ast->expr);
    if (s->collecting) {
        walk_child(s, &ast->body);
        if (ast->otherwise != NULL) walk_child(s, ast->otherwise);
        return;
    }
    size_t mark = s->trail.count;
    bool dead_before = s->dead;
    walk_child(s, &ast->body);
    Branch then = leave_branch(s, mark, dead_before);
    if (ast->otherwise != NULL) walk_child(s, ast->otherwise);
    state_merge(s, mark, &then);
}

/* reduce(s, …) with a local s gives s a value in any case: its reductions start before the loop. */
static void define_targets(Scoper *s, const AstBlock *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const AstStmt *stmt = block->statements.items[i];
        if (stmt->kind == AST_REDUCE && stmt->target != NULL && stmt->target->kind == AST_NAME)
            define_name(s, stmt->target->name.text, stmt->target->span);
        if (stmt->kind == AST_PARALLEL) continue;
        define_targets(s, &stmt->body);
        if (stmt->otherwise != NULL) define_targets(s, stmt->otherwise);
    }
}

/* A loop that may run zero times: what its body assigns is forgotten after it. */
static void walk_loop(Scoper *s, const AstStmt *ast) {
    size_t outer = s->indices.count;
    if (ast->kind == AST_PARALLEL) define_targets(s, &ast->body);
    for (size_t r = 0; r < ast->ranges.count; r++) walk_ast_expr(s, ast->ranges.items[r].domain);
    walk_ast_expr(s, ast->step);
    for (size_t r = 0; r < ast->ranges.count; r++)
        for (size_t i = 0; i < ast->ranges.items[r].indices.count; i++)
            vec_push(s->arena, &s->indices, ast->ranges.items[r].indices.items[i].text);
    for (size_t r = 0; r < ast->ranges.count; r++) walk_ast_expr(s, ast->ranges.items[r].restriction);
    size_t mark = s->trail.count;
    bool dead = s->dead;
    walk_child(s, &ast->body);
    undo_state(s, mark);
    s->dead = dead;
    s->indices.count = outer;
}

static void walk_while(Scoper *s, const AstStmt *ast) {
    size_t mark = s->trail.count;
    walk_child(s, &ast->body);
    if (!s->collecting) lower_state(s, mark);
    walk_ast_expr(s, ast->expr);
}

static void define_extern_name(void *data, const char *text, size_t length) {
    Scoper *s = data;
    if (s->collecting) return;
    const char *name = arena_copy(s->arena, text, length);
    int number = name_number(s, name);
    if (number < 0 || is_index(s, name)) return;
    bool known = s->state[number] > 0;
    /* A name first assigned after the block is a variable of the C code's own. */
    if (!known && find_use(s, s->tree->root, number) == NULL) return;
    note_use(s, number, known);
    set_state(s, number, s->node->level);
}

static void walk_ast_stmt(Scoper *s, const AstStmt *ast) {
    switch (ast->kind) {
    case AST_IF: walk_if(s, ast); break;
    case AST_PARALLEL: case AST_SEQUENCE: walk_loop(s, ast); break;
    case AST_WHILE: walk_while(s, ast); break;
    case AST_RETURN:
        walk_ast_expr(s, ast->expr);
        s->dead = true;
        break;
    case AST_BLOCK: {
        size_t mark = s->trail.count;
        walk_child(s, &ast->body);
        if (!s->collecting) lower_state(s, mark);
        break;
    }
    case AST_EXTERN: extern_each_name(ast->external, define_extern_name, s); break;
    case AST_REDUCE:
        walk_ast_expr(s, ast->target);
        walk_ast_expr(s, ast->expr);
        break;
    case AST_EXPR_STMT: walk_ast_expr(s, ast->expr); break;
    case AST_STMT_ERROR: break;
    }
}

/* ---- Where each local lives --------------------------------------------------------- */
static void add_local(Scoper *s, ScopeNode *node, int name) {
    Local *local = ARENA_NEW(s->arena, Local);
    *local = (Local){.name = s->names.items[name], .first = s->first_defs.items[name]};
    vec_push(s->arena, &node->locals, local);
    for (size_t i = node->locals_by_name.count; node->locals.count > FEW && i < node->locals.count; i++)
        name_table_put(s->arena, &node->locals_by_name, node->locals.items[i]->name, node->locals.items[i]);
}

static void declare(Scoper *s, ScopeNode *node, int name) {
    const ScopeUse *use = find_use(s, node, name);
    bool here = use->direct;
    for (size_t i = 0; i < use->below.count && !here; i++) here = find_use(s, use->below.items[i], name)->exposed;
    if (here) {
        add_local(s, node, name);
        return;
    }
    for (size_t i = 0; i < use->below.count; i++) declare(s, use->below.items[i], name);
}

Local *scope_local(const ScopeNode *node, const char *name) {
    if (node->locals_by_name.count > 0) return name_table_find(&node->locals_by_name, name);
    for (size_t i = 0; i < node->locals.count; i++)
        if (strcmp(node->locals.items[i]->name, name) == 0) return node->locals.items[i];
    return NULL;
}

ScopeTree *scope_analyse(Arena *arena, const AstBlock *block, ScopeIsOuter is_outer, void *data) {
    ScopeTree *tree = ARENA_NEW(arena, ScopeTree);
    Scoper s = {.arena = arena, .tree = tree, .is_outer = is_outer, .data = data, .collecting = true};
    walk_statements(&s, block);
    s.collecting = false;
    s.dead = false;
    s.state = ARENA_ARRAY(arena, int, s.names.count + 1);
    s.other = ARENA_ARRAY(arena, int, s.names.count + 1);
    tree->root = ARENA_NEW(arena, ScopeNode);
    *tree->root = (ScopeNode){.block = block, .level = 1};
    s.node = tree->root;
    walk_statements(&s, block);
    tree->falls_through = !s.dead;
    for (size_t i = 0; i < s.names.count; i++)
        if (find_use(&s, tree->root, (int)i) != NULL) declare(&s, tree->root, (int)i);
    return tree;
}

ScopeNode *scope_child(ScopeNode *node, const AstBlock *block) {
    for (size_t i = 0; i < node->children.count; i++) {
        size_t at = (node->next_child + i) % node->children.count;
        if (node->children.items[at]->block != block) continue;
        node->next_child = at + 1;
        return node->children.items[at];
    }
    return NULL;
}

/* ---- Extern code ------------------------------------------------------------------------ */
/* Skips a comment, string or character constant at `at`; returns where it ends, or `at`. */
static size_t skip_opaque(const char *code, size_t at, size_t length) {
    char c = code[at];
    if (c == '"' || c == '\'') {
        size_t i = at + 1;
        while (i < length && code[i] != c && code[i] != '\n') i += code[i] == '\\' ? 2 : 1;
        return i + 1;
    }
    if (c != '/' || at + 1 >= length) return at;
    size_t i = at + 2;
    if (code[at + 1] == '/') {
        while (i < length && code[i] != '\n') i++;
        return i;
    }
    if (code[at + 1] != '*') return at;
    while (i + 1 < length && !(code[i] == '*' && code[i + 1] == '/')) i++;
    return i + 2;
}

static bool follows_member_access(const char *code, size_t at) {
    while (at > 0 && isspace((unsigned char)code[at - 1])) at--;
    if (at > 0 && code[at - 1] == '.') return true;
    return at > 1 && code[at - 1] == '>' && code[at - 2] == '-';
}

void extern_each_name(const AstExtern *external, void (*visit)(void *, const char *, size_t), void *data) {
    const char *code = external->code;
    size_t length = external->code_length, i = 0;
    while (i < length) {
        size_t skipped = skip_opaque(code, i, length);
        if (skipped != i) {
            i = skipped;
        } else if (isalpha((unsigned char)code[i]) || code[i] == '_') {
            size_t start = i;
            while (i < length && (isalnum((unsigned char)code[i]) || code[i] == '_')) i++;
            if (!follows_member_access(code, start)) visit(data, code + start, i - start);
        } else if (isdigit((unsigned char)code[i])) {
            while (i < length && (isalnum((unsigned char)code[i]) || code[i] == '.' || code[i] == '_')) i++;
        } else {
            i++;
        }
    }
}
