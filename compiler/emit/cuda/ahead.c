/* What four rounds side by side (fours.c) read at places of their own is read while the four before run. A thread that is alone on its scheduler waits for each element as long as the
 * cache takes, and CUDA's compiler does not bring loads past the branches of quotients. So what the next four read comes into the same arrays as soon as these four need it no more:
 *
 *     if (j_end - j >= HP5_FOUR) {
 *         double bodies_x[HP5_FOUR], bodies_mass[HP5_FOUR];
 *         HP5_EACH_OF_FOUR(k) { bodies_x[k] = bodies[(j + k)].x; bodies_mass[k] = bodies[(j + k)].mass; }
 *         for (; j_end - j >= HP5_FOUR; j += HP5_FOUR) {
 *             const int64_t j_next = j_end - j >= 2 * HP5_FOUR ? j + HP5_FOUR : j;
 *             … dx[k] = bodies_x[k] - place …
 *             HP5_EACH_OF_FOUR(k) { bodies_x[k] = bodies[(j_next + k)].x; }
 *             hp5_divide_four(bodies_mass, dx, quotient);
 *             …
 *
 * Between a load and its use there is a quotient or a root. Where there would be none, first used in front of all and last used behind all, the four have copies, and what the next ones
 * read comes in front of the first. The last four read their own once more: nothing behind the loop's end is touched, nor anything in another order than rounds may have. */
#include "compiler/emit/cuda/cuda.h"
#include "compiler/emit/cuda/fours.h"
#include "compiler/lower/walk_bodies.h"

enum { MOST_AHEAD = 12, MOST_AT_TOP = 20 }; /* registers for a round's values: of 255 a thread has, four times as many */

/* ---- What is read ----------------------------------------------------------------------------------------------------------- */
typedef struct Subscripts {
    const Fours *fours;
    const Block *block;
    bool own, strange; /* they differ from round to round; they have no value in front of the loop, for a given index */
} Subscripts;

static void note_subscript(void *data, const Expr *expr) {
    Subscripts *all = data;
    const bool known = expr->kind != EXPR_VAR || (writer_find(all->fours->writer, expr->var) != NULL && lower_block_writes(all->block, expr->var) == 0);
    all->own |= expr->kind == EXPR_VAR && expr->var == all->fours->index;
    all->strange |= !known || expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX;
}

/* Of an array that the loop does not write. */
static bool is_read(const Fours *fours, const Block *block, const Expr *expr) {
    const Expr *element = expr;
    while (element->kind == EXPR_FIELD) element = element->left;
    if (element->kind != EXPR_ELEMENT || !four_is_scalar(expr->type) || lower_block_writes(block, element->var) > 0 || writer_kept(fours->writer, element)) return false;
    Subscripts all = {fours, block, false, false};
    for (size_t i = 0; i < element->arguments.count; i++) lower_walk_expr(&(Walk){note_subscript, NULL, &all}, element->arguments.items[i]);
    return all.own && !all.strange;
}

const char *four_read_name(const Fours *fours, const Expr *expr) {
    for (size_t i = 0; i < fours->reads.count; i++)
        if (expr->kind == EXPR_VAR && expr->var == fours->reads.items[i].stand_in->var) return fours->reads.items[i].name;
    return NULL;
}

static Expr *stand_in_of(const Fours *fours, const Expr *expr) {
    for (size_t i = 0; i < fours->reads.count; i++)
        if (lower_expr_equal(fours->reads.items[i].expr, expr)) return fours->reads.items[i].stand_in;
    return NULL;
}

static bool chooses(const Expr *expr) { return expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR); }

static const char *array_name(const Fours *fours, const Expr *expr) {
    Writer *writer = fours->writer;
    if (expr->kind == EXPR_ELEMENT) return writer_array_name(writer, expr->var, expr->lag);
    return arena_printf(writer->arena, "%s_%s", array_name(fours, expr->left), expr->left->type->fields.items[expr->field].name);
}

/* What is evaluated in each round, whatever the values are. */
static void find(Fours *fours, const Block *block, const Expr *expr) {
    if (expr == NULL || stand_in_of(fours, expr)) return;
    if (is_read(fours, block, expr)) {
        const char *wanted = array_name(fours, expr);
        if (expr->kind == EXPR_ELEMENT) wanted = arena_printf(fours->writer->arena, "%s_at_%s", wanted, fours->name);
        const char *name = writer_fresh(fours->writer, wanted);
        vec_push(fours->writer->arena, &fours->reads, ((FourRead){expr, name, four_stand_in(fours, expr, name)}));
        return;
    }
    if (expr->kind == EXPR_ELEMENT) return;
    find(fours, block, expr->left);
    if (!chooses(expr)) find(fours, block, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) find(fours, block, expr->arguments.items[i]);
}

void four_find_reads(Fours *fours, const Block *block) {
    const Writer *writer = fours->writer;
    for (size_t i = 0; i < writer->use->formals.count; i++)
        if (writer->use->formals.items[i].same_as > 0) return;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->target->kind != EXPR_VAR || !writer_is_unread(writer, stmt->target->var)) find(fours, block, stmt->value);
    }
    int registers = 0;
    for (size_t i = 0; i < fours->reads.count; i++) {
        const TypeKind kind = fours->reads.items[i].expr->type->kind;
        registers += kind == TYPE_REAL_SINGLE || kind == TYPE_BOOLEAN ? 1 : 2;
    }
    fours->way = registers == 0 || registers > MOST_AT_TOP ? FOUR_WHERE_USED : registers > MOST_AHEAD ? FOUR_AT_TOP : FOUR_AHEAD;
    if (fours->way == FOUR_WHERE_USED) fours->reads.count = 0;
}

const Expr *four_with_reads(const Fours *fours, const Expr *expr) {
    if (expr == NULL || fours->reads.count == 0) return expr;
    const Expr *known = stand_in_of(fours, expr);
    if (known) return known;
    if (expr->kind == EXPR_ELEMENT || expr->kind == EXPR_FIELD) return expr;
    Expr *copy = ARENA_NEW(fours->writer->arena, Expr);
    *copy = *expr;
    copy->arguments = (ExprVec){0};
    copy->left = (Expr *)four_with_reads(fours, expr->left);
    if (!chooses(expr)) copy->right = (Expr *)four_with_reads(fours, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) vec_push(fours->writer->arena, &copy->arguments, (Expr *)four_with_reads(fours, expr->arguments.items[i]));
    return copy;
}

/* ---- When it is read -------------------------------------------------------------------------------------------------------- */
/* Behind which piece an array gets what the next four rounds read; whether these have copies. */
typedef struct Refill { size_t behind; bool copied; } Refill;

static Refill refill_of(const Fours *fours, const FourRead *read) {
    const size_t end = fours->pieces.count - 1;
    size_t first = end, last = 0;
    for (size_t i = 0; i <= end; i++) {
        const char *text = fours->pieces.items[i]->data;
        if (text == NULL || !emit_text_uses(text, read->name)) continue;
        if (i < first) first = i;
        last = i;
    }
    const size_t calls_between = (end - last) / 2 + first / 2;
    return calls_between > 0 ? (Refill){last, false} : (Refill){0, true};
}

static const char *next_name(const Fours *fours, const FourRead *read) { return arena_printf(fours->writer->arena, "%s_next", read->name); }

static void print_array(const Fours *fours, const FourRead *read, const char *name, int indent) {
    writer_line(fours->writer, indent, "%s %s[HP5_FOUR];", emit_type(fours->writer->emit, read->expr->type), name);
}

/* `from`: which round is the first of the four. */
static void print_load(const Fours *fours, const FourRead *read, const char *name, const char *from, int indent) {
    Writer *writer = fours->writer;
    const size_t mark = writer->scope.count;
    vec_push(writer->arena, &writer->scope, ((ScopeName){fours->index, arena_printf(writer->arena, "(%s + %s)", from, fours->lane)}));
    writer_line(writer, indent, "HP5_EACH_OF_FOUR(%s) { %s[%s] = %s; }", fours->lane, name, fours->lane, writer_expr(writer, read->expr));
    writer->scope.count = mark;
}

static void print_piece(const Fours *fours, size_t number) {
    if (fours->pieces.items[number]->data) text_append(fours->writer->out, fours->pieces.items[number]->data);
    text_free(fours->pieces.items[number]);
}

static void print_ahead(Fours *fours, int indent) {
    Writer *writer = fours->writer;
    const char *next = writer_fresh(writer, arena_printf(writer->arena, "%s_next", fours->name));
    VEC(Refill) refills = {0};
    VEC(const char *) arrays = {0};
    for (size_t i = 0; i < fours->reads.count; i++) {
        const FourRead *read = &fours->reads.items[i];
        vec_push(writer->arena, &refills, refill_of(fours, read));
        vec_push(writer->arena, &arrays, refills.items[i].copied ? writer_fresh(writer, next_name(fours, read)) : read->name);
    }
    writer_line(writer, indent, "if (%s - %s >= HP5_FOUR) {", fours->last, fours->name);
    for (size_t i = 0; i < fours->reads.count; i++) print_array(fours, &fours->reads.items[i], arrays.items[i], indent + 4);
    for (size_t i = 0; i < fours->reads.count; i++) print_load(fours, &fours->reads.items[i], arrays.items[i], fours->name, indent + 4);
    writer_line(writer, indent + 4, "for (; %s - %s >= HP5_FOUR; %s += HP5_FOUR) {", fours->last, fours->name, fours->name);
    writer_line(writer, indent + 8, "const int64_t %s = %s - %s >= 2 * HP5_FOUR ? %s + HP5_FOUR : %s;", next, fours->last, fours->name, fours->name, fours->name);
    for (size_t i = 0; i < fours->reads.count; i++) {
        const FourRead *read = &fours->reads.items[i];
        if (!refills.items[i].copied) continue;
        print_array(fours, read, read->name, indent + 8);
        writer_line(writer, indent + 8, "HP5_EACH_OF_FOUR(%s) { %s[%s] = %s[%s]; }", fours->lane, read->name, fours->lane, arrays.items[i], fours->lane);
    }
    for (size_t p = 0; p < fours->pieces.count; p++) {
        print_piece(fours, p);
        for (size_t i = 0; i < fours->reads.count; i++)
            if (refills.items[i].behind == p) print_load(fours, &fours->reads.items[i], arrays.items[i], next, indent + 8);
    }
    writer_line(writer, indent + 4, "}");
    writer_line(writer, indent, "}");
}

int four_inside(const Fours *fours, int indent) { return indent + (fours->way == FOUR_AHEAD ? 8 : 4); }

void four_print_loop(Fours *fours, int indent) {
    Writer *writer = fours->writer;
    if (fours->way == FOUR_AHEAD) {
        print_ahead(fours, indent);
        return;
    }
    writer_line(writer, indent, "for (; %s - %s >= HP5_FOUR; %s += HP5_FOUR) {", fours->last, fours->name, fours->name);
    for (size_t i = 0; i < fours->reads.count; i++) print_array(fours, &fours->reads.items[i], fours->reads.items[i].name, indent + 4);
    for (size_t i = 0; i < fours->reads.count; i++) print_load(fours, &fours->reads.items[i], fours->reads.items[i].name, fours->name, indent + 4);
    for (size_t p = 0; p < fours->pieces.count; p++) print_piece(fours, p);
    writer_line(writer, indent, "}");
}
