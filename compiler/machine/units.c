/* Quantities: numbers with units, read from attributes and written back exactly.
 *
 * Sizes count in powers of 1024 and rates in powers of 1000, as data sheets do.
 * Which quantities an attribute takes is one table; their order in the file is free,
 * because each kind of quantity has units of its own. */
#include "compiler/machine/pcubes_parse.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Unit {
    const char *name;
    UnitKind kind;
    double scale;       /* how many of the SI unit it is; for times, how many of it are a second */
    bool spelling_only; /* read, but not written */
} Unit;

static const Unit units[] = {
    {"B", UNIT_BYTES, 1, false},
    {"KB", UNIT_BYTES, 0x1p10, false},
    {"MB", UNIT_BYTES, 0x1p20, false},
    {"GB", UNIT_BYTES, 0x1p30, false},
    {"TB", UNIT_BYTES, 0x1p40, false},
    {"PB", UNIT_BYTES, 0x1p50, false},
    {"KiB", UNIT_BYTES, 0x1p10, true},
    {"MiB", UNIT_BYTES, 0x1p20, true},
    {"GiB", UNIT_BYTES, 0x1p30, true},
    {"TiB", UNIT_BYTES, 0x1p40, true},
    {"B/s", UNIT_RATE, 1, false},
    {"KB/s", UNIT_RATE, 1e3, false},
    {"MB/s", UNIT_RATE, 1e6, false},
    {"GB/s", UNIT_RATE, 1e9, false},
    {"TB/s", UNIT_RATE, 1e12, false},
    {"ps", UNIT_SECONDS, 1e12, false},
    {"ns", UNIT_SECONDS, 1e9, false},
    {"us", UNIT_SECONDS, 1e6, false},
    {"ms", UNIT_SECONDS, 1e3, false},
    {"s", UNIT_SECONDS, 1, false},
    {"\xC2\xB5s", UNIT_SECONDS, 1e6, true},
    {"\xCE\xBCs", UNIT_SECONDS, 1e6, true},
    {"Hz", UNIT_HERTZ, 1, false},
    {"KHz", UNIT_HERTZ, 1e3, false},
    {"MHz", UNIT_HERTZ, 1e6, false},
    {"GHz", UNIT_HERTZ, 1e9, false},
    {"ops", UNIT_OPERATIONS, 1, false},
    {"op", UNIT_OPERATIONS, 1, true},
    {"at-once", UNIT_AT_ONCE, 1, false},
    {"in-flight", UNIT_IN_FLIGHT, 1, false},
    {"scalar", UNIT_SCALAR, 1, false},
    {"dependent", UNIT_DEPENDENT, 1, false},
    {"divide", UNIT_DIVIDE, 1, false},
    {"function", UNIT_FUNCTION, 1, false},
    {"start", UNIT_START, 1, false},
};
enum { UNITS = sizeof units / sizeof units[0] };

static const char *const kind_names[UNIT_KIND_COUNT] = {
    [UNIT_BYTES] = "a size (B, KB, MB, GB, TB)", [UNIT_RATE] = "a bandwidth (MB/s, GB/s)",
    [UNIT_SECONDS] = "a time (ns, us, ms)",      [UNIT_HERTZ] = "a clock (MHz, GHz)",
    [UNIT_OPERATIONS] = "operations (ops)",      [UNIT_AT_ONCE] = "a number of transactions (at-once)",
    [UNIT_IN_FLIGHT] = "a number of transactions of one unit (in-flight)",
    [UNIT_SCALAR] = "a scalar operation (scalar)", [UNIT_DEPENDENT] = "a dependent addition (dependent)",
    [UNIT_DIVIDE] = "a division (divide)", [UNIT_FUNCTION] = "a function of math.h (function)",
    [UNIT_START] = "the start of a loop (start)",
};

/* One row for each quantity of each attribute. */
typedef struct Slot {
    const char *attribute;
    UnitKind kind;
    size_t offset; /* of the double in MachineAttributes */
} Slot;
static const Slot slots[] = {
    {"memory", UNIT_BYTES, offsetof(MachineAttributes, memory)},
    {"memory", UNIT_RATE, offsetof(MachineAttributes, memory_bandwidth)},
    {"compute", UNIT_OPERATIONS, offsetof(MachineAttributes, operations)},
    {"compute", UNIT_HERTZ, offsetof(MachineAttributes, clock)},
    {"exchange", UNIT_SECONDS, offsetof(MachineAttributes, exchange)},
    {"move", UNIT_RATE, offsetof(MachineAttributes, move_bandwidth)},
    {"move", UNIT_BYTES, offsetof(MachineAttributes, move_width)},
    {"move", UNIT_SECONDS, offsetof(MachineAttributes, move_latency)},
    {"move", UNIT_AT_ONCE, offsetof(MachineAttributes, move_at_once)},
    {"move", UNIT_IN_FLIGHT, offsetof(MachineAttributes, move_in_flight)},
    {"cycles", UNIT_SCALAR, offsetof(MachineAttributes, scalar)},
    {"cycles", UNIT_DEPENDENT, offsetof(MachineAttributes, dependent)},
    {"cycles", UNIT_DIVIDE, offsetof(MachineAttributes, divide)},
    {"cycles", UNIT_FUNCTION, offsetof(MachineAttributes, function)},
    {"cycles", UNIT_START, offsetof(MachineAttributes, start)},
};
const MachineAttributes machine_nothing_stated = {
    MACHINE_UNSTATED, MACHINE_UNSTATED, MACHINE_UNSTATED, MACHINE_UNSTATED, MACHINE_UNSTATED,
    MACHINE_UNSTATED, MACHINE_UNSTATED, MACHINE_UNSTATED, MACHINE_UNSTATED, MACHINE_UNSTATED,
    MACHINE_UNSTATED, MACHINE_UNSTATED, MACHINE_UNSTATED, MACHINE_UNSTATED, MACHINE_UNSTATED};
enum { SLOTS = sizeof slots / sizeof slots[0] };

/* Dividing by a power of ten rounds once, multiplying by its inexact inverse twice: so
 * 59 ns is the double nearest to 59e-9, and is written as that again. */
static double in_si(const Unit *unit, double number) {
    return unit->kind == UNIT_SECONDS ? number / unit->scale : number * unit->scale;
}

static double in_unit(const Unit *unit, double value) {
    return unit->kind == UNIT_SECONDS ? value * unit->scale : value / unit->scale;
}

/* ---- Reading ------------------------------------------------------------------------ */

static bool is_attribute(const char *name) {
    for (size_t i = 0; i < SLOTS; i++) {
        if (strcmp(slots[i].attribute, name) == 0) return true;
    }
    return false;
}

/* "operations (ops) and a clock (MHz, GHz)": what the attribute takes. */
static const char *attribute_takes(Arena *arena, const char *attribute) {
    const char *items[SLOTS];
    size_t count = 0;
    for (size_t i = 0; i < SLOTS; i++) {
        if (strcmp(slots[i].attribute, attribute) == 0) items[count++] = kind_names[slots[i].kind];
    }
    char *text = arena_strdup(arena, items[0]);
    for (size_t i = 1; i < count; i++)
        text = arena_printf(arena, "%s%s%s", text, i + 1 == count ? " and " : ", ", items[i]);
    return text;
}

/* The unit called `name`, or NULL; letters in the other case are no other unit. */
static const Unit *find_unit(const char *name) {
    for (size_t i = 0; i < UNITS; i++) {
        if (strcmp(units[i].name, name) == 0) return &units[i];
    }
    return NULL;
}

static const Unit *read_unit(PcubesContext *context, const char *attribute, const PcubesQuantity *quantity) {
    if (quantity->unit.end == quantity->unit.start) {
        Diag *diag = diag_error(context->diags, E_MODEL_UNIT, quantity->number, "this number has no unit");
        diag_help(diag, "'%s' takes %s", attribute, attribute_takes(context->arena, attribute));
        return NULL;
    }
    const char *name = pcubes_slice(context, quantity->unit);
    const Unit *unit = find_unit(name);
    if (unit) return unit;
    const char *names[UNITS];
    for (size_t i = 0; i < UNITS; i++) names[i] = units[i].name;
    Diag *diag = diag_error(context->diags, E_MODEL_UNIT, quantity->unit, "unknown unit '%s'", name);
    const char *near = text_nearest(name, names, UNITS);
    if (near) diag_help(diag, "did you mean '%s'?", near);
    else diag_help(diag, "'%s' takes %s", attribute, attribute_takes(context->arena, attribute));
    return NULL;
}

static const Slot *find_slot(const char *attribute, UnitKind kind) {
    for (size_t i = 0; i < SLOTS; i++) {
        if (slots[i].kind == kind && strcmp(slots[i].attribute, attribute) == 0) return &slots[i];
    }
    return NULL;
}

static void read_quantity(PcubesContext *context, const char *attribute, const PcubesQuantity *quantity,
                          MachineAttributes *out) {
    const Unit *unit = read_unit(context, attribute, quantity);
    if (!unit) return;
    Span span = span_join(quantity->number, quantity->unit);
    const Slot *slot = find_slot(attribute, unit->kind);
    if (!slot) {
        diag_error(context->diags, E_MODEL_UNIT, span, "'%s' does not take %s, but %s", attribute,
                   kind_names[unit->kind], attribute_takes(context->arena, attribute));
        return;
    }
    double *value = (double *)((char *)out + slot->offset);
    if (machine_is_stated(*value)) {
        diag_error(context->diags, E_MODEL_UNIT, span, "'%s' takes only one of this kind: %s", attribute,
                   kind_names[unit->kind]);
        return;
    }
    *value = in_si(unit, strtod(pcubes_slice(context, quantity->number), NULL));
    bool whole = unit->kind == UNIT_OPERATIONS || unit->kind == UNIT_AT_ONCE || unit->kind == UNIT_IN_FLIGHT || unit->kind == UNIT_BYTES;
    if (!isfinite(*value)) diag_error(context->diags, E_MODEL_UNIT, span, "this number is too large");
    else if (whole && *value != floor(*value))
        diag_error(context->diags, E_MODEL_UNIT, span, "this must be a whole number of %s",
                   unit->kind == UNIT_BYTES        ? "bytes"
                   : unit->kind == UNIT_OPERATIONS ? "operations"
                                                   : "transactions");
}

void pcubes_read_attribute(PcubesContext *context, const PcubesAttribute *attribute, MachineAttributes *out) {
    const char *name = pcubes_slice(context, attribute->name);
    if (!is_attribute(name)) {
        static const char *const names[] = {"memory", "compute", "cycles", "exchange", "move"};
        Diag *diag =
            diag_error(context->diags, E_MODEL_ATTRIBUTE, attribute->name, "unknown attribute '%s'", name);
        const char *near = text_nearest(name, names, 5);
        if (near) diag_help(diag, "did you mean '%s'?", near);
        else diag_help(diag, "the attributes are memory, compute, cycles, exchange and move");
        return;
    }
    for (size_t i = 0; i < attribute->quantities.count; i++)
        read_quantity(context, name, &attribute->quantities.items[i], out);
}

/* ---- Writing --------------------------------------------------------------------------- */

/* The shortest digits that give `value` when read in this unit; false when there are
 * none. An exponent is used only where plain digits would be very long. */
static bool exact_digits(const Unit *unit, double value, char *digits, size_t size) {
    double number = in_unit(unit, value);
    bool plain = number == 0 || (number >= 1e-4 && number < 1e15);
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, size, "%.*g", precision, number);
        if (plain && strchr(digits, 'e')) continue;
        if (in_si(unit, strtod(digits, NULL)) == value) return true;
    }
    return false;
}

/* How hard a number is to read: its digits; numbers below one and exponents count extra. */
static size_t awkwardness(const char *digits) {
    size_t result = 0;
    for (const char *c = digits; *c; c++) result += *c != '.';
    if (digits[0] == '0' && digits[1] != '\0') result += 2;
    return result + (strchr(digits, 'e') ? 8 : 0);
}

void machine_write_quantity(Text *out, UnitKind kind, double value) {
    char best[40] = "", digits[40];
    const Unit *best_unit = NULL;
    for (size_t i = 0; i < UNITS; i++) { /* units of a kind ascend: the largest of equals wins */
        const Unit *unit = &units[i];
        if (unit->kind != kind || unit->spelling_only || (best_unit && value < in_si(unit, 1) / 1000))
            continue;
        if (!exact_digits(unit, value, digits, sizeof digits)) continue;
        if (best_unit && awkwardness(digits) > awkwardness(best)) continue;
        best_unit = unit;
        memcpy(best, digits, sizeof best);
    }
    text_printf(out, "%s %s", best, best_unit->name);
}
