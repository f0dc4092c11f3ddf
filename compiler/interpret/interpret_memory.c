/* Memory of the interpreter: how types are laid out (as C would, so files and storage agree),
 * the stack of locals with its shadow, and loading and storing values by type.
 *
 * The stack is one reserved region. For each of its bytes a flag, STACK_SIZE further on, says
 * whether the program has given it a value; any address, even one passed by reference, finds its
 * flag that way. Bytes elsewhere (arrays, scalars) start at zero and always have a value. */
#include "compiler/interpret/internal.h"
#include "runtime/report/error.h"
#define uthash_fatal(what) arena_out_of_memory() /* else it would exit without a word */
#include "uthash.h"
#include <string.h>
#include <sys/mman.h>

static const size_t STACK_SIZE = (size_t)256 << 20;

/* ---- Layout of types -------------------------------------------------------- */

static size_t align_up(size_t offset, size_t align) { return (offset + align - 1) / align * align; }

static int64_t static_count(const Type *type) {
    int64_t count = 1;
    for (int d = 0; d < type->rank; d++) count *= type->extents[d];
    return count;
}

static void lay_out(Machine *m, const Type *type) {
    TypeLayout *layout = &m->layouts[type->id];
    if (layout->size != 0) return;
    size_t size = sizeof(void *), align = sizeof(void *);
    switch (type->kind) {
    case TYPE_INTEGER: size = align = type->stored_single ? 4 : 8; break;
    case TYPE_REAL_SINGLE: size = align = 4; break;
    case TYPE_REAL_DOUBLE: size = align = 8; break;
    case TYPE_VOID: case TYPE_BOOLEAN: case TYPE_CHARACTER: size = align = 1; break;
    case TYPE_RANGE: size = 16, align = 8; break;
    case TYPE_STATIC_ARRAY:
        lay_out(m, type->element);
        align = m->layouts[type->element->id].align;
        size = m->layouts[type->element->id].size * (size_t)static_count(type);
        break;
    case TYPE_STRUCT:
        size = 0, align = 1;
        layout->field_offsets = ARENA_ARRAY(m->arena, size_t, type->fields.count + 1);
        for (size_t i = 0; i < type->fields.count; i++) {
            const Type *field = type->fields.items[i].type;
            lay_out(m, field);
            const TypeLayout *inner = &m->layouts[field->id];
            layout->field_offsets[i] = align_up(size, inner->align);
            size = layout->field_offsets[i] + inner->size;
            if (inner->align > align) align = inner->align;
        }
        size = align_up(size > 0 ? size : 1, align);
        break;
    case TYPE_STRING: case TYPE_ARRAY: case TYPE_LIST: case TYPE_ENVIRONMENT: break;
    }
    layout->align = align;
    layout->size = size;
}

void memory_lay_out_types(Machine *m) {
    m->layouts = ARENA_ARRAY(m->arena, TypeLayout, m->program->types.count + 1);
    for (size_t i = 0; i < m->program->types.count; i++) lay_out(m, m->program->types.items[i]);
}

size_t memory_size(Machine *m, const Type *type) { return m->layouts[type->id].size; }

size_t memory_field_offset(Machine *m, const Type *type, int field) {
    return m->layouts[type->id].field_offsets[field];
}

/* A Range in a file is a struct of two Integers. */
static Hp5Element *range_element(Machine *m, const Type *type) {
    Hp5Field *fields = ARENA_ARRAY(m->arena, Hp5Field, 2);
    fields[0] = (Hp5Field){.name = "min", .offset = 0, .element = &hp5_int64};
    fields[1] = (Hp5Field){.name = "max", .offset = 8, .element = &hp5_int64};
    Hp5Element *element = ARENA_NEW(m->arena, Hp5Element);
    *element = (Hp5Element){HP5_STRUCT, type->text, 16, 2, fields};
    return element;
}

/* What a field of this type holds; static arrays have at most HP5_MAX_RANK dimensions and no static arrays inside. */
static void fill_field(Machine *m, Hp5Field *field, Type *type, Span span) {
    if (type->kind == TYPE_STATIC_ARRAY) {
        field->rank = type->rank;
        for (int d = 0; d < type->rank; d++) field->extents[d] = type->extents[d];
        type = type->element;
    }
    field->element = memory_element(m, type, span);
}

/* A static array that is itself the element of an array: a struct with the one field `at`, as in compiled programs. */
static Hp5Element *array_element(Machine *m, Type *type, Span span) {
    Hp5Field *field = ARENA_NEW(m->arena, Hp5Field);
    field->name = "at";
    fill_field(m, field, type, span);
    Hp5Element *element = ARENA_NEW(m->arena, Hp5Element);
    *element = (Hp5Element){HP5_STRUCT, type->text, memory_size(m, type), 1, field};
    return element;
}

static Hp5Element *struct_element(Machine *m, Type *type, Span span) {
    Hp5Field *fields = ARENA_ARRAY(m->arena, Hp5Field, type->fields.count + 1);
    for (size_t i = 0; i < type->fields.count; i++) {
        const StructField *field = &type->fields.items[i];
        fields[i].name = field->name;
        fields[i].offset = memory_field_offset(m, type, (int)i);
        fill_field(m, &fields[i], field->type, span);
    }
    Hp5Element *element = ARENA_NEW(m->arena, Hp5Element);
    *element = (Hp5Element){HP5_STRUCT, type->text, memory_size(m, type), (int)type->fields.count, fields};
    return element;
}

const Hp5Element *memory_element(Machine *m, Type *type, Span span) {
    TypeLayout *layout = &m->layouts[type->id];
    switch (type->kind) {
    case TYPE_INTEGER: return type->stored_single ? &hp5_int32 : &hp5_int64;
    case TYPE_REAL_SINGLE: return &hp5_float32;
    case TYPE_REAL_DOUBLE: return &hp5_float64;
    case TYPE_BOOLEAN: return &hp5_bool;
    case TYPE_CHARACTER: return &hp5_char;
    case TYPE_RANGE:
        if (layout->element == NULL) layout->element = range_element(m, type);
        return layout->element;
    case TYPE_STRUCT:
        if (layout->element == NULL) layout->element = struct_element(m, type, span);
        return layout->element;
    case TYPE_STATIC_ARRAY:
        if (layout->element == NULL) layout->element = array_element(m, type, span);
        return layout->element;
    default: machine_fail(m, span, "%s cannot be held in an array file", type->text);
    }
}

/* ---- The stack of locals -------------------------------------------------------- */

void memory_open_stack(Machine *m) {
    m->stack = mmap(NULL, 2 * STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m->stack == MAP_FAILED) hp5_fail(HP5_EXIT_FAILURE, "no memory for local variables");
    m->top = 0;
}

void memory_close_stack(Machine *m) { munmap(m->stack, 2 * STACK_SIZE); }

static inline bool on_stack(const Machine *m, const unsigned char *address) {
    return (uintptr_t)address - (uintptr_t)m->stack < STACK_SIZE;
}

unsigned char *memory_push(Machine *m, size_t size, bool defined) {
    size = align_up(size, 16);
    if (size > STACK_SIZE - m->top)
        hp5_fail(HP5_EXIT_FAILURE, "local variables need more than %zu bytes", STACK_SIZE);
    unsigned char *address = m->stack + m->top;
    memset(address, 0, size);
    memset(address + STACK_SIZE, defined, size);
    m->top += size;
    return address;
}

void memory_undefine(Machine *m, unsigned char *address, size_t size) {
    if (on_stack(m, address)) memset(address + STACK_SIZE, 0, size);
}

void memory_copy(Machine *m, unsigned char *to, const unsigned char *from, size_t size) {
    memmove(to, from, size);
    if (!on_stack(m, to)) return;
    if (on_stack(m, from)) memmove(to + STACK_SIZE, from + STACK_SIZE, size);
    else memset(to + STACK_SIZE, 1, size);
}

/* Where each variable of a body lives in its frame; computed once for each body. */
typedef struct BodyLayout {
    const Body *body;
    size_t *offsets;
    size_t size;
    UT_hash_handle hh;
} BodyLayout;

static const BodyLayout *body_layout(Machine *m, const Body *body) {
    BodyLayout *layout;
    HASH_FIND_PTR(m->bodies, &body, layout);
    if (layout != NULL) return layout;
    layout = ARENA_NEW(m->arena, BodyLayout);
    layout->body = body;
    layout->offsets = ARENA_ARRAY(m->arena, size_t, body->vars.count + 1);
    for (size_t i = 0; i < body->vars.count; i++) {
        layout->offsets[i] = layout->size;
        layout->size += align_up(memory_size(m, body->vars.items[i]->type), 16);
    }
    HASH_ADD_PTR(m->bodies, body, layout);
    return layout;
}

void memory_forget_bodies(Machine *m) { HASH_CLEAR(hh, m->bodies); }

Frame memory_push_frame(Machine *m, const Body *body, bool stage) {
    const BodyLayout *layout = body_layout(m, body);
    size_t count = body->vars.count;
    Frame frame = {.body = body, .stage = stage};
    frame.address = (unsigned char **)memory_push(m, sizeof *frame.address * (count + 1), true);
    frame.bound = (const Var **)memory_push(m, sizeof *frame.bound * (count + 1), true);
    unsigned char *base = memory_push(m, layout->size + 1, false);
    for (size_t i = 0; i < count; i++) frame.address[i] = base + layout->offsets[i];
    return frame;
}

/* ---- Values by type ------------------------------------------------------------- */

__attribute__((noreturn)) static void fail_uninitialised(Machine *m, const char *name, Span span) {
    machine_fail(m, span, "'%s' is read before it has a value, in %s", name, machine_where(m));
}

Value memory_load(Machine *m, const unsigned char *address, const Type *type, const char *name, Span span) {
    Value value = {0};
    bool basic = type->kind != TYPE_STRUCT && type->kind != TYPE_STATIC_ARRAY;
    if (basic && on_stack(m, address)) {
        bool defined = address[STACK_SIZE] && (type->kind != TYPE_RANGE || address[STACK_SIZE + 8]);
        if (!defined) fail_uninitialised(m, name, span);
    }
    switch (type->kind) {
    case TYPE_INTEGER:
        if (type->stored_single) {
            int32_t narrow;
            memcpy(&narrow, address, sizeof narrow);
            value.integer = narrow;
        } else memcpy(&value.integer, address, sizeof value.integer);
        break;
    case TYPE_REAL_DOUBLE: memcpy(&value.real, address, sizeof value.real); break;
    case TYPE_REAL_SINGLE: memcpy(&value.single, address, sizeof value.single); break;
    case TYPE_BOOLEAN: value.integer = *address != 0; break;
    case TYPE_CHARACTER: value.integer = *address; break; /* its code, 0 to 255 */
    case TYPE_RANGE: memcpy(&value.range, address, sizeof value.range); break;
    case TYPE_STRING: memcpy(&value.string, address, sizeof value.string); break;
    case TYPE_STRUCT: case TYPE_STATIC_ARRAY: value.pointer = (void *)(uintptr_t)address; break;
    default: memcpy(&value.pointer, address, sizeof value.pointer); break;
    }
    return value;
}

static void store_integer(Machine *m, unsigned char *address, const Type *type, int64_t integer, Span span) {
    if (!type->stored_single) {
        memcpy(address, &integer, sizeof integer);
        return;
    }
    int32_t narrow = (int32_t)integer;
    if (narrow != integer)
        machine_fail(m, span, "Integer overflow: %lld does not fit an Integer single-precision", (long long)integer);
    memcpy(address, &narrow, sizeof narrow);
}

void memory_store(Machine *m, unsigned char *address, const Type *type, Value value, Span span) {
    switch (type->kind) {
    case TYPE_INTEGER: store_integer(m, address, type, value.integer, span); break;
    case TYPE_REAL_DOUBLE: memcpy(address, &value.real, sizeof value.real); break;
    case TYPE_REAL_SINGLE: memcpy(address, &value.single, sizeof value.single); break;
    case TYPE_BOOLEAN: *address = value.integer != 0; break;
    case TYPE_CHARACTER: *address = (unsigned char)value.integer; break;
    case TYPE_RANGE: memcpy(address, &value.range, sizeof value.range); break;
    case TYPE_STRING: memcpy(address, &value.string, sizeof value.string); break;
    case TYPE_STRUCT: case TYPE_STATIC_ARRAY: memory_copy(m, address, value.pointer, memory_size(m, type)); return;
    default: memcpy(address, &value.pointer, sizeof value.pointer); break;
    }
    if (on_stack(m, address)) memset(address + STACK_SIZE, 1, memory_size(m, type));
}

/* ---- Boxes of elements --------------------------------------------------------------- */

void storage_init(Storage *storage, const Hp5Set *sets, int rank, size_t size, int versions, const char *what) {
    storage->count = 1;
    for (int d = rank - 1; d >= 0; d--) {
        int64_t extent = sets[d].end - sets[d].begin;
        storage->origin[d] = sets[d].begin;
        storage->stride[d] = storage->count;
        if (__builtin_mul_overflow(storage->count, extent, &storage->count) ||
            storage->count > INT64_MAX / 2 / (int64_t)size)
            hp5_fail(HP5_EXIT_FAILURE, "array '%s' is too large for memory", what);
    }
    storage->versions = versions;
    storage->data = hp5_alloc_zeroed((int64_t)sizeof *storage->data * versions, what);
    for (int v = 0; v < versions; v++)
        storage->data[v] = hp5_alloc_zeroed(storage->count * (int64_t)size + 1, what);
}

void storage_free(Storage *storage) {
    for (int v = 0; v < storage->versions; v++) hp5_free(storage->data[v]);
    hp5_free(storage->data);
    hp5_free(storage->dirty);
    hp5_free(storage->became);
    hp5_free(storage->advanced);
    hp5_free(storage->handed);
    *storage = (Storage){0};
}

static void each_row(const Hp5Set *sets, int rank, int d, int64_t *index, RowVisit row, void *data) {
    int64_t runs = hp5_set_run_count(&sets[d]);
    for (int64_t k = 0; k < runs; k++) {
        Hp5Run run = hp5_set_run(&sets[d], k);
        index[d] = run.begin;
        if (d == rank - 1) row(index, run.end - run.begin, data);
        else
            for (; index[d] < run.end; index[d]++) each_row(sets, rank, d + 1, index, row, data);
    }
}

void sets_each_row(const Hp5Set *sets, int rank, RowVisit row, void *data) {
    int64_t index[MAX_RANK];
    each_row(sets, rank, 0, index, row, data);
}
