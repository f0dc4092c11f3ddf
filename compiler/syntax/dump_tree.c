/* --dump=tokens and --dump=ast: what the lexer and the parser made of the source, in
 * words. The tree is indented by two columns a level; each node ends with the position
 * of its first character, unless the caller wants none (tests compare two trees). */
#include "compiler/syntax/parse.h"
#include <inttypes.h>
#include <string.h>

typedef struct Dump {
    const Ast *ast;
    Text *out;
    bool positions;
    int level;
} Dump;

void syntax_dump_tokens(Source *source, Text *out) {
    Arena *arena = arena_new();
    Ast scratch = {.source = source};
    Parse p = {.arena = arena, .source = source, .diags = diags_new(arena, source), .ast = &scratch};
    lex_source(&p);
    for (size_t i = 0; i < p.tokens.count; i++) {
        Token t = p.tokens.items[i];
        int line, column;
        source_position(source, t.span.start, &line, &column);
        text_printf(out, "%d:%d %s", line, column, token_kind_name(t.kind));
        if (t.kind) text_printf(out, " %.*s", (int)(t.span.end - t.span.start), source->text + t.span.start);
        text_char(out, '\n');
    }
    arena_free(arena);
}

static void indent(Dump *d) { text_indent(d->out, 2 * d->level); }

static void end_line(Dump *d, Span span) {
    if (d->positions) {
        int line, column;
        source_position(d->ast->source, span.start, &line, &column);
        text_printf(d->out, " @%d:%d", line, column);
    }
    text_char(d->out, '\n');
}

static void dump_names(Dump *d, const Name *names, size_t count) {
    for (size_t i = 0; i < count; i++) text_printf(d->out, "%s%s", i > 0 ? ", " : " ", names[i].text);
}

/* ---- Types -------------------------------------------------------------------------- */

static void dump_type(Dump *d, const AstType *t) {
    static const char *const basics[] = {"Integer",
                                         "Integer single-precision",
                                         "Real single-precision",
                                         "Real double-precision",
                                         "Boolean",
                                         "Character",
                                         "String",
                                         "Range"};
    switch (t->kind) {
    case AST_TYPE_BASIC: text_append(d->out, basics[t->basic]); break;
    case AST_TYPE_NAMED: text_append(d->out, t->name.text); break;
    case AST_TYPE_STATIC_ARRAY:
        text_append(d->out, "Array");
        for (size_t i = 0; i < t->extents.count; i++)
            text_printf(d->out, "[%" PRId64 "]", t->extents.items[i]);
        text_append(d->out, " of ");
        dump_type(d, t->element);
        break;
    case AST_TYPE_ARRAY:
        text_printf(d->out, "%dd Array of ", t->rank);
        dump_type(d, t->element);
        if (t->format.text) text_printf(d->out, " Format %s", t->format.text);
        break;
    case AST_TYPE_LIST:
        text_append(d->out, "List of ");
        dump_type(d, t->element);
        break;
    }
}

/* ---- Expressions ----------------------------------------------------------------------- */

static void dump_expr(Dump *d, const AstExpr *e);

static void dump_expr_head(Dump *d, const AstExpr *e) {
    static const char *const kinds[] = {
        "integer", "real",    "character",      "string", "boolean", "name", "field", "index",
        "call",    "unary",   "binary",         "in",     "range",   "all",  "at",    "assign",
        "new",     "execute", "space-argument", "error"};
    text_append(d->out, kinds[e->kind]);
    switch (e->kind) {
    case AST_INTEGER:
    case AST_REAL: text_printf(d->out, " %s", e->text); break;
    case AST_CHARACTER: text_printf(d->out, " %" PRId64, e->integer); break;
    case AST_BOOLEAN: text_append(d->out, e->integer ? " true" : " false"); break;
    case AST_STRING:
        text_char(d->out, ' ');
        text_json_string(d->out, e->text, e->text_length);
        break;
    case AST_NAME:
    case AST_FIELD:
    case AST_CALL:
    case AST_SPACE_ARG: text_printf(d->out, " %s", e->name.text); break;
    case AST_UNARY:
    case AST_BINARY: text_printf(d->out, " %s", operator_text(e->op)); break;
    case AST_AT: text_printf(d->out, " current - %" PRId64, e->integer); break;
    case AST_NEW:
        text_char(d->out, ' ');
        if (e->type) dump_type(d, e->type);
        else text_append(d->out, "TaskEnvironment");
        break;
    default: break;
    }
    if (e->parenthesised) text_append(d->out, " (parenthesised)");
    if (e->bracketed) text_append(d->out, " [bracketed]");
}

static void dump_exprs(Dump *d, const AstExprVec *all) {
    for (size_t i = 0; i < all->count; i++) dump_expr(d, all->items[i]);
}

static void dump_expr(Dump *d, const AstExpr *e) {
    indent(d);
    dump_expr_head(d, e);
    end_line(d, e->span);
    d->level++;
    if (e->left) dump_expr(d, e->left);
    if (e->right) dump_expr(d, e->right);
    dump_exprs(d, &e->arguments);
    for (size_t i = 0; i < e->named.count; i++) {
        indent(d);
        text_printf(d->out, "%s:", e->named.items[i].name.text);
        end_line(d, e->named.items[i].span);
        d->level++;
        dump_exprs(d, &e->named.items[i].values);
        d->level--;
    }
    d->level--;
}

static void dump_labelled(Dump *d, const char *label, const AstExpr *e) {
    if (!e) return;
    indent(d);
    text_printf(d->out, "%s\n", label);
    d->level++;
    dump_expr(d, e);
    d->level--;
}

/* ---- Statements -------------------------------------------------------------------------- */

static void dump_block(Dump *d, const char *label, const AstBlock *block);

static void dump_ranges(Dump *d, const AstStmt *s) {
    for (size_t i = 0; i < s->ranges.count; i++) {
        const AstIndexRange *r = &s->ranges.items[i];
        indent(d);
        text_append(d->out, "indices");
        dump_names(d, r->indices.items, r->indices.count);
        end_line(d, r->span);
        d->level++;
        dump_expr(d, r->domain);
        dump_labelled(d, "restriction", r->restriction);
        d->level--;
    }
}

static void dump_extern(Dump *d, const AstExtern *x) {
    indent(d);
    text_printf(d->out, "language %s\n", x->language.text ? x->language.text : "?");
    indent(d);
    text_append(d->out, "includes");
    dump_names(d, x->includes.items, x->includes.count);
    text_append(d->out, "\n");
    indent(d);
    text_append(d->out, "libraries");
    dump_names(d, x->libraries.items, x->libraries.count);
    text_append(d->out, "\n");
    indent(d);
    text_append(d->out, "code ");
    if (x->code) text_json_string(d->out, x->code, x->code_length);
    text_append(d->out, "\n");
}

static void dump_stmt(Dump *d, const AstStmt *s) {
    static const char *const kinds[] = {"expression", "if",     "parallel", "sequence", "while",
                                        "return",     "reduce", "extern",   "block",    "error"};
    indent(d);
    text_append(d->out, kinds[s->kind]);
    end_line(d, s->span);
    d->level++;
    if (s->target) dump_expr(d, s->target);
    if (s->reduce_op) dump_expr(d, s->reduce_op);
    if (s->expr) dump_expr(d, s->expr);
    dump_ranges(d, s);
    dump_labelled(d, "step", s->step);
    bool body =
        s->kind == AST_IF || s->kind == AST_PARALLEL || s->kind == AST_SEQUENCE || s->kind == AST_WHILE;
    if (body) dump_block(d, s->kind == AST_IF ? "then" : "body", &s->body);
    if (s->otherwise) dump_block(d, "else", s->otherwise);
    if (s->external) dump_extern(d, s->external);
    d->level--;
}

static void dump_block(Dump *d, const char *label, const AstBlock *block) {
    indent(d);
    text_printf(d->out, "%s\n", label);
    d->level++;
    for (size_t i = 0; i < block->statements.count; i++) dump_stmt(d, block->statements.items[i]);
    d->level--;
}

/* ---- Tasks --------------------------------------------------------------------------------- */

static void dump_definitions(Dump *d, const AstDefinitionVec *all) {
    for (size_t i = 0; i < all->count; i++) {
        const AstDefinition *x = &all->items[i];
        indent(d);
        text_append(d->out, "define");
        dump_names(d, x->names.items, x->names.count);
        text_append(d->out, ": ");
        dump_type(d, x->type);
        if (x->reduction) text_append(d->out, " Reduction");
        end_line(d, x->span);
    }
}

static void dump_flows(Dump *d, const AstFlowVec *all) {
    static const char *const kinds[] = {
        "space", "call", "repeat-for", "repeat-while", "repeat-sub-partition", "if", "epoch", "error"};
    for (size_t i = 0; i < all->count; i++) {
        const AstFlow *f = all->items[i];
        indent(d);
        text_append(d->out, f->where ? "where" : kinds[f->kind]);
        if (f->name.text) text_printf(d->out, " %s", f->name.text);
        end_line(d, f->span);
        d->level++;
        if (f->condition) dump_expr(d, f->condition);
        dump_labelled(d, "step", f->step);
        dump_exprs(d, &f->arguments);
        dump_flows(d, &f->body);
        d->level--;
    }
}

static void dump_line(Dump *d, const AstDataLine *line) {
    indent(d);
    text_append(d->out, "data");
    for (size_t i = 0; i < line->vars.count; i++) {
        const AstDataVar *v = &line->vars.items[i];
        text_printf(d->out, " %s", v->name.text);
        if (v->dimensions.count > 0) {
            text_append(d->out, " <");
            dump_names(d, v->dimensions.items, v->dimensions.count);
            text_append(d->out, " >");
        }
    }
    if (line->relative_to.text) text_printf(d->out, " relative-to %s", line->relative_to.text);
    end_line(d, line->span);
    static const char *const orders[] = {"", " ascends", " descends"};
    d->level++;
    for (size_t i = 0; i < line->instructions.count; i++) {
        const AstInstruction *x = &line->instructions.items[i];
        indent(d);
        text_printf(d->out, "%s%s", x->replicated ? "replicated" : x->function.text, orders[x->order]);
        end_line(d, x->span);
        d->level++;
        dump_exprs(d, &x->arguments);
        if (x->has_padding) {
            indent(d);
            text_append(d->out, "padding\n");
            d->level++;
            dump_exprs(d, &x->padding);
            d->level--;
        }
        d->level--;
    }
    d->level--;
}

static void dump_space(Dump *d, const AstLps *l) {
    indent(d);
    text_printf(d->out, "space %s", l->name.text);
    if (l->has_dims) text_printf(d->out, " <%dd>", l->dims);
    if (l->unpartitioned) text_append(d->out, " <un-partitioned>");
    if (l->dynamic) text_append(d->out, " <dynamic>");
    if (l->parent.text)
        text_printf(d->out, " divides %s%s", l->parent.text,
                    l->divides_sub_partitions ? " sub-partitions" : "");
    end_line(d, l->span);
    d->level++;
    for (size_t i = 0; i < l->lines.count; i++) dump_line(d, &l->lines.items[i]);
    for (size_t i = 0; i < l->sub_partitions.count; i++) {
        const AstSubPartition *s = &l->sub_partitions.items[i];
        indent(d);
        text_printf(d->out, "sub-partition <%dd> <%s>", s->dims, s->ordered ? "ordered" : "unordered");
        end_line(d, s->span);
        d->level++;
        for (size_t j = 0; j < s->lines.count; j++) dump_line(d, &s->lines.items[j]);
        d->level--;
    }
    d->level--;
}

static void dump_environment(Dump *d, const AstTask *t) {
    static const char *const modes[] = {"link", "create", "link_or_create"};
    for (size_t i = 0; i < t->environment.items.count; i++) {
        const AstLinkage *l = &t->environment.items.items[i];
        indent(d);
        text_append(d->out, modes[l->mode]);
        dump_names(d, l->names.items, l->names.count);
        end_line(d, l->span);
    }
}

static void dump_head(Dump *d, const char *word, const NameVec *params, Span span) {
    indent(d);
    text_append(d->out, word);
    dump_names(d, params->items, params->count);
    end_line(d, span);
    d->level++;
}

static void dump_task(Dump *d, const AstTask *t) {
    static const NameVec none = {0};
    dump_head(d, "define-section", &none, t->define.span);
    dump_definitions(d, &t->define.items);
    d->level--;
    dump_head(d, "environment-section", &none, t->environment.span);
    dump_environment(d, t);
    d->level--;
    dump_head(d, "initialize-section", &t->initialize.params, t->initialize.span);
    dump_block(d, "body", &t->initialize.body);
    d->level--;
    dump_head(d, "stages-section", &none, t->stages.span);
    for (size_t i = 0; i < t->stages.items.count; i++) {
        const AstStage *s = &t->stages.items.items[i];
        dump_head(d, arena_printf(d->ast->source->arena, "stage %s:", s->name.text), &s->params, s->span);
        dump_block(d, "body", &s->body);
        d->level--;
    }
    d->level--;
    dump_head(d, "computation-section", &none, t->computation.span);
    dump_flows(d, &t->computation.body);
    d->level--;
    dump_head(d, "partition-section", &t->partition.params, t->partition.span);
    for (size_t i = 0; i < t->partition.spaces.count; i++) dump_space(d, &t->partition.spaces.items[i]);
    d->level--;
}

static void dump_part(Dump *d, const AstPart *part) {
    switch (part->kind) {
    case AST_PART_TYPE:
        text_printf(d->out, "type %s", part->type->name.text);
        if (part->type->array) {
            text_append(d->out, " is ");
            dump_type(d, part->type->array);
        }
        end_line(d, part->type->span);
        d->level = 1;
        dump_definitions(d, &part->type->fields);
        break;
    case AST_PART_TASK:
        text_printf(d->out, "task \"%s\"", part->task->name.text);
        end_line(d, part->task->span);
        d->level = 1;
        dump_task(d, part->task);
        break;
    case AST_PART_FUNCTION:
        text_printf(d->out, "function %s", part->function->name.text);
        for (size_t i = 0; i < part->function->params.count; i++) {
            const AstParam *x = &part->function->params.items[i];
            text_printf(d->out, " %s%s", x->by_reference ? "&" : "", x->name.text);
        }
        end_line(d, part->function->span);
        d->level = 1;
        dump_block(d, "body", &part->function->body);
        break;
    case AST_PART_COORDINATOR:
        text_printf(d->out, "program %s", part->coordinator->argument.text);
        end_line(d, part->coordinator->span);
        d->level = 1;
        dump_block(d, "body", &part->coordinator->body);
        break;
    }
    d->level = 0;
}

void syntax_dump_tree(const Ast *ast, Text *out, bool positions) {
    Dump d = {.ast = ast, .out = out, .positions = positions};
    for (size_t i = 0; i < ast->parts.count; i++) dump_part(&d, &ast->parts.items[i]);
}

void syntax_dump_ast(const Ast *ast, Text *out) { syntax_dump_tree(ast, out, true); }
