/* The Partition section → the LPS tree of a task.
 *
 * LPSes may be written in any order. Their names and parents are resolved first
 * (an unknown or circular parent counts as Root after it was reported), then they
 * are created parents first, each followed by the pseudo-LPS of its sub-partition,
 * and last their data lines are read (spaces_match.c). */
#include <string.h>
#include "compiler/check/bodies.h"
#include "compiler/check/declare.h"

const LpsVar *lps_find_var(const Lps *lps, const Var *var) {
    for (size_t i = 0; i < lps->vars.count; i++)
        if (lps->vars.items[i].var == var) return &lps->vars.items[i];
    return NULL;
}

bool partition_is_like(const DimPartition *a, const DimPartition *b) {
    return a->function == b->function && a->order == b->order && expr_equal(a->arguments[0], b->arguments[0]) &&
           expr_equal(a->arguments[1], b->arguments[1]);
}

static bool is_as_long(const Expr *a, const Expr *b) {
    const Expr *none = a == NULL ? b : a;
    return expr_equal(a, b) || ((a == NULL || b == NULL) && none->kind == EXPR_INTEGER && none->integer == 0);
}

static bool is_none(const Expr *padding) { return padding == NULL || (padding->kind == EXPR_INTEGER && padding->integer == 0); }

bool partition_is_padded(const DimPartition *part) { return !is_none(part->padding_front) || !is_none(part->padding_back); }

bool partition_pads_like(const DimPartition *a, const DimPartition *b) {
    return is_as_long(a->padding_front, b->padding_front) && is_as_long(a->padding_back, b->padding_back);
}

const Lps *lps_holder(const Lps *lps, const Var *var) {
    while (lps->parent != NULL && lps_find_var(lps, var) == NULL) lps = lps->parent;
    return lps;
}

Lps *lps_proper(const Lps *lps) { return lps->sub_partition ? lps->parent : (Lps *)lps; }

bool lps_is_within(const Lps *lps, const Lps *ancestor) {
    while (lps->id > ancestor->id) lps = lps->parent; /* a parent's id is less than its children's */
    return lps == ancestor;
}

Lps *task_find_lps(const Task *task, const char *name) {
    for (size_t i = 0; i < task->spaces.count; i++) {
        Lps *lps = task->spaces.items[i];
        if (!lps->sub_partition && strcmp(lps->name, name) == 0) return lps;
    }
    return NULL;
}

void help_nearest_lps(Check *check, Diag *diag, const Task *task, const char *word) {
    VEC(const char *) names = {0};
    for (size_t i = 0; i < task->spaces.count; i++)
        if (!task->spaces.items[i]->sub_partition) vec_push(check->arena, &names, task->spaces.items[i]->name);
    /* One-letter names are all near each other: list them instead of guessing. */
    const char *near = strlen(word) > 1 ? text_nearest(word, names.items, names.count) : NULL;
    if (near != NULL) diag_help(diag, "did you mean 'Space %s'?", near);
    else diag_help(diag, "the task has %s", text_join_or(check->arena, names.items, names.count));
}

/* One `Space …` of the section. */
typedef struct SpaceDecl {
    const AstLps *ast;
    struct SpaceDecl *parent;    /* NULL: Root */
    Lps *lps;                    /* once created */
    enum { NOT_FOLLOWED, FOLLOWING, FOLLOWED } state;
} SpaceDecl;

typedef struct Spaces {
    Check *check;
    Task *task;
    VEC(SpaceDecl *) decls;
    NameTable by_name;           /* SpaceDecl * */
} Spaces;

/* ---- Names and parents --------------------------------------------------------------- */

static bool check_space_name(Spaces *spaces, Name name) {
    Diags *diags = spaces->check->diags;
    if (strcmp(name.text, "Root") == 0) {
        Diag *diag = diag_error(diags, E_SPACE_ROOT, name.span, "'Root' is reserved");
        diag_help(diag, "every task has a Space Root, un-partitioned, that holds every variable; give this one another name");
        return false;
    }
    SpaceDecl *first = name_table_find(&spaces->by_name, name.text);
    if (first == NULL) return true;
    Diag *diag = diag_error(diags, E_SPACE_TWICE, name.span, "Space %s is declared twice", name.text);
    diag_note(diag, first->ast->name.span, "the first 'Space %s' is here", name.text);
    return false;
}

static void collect_spaces(Spaces *spaces, const AstTask *ast) {
    Arena *arena = spaces->check->arena;
    for (size_t i = 0; i < ast->partition.spaces.count; i++) {
        const AstLps *lps = &ast->partition.spaces.items[i];
        if (!check_space_name(spaces, lps->name)) continue;
        SpaceDecl *decl = ARENA_NEW(arena, SpaceDecl);
        decl->ast = lps;
        vec_push(arena, &spaces->decls, decl);
        name_table_put(arena, &spaces->by_name, lps->name.text, decl);
    }
}

static void report_unknown_parent(Spaces *spaces, Name parent) {
    Diag *diag = diag_error(spaces->check->diags, E_SPACE_PARENT, parent.span,
                            "the Partition section has no Space %s to divide", parent.text);
    VEC(const char *) names = {0};
    for (size_t i = 0; i < spaces->decls.count; i++)
        vec_push(spaces->check->arena, &names, spaces->decls.items[i]->ast->name.text);
    const char *near = strlen(parent.text) > 1 ? text_nearest(parent.text, names.items, names.count) : NULL;
    if (near != NULL) diag_help(diag, "did you mean 'Space %s'?", near);
    else diag_help(diag, "it declares %s", text_join_or(spaces->check->arena, names.items, names.count));
}

static void resolve_parents(Spaces *spaces) {
    for (size_t i = 0; i < spaces->decls.count; i++) {
        SpaceDecl *decl = spaces->decls.items[i];
        Name parent = decl->ast->parent;
        if (parent.text == NULL) continue;
        if (strcmp(parent.text, "Root") == 0) {
            if (!decl->ast->divides_sub_partitions) continue;
            Diag *diag = diag_error(spaces->check->diags, E_NO_SUB_PARTITION, parent.span,
                                    "Space Root has no sub-partitions");
            diag_help(diag, "write 'divides Space Root partitions', or leave it out");
            continue;
        }
        decl->parent = name_table_find(&spaces->by_name, parent.text);
        if (decl->parent == NULL) report_unknown_parent(spaces, parent);
        else if (decl->ast->divides_sub_partitions && decl->parent->ast->sub_partitions.count == 0) {
            Diag *diag = diag_error(spaces->check->diags, E_NO_SUB_PARTITION, parent.span,
                                    "Space %s has no sub-partition for Space %s to divide", parent.text,
                                    decl->ast->name.text);
            diag_note(diag, decl->parent->ast->name.span, "Space %s is declared here", parent.text);
            diag_help(diag, "give it a 'Sub-partition <1d> <unordered> { … }', or divide its partitions");
        }
    }
}

static void report_space_cycle(Spaces *spaces, SpaceDecl *start) {
    const char *chain = start->ast->name.text;
    SpaceDecl *decl = start->parent;
    for (; decl != start; decl = decl->parent)
        chain = arena_printf(spaces->check->arena, "%s divides %s", chain, decl->ast->name.text);
    diag_error(spaces->check->diags, E_SPACE_CYCLE, start->ast->name.span, "Space %s divides itself: %s divides %s",
               start->ast->name.text, chain, start->ast->name.text);
}

static void break_cycles(Spaces *spaces) {
    for (size_t i = 0; i < spaces->decls.count; i++) {
        SpaceDecl *decl = spaces->decls.items[i];
        for (; decl != NULL && decl->state == NOT_FOLLOWED; decl = decl->parent) decl->state = FOLLOWING;
        SpaceDecl *again = decl != NULL && decl->state == FOLLOWING ? decl : NULL;
        for (decl = spaces->decls.items[i]; decl != NULL && decl->state == FOLLOWING; decl = decl->parent)
            decl->state = FOLLOWED;
        if (again == NULL) continue;
        report_space_cycle(spaces, again);
        again->parent = NULL;
    }
}

/* ---- Creating --------------------------------------------------------------------------- */

static Lps *add_lps(Spaces *spaces, Lps *parent, const char *name, Span span, int dims) {
    Lps *lps = ARENA_NEW(spaces->check->arena, Lps);
    *lps = (Lps){.id = (int)spaces->task->spaces.count, .name = name, .span = span, .parent = parent, .dims = dims};
    vec_push(spaces->check->arena, &spaces->task->spaces, lps);
    if (parent != NULL) vec_push(spaces->check->arena, &parent->children, lps);
    return lps;
}

static int check_dims(Spaces *spaces, int dims, Span span, const char *what) {
    if (dims >= 1 && dims <= MAX_RANK) return dims;
    diag_error(spaces->check->diags, E_SPACE_DIMS, span, "%s has 1 to %d dimensions, not %d", what, MAX_RANK, dims);
    return 1;
}

static int space_dims(Spaces *spaces, const AstLps *ast) {
    if (ast->unpartitioned) return 0;
    if (ast->has_dims) return check_dims(spaces, ast->dims, ast->name.span, "an LPS");
    Diag *diag = diag_error(spaces->check->diags, E_SPACE_DIMS, ast->name.span, "Space %s does not say how it is partitioned",
                            ast->name.text);
    diag_help(diag, "write its dimensionality, 'Space %s <1d>', or 'Space %s <un-partitioned>'", ast->name.text,
              ast->name.text);
    return 1;
}

static void create_sub_partition(Spaces *spaces, Lps *lps, const AstLps *ast) {
    if (ast->sub_partitions.count == 0) return;
    const AstSubPartition *sub = &ast->sub_partitions.items[0];
    if (ast->sub_partitions.count > 1) {
        Diag *diag = diag_error(spaces->check->diags, E_TWO_SUB_PARTITIONS, ast->sub_partitions.items[1].nature_span,
                                "Space %s has a second Sub-partition", lps->name);
        diag_note(diag, sub->nature_span, "the first one is here");
        diag_help(diag, "an LPS of its own can divide the sub-partitions further: 'divides Space %s sub-partitions'",
                  lps->name);
    }
    const char *name = arena_printf(spaces->check->arena, "%s sub-partition", lps->name);
    lps->sub = add_lps(spaces, lps, name, sub->nature_span,
                       check_dims(spaces, sub->dims, sub->nature_span, "a sub-partition"));
    lps->sub->sub_partition = true;
    lps->sub->ordered = sub->ordered;
}

/* Creates `decl` after every LPS above it, uppermost first. */
static void create_space(Spaces *spaces, SpaceDecl *decl) {
    VEC(SpaceDecl *) chain = {0};
    for (; decl != NULL && decl->lps == NULL; decl = decl->parent) vec_push(spaces->check->arena, &chain, decl);
    while (chain.count > 0) {
        decl = chain.items[--chain.count];
        Lps *parent = decl->parent == NULL ? spaces->task->spaces.items[0] : decl->parent->lps;
        if (decl->ast->divides_sub_partitions && parent->sub != NULL) parent = parent->sub;
        decl->lps = add_lps(spaces, parent, decl->ast->name.text, decl->ast->name.span, space_dims(spaces, decl->ast));
        decl->lps->dynamic = decl->ast->dynamic;
        create_sub_partition(spaces, decl->lps, decl->ast);
    }
}

static void create_root(Spaces *spaces) {
    Lps *root = add_lps(spaces, NULL, "Root", spaces->task->span, 0);
    for (size_t i = 0; i < spaces->task->globals.count; i++) {
        Var *var = spaces->task->globals.items[i];
        var->home = root;
        if (var_is_array(var)) vec_push(spaces->check->arena, &root->vars, ((LpsVar){.var = var, .span = var->span}));
    }
}

/* The LPUs of a partitioned LPS are counted by what it divides. */
static void check_lists_something(Spaces *spaces, const Lps *lps) {
    if (lps->dims == 0 || lps->vars.count > 0) return;
    Diag *diag = diag_error(spaces->check->diags, E_SPACE_EMPTY, lps->span,
                            lps->sub_partition ? "the sub-partition lists no variable, so it has no parts"
                                               : "Space %s lists no variable, so it has no LPUs", lps->name);
    diag_help(diag, "list the variables that it divides, each with one instruction for each dimension%s",
              lps->sub_partition ? "" : ", or make it <un-partitioned>");
}

/* More levels than any machine has; what a plan costs grows with the cube of the depth. */
enum { MAX_DEPTH = 64 };

/* One message for each branch, at its first LPS that is too deep. */
static void check_depth(Spaces *spaces, const Lps *lps) {
    int depth = 0;
    for (const Lps *above = lps; above->parent != NULL && depth <= MAX_DEPTH + 1; above = above->parent) depth++;
    if (depth != MAX_DEPTH + 1) return;
    Diag *diag = diag_error(spaces->check->diags, E_SPACE_DEPTH, lps->span,
                            lps->sub_partition ? "the sub-partition of Space %s is level %d below Root, but there can be only %d"
                                               : "Space %s is level %d below Root, but there can be only %d",
                            lps->sub_partition ? lps->parent->name : lps->name, depth, MAX_DEPTH);
    diag_help(diag, "let one LPS divide in several dimensions, or split the task");
}

void declare_spaces(Check *check, Task *task) {
    Spaces spaces = {.check = check, .task = task};
    create_root(&spaces);
    collect_spaces(&spaces, check_task_ast(check, task));
    resolve_parents(&spaces);
    break_cycles(&spaces);
    for (size_t i = 0; i < spaces.decls.count; i++) create_space(&spaces, spaces.decls.items[i]);
    for (size_t i = 0; i < task->spaces.count; i++) check_depth(&spaces, task->spaces.items[i]);
    for (size_t i = 0; i < spaces.decls.count; i++) {
        const AstLps *ast = spaces.decls.items[i]->ast;
        Lps *lps = spaces.decls.items[i]->lps;
        size_t errors = diags_error_count(check->diags);
        declare_data_lines(check, task, lps, ast->lines.items, ast->lines.count);
        if (diags_error_count(check->diags) == errors) check_lists_something(&spaces, lps);
        if (lps->sub == NULL) continue;
        const AstSubPartition *sub = &ast->sub_partitions.items[0];
        errors = diags_error_count(check->diags);
        declare_data_lines(check, task, lps->sub, sub->lines.items, sub->lines.count);
        if (diags_error_count(check->diags) == errors) check_lists_something(&spaces, lps->sub);
    }
}
