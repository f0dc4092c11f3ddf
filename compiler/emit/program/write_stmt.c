/* Sequential statements, user functions. A local is declared where it is first assigned when that is a
 * statement of its own block, and is const when nothing assigns it again; otherwise it is
 * declared, zeroed, where its block begins. */
#include "compiler/emit/program/writer.h"
#include "compiler/lower/narrow.h"

#include <inttypes.h>
#include <string.h>
#include "compiler/base/diag.h"

/* ---- Lines ---------------------------------------------------------------------------------------- */
enum { LINE_LIMIT = 110 };

/* Where to break a line that is too long: after the last operator or comma before the limit among those with the
 * fewest brackets open around them; 0: nowhere. */
static size_t break_place(const char *line, size_t indent, size_t limit) {
    size_t best = 0;
    int depth = 0, best_cost = 1000;
    bool quoted = false;
    for (size_t i = 0; line[i] && i < limit; i++) {
        if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) quoted = !quoted;
        if (quoted) continue;
        if (strchr("([{", line[i])) depth++;
        if (strchr(")]}", line[i])) depth--;
        bool after = line[i] == ' ' && i > indent + 20 && strchr(",;+-*/&|=", line[i - 1]) && line[i + 1] != '{';
        int cost = 2 * depth + (after && line[i - 1] == '='); /* rather not after '=' */
        if (after && cost <= best_cost) {
            best = i + 1;
            best_cost = cost;
        }
    }
    return best;
}

static void put_line(Writer *writer, const char *line) {
    size_t indent = strspn(line, " ");
    size_t place = strlen(line) > LINE_LIMIT && line[0] != '#' ? break_place(line, indent, LINE_LIMIT) : 0;
    while (place > 0) {
        text_append_n(writer->out, line, place - 1);
        text_char(writer->out, '\n');
        line = arena_printf(writer->arena, "%*s%s", (int)indent + 8, "", line + place);
        place = strlen(line) > LINE_LIMIT ? break_place(line, indent + 8, LINE_LIMIT) : 0;
    }
    text_append(writer->out, line);
    text_char(writer->out, '\n');
}

void writer_line(Writer *writer, int indent, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *line = arena_vprintf(writer->arena, format, args);
    va_end(args);
    put_line(writer, arena_printf(writer->arena, "%*s%s", indent, "", line));
}

void writer_crew_waits(Writer *writer, int indent) {
    static const char wait[] = "crew.sync();\n";
    const size_t length = sizeof wait - 1;
    const Text *out = writer->out;
    if (out->length < length || memcmp(out->data + out->length - length, wait, length) != 0) writer_line(writer, indent, "crew.sync();");
}

char *emit_declarator(Arena *arena, const char *c_type, const char *name) {
    return arena_printf(arena, "%s%s%s", c_type, c_type[strlen(c_type) - 1] == '*' ? "" : " ", name);
}

/* -g: the debugger shows the program, not the C text. */
static void print_source_line(Writer *writer, const Stmt *stmt) {
    const char *file = writer->emit->source_name;
    if (writer->emit->options.line_directives)
        writer_line(writer, 0, "#line %d %s", emit_line(writer->emit, stmt->span),
                    emit_string_literal(writer->arena, file, strlen(file)));
}

/* ---- Names -------------------------------------------------------------------------------------- */
static const char *variable_text(void *data, const Var *var, int lag) {
    Writer *writer = data;
    const char *name = lag == 0 ? writer_find(writer, var) : NULL;
    if (name) return name;
    return writer->outer && writer->outer->variable ? writer->outer->variable(writer->outer->data, var, lag) : NULL;
}

static const char *view_text(void *data, const Var *array) {
    const Writer *writer = data;
    return writer->outer && writer->outer->view ? writer->outer->view(writer->outer->data, array) : NULL;
}

#define PASS_ON(hook)                                                                                     \
    static const char *hook##_text(void *data, const Expr *expr) {                                        \
        const Writer *writer = data;                                                                      \
        return writer->outer && writer->outer->hook ? writer->outer->hook(writer->outer->data, expr) : NULL; \
    }
PASS_ON(element)
PASS_ON(dim_range)
PASS_ON(lpu_id)
PASS_ON(other)
#undef PASS_ON

void writer_init(Writer *writer, Emit *emit, const LoweredBody *code, const EmitNames *outer, Text *out) {
    *writer = (Writer){.emit = emit, .arena = emit->arena, .out = out, .code = code, .body = outer ? NULL : code->body, .outer = outer};
    writer->names = (EmitNames){.variable = variable_text, .element = element_text, .dim_range = dim_range_text,
                                .view = view_text, .lpu_id = lpu_id_text, .other = other_text, .code = outer ? NULL : code, .data = writer};
}

/* ---- Declarations --------------------------------------------------------------------------------- */

static const char *zero_of(const Type *type) {
    switch (type->kind) {
    case TYPE_STRUCT: case TYPE_STATIC_ARRAY: case TYPE_RANGE: return "{0}";
    case TYPE_BOOLEAN: return "false";
    case TYPE_REAL_SINGLE: return "0.0f";
    case TYPE_REAL_DOUBLE: return "0.0";
    case TYPE_STRING: return "\"\"";
    case TYPE_ARRAY: case TYPE_LIST: case TYPE_ENVIRONMENT: return "NULL";
    default: return "0";
    }
}

bool writer_sets_first(const Stmt *stmt, const Var *var) {
    return stmt->kind == STMT_ASSIGN && stmt->accumulate == ACCUMULATE_NONE && stmt->target->kind == EXPR_VAR &&
           stmt->target->var == var && !lower_expr_mentions(stmt->value, var);
}

typedef struct Firsts { const Writer *writer; const Stmt *stmt; } Firsts;

static void note_first(const Firsts *firsts, const Var *var) {
    const Writer *writer = firsts->writer;
    if (lower_is_counted(writer->body, var) && !writer->first[var->id]) writer->first[var->id] = firsts->stmt;
}

static void note_first_in_expr(void *data, const Expr *expr) { note_first(data, expr->var); }

static void note_first_in_stmt(void *data, const Stmt *stmt) {
    for (size_t i = 0; i < stmt->indices.count; i++) note_first(data, stmt->indices.items[i].domain_var);
    for (size_t i = 0; stmt->kind == STMT_EXTERN && i < stmt->external->uses.count; i++) note_first(data, stmt->external->uses.items[i]);
}

/* Which statements mention the block's locals first. */
static void find_firsts(Writer *writer, const Block *block) {
    if (writer->hook || !writer->body || block->locals.count == 0) return;
    if (!writer->first) writer->first = ARENA_ARRAY(writer->arena, const Stmt *, writer->body->vars.count + 1);
    for (size_t i = 0; i < block->locals.count; i++) writer->first[block->locals.items[i]->id] = NULL;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Block alone = {.statements = {.items = (Stmt **)&block->statements.items[i], .count = 1}};
        lower_walk_block(&(Walk){note_first_in_expr, note_first_in_stmt, &(Firsts){writer, block->statements.items[i]}}, &alone);
    }
}

/* The statement that declares `var`, of the block that is printed, by assigning it, or NULL. */
static const Stmt *declaring_statement(const Writer *writer, const Var *var) {
    if (writer->hook || !writer->body) return NULL;
    const Stmt *first = writer->first[var->id];
    return first && writer_sets_first(first, var) ? first : NULL;
}

/* Only ever assigned: neither the variable nor its assignments are printed. */
bool writer_is_unread(const Writer *writer, const Var *var) {
    return writer->body && !writer->hook && lower_is_counted(writer->body, var) && writer->code->uses[var->id].reads == 0;
}

/* In Initialize and the coordinator values may do something besides: the variable stays, and the C compiler is told so. */
static void print_never_read(Writer *writer, const Var *var, const char *name, int indent) {
    bool stays = (var->kind == VAR_LOCAL || var->kind == VAR_COORDINATOR) && writer->body == NULL && writer->code != NULL;
    if (stays && !lower_block_reads(&writer->code->body->block, var)) writer_line(writer, indent, "(void)%s;", name);
}

/* Of fewer bits where nothing changes by it: int8_t around = 0 (at most 9). */
const char *writer_local_type(const Writer *writer, const Var *var) {
    const int bytes = lower_bytes_of(writer->names.code, var);
    if (bytes == 0) return emit_storage_type(writer->emit, var->type);
    return bytes == LOWER_UNSIGNED ? "uint32_t" : bytes == 1 ? "int8_t" : bytes == 2 ? "int16_t" : "int32_t";
}

void writer_declare_zeroed(Writer *writer, const Var *var, int indent) {
    const char *c_type = writer_local_type(writer, var);
    const char *name = writer_declare(writer, var);
    writer_line(writer, indent, "%s = %s;", emit_declarator(writer->arena, c_type, name), zero_of(var->type));
    print_never_read(writer, var, name, indent);
}

static void declare_by_assignment(Writer *writer, const Stmt *stmt, int indent) {
    const Var *var = stmt->target->var;
    print_source_line(writer, stmt);
    char *value = writer_expr(writer, stmt->value); /* before its name is in scope */
    bool pointer = var->type->kind == TYPE_STRING || var->type->kind == TYPE_LIST;
    bool constant = writer->code->uses[var->id].writes == 1 && !pointer;
    const char *name = writer_declare(writer, var);
    const char *c_type = writer_local_type(writer, var);
    writer_line(writer, indent, "%s%s = %s;", constant ? "const " : "",
                emit_declarator(writer->arena, c_type, name), value);
    print_never_read(writer, var, name, indent);
}

static bool is_local_of(const Block *block, const Var *var) {
    for (size_t i = 0; i < block->locals.count; i++)
        if (block->locals.items[i] == var) return true;
    return false;
}

/* ---- Statements ---------------------------------------------------------------------------------------- */
/* Checked builds: whether another LPU writes the element as well. */
static void print_write_check(Writer *writer, const Expr *target, int indent) {
    while (target->kind == EXPR_FIELD || target->kind == EXPR_AT_INDEX || target->kind == EXPR_RANGE_PART) target = target->left;
    if (target->kind != EXPR_ELEMENT) return;
    Text indices = {0};
    for (size_t d = 0; d < target->arguments.count; d++)
        text_printf(&indices, "%s%s", d > 0 ? ", " : "", writer_expr(writer, target->arguments.items[d]));
    const char *file = writer->emit->source_name, *variable = target->var->name, *stage = writer->use->stage->body.name;
    writer_line(writer, indent, "hp5_check_write(worker, %s_view, %s%s%s, lpu, %s, %s, %s, %d);", emit_symbol(writer->emit, target->var),
                writer->crew ? "HP5_INDICES(" : "(const int64_t[]){", indices.data, writer->crew ? ")" : "}", emit_string_literal(writer->arena, variable, strlen(variable)),
                emit_string_literal(writer->arena, stage, strlen(stage)), emit_string_literal(writer->arena, file, strlen(file)),
                emit_line(writer->emit, target->span));
    text_free(&indices);
}

/* What a statement assigns, as one expression. */
static char *assigned_value(Writer *writer, const Stmt *stmt, const Expr *addend) {
    if (stmt->accumulate == ACCUMULATE_NONE) return emit_stored(writer->emit, lower_is_stored_single(stmt->target), stmt->value, writer_expr(writer, stmt->value));
    const char *fma = stmt->target->type->kind == TYPE_REAL_SINGLE ? "fmaf" : "fma";
    char *a = writer_expr(writer, stmt->factor_a), *b = writer_expr(writer, stmt->factor_b);
    if (stmt->accumulate == ACCUMULATE_FMS) a = arena_printf(writer->arena, "-%s", writer_expr_primary(writer, stmt->factor_a));
    return arena_printf(writer->arena, "%s(%s, %s, %s)", fma, a, b, writer_expr(writer, addend));
}

/* A value that may look into the list comes first: it sees what the list has before it grows. */
static void print_list_assign(Writer *writer, const Stmt *stmt, const Expr *addend, int indent) {
    if (stmt->accumulate == ACCUMULATE_NONE && !lower_expr_has_effect(stmt->value)) {
        writer_line(writer, indent, "%s = %s;", writer_place(writer, stmt->target), assigned_value(writer, stmt, addend));
        return;
    }
    size_t mark = writer->scope.count;
    const char *value = writer_fresh(writer, "element");
    const char *c_type = emit_storage_type(writer->emit, stmt->target->type);
    writer_line(writer, indent, "{");
    writer_line(writer, indent + 4, "%s = %s;", emit_declarator(writer->arena, c_type, value), assigned_value(writer, stmt, addend));
    writer_line(writer, indent + 4, "%s = %s;", writer_place(writer, stmt->target), value);
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
}

bool writer_is_element(const Expr *place) {
    while (place->kind == EXPR_FIELD || place->kind == EXPR_AT_INDEX || place->kind == EXPR_RANGE_PART) place = place->left;
    return place->kind == EXPR_ELEMENT;
}

static char *target_text(Writer *writer, const Expr *target) { return target->kind == EXPR_VAR ? writer_place(writer, target) : writer_expr(writer, target); }

/* To an element that others may add to at the same time, or to its counter (cuda/tallies.c). */
static void print_count(Writer *writer, const Stmt *sum, int indent) {
    const char *by = writer_expr(writer, sum->value->right);
    const bool less = sum->value->op == OP_SUB;
    for (size_t i = 0; i < writer->counted.count; i++) {
        if (writer->counted.items[i].element != sum->target) continue;
        writer_line(writer, indent, "%s.add(%s, %s%s);", writer->counted.items[i].name, writer_element_place(writer, sum->target), less ? "-" : "", by);
        return;
    }
    writer_line(writer, indent, "hp5_%scount(&%s, %s);", less ? "dis" : "", writer_expr(writer, sum->target), by);
}

static void print_assign(Writer *writer, const Stmt *written, int indent) {
    const Expr *addend;
    if (writer->extremum.stmt == written) {
        const char *next = writer_expr(writer, written->value->arguments.items[1]);
        writer_line(writer, indent, "%s = hp5_%s_take(%s, %s);", writer->extremum.order, writer->extremum.operation, writer->extremum.order, next);
        return;
    }
    if (writer->sharing == CREW_COUNTS && written->target->kind == EXPR_ELEMENT) {
        print_count(writer, written, indent);
        return;
    }
    if (writer_settles_param(writer, written, indent)) return;
    const Stmt *stmt = writer_assign_in_order(writer, written, &addend, indent);
    if (writer->emit->options.checked && writer->use != NULL) print_write_check(writer, stmt->target, indent);
    if (stmt->target->kind == EXPR_VAR && writer_is_unread(writer, stmt->target->var)) {
        if (lower_expr_has_effect(stmt->value) || writer->emit->options.checked)
            writer_line(writer, indent, "(void)%s;", writer_expr_primary(writer, stmt->value));
        return;
    }
    if (writer_is_in_list(stmt->target)) print_list_assign(writer, stmt, addend, indent);
    else if (writer_is_split(writer, stmt->target)) writer_split_assign(writer, stmt->target, writer_expr(writer, stmt->value), indent);
    else writer_line(writer, indent, "%s = %s;", target_text(writer, stmt->target), assigned_value(writer, stmt, addend));
    for (size_t i = 0; i < writer->noted.count; i++)
        if (lower_expr_equal(writer->noted.items[i].element, stmt->target)) writer_line(writer, indent, "%s = true;", writer->noted.items[i].name);
}

/* The branch of an `if` whose condition is known. */
static void print_taken(Writer *writer, const Block *taken, int indent) {
    const bool declares = taken && taken->locals.count > 0;
    if (declares) writer_line(writer, indent, "{");
    if (taken) writer_block(writer, taken, declares ? indent + 4 : indent);
    if (declares) writer_line(writer, indent, "}");
}

static void print_if(Writer *writer, const Stmt *stmt, int indent) {
    bool holds = writer->decision;
    const Expr *condition = stmt == writer->decided ? NULL : writer->edges ? lower_in_piece(writer->edges, writer->piece, stmt->value, &holds) : stmt->value;
    if (!condition) {
        print_taken(writer, holds ? &stmt->body : stmt->otherwise, indent);
        return;
    }
    if (writer_if_converts(writer, stmt, indent) || writer_sets_flags(writer, stmt, indent) || writer_sums_where(writer, stmt, indent)) return;
    const size_t kept = writer_keep_elements(writer, stmt, indent);
    writer_line(writer, indent, "if (%s) {", writer_condition(writer, condition));
    writer_block(writer, &stmt->body, indent + 4);
    if (stmt->otherwise && stmt->otherwise->statements.count > 0) {
        writer_line(writer, indent, "} else {");
        writer_block(writer, stmt->otherwise, indent + 4);
    }
    writer_line(writer, indent, "}");
    writer_store_elements(writer, kept, indent);
}

static bool is_step(const Expr *step, int64_t value) { return step && step->kind == EXPR_INTEGER && step->integer == value; }

/* Loops by 1 and -1 are plain; others count their rounds, so that nothing overflows and a step of 0 is found. */
static void print_sequence_head(Writer *writer, const Stmt *stmt, const char *name, char *min, char *max, char *range, int indent) {
    const char *index = name;
    if (!stmt->step && !writer->loop_blocks && writer_is_counted(writer, stmt->value)) {
        const char *end = writer_fresh(writer, arena_printf(writer->arena, "%s_end", index)), *after = writer_plain_after(writer, stmt->value->right);
        writer_line(writer, indent, "for (int64_t %s = %s, %s = %s; %s != %s; %s++) {", index, min, end, after, index, end, index);
        return;
    }
    const char *last = writer_fresh(writer, arena_printf(writer->arena, "%s_last", index));
    if (!stmt->step || is_step(stmt->step, 1)) {
        writer_line(writer, indent, "for (int64_t %s = %s, %s = %s; %s <= %s; %s++) {", index, min, last, max, index, last, index);
        return;
    }
    bool down = stmt->step->kind == EXPR_UNARY && stmt->step->op == OP_NEG && is_step(stmt->step->left, 1);
    if (down || is_step(stmt->step, -1)) {
        writer_line(writer, indent, "for (int64_t %s = %s, %s = %s; %s >= %s; %s--) {", index, max, last, min, index, last, index);
        return;
    }
    const char *file = writer->emit->source_name, *left = writer_fresh(writer, arena_printf(writer->arena, "%s_rounds", index));
    const char *by = writer_fresh(writer, arena_printf(writer->arena, "%s_step", index));
    writer_line(writer, indent,
                "for (int64_t %s = %s, %s = hp5_steps(%s, %s, %s, %d), %s = hp5_first_step(%s, %s); %s > 0; %s--, %s += %s) {",
                by, writer_expr(writer, stmt->step), left, range, by, emit_string_literal(writer->arena, file, strlen(file)),
                emit_line(writer->emit, stmt->span), index, range, by, left, left, index, by);
}

/* In lanes, a few rounds by 1 that the text says, of a few statements: what lanes have between them stays in registers when they stand one behind the other. */
static bool is_written_out(const Writer *writer, const Stmt *stmt) {
    enum { MOST_ROUNDS = 16, MOST_STATEMENTS = 12 };
    const Expr *range = stmt->value;
    const Nest *nest = writer->loop_body ? writer->lanes.nest : NULL;
    if (!nest || nest->lanes.along || nest->lanes.rows || nest->lanes.apart || nest->lanes.ragged.count > 0 || (stmt->step && !is_step(stmt->step, 1)) || range->kind != EXPR_RANGE) return false;
    if (range->left->kind != EXPR_INTEGER || range->right->kind != EXPR_INTEGER || stmt->body.statements.count > MOST_STATEMENTS) return false;
    for (size_t i = 0; i < stmt->body.statements.count; i++)
        if (stmt->body.statements.items[i]->kind != STMT_ASSIGN) return false;
    return range->right->integer < range->left->integer + MOST_ROUNDS;
}

/* Whether the range is that of a part, which has not all of its indices. */
static bool goes_through_gaps(const Writer *writer, const Expr *range) {
    if (range->kind != EXPR_DIM_RANGE || !range->local || !writer->use) return false;
    const Formal *formal = lower_formal(writer->use, range->var);
    return !formal->interval[range->dimension] && !formal->whole[range->dimension];
}

/* An expression that costs nothing to evaluate twice. */
static bool is_cheap(const Expr *expr) { return expr->kind == EXPR_VAR || expr->kind == EXPR_DIM_RANGE; }

static void print_sequence(Writer *writer, const Stmt *stmt, int indent) {
    const Expr *range = stmt->value;
    size_t mark = writer->scope.count;
    char *min, *max, *text;
    int inside = indent;
    if (range->kind == EXPR_RANGE && !emit_changes_something(writer->emit, range)) {
        min = writer_expr(writer, range->left);
        max = writer_expr(writer, range->right);
        text = writer_expr(writer, range);
    } else {
        text = writer_expr_primary(writer, range);
        if (!is_cheap(range)) {
            const char *name = writer_fresh(writer, arena_printf(writer->arena, "%s_range", stmt->index->name));
            writer_line(writer, indent, "{");
            inside += 4;
            writer_line(writer, inside, "const Hp5Range %s = %s;", name, text);
            text = arena_strdup(writer->arena, name);
        }
        min = emit_member(writer->arena, text, "min");
        max = emit_member(writer->arena, text, "max");
    }
    const char *index = writer_declare(writer, stmt->index);
    if (range->kind == EXPR_DIM_RANGE || writer_is_counted(writer, range)) vec_push(writer->arena, &writer->array_indices, stmt->index);
    const bool has_gaps = goes_through_gaps(writer, range), in_blocks = writer->loop_body && writer->loop_blocks && !has_gaps && (!stmt->step || is_step(stmt->step, 1));
    const char *left = in_blocks ? writer->loop_blocks(writer, stmt, index, min, max, inside) : NULL;
    if (left) min = arena_strdup(writer->arena, left);
    if (writer->loop_body ? is_written_out(writer, stmt) : writer_is_written_out(writer, stmt)) writer_line(writer, inside, "HP5_ALL_ROUNDS");
    print_sequence_head(writer, stmt, index, min, max, text, inside);
    if (has_gaps)
        writer_line(writer, inside + 4, "if (!hp5_set_contains(&%s, %s)) continue;", writer_part(writer, range->var, range->dimension), index);
    const Stmt *outer = writer->names.turn;
    const VarVec waiting = writer->names.waiting;
    const bool beside = writer->names.beside;
    const bool apart = writer->lanes.nest && writer->lanes.nest->lanes.apart; /* such lanes go in no vectors, either */
    writer->names.turn = writer->loop_body && !apart ? NULL : stmt;
    writer->names.beside = apart;
    if (writer->names.turn != NULL) writer->names.waiting = emit_waiting(writer->arena, stmt);
    (writer->loop_body ? writer->loop_body : writer_block)(writer, &stmt->body, inside + 4);
    writer->names.turn = outer;
    writer->names.waiting = waiting;
    writer->names.beside = beside;
    writer_line(writer, inside, "}");
    if (inside > indent) writer_line(writer, indent, "}");
    writer->scope.count = mark;
    if (left) writer_take(writer, left);
}

void writer_declare_for_condition(Writer *writer, const Stmt *stmt, int indent) {
    for (size_t i = 0; i < stmt->body.locals.count; i++)
        if (lower_expr_mentions(stmt->value, stmt->body.locals.items[i])) writer_declare_zeroed(writer, stmt->body.locals.items[i], indent);
}

static void print_while(Writer *writer, const Stmt *stmt, int indent) {
    size_t mark = writer->scope.count;
    bool asks_locals = false;
    for (size_t i = 0; i < stmt->body.locals.count; i++) asks_locals |= lower_expr_mentions(stmt->value, stmt->body.locals.items[i]);
    const int inside = asks_locals ? indent + 4 : indent;
    if (asks_locals) writer_line(writer, indent, "{");
    writer_declare_for_condition(writer, stmt, inside);
    writer_line(writer, inside, "do {");
    writer_block(writer, &stmt->body, inside + 4);
    writer_line(writer, inside, "} while (%s);", writer_expr(writer, stmt->value));
    if (inside > indent) writer_line(writer, indent, "}");
    writer->scope.count = mark;
}

static void print_return(Writer *writer, const Stmt *stmt, int indent) {
    if (stmt->value) writer_line(writer, indent, "return %s;", writer_expr(writer, stmt->value));
    else writer_line(writer, indent, writer->leaves_by_goto ? "goto done;" : "return;");
}

void emit_own_line(Emit *emit, Text *out) {
    int line = 2;
    for (size_t i = 0; i < out->length; i++) line += out->data[i] == '\n';
    const char *name = arena_printf(emit->arena, "%s.c", emit->source_name);
    text_printf(out, "#line %d %s\n", line, emit_string_literal(emit->arena, name, strlen(name)));
}

void writer_stmt(Writer *writer, const Stmt *stmt, int indent) {
    if (writer->hook && writer->hook(writer->outer ? writer->outer->data : NULL, stmt, indent, writer->out)) return;
    print_source_line(writer, stmt);
    switch (stmt->kind) {
    case STMT_ASSIGN: print_assign(writer, stmt, indent); return;
    case STMT_CALL:
        writer_line(writer, indent, "%s%s;", stmt->value->kind == EXPR_CALL ? "" : "(void)", writer_expr(writer, stmt->value));
        return;
    case STMT_IF: print_if(writer, stmt, indent); return;
    case STMT_PARALLEL: writer->emit->backend->parallel(writer, stmt, indent); return;
    case STMT_SEQUENCE: print_sequence(writer, stmt, indent); return;
    case STMT_WHILE: print_while(writer, stmt, indent); return;
    case STMT_RETURN: print_return(writer, stmt, indent); return;
    case STMT_REDUCE: writer->emit->backend->reduce(writer, stmt, indent); return;
    case STMT_BLOCK:
        writer_line(writer, indent, "{");
        writer_block(writer, &stmt->body, indent + 4);
        writer_line(writer, indent, "}");
        return;
    case STMT_EXTERN: writer_extern(writer, stmt, indent); return;
    default: internal_error("emit", "statement kind %d stands where none of its kind can", (int)stmt->kind);
    }
}

void writer_block(Writer *writer, const Block *block, int indent) {
    size_t mark = writer->scope.count;
    writer_block_lists(writer, block, indent);
    find_firsts(writer, block);
    for (size_t i = 0; i < block->locals.count; i++) {
        const Var *local = block->locals.items[i];
        bool needed = !writer_is_unread(writer, local) && !writer_find(writer, local);
        bool overridden = writer->outer && writer->outer->variable && writer->outer->variable(writer->outer->data, local, 0);
        if (needed && !overridden && !declaring_statement(writer, local)) writer_declare_zeroed(writer, local, indent);
    }
    for (size_t i = 0; i < block->statements.count; i++) {
        const size_t done = writer->emit->backend->by_one ? writer->emit->backend->by_one(writer, block, i, indent) : 0;
        if (done > 0) {
            i += done - 1;
            continue;
        }
        const Stmt *stmt = block->statements.items[i];
        const Var *var = stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR ? stmt->target->var : NULL;
        bool declares = var && is_local_of(block, var) && !writer_find(writer, var) && !writer_is_unread(writer, var) &&
                        declaring_statement(writer, var) == stmt;
        if (declares) declare_by_assignment(writer, stmt, indent);
        else writer_stmt(writer, stmt, indent);
    }
    writer->scope.count = mark;
}

void emit_block(Emit *emit, const EmitNames *names, const LoweredBody *code, int indent, Text *out,
                bool (*stmt_hook)(void *data, const Stmt *stmt, int indent, Text *out)) {
    Writer writer;
    writer_init(&writer, emit, code, names, out);
    writer.hook = stmt_hook;
    writer_block(&writer, &code->body->block, indent);
}
