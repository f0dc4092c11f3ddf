/* What the rounds of a thread read before the first of them computes anything: compilers do not bring loads past branches, which quotients, roots and sums of elements end in, and take others
 * down to where their values are needed, to have fewer registers. A thread would wait for what one round reads before it asks for the next one's.
 *
 *     [&](int64_t i) {
 *         struct Hp5Read { double values_here1; };
 *         return Hp5Read{values[i]};
 *     }, [&](int64_t i, const auto &read) { … read.values_here1 … }
 *
 * These are elements that each round reads, at places that are known when it begins, and those that another stage gives (relays.c), of which it is what that stage reads. */
#include <string.h>
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/lower/passes.h"

enum { MOST_READ = 8, MOST_ON_WAY = 34 }; /* elements of a round; of all rounds of a thread that read at a time, each of which takes one or two registers */

bool cuda_is_quick(const char *function) {
    static const char *const quick[] = {"fabs", "fmin", "fmax", "llabs", "llmin", "llmax"};
    for (size_t i = 0; i < sizeof quick / sizeof *quick; i++)
        if (strcmp(function, quick[i]) == 0) return true;
    return false;
}

typedef struct Early {
    const Writer *writer;
    const Block *block;
    const Elements *written;
    Elements *elements;
    bool fails;
} Early;

/* It is not known when the round begins; or what lies there, and the round assigns it. */
static void note_inside(void *data, const Expr *expr) {
    Early *early = data;
    early->fails |= expr->kind == EXPR_VAR && writer_find(early->writer, expr->var) == NULL;
    early->fails |= expr->kind == EXPR_ELEMENT && lower_block_writes(early->block, expr->var) > 0;
}

static void note_element(void *data, const Expr *expr) {
    Early *early = data;
    if (expr->kind != EXPR_ELEMENT || (expr->type->kind != TYPE_INTEGER && !type_is_real(expr->type)) || early->elements->count >= MOST_READ) return;
    early->fails = !cuda_always_reads(early->block, expr) || writer_is_split(early->writer, expr);
    for (size_t i = 0; i < early->elements->count; i++) early->fails |= lower_expr_equal(early->elements->items[i], expr);
    for (size_t i = 0; i < early->written->count; i++) early->fails |= early->written->items[i]->var == expr->var && early->written->items[i]->lag == expr->lag;
    for (size_t d = 0; d < expr->arguments.count; d++) lower_walk_expr(&(Walk){note_inside, NULL, early}, expr->arguments.items[d]);
    if (!early->fails) vec_push(early->writer->arena, early->elements, expr);
}

Elements cuda_early(Writer *writer, const Block *block, const Elements *written, bool own) {
    Elements elements = {0};
    Early early = {writer, block, written, &elements, false};
    for (size_t i = 0; i < writer->given.count; i++) vec_push(writer->arena, &elements, writer->given.items[i].element);
    if (own) lower_walk_block(&(Walk){note_element, NULL, &early}, block);
    return elements;
}

/* ---- Whether it pays -------------------------------------------------------------------------------------------------- */
typedef struct Assigned {
    Writer *writer;
    const Block *block;
    const Expr *target;
    Elements places, others; /* all that are assigned; without the target and such that are a round's own */
} Assigned;

/* Elements that rounds may read early all the same: no other round that goes abreast has stored anything yet. */
static void note_assigned(void *data, const Stmt *stmt) {
    Assigned *assigned = data;
    const Expr *place = stmt->kind == STMT_ASSIGN ? stmt->target : NULL;
    while (place != NULL && place->kind != EXPR_VAR && place->kind != EXPR_ELEMENT) place = place->left;
    if (place == NULL || place->kind != EXPR_ELEMENT) return;
    vec_push(assigned->writer->arena, &assigned->places, place);
    const bool own = assigned->target != NULL ? place == assigned->target : cuda_owns(assigned->block, place);
    if (!own) vec_push(assigned->writer->arena, &assigned->others, place);
}

typedef struct Rest {
    const Elements *places, *early;
    bool branches, reads;
} Rest;

static void note_rest(void *data, const Expr *expr) {
    Rest *rest = data;
    const bool divides = expr->kind == EXPR_BINARY && (expr->op == OP_DIV || expr->op == OP_MOD) && expr->right->kind != EXPR_REAL && expr->right->kind != EXPR_INTEGER;
    rest->branches |= divides || (expr->kind == EXPR_BINARY && expr->op == OP_POW) || (expr->kind == EXPR_MATH && !cuda_is_quick(expr->math));
    bool other = expr->kind == EXPR_ELEMENT;
    for (size_t i = 0; i < rest->places->count && other; i++) other = expr != rest->places->items[i];
    for (size_t i = 0; i < rest->early->count && other; i++) other = !lower_expr_equal(expr, rest->early->items[i]);
    rest->reads |= other;
}

/* What is read early is all that is read; or the text has branches, or calls that have: quotients by what is not a number of the program, roots, and what else takes more than a few
 * instructions. Otherwise rounds would wait for it before they ask for the rest. */
static bool pays(const Block *block, const Elements *places, const Elements *early) {
    Rest rest = {places, early, false, false};
    lower_walk_block(&(Walk){note_rest, NULL, &rest}, block);
    return rest.branches || !rest.reads;
}

static void note_read(void *data, const Expr *expr) { *(bool *)data |= expr->kind == EXPR_ELEMENT; }

Elements cuda_read_early(Writer *writer, const Block *block, const Expr *target, const ExprVec *filters) {
    Assigned assigned = {.writer = writer, .block = block, .target = target};
    bool filtered = false;
    lower_walk_block(&(Walk){NULL, note_assigned, &assigned}, block);
    for (size_t f = 0; f < filters->count; f++) lower_walk_expr(&(Walk){note_read, NULL, &filtered}, filters->items[f]);
    Elements early = cuda_early(writer, block, &assigned.others, !filtered && !writer->strict && !writer->emit->options.checked);
    if (writer->given.count == 0 && !pays(block, &assigned.places, &early)) early.count = 0;
    return early;
}

/* ---- How many rounds ----------------------------------------------------------------------------------------------------- */
/* The index plus or minus a number. */
static bool is_beside(const Expr *subscript, const Var *index, int64_t *apart) {
    *apart = 0;
    if (subscript->kind == EXPR_VAR) return subscript->var == index;
    if (subscript->kind != EXPR_BINARY || (subscript->op != OP_ADD && subscript->op != OP_SUB) || subscript->right->kind != EXPR_INTEGER) return false;
    *apart = subscript->op == OP_ADD ? subscript->right->integer : -subscript->right->integer;
    return subscript->left->kind == EXPR_VAR && subscript->left->var == index;
}

/* Both are in one column: in nothing but what stands beside the index that rounds go down along do they differ. */
static bool in_one_column(const Expr *a, const Expr *b, const Var *down, int64_t *apart) {
    int64_t of_a, of_b;
    *apart = 0;
    if (down == NULL || a->var != b->var || a->lag != b->lag) return false;
    for (size_t d = 0; d < a->arguments.count; d++) {
        const Expr *x = a->arguments.items[d], *y = b->arguments.items[d];
        if (is_beside(x, down, &of_a) && is_beside(y, down, &of_b)) *apart += of_b > of_a ? of_b - of_a : of_a - of_b;
        else if (!lower_expr_equal(x, y)) return false;
    }
    return true;
}

/* What so many rounds read: those that go down a column have most of it in common. */
static int64_t on_way(const Elements *early, const Var *down, int64_t rounds) {
    int64_t count = 0;
    for (size_t i = 0; i < early->count; i++) {
        int64_t apart, most = 0;
        bool first = true;
        for (size_t j = 0; j < early->count; j++) {
            if (!in_one_column(early->items[i], early->items[j], down, &apart)) continue;
            first &= j >= i;
            if (apart > most) most = apart;
        }
        if (first) count += rounds + most;
    }
    return count;
}

int cuda_rounds_abreast(const Elements *early, const Var *down) {
    int rounds = ROUNDS_MANY;
    while (rounds > ROUNDS_FEW && on_way(early, down, rounds) > MOST_ON_WAY) rounds -= 2;
    return rounds;
}

/* ---- Its text ------------------------------------------------------------------------------------------------------------ */
/* What gives the element; NULL: it is the stage's own. */
static const char *giver_of(const Writer *writer, const Expr *element) {
    for (size_t i = 0; i < writer->given.count; i++)
        if (writer->given.items[i].element == element) return writer->given.items[i].name;
    return NULL;
}

static const char *subscripts_of(Writer *writer, const Expr *element) {
    const char *subscripts = "";
    for (size_t d = 0; d < element->arguments.count; d++)
        subscripts = arena_printf(writer->arena, "%s%s%s", subscripts, d > 0 ? ", " : "", writer_expr(writer, element->arguments.items[d]));
    return subscripts;
}

static const char *member_of(Writer *writer, const Expr *element, size_t number) {
    return arena_printf(writer->arena, "%s_here%zu", emit_symbol(writer->emit, element->var), number + 1);
}

void cuda_print_early(Writer *writer, const Elements *elements, const char *condition, int indent) {
    const char *members = "", *values = "";
    for (size_t i = 0; i < elements->count; i++) {
        const Expr *element = elements->items[i];
        const char *giver = giver_of(writer, element);
        const char *value = giver ? arena_printf(writer->arena, "%s.read(%s)", giver, subscripts_of(writer, element)) : writer_expr(writer, element);
        const char *type = giver ? arena_printf(writer->arena, "decltype(%s)", value) : emit_storage_type(writer->emit, element->var->type->element);
        members = arena_printf(writer->arena, "%s %s %s;", members, type, member_of(writer, element, i));
        values = arena_printf(writer->arena, "%s%s%s", values, i > 0 ? ", " : "", value);
    }
    writer_line(writer, indent, "struct Hp5Read {%s };", members);
    if (condition) writer_line(writer, indent, "if (!(%s)) return Hp5Read{};", condition);
    writer_line(writer, indent, "return Hp5Read{%s};", values);
}

void cuda_keep_early(Writer *writer, const Elements *elements, const char *read, int indent) {
    for (size_t i = 0; i < elements->count; i++) {
        const Expr *element = elements->items[i];
        const char *giver = giver_of(writer, element), *name = arena_printf(writer->arena, "%s.%s", read, member_of(writer, element, i));
        if (giver) {
            const char *local = writer_fresh(writer, arena_printf(writer->arena, "%s_here", emit_symbol(writer->emit, element->var)));
            writer_line(writer, indent, "const %s %s = %s.value(%s, %s);", emit_storage_type(writer->emit, element->var->type->element), local, giver, subscripts_of(writer, element), name);
            name = local;
        }
        vec_push(writer->arena, &writer->kept, ((KeptElement){element, name}));
    }
}
