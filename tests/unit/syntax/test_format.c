/* The formatter: its layout, that it changes nothing but white space, and that its
 * output is its own format. */
#include "tests/unit/syntax/syntax_testing.h"

static bool formats_to(const char *text, const char *expected) {
    Parsed r = parse_text(text);
    Text out = {0};
    syntax_print(r.ast, &out);
    bool good = diags_error_count(r.diags) == 0 && same_text(out.data, expected);
    text_free(&out);
    parsed_free(&r);
    return good;
}

static void test_layout(void) {
    CU_ASSERT(formats_to(
        "Program(args){x=1 if(a<b){y=-x}else if(c){ }else z=!w do{f(x,y [1] )}for i,j in x and i>1;k in y}",
        "Program (args) {\n    x = 1\n    if (a < b) {\n        y = -x\n    } else if (c) {} else\n        z "
        "= !w\n"
        "    do {\n        f(x, y[1])\n    } for i, j in x and i > 1; k in y\n}\n"));
    CU_ASSERT(formats_to(
        "Type P:x:Integer Task\"T\":Define:a,b:2d Array of P Environment:a:link Partition(k):Space A<1d>"
        "{a<dim1>,b:block_size(k)padding(1),replicated}",
        "Type P:\n    x: Integer\n\nTask \"T\":\n    Define:\n        a, b: 2d Array of P\n    "
        "Environment:\n        a: link\n"
        "    Partition (k):\n        Space A <1d> {\n            a<dim1>, b: block_size(k) padding(1), "
        "replicated\n        }\n"));
}

/* Signs stand at what they belong to; operators have blanks on both sides. */
static void test_signs(void) {
    CU_ASSERT(formats_to(
        "Program(args){x=( - 1-2)*(-y)- -3 z=a[ -i]-f(-1, - b)w=[ -3...-n]v=- (1)u=x[1]-y(2)-1.5-'c'-true}",
        "Program (args) {\n    x = (-1 - 2) * (-y) - -3\n    z = a[-i] - f(-1, -b)\n    w = [-3...-n]\n    v = -(1)\n"
        "    u = x[1] - y(2) - 1.5 - 'c' - true\n}\n"));
    CU_ASSERT(formats_to("Program(args){x=not  a and!(b)or not(c)}", "Program (args) {\n    x = not a and !(b) or not (c)\n}\n"));
}

/* What can be written in two ways gets the usual one; a looser operator in an end keeps new Range. */
static void test_usual(void) {
    CU_ASSERT(formats_to("Program(args){n=x.dimension2.length+x.local.dimension.length p=new P(a:f(1,2)b:3 c:new Q(d:1 e:2))}",
                         "Program (args) {\n    n = x.dimension2.range.length + x.local.dimension.range.length\n"
                         "    p = new P(a: f(1, 2), b: 3, c: new Q(d: 1, e: 2))\n}\n"));
    CU_ASSERT(formats_to("Program(args){r=new Range(min:-1,max:f(n)-1)s=new Range(min:1&2 max:3)t=new Range(max:1,min:0)}",
                         "Program (args) {\n    r = [-1...f(n) - 1]\n    s = new Range(min: 1 & 2, max: 3)\n    t = new Range(max: 1, min: 0)\n}\n"));
    const char *commented = "Program (args) {\n    r = [ /* from */1...2  // to\n            ]\n}\n";
    CU_ASSERT(formats_to("Program(args){r=new Range(min: /* from */ 1,\n max: 2 // to\n)}", commented));
    CU_ASSERT(formats_to(commented, commented));
    CU_ASSERT(formats_to("Program(a){step=at(1)[2]x=y at(current)z=a.for[1]}", "Program (a) {\n    step = at(1)[2]\n    x = y at (current)\n    z = a.for[1]\n}\n"));
}

/* Without the space there would be a Real, and a name behind it. */
static void test_numbers(void) {
    CU_ASSERT(formats_to("Program(args){x=1 .p y=2.5 .p z=a .p}", "Program (args) {\n    x = 1 .p\n    y = 2.5 .p\n    z = a.p\n}\n"));
}

static void test_comments(void) {
    CU_ASSERT(formats_to("// head\n\n\n\nProgram (args) { // open\n\n// first\nx = 1 // trailing\n   /* own "
                         "*/\ny = f(1, // one\n2) /* end */\n\n\n// last\n}\n// after",
                         "// head\n\nProgram (args) {  // open\n    // first\n    x = 1  // trailing\n    /* "
                         "own */\n    y = f(1,  // one\n"
                         "            2) /* end */\n\n    // last\n}\n\n// after\n"));
    CU_ASSERT(formats_to("Program (args) { do { // nothing\n } while /* c */ x }",
                         "Program (args) {\n    do {  // nothing\n    } while /* c */ x\n}\n"));
}

static void test_long_statements(void) {
    CU_ASSERT(formats_to(
        "Program (args) {\nx = a\n+ b *\nc\nf(a,\n b\n)\n}\n",
        "Program (args) {\n    x = a\n            + b *\n            c\n    f(a,\n            b)\n}\n"));
}

static void test_extern(void) {
    CU_ASSERT(formats_to(
        "Function f(&a,b) { @Extern { @Language \"C\" @Includes {math.h,a.h} ${\n  a = 1;\n}$ } return a }",
        "Function f(&a, b) {\n    @Extern {\n        @Language \"C\"\n        @Includes { math.h, a.h }\n    "
        "    ${\n  a = 1;\n}$\n"
        "    }\n    return a\n}\n"));
    CU_ASSERT(formats_to("Function f(&a) { @Extern{@Language \"C\" ${ a=1; }$} @Extern {@Language \"CUDA\"${ a=1 ; }$} }",
                         "Function f(&a) {\n    @Extern {\n        @Language \"C\"\n        ${ a=1; }$\n    }\n    @Extern {\n        @Language \"CUDA\"\n        ${ a=1 ; }$\n"
                         "    }\n}\n"));
}

static void test_empty(void) {
    Parsed r = parse_text("");
    Text out = {0};
    syntax_print(r.ast, &out);
    CU_ASSERT_EQUAL(out.length, 0);
    text_free(&out);
    parsed_free(&r);
}

/* For all sample programs: the tree survives, and formatting twice is formatting once. */
static void test_samples(void) {
    glob_t files;
    CU_ASSERT_FATAL(glob("tests/language/syntax/accept_*.hp5", 0, NULL, &files) == 0);
    CU_ASSERT(files.gl_pathc >= 10);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        Arena *arena = arena_new();
        Source *source = source_read(arena, files.gl_pathv[i]);
        Parsed a = parse_bytes(source->text, source->length);
        Text once = {0}, twice = {0}, one = {0}, two = {0};
        syntax_print(a.ast, &once);
        Parsed b = parse_bytes(once.data, once.length);
        syntax_print(b.ast, &twice);
        CU_ASSERT(same_text(twice.data, once.data));
        syntax_dump_tree(a.ast, &one, false);
        syntax_dump_tree(b.ast, &two, false);
        CU_ASSERT(same_text(two.data, one.data));
        CU_ASSERT_EQUAL(a.ast->comments.count, b.ast->comments.count);
        Text positions = {0};
        syntax_dump_ast(a.ast, &positions);
        CU_ASSERT(positions.length > one.length);
        text_free(&positions);
        text_free(&once);
        text_free(&twice);
        text_free(&one);
        text_free(&two);
        parsed_free(&a);
        parsed_free(&b);
        arena_free(arena);
    }
    globfree(&files);
}

UNIT_MAIN("syntax format", {"layout", test_layout}, {"signs", test_signs}, {"usual", test_usual}, {"numbers", test_numbers}, {"comments", test_comments},
          {"long statements", test_long_statements}, {"extern", test_extern}, {"empty", test_empty},
          {"samples", test_samples})
