/* Extern blocks. C stands in place, in a block of its own. C++ becomes a function in a second file, the
 * one in Emit.cplusplus, and the C text calls it:
 *
 *     {                                                     extern "C" void hp5_extern_1(double *value_place) {
 *         void hp5_extern_1(double *value_place);               double &value = *value_place;
 *         hp5_extern_1(&value);                                 …
 *     }                                                     }
 *
 * CUDA stands in place in the text for cards. What all threads of a crew do, they all go through, with waits around; inside of a loop
 * whose rounds they go through together the first thread does, and the others get the values that it has then.
 *
 * Either way the code sees the program's names. Where a variable has another name in the text (`index_`, since C
 * has an `index`; a parameter by reference), C and CUDA code works on a copy that is written back. #line makes the compilers'
 * messages point into the program. */
#include "compiler/emit/program/writer.h"

#include <string.h>
#include "compiler/base/diag.h"

/* ---- Names -------------------------------------------------------------------------------------------- */
/* Words that mean something else in C or C++ whatever the program declares. */
static const char *const NEVER_NAMES[] = {
    "alignas", "alignof", "asm", "auto", "bool", "break", "case", "catch", "char", "class", "const", "const_cast",
    "constexpr", "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "errno",
    "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "linux", "long",
    "mutable", "namespace", "new", "noexcept", "nullptr", "operator", "private", "protected", "public", "register",
    "reinterpret_cast", "restrict", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast",
    "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename",
    "union", "unix", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while",
};

static bool is_name(const char *word) {
    for (size_t i = 0; i < sizeof NEVER_NAMES / sizeof *NEVER_NAMES; i++)
        if (strcmp(word, NEVER_NAMES[i]) == 0) return false;
    bool macro = word[0] >= 'A' && word[0] <= 'Z' && emit_word_is_reserved(word); /* NAN, EOF */
    return !macro;
}

static bool is_view(const Writer *writer, const Var *var) { return var_is_array(var) && writer->use != NULL; }

/* What extern code can use: values, and the arrays of a stage. In code for cards `crew` is the crew. */
static bool is_visible(const Writer *writer, const Var *var) {
    TypeKind kind = var->type->kind;
    bool handle = kind == TYPE_ARRAY || kind == TYPE_LIST || kind == TYPE_ENVIRONMENT, crew = writer->crew != NULL && strcmp(var->name, "crew") == 0;
    return is_name(var->name) && !crew && (!handle || is_view(writer, var));
}

static const char *text_of(const Writer *writer, const Var *var) {
    const char *text = is_view(writer, var) ? NULL : writer->names.variable(writer->names.data, var, 0);
    return text ? text : emit_symbol(writer->emit, var);
}

static bool is_constant(const Var *var) { return var->kind == VAR_INDEX || var->constant_argument; }

/* "const double x"; pointers for arrays, and for all where `pointer` says so: "double *x". */
static char *declaration(const Writer *writer, const Var *var, bool pointer, const char *name) {
    bool view = is_view(writer, var);
    const Formal *formal = view ? lower_formal(writer->use, var) : NULL;
    bool constant = view ? !formal->written : is_constant(var);
    const char *c_type = emit_storage_type(writer->emit, view ? var->type->element : var->type);
    return emit_declarator(writer->arena, arena_printf(writer->arena, "%s%s", constant ? "const " : "", c_type),
                           arena_printf(writer->arena, "%s%s", pointer || view ? "*" : "", name));
}

bool writer_extern_changes(const Writer *writer, const Var *var) { return is_visible(writer, var) && !is_constant(var) && !is_view(writer, var); }

static void print_code(Emit *emit, const ExternCode *code, Text *out) {
    const char *file = emit->source_name, *directive = code->language == EXTERN_CUDA ? EMIT_LINE_ON_CARD : "#line ";
    int line, column;
    source_position(emit->plan->program->source, code->code_span.start, &line, &column);
    text_printf(out, "%s%d %s\n%*s", directive, line, emit_string_literal(emit->arena, file, strlen(file)), column - 1, "");
    text_append_n(out, code->code, code->code_length);
    text_char(out, '\n');
}

/* ---- C, CUDA -------------------------------------------------------------------------------------------------- */
static bool has_other_name(const Writer *writer, const Var *var) {
    return is_visible(writer, var) && strcmp(text_of(writer, var), var->name) != 0;
}

static void print_number(Writer *writer, const Var *var, const char *suffix, int indent) {
    writer_line(writer, indent, "const int64_t %s_%s = %s_%s;", var->name, suffix, emit_symbol(writer->emit, var), suffix);
    writer_line(writer, indent, "(void)%s_%s;", var->name, suffix);
}

static void print_other_name(Writer *writer, const Var *var, int indent) {
    writer_line(writer, indent, "%s = %s;", declaration(writer, var, false, var->name), text_of(writer, var));
    if (!is_view(writer, var)) return;
    for (int d = 1; d < var->type->rank; d++) print_number(writer, var, arena_printf(writer->arena, "ld%d", d), indent);
    print_number(writer, var, "origin", indent);
}

static void print_c(Writer *writer, const ExternCode *code, int indent) {
    writer_line(writer, indent, "{");
    for (size_t i = 0; i < code->uses.count; i++)
        if (has_other_name(writer, code->uses.items[i])) print_other_name(writer, code->uses.items[i], indent + 4);
    print_code(writer->emit, code, writer->out);
    if (code->language == EXTERN_CUDA) text_append(writer->out, EMIT_OWN_LINE_ON_CARD);
    else emit_own_line(writer->emit, writer->out);
    for (size_t i = 0; i < code->uses.count; i++) {
        const Var *var = code->uses.items[i];
        if (has_other_name(writer, var) && writer_extern_changes(writer, var)) writer_line(writer, indent + 4, "%s = %s;", text_of(writer, var), var->name);
    }
    writer_line(writer, indent, "}");
}

/* One iteration of a loop that the crew goes through together. */
static void print_by_first(Writer *writer, const ExternCode *code, int indent) {
    writer_line(writer, indent, "if (crew.rank() == 0) {");
    print_c(writer, code, indent + 4);
    writer_line(writer, indent, "}");
    for (size_t i = 0; i < code->uses.count; i++)
        if (writer_extern_changes(writer, code->uses.items[i]))
            writer_line(writer, indent, "hp5_from_first(worker, crew, &%s);", text_of(writer, code->uses.items[i]));
}

static void print_cuda(Writer *writer, const ExternCode *code, int indent) {
    if (writer->crew == NULL || writer->sharing != CREW_TOGETHER) {
        print_c(writer, code, indent);
        return;
    }
    writer_crew_waits(writer, indent);
    if (writer->rounds > 0) print_by_first(writer, code, indent);
    else print_c(writer, code, indent);
    writer_crew_waits(writer, indent);
}

/* ---- C++ ------------------------------------------------------------------------------------------------ */
typedef struct Call { Text params, arguments, names; const char *separator; } Call;

static void add_param(Call *call, const char *param, const char *argument) {
    text_printf(&call->params, "%s%s", call->separator, param);
    text_printf(&call->arguments, "%s%s", call->separator, argument);
    call->separator = ", ";
}

/* The pointer, and the numbers that turn indices of the program into a place behind it. */
static void add_array(Writer *writer, const Var *var, Call *call) {
    const char *symbol = emit_symbol(writer->emit, var);
    add_param(call, declaration(writer, var, false, var->name), symbol);
    for (int d = 1; d < var->type->rank; d++)
        add_param(call, arena_printf(writer->arena, "int64_t %s_ld%d", var->name, d),
                  arena_printf(writer->arena, "%s_ld%d", symbol, d));
    add_param(call, arena_printf(writer->arena, "int64_t %s_origin", var->name),
              arena_printf(writer->arena, "%s_origin", symbol));
    text_printf(&call->names, "    (void)%s, (void)%s_origin;\n", var->name, var->name);
}

static void add_value(Writer *writer, const Var *var, Call *call) {
    char *place = arena_printf(writer->arena, "%s_place", var->name), *name = arena_printf(writer->arena, "&%s", var->name);
    add_param(call, declaration(writer, var, true, place), arena_printf(writer->arena, "&%s", text_of(writer, var)));
    text_printf(&call->names, "    %s = *%s;\n    (void)%s;\n", declaration(writer, var, false, name), place, var->name);
}

/* The original language's compiler said `using namespace std;`. Here it stands in each block, unless a type of the program has a
 * name that would then be two things. */
static bool may_use_std(const Program *program) {
    static const char *const names[] = {"array", "bitset", "complex", "deque", "function", "greater", "hash", "less", "list", "map", "minus",
                                        "multiplies", "negate", "pair", "plus", "queue", "ratio", "set", "stack", "string", "tuple", "vector"};
    for (size_t t = 0; t < program->structs.count; t++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strcmp(program->structs.items[t]->name, names[i]) == 0) return false;
    return true;
}

static void print_cplusplus(Writer *writer, const ExternCode *code, int indent) {
    Emit *emit = writer->emit;
    Call call = {.separator = ""};
    int number = ++emit->cplusplus_blocks;
    for (size_t i = 0; i < code->uses.count; i++) {
        const Var *var = code->uses.items[i];
        if (!is_visible(writer, var)) continue;
        if (is_view(writer, var)) add_array(writer, var, &call);
        else add_value(writer, var, &call);
    }
    const char *params = call.params.data ? call.params.data : "void";
    writer_line(writer, indent, "{ /* C++, in the other file */");
    writer_line(writer, indent + 4, "void hp5_extern_%d(%s);", number, params);
    writer_line(writer, indent + 4, "hp5_extern_%d(%s);", number, call.arguments.data ? call.arguments.data : "");
    writer_line(writer, indent, "}");
    text_printf(emit->cplusplus, "extern \"C\" void hp5_extern_%d(%s) {\n%s", number, call.params.data ? params : "",
                call.names.data ? call.names.data : "");
    if (may_use_std(emit->plan->program)) text_append(emit->cplusplus, "    using namespace std;\n");
    print_code(emit, code, emit->cplusplus);
    text_append(emit->cplusplus, "}\n\n");
    text_free(&call.params);
    text_free(&call.arguments);
    text_free(&call.names);
}

/* The block for what the text is printed for; NULL: there is none. */
static const ExternCode *code_of(const Emit *emit, const ExternBlock *external) {
    return emit->backend == &backend_cuda ? external->card : external->host;
}

void writer_extern(Writer *writer, const Stmt *stmt, int indent) {
    const ExternCode *code = code_of(writer->emit, stmt->external);
    if (code == NULL) internal_error("emit", "extern code has no block for what runs it");
    if (code->language == EXTERN_CUDA) print_cuda(writer, code, indent);
    else if (code->language == EXTERN_CPLUSPLUS) print_cplusplus(writer, code, indent);
    else print_c(writer, code, indent);
}

/* ---- Headers ---------------------------------------------------------------------------------------------- */
typedef struct Includes { Arena *arena; NameVec names; ExternLanguage language; } Includes;

static void add_includes(Includes *includes, const ExternCode *code) {
    for (size_t i = 0; code != NULL && code->language == includes->language && i < code->includes.count; i++) {
        const Name name = code->includes.items[i];
        bool known = false;
        for (size_t k = 0; k < includes->names.count; k++) known |= strcmp(includes->names.items[k].text, name.text) == 0;
        if (!known) vec_push(includes->arena, &includes->names, name);
    }
}

static void find_includes(void *data, const Stmt *stmt) {
    if (stmt->kind != STMT_EXTERN) return;
    add_includes(data, stmt->external->host);
    add_includes(data, stmt->external->card);
}

bool emit_includes(Emit *emit, ExternLanguage language, Text *out) {
    const Program *program = emit->plan->program;
    Includes includes = {.arena = emit->arena, .language = language};
    Walk walk = {NULL, find_includes, &includes};
    for (size_t i = 0; i < program->functions.count; i++) lower_walk_block(&walk, &program->functions.items[i]->body.block);
    for (size_t t = 0; t < program->tasks.count; t++) {
        const Task *task = program->tasks.items[t];
        if (task->initialize) lower_walk_block(&walk, &task->initialize->block);
        for (size_t i = 0; i < task->stages.count; i++) lower_walk_block(&walk, &task->stages.items[i]->body.block);
    }
    const char *file = emit_string_literal(emit->arena, emit->source_name, strlen(emit->source_name));
    for (size_t i = 0; i < includes.names.count; i++)
        text_printf(out, "#line %d %s\n#include <%s>\n", emit_line(emit, includes.names.items[i].span), file, includes.names.items[i].text);
    return includes.names.count > 0;
}

void emit_cplusplus(Emit *emit, Text *out) {
    /* the headers that the original language's compiler gave to extern code, before any of the program's */
    text_append(out, "/* Written by hp5c: the program's extern blocks in C++; the C text calls them. */\n"
                     "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n"
                     "#include <fstream>\n#include <iostream>\n#include <string>\n#include <vector>\n\nstruct Hp5Range { int64_t min, max; };\n\n");
    emit_includes(emit, EXTERN_CPLUSPLUS, out);
    emit_structs(emit, out);
    text_append_n(out, emit->cplusplus->data, emit->cplusplus->length);
}

/* ---- Parameters of functions -------------------------------------------------------------------------------- */
typedef struct Search { const Var *var; bool found; } Search;

static void find_use(void *data, const Stmt *stmt) {
    Search *search = data;
    for (size_t i = 0; stmt->kind == STMT_EXTERN && i < stmt->external->uses.count; i++)
        search->found |= stmt->external->uses.items[i] == search->var;
}

bool emit_extern_uses(const Block *block, const Var *var) {
    Search search = {var, false};
    lower_walk_block(&(Walk){NULL, find_use, &search}, block);
    return search.found;
}
