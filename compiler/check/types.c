/* Types: interning, the user types of the program, types as they are written.
 *
 * Equal types are one pointer: types without parts by a table, user types by name,
 * arrays and lists by a search of Program.types (a program has few of them). User
 * types may stand in any order: declare_types makes an empty Type for each, then
 * resolves the fields, then orders them so that each follows what it contains. A
 * type that contains itself is reported with the whole cycle. */
#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include "compiler/check/internal.h"
#include "compiler/check/declare.h"

/* An extent or a product of extents beyond this cannot be meant. */
static const int64_t LARGEST_STATIC_ARRAY = (int64_t)1 << 31;

static Type *add_type(Check *check, Type type) {
    Type *added = ARENA_NEW(check->arena, Type);
    *added = type;
    added->id = (int)check->program->types.count;
    vec_push(check->arena, &check->program->types, added);
    return added;
}

/* A type without parts: basic types and VOID. */
static Type *intern_plain(Check *check, TypeKind kind, bool stored_single, const char *text) {
    Type **slot = &check->plain_types[kind][stored_single];
    if (*slot == NULL)
        *slot = add_type(check, (Type){.kind = kind, .stored_single = stored_single, .text = text,
                                       .has_string = kind == TYPE_STRING});
    return *slot;
}

Type *type_basic(Check *check, BasicType basic) {
    switch (basic) {
    case BASIC_INTEGER: return intern_plain(check, TYPE_INTEGER, false, "Integer");
    case BASIC_INTEGER_SINGLE: return intern_plain(check, TYPE_INTEGER, true, "Integer single-precision");
    case BASIC_REAL_SINGLE: return intern_plain(check, TYPE_REAL_SINGLE, false, "Real single-precision");
    case BASIC_REAL_DOUBLE: return intern_plain(check, TYPE_REAL_DOUBLE, false, "Real double-precision");
    case BASIC_BOOLEAN: return intern_plain(check, TYPE_BOOLEAN, false, "Boolean");
    case BASIC_CHARACTER: return intern_plain(check, TYPE_CHARACTER, false, "Character");
    case BASIC_STRING: return intern_plain(check, TYPE_STRING, false, "String");
    case BASIC_RANGE: return intern_plain(check, TYPE_RANGE, false, "Range");
    }
    internal_error("check", "basic type %d", (int)basic);
}

Type *type_void(Check *check) { return intern_plain(check, TYPE_VOID, false, "nothing"); }

static bool same_extents(const Type *type, int rank, const int64_t *extents) {
    return type->rank == rank && memcmp(type->extents, extents, sizeof *extents * (size_t)rank) == 0;
}

static Type *type_static_array(Check *check, Type *element, int rank, const int64_t *extents) {
    for (size_t i = 0; i < check->program->types.count; i++) {
        Type *type = check->program->types.items[i];
        if (type->kind == TYPE_STATIC_ARRAY && type->element == element && same_extents(type, rank, extents))
            return type;
    }
    Type type = {.kind = TYPE_STATIC_ARRAY, .element = element, .rank = rank, .has_string = element->has_string};
    const char *text = "Array";
    for (int d = 0; d < rank; d++) {
        type.extents[d] = extents[d];
        text = arena_printf(check->arena, "%s[%" PRId64 "]", text, extents[d]);
    }
    type.text = arena_printf(check->arena, "%s of %s", text, element->text);
    return add_type(check, type);
}

Type *type_array(Check *check, Type *element, int rank) {
    for (size_t i = 0; i < check->program->types.count; i++) {
        Type *type = check->program->types.items[i];
        if (type->kind == TYPE_ARRAY && type->element == element && type->rank == rank) return type;
    }
    return add_type(check, (Type){.kind = TYPE_ARRAY, .element = element, .rank = rank,
                                  .has_string = element->has_string,
                                  .text = arena_printf(check->arena, "%dd Array of %s", rank, element->text)});
}

static Type *type_list(Check *check, Type *element) {
    for (size_t i = 0; i < check->program->types.count; i++) {
        Type *type = check->program->types.items[i];
        if (type->kind == TYPE_LIST && type->element == element) return type;
    }
    return add_type(check, (Type){.kind = TYPE_LIST, .element = element, .has_string = element->has_string,
                                  .text = arena_printf(check->arena, "List of %s", element->text)});
}

Type *type_environment(Check *check, Task *task) {
    for (size_t i = 0; i < check->program->types.count; i++) {
        Type *type = check->program->types.items[i];
        if (type->kind == TYPE_ENVIRONMENT && type->task == task) return type;
    }
    return add_type(check, (Type){.kind = TYPE_ENVIRONMENT, .task = task,
                                  .text = arena_printf(check->arena, "TaskEnvironment of \"%s\"", task->name)});
}

static Type *type_find_struct(Check *check, const char *name) { return name_table_find(&check->struct_names, name); }

Type *type_of_value(Check *check, Type *storage) {
    return storage->kind == TYPE_INTEGER ? type_basic(check, BASIC_INTEGER) : storage;
}

Type *type_join(Check *check, Type *a, Type *b) {
    if (a == b) return a;
    if (!type_is_numeric(a) || !type_is_numeric(b)) return NULL;
    if (a->kind == TYPE_REAL_DOUBLE || b->kind == TYPE_REAL_DOUBLE) return type_basic(check, BASIC_REAL_DOUBLE);
    if (a->kind == TYPE_REAL_SINGLE || b->kind == TYPE_REAL_SINGLE) return type_basic(check, BASIC_REAL_SINGLE);
    return type_basic(check, BASIC_INTEGER);
}

/* ---- Types as written --------------------------------------------------------- */

static void report_unknown_type(Check *check, Name name) {
    static const char *const basic[] = {"Integer", "Real", "Boolean", "Character", "String", "Range"};
    VEC(const char *) names = {0};
    for (size_t i = 0; i < sizeof basic / sizeof basic[0]; i++) vec_push(check->arena, &names, basic[i]);
    for (size_t i = 0; i < check->ast->parts.count; i++)
        if (check->ast->parts.items[i].kind == AST_PART_TYPE)
            vec_push(check->arena, &names, check->ast->parts.items[i].type->name.text);
    Diag *diag = diag_error(check->diags, E_UNKNOWN_TYPE, name.span, "unknown type '%s'", name.text);
    static const char *const elsewhere[][2] = {{"double", "Real double-precision"}, {"float", "Real single-precision"},
                                               {"int", "Integer"}, {"long", "Integer"}, {"bool", "Boolean"},
                                               {"char", "Character"}};
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
        if (strcmp(name.text, elsewhere[i][0]) == 0) {
            diag_help(diag, "write %s", elsewhere[i][1]);
            return;
        }
    help_nearest(diag, name.text, names.items, names.count);
}

/* Elements of arrays have a fixed size and no parts elsewhere. (The grammar has no arrays or lists as elements.) */
static bool check_element(Check *check, const Type *element, Span span, const char *what) {
    if (!element->has_string) return true;
    const char *found = element->kind == TYPE_STRING
                            ? "a String"
                            : arena_printf(check->arena, "'%s', which contains a String,", element->text);
    Diag *diag = diag_error(check->diags, E_ELEMENT_TYPE, span, "%s cannot be an element of %s", found, what);
    diag_help(diag, "a List may hold Strings; an array may hold static arrays of Character");
    return false;
}

/* The elements of a named array type are its elements: Array[4] of Row, with Type Row: Array[3] of Integer, has two dimensions. */
static Type *static_array_from_ast(Check *check, const AstType *ast) {
    Type *element = type_from_ast(check, ast->element);
    if (element == NULL || !check_element(check, element, ast->element->span, "a static array")) return NULL;
    size_t inner = element->kind == TYPE_STATIC_ARRAY ? (size_t)element->rank : 0;
    if (ast->extents.count + inner > MAX_RANK) {
        diag_error(check->diags, E_ARRAY_SHAPE, ast->span, "an array has at most %d dimensions, this one has %zu",
                   MAX_RANK, ast->extents.count + inner);
        return NULL;
    }
    int64_t extents[MAX_RANK], total = 1;
    for (size_t d = 0; d < ast->extents.count; d++) extents[d] = ast->extents.items[d]; /* at least 1: the parser saw to it */
    for (size_t d = 0; d < inner; d++) extents[ast->extents.count + d] = element->extents[d];
    int rank = (int)(ast->extents.count + inner);
    for (int d = 0; d < rank; d++) {
        if (extents[d] > LARGEST_STATIC_ARRAY / total) {
            Diag *diag = diag_error(check->diags, E_ARRAY_SHAPE, ast->span, "a static array has at most 2^31 elements");
            diag_help(diag, "a big array is a dynamic one: '%dd Array of …' in a Define section", rank);
            return NULL;
        }
        total *= extents[d];
    }
    return type_static_array(check, inner > 0 ? element->element : element, rank, extents);
}

static Type *array_from_ast(Check *check, const AstType *ast) {
    Type *element = type_from_ast(check, ast->element);
    if (element == NULL || !check_element(check, element, ast->element->span, "an array")) return NULL;
    if (ast->rank < 1 || ast->rank > MAX_RANK) {
        diag_error(check->diags, E_ARRAY_SHAPE, ast->span, "an array has 1 to %d dimensions, this one has %d", MAX_RANK,
                   ast->rank);
        return NULL;
    }
    if (ast->format.text != NULL) {
        Diag *diag = diag_error(check->diags, E_ARRAY_FORMAT, ast->format.span, "there is no array format '%s'",
                                ast->format.text);
        diag_help(diag, "arrays are dense: leave 'Format %s' out", ast->format.text);
        return NULL;
    }
    return type_array(check, element, ast->rank);
}

/* Type R: Array[4] of Point. The type is made where it is first named: other types may follow. */
typedef struct ArrayName { const AstTypeDecl *decl; Type *type; enum { NEW_NAME, BEING_MADE, MADE } state; } ArrayName;

static Type *array_type_of_name(Check *check, ArrayName *array) {
    if (array->state == BEING_MADE) {
        Diag *diag = diag_error(check->diags, E_TYPE_CYCLE, array->decl->name.span, "type '%s' contains itself", array->decl->name.text);
        diag_help(diag, "an array type is made of a basic type or of one with fields");
    }
    if (array->state != NEW_NAME) return array->type;
    array->state = BEING_MADE;
    array->type = type_from_ast(check, array->decl->array);
    array->state = MADE;
    return array->type;
}

Type *type_from_ast(Check *check, const AstType *ast) {
    switch (ast->kind) {
    case AST_TYPE_BASIC: return type_basic(check, ast->basic);
    case AST_TYPE_NAMED: {
        Type *type = type_find_struct(check, ast->name.text);
        ArrayName *array = type == NULL ? name_table_find(&check->array_names, ast->name.text) : NULL;
        if (array != NULL) return array_type_of_name(check, array);
        if (type == NULL) report_unknown_type(check, ast->name);
        return type;
    }
    case AST_TYPE_STATIC_ARRAY: return static_array_from_ast(check, ast);
    case AST_TYPE_ARRAY: return array_from_ast(check, ast);
    case AST_TYPE_LIST: {
        Type *element = type_from_ast(check, ast->element);
        return element == NULL ? NULL : type_list(check, element);
    }
    }
    internal_error("check", "type kind %d", (int)ast->kind);
}

/* ---- User types ----------------------------------------------------------------- */

static bool check_field_type(Check *check, const Type *type, const AstDefinition *definition, const char *owner) {
    if (definition->reduction) {
        Diag *diag = diag_error(check->diags, E_FIELD_TYPE, definition->span, "a field cannot be a Reduction");
        diag_help(diag, "declare the reduction target in the Define section of a task");
        return false;
    }
    if (type->kind != TYPE_ARRAY && type->kind != TYPE_LIST) return true;
    Diag *diag = diag_error(check->diags, E_FIELD_TYPE, definition->type->span, "type '%s' cannot have a field of type '%s'",
                            owner, type->text);
    diag_help(diag, "fields have basic types, user types or static arrays such as 'Array[4] of Integer'");
    return false;
}

static void declare_fields(Check *check, Type *owner, const AstTypeDecl *decl) {
    NameTable seen = {0}, *numbers = ARENA_NEW(check->arena, NameTable);
    owner->field_numbers = numbers;
    for (size_t i = 0; i < decl->fields.count; i++) {
        const AstDefinition *definition = &decl->fields.items[i];
        Type *type = type_from_ast(check, definition->type);
        if (type != NULL && !check_field_type(check, type, definition, owner->name)) type = NULL;
        for (size_t n = 0; n < definition->names.count; n++) {
            Name *name = &definition->names.items[n];
            Name *first = name_table_put(check->arena, &seen, name->text, name);
            if (first != NULL) {
                Diag *diag = diag_error(check->diags, E_DUPLICATE_FIELD, name->span, "type '%s' already has a field '%s'",
                                        owner->name, name->text);
                diag_note(diag, first->span, "the first '%s' is here", name->text);
            } else if (type != NULL) {
                vec_push(check->arena, &owner->fields, ((StructField){name->text, type, name->span}));
                name_table_put(check->arena, numbers, name->text, (void *)(uintptr_t)owner->fields.count);
            }
        }
    }
}

/* The user type that a field holds directly or as element, or NULL. */
static Type *contained_struct(Type *type) {
    while (type->kind == TYPE_STATIC_ARRAY) type = type->element;
    return type->kind == TYPE_STRUCT ? type : NULL;
}

/* Depth-first order without recursion: a chain of user types may be as long as the source. */
typedef struct Visit { Type *type; size_t next_field; } Visit;
typedef struct Ordering {
    Check *check;
    enum { UNSEEN, OPEN, DONE } *states;   /* by Type.id */
    VEC(Visit) path;
} Ordering;

static void report_cycle(Ordering *ordering, Type *again) {
    size_t start = ordering->path.count - 1;
    while (ordering->path.items[start].type != again) start--;
    const char *chain = again->name;
    for (size_t i = start + 1; i < ordering->path.count; i++)
        chain = arena_printf(ordering->check->arena, "%s -> %s", chain, ordering->path.items[i].type->name);
    Diag *diag = diag_error(ordering->check->diags, E_TYPE_CYCLE, again->span, "type '%s' contains itself: %s -> %s",
                            again->name, chain, again->name);
    for (size_t i = start; i < ordering->path.count; i++) {
        Visit visit = ordering->path.items[i];
        StructField field = visit.type->fields.items[visit.next_field - 1];
        diag_note(diag, field.span, "field '%s' has type '%s'", field.name, field.type->text);
    }
}

static void order_from(Ordering *ordering, Type *root) {
    Check *check = ordering->check;
    if (ordering->states[root->id] != UNSEEN) return;
    ordering->states[root->id] = OPEN;
    vec_push(check->arena, &ordering->path, ((Visit){root, 0}));
    while (ordering->path.count > 0) {
        Visit *visit = &vec_last(&ordering->path);
        if (visit->next_field == visit->type->fields.count) {
            ordering->states[visit->type->id] = DONE;
            vec_push(check->arena, &check->program->structs, visit->type);
            ordering->path.count--;
            continue;
        }
        Type *field = visit->type->fields.items[visit->next_field++].type;
        Type *inner = contained_struct(field);
        if (inner != NULL && ordering->states[inner->id] == OPEN) {
            report_cycle(ordering, inner);
        } else if (inner != NULL && ordering->states[inner->id] == UNSEEN) {
            ordering->states[inner->id] = OPEN;
            vec_push(check->arena, &ordering->path, ((Visit){inner, 0}));
        }
    }
}

/* Once every type follows what it contains: which ones contain a String. Static
 * arrays of user types were made before that was known, so their elements are checked here. */
static void find_strings(Check *check) {
    for (size_t i = 0; i < check->program->structs.count; i++) {
        Type *type = check->program->structs.items[i];
        for (size_t f = 0; f < type->fields.count; f++) {
            StructField *field = &type->fields.items[f];
            Type *inner = contained_struct(field->type);
            if (field->type->kind == TYPE_STATIC_ARRAY && inner != NULL && inner->has_string)
                check_element(check, inner, field->span, "a static array");
            if (field->type->has_string || (inner != NULL && inner->has_string)) type->has_string = true;
        }
    }
}

/* False after reporting a second declaration of the name. */
static bool check_type_name(Check *check, const AstTypeDecl *decl) {
    Type *first = type_find_struct(check, decl->name.text);
    const ArrayName *array = name_table_find(&check->array_names, decl->name.text);
    if (first == NULL && array == NULL) return true;
    Diag *diag = diag_error(check->diags, E_DUPLICATE_TYPE, decl->name.span, "type '%s' is declared twice", decl->name.text);
    diag_note(diag, first != NULL ? first->span : array->decl->name.span, "the first declaration of '%s' is here", decl->name.text);
    return false;
}

/* Also those that nobody names; and their elements, once it is known which types contain a String. */
static void check_array_names(Check *check) {
    for (size_t i = 0; i < check->array_names.capacity; i++) {
        ArrayName *array = check->array_names.values[i];
        Type *type = array == NULL ? NULL : array_type_of_name(check, array);
        Type *inner = type == NULL ? NULL : contained_struct(type);
        if (inner != NULL && inner->has_string) check_element(check, inner, array->decl->array->span, "a static array");
    }
}

void declare_types(Check *check) {
    VEC(Type *) types = {0};
    VEC(const AstTypeDecl *) decls = {0};
    for (size_t i = 0; i < check->ast->parts.count; i++) {
        if (check->ast->parts.items[i].kind != AST_PART_TYPE) continue;
        const AstTypeDecl *decl = check->ast->parts.items[i].type;
        if (!check_type_name(check, decl)) continue;
        if (decl->array != NULL) {
            ArrayName *array = ARENA_NEW(check->arena, ArrayName);
            array->decl = decl;
            name_table_put(check->arena, &check->array_names, decl->name.text, array);
            continue;
        }
        Type *type = add_type(check, (Type){.kind = TYPE_STRUCT, .name = decl->name.text, .text = decl->name.text,
                                            .span = decl->name.span});
        name_table_put(check->arena, &check->struct_names, type->name, type);
        vec_push(check->arena, &types, type);
        vec_push(check->arena, &decls, decl);
    }
    for (size_t i = 0; i < types.count; i++) declare_fields(check, types.items[i], decls.items[i]);
    Ordering ordering = {.check = check};
    ordering.states = arena_alloc(check->arena, sizeof *ordering.states * (check->program->types.count + 1));
    for (size_t i = 0; i < types.count; i++) order_from(&ordering, types.items[i]);
    find_strings(check);
    check_array_names(check);
}
