/* C types of HP5 types, struct declarations, element tables for the runtime.
 *
 * A static array is a struct with one member `at`, so that it is copied, passed and returned as a value;
 * its name tells its extents and element: Array_4x2_double. */
#include "compiler/emit/program/writer.h"

#include <inttypes.h>
#include <string.h>
#include "compiler/base/diag.h"

static const char *array_name(Emit *emit, const Type *type) {
    const char *extents = "";
    for (int d = 0; d < type->rank; d++)
        extents = arena_printf(emit->arena, "%s%s%" PRId64, extents, d > 0 ? "x" : "", type->extents[d]);
    const char *element = emit_storage_type(emit, type->element);
    const char *space = strrchr(element, ' ');
    return arena_printf(emit->arena, "Array_%s_%s", extents, space ? space + 1 : element);
}

const char *emit_type(Emit *emit, const Type *type) {
    switch (type->kind) {
    case TYPE_VOID: return "void";
    case TYPE_INTEGER: return "int64_t";
    case TYPE_REAL_SINGLE: return "float";
    case TYPE_REAL_DOUBLE: return "double";
    case TYPE_BOOLEAN: return "bool";
    case TYPE_CHARACTER: return "char";
    case TYPE_STRING: return "const char *";
    case TYPE_RANGE: return "Hp5Range";
    case TYPE_STRUCT: return arena_printf(emit->arena, "struct %s", emit_tag(emit, type));
    case TYPE_STATIC_ARRAY: return arena_printf(emit->arena, "struct %s", array_name(emit, type));
    case TYPE_ARRAY: return "Hp5Item *";
    case TYPE_ENVIRONMENT: return arena_printf(emit->arena, "struct Environment_%s *", type->task->symbol);
    case TYPE_LIST: return "Hp5List *";
    }
    internal_error("emit", "type kind %d has no C type", (int)type->kind);
}

const char *emit_storage_type(Emit *emit, const Type *type) {
    return type->kind == TYPE_INTEGER && type->stored_single ? "int32_t" : emit_type(emit, type);
}

/* "char *" takes no space before a name. */
static const char *gap(const char *type) { return type[strlen(type) - 1] == '*' ? "" : " "; }

/* ---- Reductions ---------------------------------------------------------------------------------- */
static const char *real_or_integer(const Type *type, const char *real, const char *single, const char *integer) {
    if (type->kind == TYPE_REAL_DOUBLE) return real;
    return type->kind == TYPE_REAL_SINGLE ? single : integer;
}

/* Checked builds keep them exactly, to see at the end whether they fit. */
static const char *sum_of_integers(const Emit *emit, const char *checked, const char *plain) { return emit->options.checked ? checked : plain; }

const char *emit_partial_type(Emit *emit, const Formal *formal) {
    switch (formal->op) {
    case REDUCE_MAX_ENTRY: case REDUCE_MIN_ENTRY:
        return real_or_integer(formal->value_type, "Hp5EntryReal", "Hp5EntryReal", "Hp5EntryInteger");
    case REDUCE_LAND: case REDUCE_LOR: case REDUCE_BAND: case REDUCE_BOR: return "int64_t";
    case REDUCE_MAX: case REDUCE_MIN: return real_or_integer(formal->value_type, "double", "float", "int64_t");
    default: return real_or_integer(formal->value_type, "double", "float", sum_of_integers(emit, "Hp5Exact", "int64_t"));
    }
}

const char *emit_reduce_name(const Emit *emit, ReduceOp op, const Type *type) {
    switch (op) {
    case REDUCE_SUM: return real_or_integer(type, "sum_real", "sum_single", sum_of_integers(emit, "sum_exact", "sum_integer"));
    case REDUCE_PRODUCT: return real_or_integer(type, "product_real", "product_single", sum_of_integers(emit, "product_exact", "product_integer"));
    case REDUCE_MAX: return real_or_integer(type, "max_real", "max_single", "max_integer");
    case REDUCE_MIN: return real_or_integer(type, "min_real", "min_single", "min_integer");
    case REDUCE_MAX_ENTRY: return real_or_integer(type, "max_entry_real", "max_entry_real", "max_entry_integer");
    case REDUCE_MIN_ENTRY: return real_or_integer(type, "min_entry_real", "min_entry_real", "min_entry_integer");
    case REDUCE_LAND: return "land";
    case REDUCE_LOR: return "lor";
    case REDUCE_BAND: return "band";
    case REDUCE_BOR: return "bor";
    }
    internal_error("emit", "reduction %d", (int)op);
}

/* ---- Declarations ------------------------------------------------------------------------------ */
typedef struct TypeList { VEC(const Type *) items; } TypeList;

static bool listed(const TypeList *list, const Type *type) {
    for (size_t i = 0; i < list->items.count; i++)
        if (list->items.items[i] == type) return true;
    return false;
}

/* Puts what a type contains before it. */
static void collect(Emit *emit, TypeList *list, const Type *type) {
    if ((type->kind != TYPE_STRUCT && type->kind != TYPE_STATIC_ARRAY) || listed(list, type)) return;
    if (type->kind == TYPE_STATIC_ARRAY) collect(emit, list, type->element);
    for (size_t i = 0; i < type->fields.count; i++) collect(emit, list, type->fields.items[i].type);
    vec_push(emit->arena, &list->items, type);
}

static void print_struct(Emit *emit, const Type *type, Text *out) {
    text_printf(out, "struct %s {\n", emit_tag(emit, type));
    for (size_t i = 0; i < type->fields.count; i++) {
        const StructField *field = &type->fields.items[i];
        const char *c_type = emit_storage_type(emit, field->type);
        Var name = {.name = field->name};
        text_printf(out, "    %s%s%s;\n", c_type, gap(c_type), emit_symbol(emit, &name));
    }
    if (type->fields.count == 0) text_append(out, "    char unused;\n");
    text_append(out, "};\n\n");
}

static void print_array(Emit *emit, const Type *type, Text *out) {
    const char *c_type = emit_storage_type(emit, type->element);
    text_printf(out, "struct %s { %s%sat", array_name(emit, type), c_type, gap(c_type));
    for (int d = 0; d < type->rank; d++) text_printf(out, "[%" PRId64 "]", type->extents[d]);
    text_append(out, "; };\n\n");
}

/* ---- Element tables -------------------------------------------------------------------------------- */
const char *emit_element(Emit *emit, const Type *type) {
    switch (type->kind) {
    case TYPE_INTEGER: return type->stored_single ? "&hp5_int32" : "&hp5_int64";
    case TYPE_REAL_SINGLE: return "&hp5_float32";
    case TYPE_REAL_DOUBLE: return "&hp5_float64";
    case TYPE_BOOLEAN: return "&hp5_bool";
    case TYPE_CHARACTER: return "&hp5_char";
    case TYPE_RANGE: return "&element_Range";
    case TYPE_STRUCT: return arena_printf(emit->arena, "&element_%s", type->name);
    case TYPE_STATIC_ARRAY: return arena_printf(emit->arena, "&element_%s", array_name(emit, type));
    default: internal_error("emit", "no element description for %s", type->text);
    }
}

/* What a field holds: its element, the number of dimensions and the extents. */
static void print_contents(Emit *emit, const Type *element, Text *out) {
    int rank = element->kind == TYPE_STATIC_ARRAY ? element->rank : 0;
    const Type *array = element;
    if (rank > 0) element = element->element;
    text_printf(out, "%s, %d, {", emit_element(emit, element), rank);
    for (int d = 0; d < rank; d++) text_printf(out, "%s%" PRId64, d > 0 ? ", " : "", array->extents[d]);
    text_append(out, rank > 0 ? "}},\n" : "0}},\n");
}

static void print_field(Emit *emit, const Type *owner, const StructField *field, Text *out) {
    Var name = {.name = field->name};
    text_printf(out, "    {\"%s\", offsetof(struct %s, %s), ", field->name, emit_tag(emit, owner), emit_symbol(emit, &name));
    print_contents(emit, field->type, out);
}

/* A static array that is itself the element of an array: a struct with the one field `at`, as in the C text. */
static void print_array_element(Emit *emit, const Type *type, Text *out) {
    const char *name = array_name(emit, type);
    text_printf(out, "static const Hp5Field fields_%s[] = {\n    {\"at\", 0, ", name);
    print_contents(emit, type, out);
    text_printf(out, "};\nstatic const Hp5Element element_%s = {HP5_STRUCT, \"%s\", sizeof(struct %s), 1, fields_%s};\n\n", name,
                type->text, name, name);
}

static bool has_range(const Type *type) {
    for (size_t i = 0; i < type->fields.count; i++) {
        const Type *field = type->fields.items[i].type;
        if (field->kind == TYPE_RANGE || (field->kind == TYPE_STATIC_ARRAY && field->element->kind == TYPE_RANGE))
            return true;
    }
    return false;
}

static void print_element(Emit *emit, const Type *type, Text *out) {
    if (type->fields.count > 0) {
        text_printf(out, "static const Hp5Field fields_%s[] = {\n", type->name);
        for (size_t i = 0; i < type->fields.count; i++) print_field(emit, type, &type->fields.items[i], out);
        text_append(out, "};\n");
    }
    text_printf(out, "static const Hp5Element element_%s = {HP5_STRUCT, \"%s\", sizeof(struct %s), %zu, ", type->name,
                type->name, emit_tag(emit, type), type->fields.count);
    if (type->fields.count > 0) text_printf(out, "fields_%s", type->name);
    text_append(out, type->fields.count > 0 ? "};\n\n" : "NULL};\n\n");
}

static const char RANGE_TABLE[] =
    "static const Hp5Field fields_Range[] = {\n"
    "    {\"min\", offsetof(Hp5Range, min), &hp5_int64, 0, {0}},\n"
    "    {\"max\", offsetof(Hp5Range, max), &hp5_int64, 0, {0}},\n"
    "};\n"
    "static const Hp5Element element_Range = {HP5_STRUCT, \"Range\", sizeof(Hp5Range), 2, fields_Range};\n\n";

/* Marks `type` and the user types inside it. */
static void mark(bool *marked, const Type *type) {
    marked[type->id] = true;
    if (type->kind == TYPE_STATIC_ARRAY) mark(marked, type->element);
    for (size_t i = 0; i < type->fields.count; i++) mark(marked, type->fields.items[i].type);
}

/* Tables only for what dynamic arrays hold: unused ones would be dead code. */
static void print_element_tables(Emit *emit, const TypeList *list, Text *out) {
    const Program *program = emit->plan->program;
    bool *marked = ARENA_ARRAY(emit->arena, bool, program->types.count + 1);
    bool *elements = ARENA_ARRAY(emit->arena, bool, program->types.count + 1), ranges = false;
    for (size_t i = 0; i < program->types.count; i++) {
        const Type *type = program->types.items[i];
        if (type->kind != TYPE_ARRAY) continue;
        mark(marked, type->element);
        elements[type->element->id] = true;
        const Type *inner = type->element->kind == TYPE_STATIC_ARRAY ? type->element->element : type->element;
        ranges |= inner->kind == TYPE_RANGE;
    }
    for (size_t i = 0; i < list->items.count; i++)
        ranges |= marked[list->items.items[i]->id] && has_range(list->items.items[i]);
    if (ranges) text_append(out, RANGE_TABLE);
    for (size_t i = 0; i < list->items.count; i++) {
        const Type *type = list->items.items[i];
        if (type->kind == TYPE_STRUCT && marked[type->id]) print_element(emit, type, out);
        if (type->kind == TYPE_STATIC_ARRAY && elements[type->id]) print_array_element(emit, type, out);
    }
}

/* ---- All together ---------------------------------------------------------------------------------- */
static TypeList print_declarations(Emit *emit, Text *out) {
    const Program *program = emit->plan->program;
    TypeList list = {0};
    for (size_t i = 0; i < program->structs.count; i++) collect(emit, &list, program->structs.items[i]);
    for (size_t i = 0; i < program->types.count; i++) collect(emit, &list, program->types.items[i]);
    for (size_t i = 0; i < list.items.count; i++) {
        const Type *type = list.items.items[i];
        if (type->kind == TYPE_STRUCT) print_struct(emit, type, out);
        else print_array(emit, type, out);
    }
    return list;
}

void emit_structs(Emit *emit, Text *out) { (void)print_declarations(emit, out); }

/* #line makes the C compiler's message about a missing header point into the program. */
void emit_types(Emit *emit, Text *out) {
    if (emit_includes(emit, EXTERN_C, out)) {
        emit_own_line(emit, out);
        text_char(out, '\n');
    }
    TypeList list = print_declarations(emit, out);
    print_element_tables(emit, &list, out);
}
