/* The grammar: what the tree of each construct looks like, precedences, spans, and that
 * white space never matters. */
#include "tests/unit/syntax/syntax_testing.h"

/* The tree of statements of a coordinator, without the two lines above it. */
static bool tree_is(const char *code, const char *expected) {
    Text source = {0}, tree = {0};
    text_printf(&source, CODE_HEAD "%s" CODE_TAIL, code);
    Parsed r = parse_text(source.data);
    syntax_dump_tree(r.ast, &tree, false);
    const char *from = tree.data ? strstr(tree.data, "body\n") : NULL;
    bool same = diags_error_count(r.diags) == 0 && same_text(from ? from + 5 : "", expected);
    if (diags_error_count(r.diags) > 0) diags_print(r.diags, stderr, (DiagStyle){0});
    text_free(&source);
    text_free(&tree);
    parsed_free(&r);
    return same;
}

/* An expression fully parenthesised by its tree. */
static void render(const AstExpr *e, Text *out) {
    switch (e->kind) {
    case AST_NAME: text_append(out, e->name.text); break;
    case AST_INTEGER:
    case AST_REAL: text_append(out, e->text); break;
    case AST_UNARY:
    case AST_AT:
        text_append(out, e->kind == AST_AT ? "(at " : e->op == OP_NEG ? "(neg " : "(not ");
        render(e->left, out);
        text_append(out, ")");
        break;
    case AST_FIELD:
        render(e->left, out);
        text_printf(out, ".%s", e->name.text);
        break;
    case AST_INDEX:
        render(e->left, out);
        text_append(out, "[");
        if (e->right->kind == AST_ALL) text_append(out, "...");
        else render(e->right, out);
        text_append(out, "]");
        break;
    case AST_CALL: text_printf(out, "%s()", e->name.text); break;
    default:
        text_append(out, "(");
        render(e->left, out);
        text_printf(out, " %s ",
                    e->kind == AST_BINARY  ? operator_text(e->op)
                    : e->kind == AST_IN    ? "in"
                    : e->kind == AST_RANGE ? "..."
                                           : "=");
        render(e->right, out);
        text_append(out, ")");
    }
}

static bool groups(const char *expression, const char *expected) {
    Text source = {0}, out = {0};
    text_printf(&source, CODE_HEAD "v = %s" CODE_TAIL, expression);
    Parsed r = parse_text(source.data);
    bool good = diags_error_count(r.diags) == 0 && r.ast->parts.count == 1;
    if (good) render(r.ast->parts.items[0].coordinator->body.statements.items[0]->expr->right, &out);
    good = good && same_text(out.data, expected);
    text_free(&source);
    text_free(&out);
    parsed_free(&r);
    return good;
}

static void test_precedence(void) {
    static const char *const looser[] = {"or", "and", "|", "^", "&", "==", "<", "...", "<<", "+", "*", "**"};
    for (size_t i = 0; i < 12; i++)
        for (size_t j = i + 1; j < 12; j++) {
            char text[64], left[64], right[64];
            snprintf(text, sizeof text, "a %s b %s c", looser[i], looser[j]);
            snprintf(left, sizeof left, "(a %s (b %s c))", looser[i], looser[j]);
            CU_ASSERT(groups(text, left));
            snprintf(text, sizeof text, "a %s b %s c", looser[j], looser[i]);
            snprintf(right, sizeof right, "((a %s b) %s c)", looser[j], looser[i]);
            CU_ASSERT(groups(text, right));
        }
    CU_ASSERT(groups("a - b - c", "((a - b) - c)"));
    CU_ASSERT(groups("a ** b ** c", "(a ** (b ** c))"));
    CU_ASSERT(groups("a = b = c", "(a = (b = c))"));
    CU_ASSERT(groups("a < b in c", "((a < b) in c)"));
    CU_ASSERT(groups("a != b == c", "((a != b) == c)"));
    CU_ASSERT(groups("a >= b > c <= d", "(((a >= b) > c) <= d)"));
    CU_ASSERT(groups("a / b % c", "((a / b) % c)"));
    CU_ASSERT(groups("a >> b << c", "((a >> b) << c)"));
}

static void test_unary_and_postfix(void) {
    CU_ASSERT(groups("-a ** b", "((neg a) ** b)"));
    CU_ASSERT(groups("a ** -b", "(a ** (neg b))"));
    CU_ASSERT(groups("not a and !b", "((not a) and (not b))"));
    CU_ASSERT(groups("- - -a", "(neg (neg (neg a)))"));
    CU_ASSERT(groups("-a at (current - 1)", "(neg (at a))"));
    CU_ASSERT(groups("a.b[i].c at (current) + 1", "((at a.b[i].c) + 1)"));
    CU_ASSERT(groups("f(x)[1].min", "f()[1].min"));
    CU_ASSERT(groups("(a + b).c", "(a + b).c"));
    CU_ASSERT(groups("a[...][k]", "a[...][k]"));
    CU_ASSERT(groups("a[i...j]", "a[(i ... j)]"));
    CU_ASSERT(groups("[1...n + 1]", "(1 ... (n + 1))"));
    CU_ASSERT(groups("a || b && c", "(a or (b and c))"));
}

static void test_no_separators(void) {
    CU_ASSERT(tree_is("x = y  z = w", "    expression\n      assign\n        name x\n        name y\n"
                                      "    expression\n      assign\n        name z\n        name w\n"));
    CU_ASSERT(tree_is("x = y\n-z w = 1",
                      "    expression\n      assign\n        name x\n        binary -\n          name y\n"
                      "          name z\n    expression\n      assign\n        name w\n        integer 1\n"));
    CU_ASSERT(tree_is(
        "f(x) g(y)",
        "    expression\n      call f\n        name x\n    expression\n      call g\n        name y\n"));
    CU_ASSERT(tree_is(
        "return x y = 1",
        "    return\n      name x\n    expression\n      assign\n        name y\n        integer 1\n"));
    CU_ASSERT(tree_is("return", "    return\n"));
}

static void test_if(void) {
    CU_ASSERT(tree_is(
        "if (a) b = 1 else if (c) { } else d = 2",
        "    if\n      name a\n      then\n        expression\n          assign\n            name b\n"
        "            integer 1\n      else\n        if\n          name c\n          then\n          else\n"
        "            expression\n              assign\n                name d\n                integer 2\n"));
    CU_ASSERT(
        tree_is("If (a) if (b) f() else g()",
                "    if\n      name a\n      then\n        if\n          name b\n          then\n            "
                "expression\n"
                "              call f\n          else\n            expression\n              call g\n"));
}

static void test_loops(void) {
    CU_ASSERT(
        tree_is("do { } for i, j in x and i > j or j > 2; k in y.dimension2",
                "    parallel\n      indices i, j\n        name x\n        restriction\n          binary or\n"
                "            binary >\n              name i\n              name j\n            binary >\n"
                "              name j\n              integer 2\n      indices k\n        field dimension2\n"
                "          name y\n      body\n"));
    CU_ASSERT(tree_is(
        "do in sequence { } for i in 1...n step 2",
        "    sequence\n      indices i\n        range\n          integer 1\n          name n\n      step\n"
        "        integer 2\n      body\n"));
    CU_ASSERT(tree_is("do { f() } while a and b",
                      "    while\n      binary and\n        name a\n        name b\n      body\n"
                      "        expression\n          call f\n"));
}

static void test_reduce_and_new(void) {
    CU_ASSERT(tree_is("reduce(r, \"sum\", a * b)",
                      "    reduce\n      name r\n      string \"sum\"\n      binary *\n        name a\n"
                      "        name b\n"));
    CU_ASSERT(tree_is("e = new TaskEnvironment(name: \"T\")",
                      "    expression\n      assign\n        name e\n        new TaskEnvironment\n          "
                      "name:\n            string \"T\"\n"));
    CU_ASSERT(tree_is(
        "p = new Point(x: 1, y: 2) q = new List of Point r = new 2d Array of Real double-precision",
        "    expression\n      assign\n        name p\n        new Point\n          x:\n            integer "
        "1\n"
        "          y:\n            integer 2\n    expression\n      assign\n        name q\n        new List "
        "of Point\n"
        "    expression\n      assign\n        name r\n        new 2d Array of Real double-precision\n"));
    CU_ASSERT(tree_is("a = new Array[4] of Integer b = new Array[2][3] of Boolean()",
                      "    expression\n      assign\n        name a\n        new Array[4] of Integer\n    "
                      "expression\n      assign\n"
                      "        name b\n        new Array[2][3] of Boolean\n"));
    CU_ASSERT(tree_is("execute(task: \"T\"; partition: a, b)",
                      "    expression\n      execute\n        task:\n          string \"T\"\n        "
                      "partition:\n          name a\n          name b\n"));
}

static void test_extern(void) {
    CU_ASSERT(tree_is(
        "@Extern { @Language \"C\" @Includes { math.h, \"my file.h\" } @Libraries { m } ${ x = 1; }$ }",
        "    extern\n      language C\n      includes math.h, my file.h\n      libraries m\n      code \" x "
        "= 1; \"\n"));
}

static void test_partition(void) {
    Parsed r =
        parse_text("Task \"T\" Partition (k) { Space Rows <2d> <dynamic> divides Space A sub-partitions {\n"
                   "u<dim2>, v: block_size(k, 2) padding(1, 0), replicated; relative-to Space A w\n"
                   "Sub-partition <1d> <ordered> { u<dim1>: stride() descends } } Space C <un-partitioned> { "
                   "u, v w } }");
    CU_ASSERT_EQUAL(diags_error_count(r.diags), 0);
    const AstLps *l = &r.ast->parts.items[0].task->partition.spaces.items[0];
    CU_ASSERT(l->dynamic && l->has_dims && l->dims == 2 && l->divides_sub_partitions && !l->unpartitioned);
    CU_ASSERT_STRING_EQUAL(l->parent.text, "A");
    CU_ASSERT_EQUAL(l->lines.count, 2);
    CU_ASSERT_STRING_EQUAL(l->lines.items[0].relative_to.text, "A");
    CU_ASSERT_STRING_EQUAL(l->lines.items[0].vars.items[0].dimensions.items[0].text, "dim2");
    CU_ASSERT_EQUAL(l->lines.items[0].instructions.items[0].arguments.count, 2);
    CU_ASSERT_EQUAL(l->lines.items[0].instructions.items[0].padding.count, 2);
    CU_ASSERT(l->lines.items[0].instructions.items[1].replicated);
    CU_ASSERT(l->sub_partitions.items[0].ordered);
    CU_ASSERT_EQUAL(l->sub_partitions.items[0].lines.items[0].instructions.items[0].order, ORDER_DESCENDS);
    CU_ASSERT_EQUAL(r.ast->parts.items[0].task->partition.spaces.items[1].lines.count, 2);
    parsed_free(&r);
}

static void test_spans(void) {
    static const char text[] = "Program (args) {\n    x = a[1] + f(2)\n}\n";
    Parsed r = parse_text(text);
    const AstExpr *e = r.ast->parts.items[0].coordinator->body.statements.items[0]->expr;
    CU_ASSERT(strncmp(text + e->span.start, "x = a[1] + f(2)", 15) == 0 && e->span.end - e->span.start == 15);
    CU_ASSERT(strncmp(text + e->right->left->span.start, "a[1]", 4) == 0);
    CU_ASSERT(text[e->right->operator_span.start] == '+');
    CU_ASSERT_EQUAL(e->depth, 4);
    parsed_free(&r);
}

static void test_constants(void) {
    Parsed r =
        parse_text("Program (a) { x = 0xff y = -9223372036854775808 z = '\\x41' w = \"a\\0b\" t = TRUE }");
    const AstStmtVec *s = &r.ast->parts.items[0].coordinator->body.statements;
    CU_ASSERT_EQUAL(diags_error_count(r.diags), 0);
    CU_ASSERT_EQUAL(s->items[0]->expr->right->integer, 255);
    CU_ASSERT_EQUAL(s->items[1]->expr->right->left->integer, INT64_MIN);
    CU_ASSERT_EQUAL(s->items[2]->expr->right->integer, 'A');
    CU_ASSERT_EQUAL(s->items[3]->expr->right->text_length, 3);
    CU_ASSERT_EQUAL(s->items[4]->expr->right->integer, 1);
    parsed_free(&r);
}

/* Squeezing every run of white space to one space changes nothing. */
static void test_white_space_never_matters(void) {
    glob_t files;
    CU_ASSERT_FATAL(glob("tests/language/syntax/accept_*.hp5", 0, NULL, &files) == 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        Arena *arena = arena_new();
        Source *source = source_read(arena, files.gl_pathv[i]);
        Text flat = {0}, one = {0}, two = {0};
        Ast scratch = {.source = source};
        Parse p = {.arena = arena, .source = source, .diags = diags_new(arena, source), .ast = &scratch};
        lex_source(&p);
        for (size_t t = 0; t + 1 < p.tokens.count; t++)
            text_printf(&flat, "%s ", token_slice(&p, p.tokens.items[t]));
        Parsed a = parse_bytes(source->text, source->length), b = parse_text(flat.data);
        syntax_dump_tree(a.ast, &one, false);
        syntax_dump_tree(b.ast, &two, false);
        CU_ASSERT_EQUAL(diags_error_count(a.diags), 0);
        CU_ASSERT_EQUAL(diags_error_count(b.diags), 0);
        CU_ASSERT(same_text(two.data, one.data));
        text_free(&flat);
        text_free(&one);
        text_free(&two);
        parsed_free(&a);
        parsed_free(&b);
        arena_free(arena);
    }
    globfree(&files);
}

UNIT_MAIN("syntax grammar", {"precedence", test_precedence}, {"unary and postfix", test_unary_and_postfix},
          {"no separators", test_no_separators}, {"if", test_if}, {"loops", test_loops},
          {"reduce, new, execute", test_reduce_and_new}, {"extern", test_extern},
          {"partition", test_partition}, {"spans and depth", test_spans}, {"constants", test_constants},
          {"white space never matters", test_white_space_never_matters})
