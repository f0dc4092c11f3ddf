/* Building a machine from what the grammar recognised, line by line, and the rules
 * that hold over a whole model. Every rule that a file breaks is reported; building
 * goes on with something plausible, and machine_parse drops the result. */
#include "compiler/machine/pcubes_parse.h"
#include <stdlib.h>
#include <string.h>

static const struct FlagName {
    const char *name;
    MachineFlag flag;
} flag_names[] = {{"segment", FLAG_SEGMENT}, {"unit", FLAG_UNIT}, {"core", FLAG_CORE}, {"gpu", FLAG_GPU}};
enum { FLAG_NAMES = sizeof flag_names / sizeof flag_names[0] };

/* ---- Headings -------------------------------------------------------------------- */

void pcubes_add_machine(PcubesContext *context, Span keyword, Span name) {
    Machine *machine = context->machine;
    Span span = span_join(keyword, name);
    if (context->machine_span.end > 0) {
        Diag *diag = diag_error(context->diags, E_MODEL_HEADING, span, "a second 'Machine' line");
        diag_help(diag,
                  "one file describes one machine; several descriptions of it get headings: 'Model: Name'");
        diag_note(diag, context->machine_span, "the first is here");
        return;
    }
    context->machine_span = span;
    if (machine->models.count > 0) {
        Diag *diag = diag_error(context->diags, E_MODEL_HEADING, span,
                                "the 'Machine' line must come first in the file");
        diag_help(diag, "move it above the first 'Space' or 'Model' line");
    }
    uint32_t end =
        name.end > name.start + 1 && context->source->text[name.end - 1] == '"' ? name.end - 1 : name.end;
    machine->name = pcubes_slice(context, (Span){name.start + 1, end});
    if (machine->name[0] == '\0')
        diag_error(context->diags, E_MODEL_SYNTAX, name, "the machine's name is empty");
}

void pcubes_add_model(PcubesContext *context, Span keyword, Span name) {
    Machine *machine = context->machine;
    MachineModel model = {.name = pcubes_slice(context, name), .span = span_join(keyword, name)};
    for (size_t i = 0; i < machine->models.count; i++) {
        const MachineModel *other = &machine->models.items[i];
        if (!other->name || strcmp(other->name, model.name) != 0) continue;
        Diag *diag =
            diag_error(context->diags, E_MODEL_DUPLICATE, name, "a second model is called '%s'", model.name);
        diag_note(diag, other->span, "the first is here");
        break;
    }
    if (machine->models.count == 1 && !machine->models.items[0].name) {
        Diag *diag = diag_error(context->diags, E_MODEL_HEADING, machine->models.items[0].span,
                                "these spaces belong to no model, but the file has 'Model' headings");
        diag_help(diag, "write a line 'Model: Name' above them");
    }
    vec_push(context->arena, &machine->models, model);
}

/* ---- Spaces ------------------------------------------------------------------------ */

/* The integer of a token; -1 when it is too large. */
static int64_t read_integer(const PcubesContext *context, Span span) {
    int64_t value = 0;
    for (uint32_t i = span.start; i < span.end; i++) {
        value = value * 10 + (context->source->text[i] - '0');
        if (value > MACHINE_MAX_PPUS) return -1;
    }
    return value;
}

static unsigned read_flags(PcubesContext *context, const PcubesFlags *flags) {
    const char *names[FLAG_NAMES];
    for (size_t i = 0; i < FLAG_NAMES; i++) names[i] = flag_names[i].name;
    unsigned result = 0;
    for (size_t i = 0; i < flags->count; i++) {
        const char *name = pcubes_slice(context, flags->items[i]);
        size_t f = 0;
        while (f < FLAG_NAMES && strcmp(name, names[f]) != 0) f++;
        if (f == FLAG_NAMES) {
            Diag *diag = diag_error(context->diags, E_MODEL_FLAG, flags->items[i], "unknown flag '%s'", name);
            const char *near = text_nearest(name, names, FLAG_NAMES);
            if (near) diag_help(diag, "did you mean '%s'?", near);
            else diag_help(diag, "the flags are segment, unit, core and gpu");
        } else if (result & flag_names[f].flag) {
            diag_error(context->diags, E_MODEL_DUPLICATE, flags->items[i], "flag '%s' is given twice", name);
        } else {
            result |= flag_names[f].flag;
        }
    }
    return result;
}

static bool same_text(const PcubesContext *context, Span a, Span b) {
    const char *text = context->source->text;
    return a.end - a.start == b.end - b.start && memcmp(text + a.start, text + b.start, a.end - a.start) == 0;
}

static MachineAttributes read_attributes(PcubesContext *context, const PcubesAttributes *attributes) {
    MachineAttributes result = machine_nothing_stated;
    for (size_t i = 0; i < attributes->count; i++) {
        Span name = attributes->items[i]->name;
        size_t j = 0;
        while (j < i && !same_text(context, attributes->items[j]->name, name)) j++;
        if (j == i) {
            pcubes_read_attribute(context, attributes->items[i], &result);
            continue;
        }
        Diag *diag = diag_error(context->diags, E_MODEL_DUPLICATE, name, "attribute '%s' is given twice",
                                pcubes_slice(context, name));
        diag_note(diag, attributes->items[j]->name, "the first is here");
    }
    return result;
}

static void check_number(PcubesContext *context, const MachineModel *model, int64_t number, Span span) {
    if (number < 0) {
        diag_error(context->diags, E_MODEL_ORDER, span, "a space number this large makes no sense");
        return;
    }
    bool lost = context->lines_lost;
    context->lines_lost = false;
    if (model->spaces.count == 0 || lost) return;
    const MachineSpace *above = &vec_last(&model->spaces);
    if (number == above->number - 1) return;
    Diag *diag = diag_error(context->diags, E_MODEL_ORDER, span,
                            "Space %d follows Space %d, but numbers fall by one from line to line",
                            (int)number, above->number);
    if (above->number > 0) diag_help(diag, "this line would be Space %d", above->number - 1);
    else diag_help(diag, "give the lowest space the number 1 and count upwards from there");
}

static void check_count(PcubesContext *context, const MachineModel *model, int64_t count, Span span) {
    if (count == 0) {
        Diag *diag = diag_error(context->diags, E_MODEL_COUNT, span,
                                "a space has at least 1 PPU in each PPU above it, not 0");
        diag_help(diag, "leave the line out if the machine has no such level");
        return;
    }
    int64_t total = count;
    for (size_t i = 0; i < model->spaces.count && total > 0; i++) {
        int64_t factor = model->spaces.items[i].count;
        total = total > MACHINE_MAX_PPUS / factor ? -1 : total * factor;
    }
    if (total < 0)
        diag_error(context->diags, E_MODEL_COUNT, span,
                   "this makes more than 2147483648 PPUs in the whole machine");
}

static void check_name(PcubesContext *context, const MachineModel *model, const char *name, Span span) {
    for (size_t i = 0; i < model->spaces.count; i++) {
        const MachineSpace *other = &model->spaces.items[i];
        if (strcmp(other->name, name) != 0) continue;
        Diag *diag =
            diag_error(context->diags, E_MODEL_DUPLICATE, span, "a second space is called '%s'", name);
        diag_help(diag, "mapping files tell spaces apart by their names");
        diag_note(diag, other->span, "the first is here");
        return;
    }
}

/* Mapping files name levels by one word: NUMA Node is NUMA-Node. */
static const char *joined_name(const PcubesContext *context, const PcubesFlags *words) {
    const char *name = pcubes_slice(context, words->items[0]);
    for (size_t i = 1; i < words->count; i++)
        name = arena_printf(context->arena, "%s-%s", name, pcubes_slice(context, words->items[i]));
    return name;
}

void pcubes_add_space(PcubesContext *context, Span keyword, Span number, PcubesFlags flags,
                      PcubesFlags words, Span count, PcubesAttributes attributes, Span last) {
    Machine *machine = context->machine;
    Span span = span_join(keyword, last);
    if (machine->models.count == 0)
        vec_push(context->arena, &machine->models, ((MachineModel){.span = span}));
    MachineModel *model = &vec_last(&machine->models);
    if (model->spaces.count == MACHINE_MAX_LEVELS) {
        diag_error(context->diags, E_MODEL_COUNT, span, "a model has at most %d spaces", MACHINE_MAX_LEVELS);
        return;
    }
    Span name = span_join(words.items[0], vec_last(&words));
    MachineSpace space = {.name = joined_name(context, &words), .span = span, .name_span = name};
    int64_t value = read_integer(context, number);
    check_number(context, model, value, number);
    space.number = value < 0 || value > INT32_MAX ? 0 : (int)value;
    space.count = read_integer(context, count);
    check_count(context, model, space.count, count);
    if (space.count < 1) space.count = 1;
    check_name(context, model, space.name, name);
    space.flags = read_flags(context, &flags);
    space.attributes = read_attributes(context, &attributes);
    vec_push(context->arena, &model->spaces, space);
}

PcubesAttribute *pcubes_new_attribute(PcubesContext *context, Span name, PcubesQuantity first) {
    PcubesAttribute *attribute = ARENA_NEW(context->arena, PcubesAttribute);
    attribute->name = name;
    vec_push(context->arena, &attribute->quantities, first);
    return attribute;
}

/* ---- Whole models -------------------------------------------------------------------- */

static int find_flag(const MachineModel *model, MachineFlag flag) {
    for (size_t i = 0; i < model->spaces.count; i++) {
        if (model->spaces.items[i].flags & flag) return (int)i;
    }
    return -1;
}

static void check_each_flag_once(PcubesContext *context, const MachineModel *model) {
    for (size_t f = 0; f < FLAG_NAMES; f++) {
        int first = find_flag(model, flag_names[f].flag);
        for (size_t i = (size_t)(first + 1); first >= 0 && i < model->spaces.count; i++) {
            if (!(model->spaces.items[i].flags & flag_names[f].flag)) continue;
            Diag *diag = diag_error(context->diags, E_MODEL_FLAGS, model->spaces.items[i].span,
                                    "two spaces of a model have the flag <%s>", flag_names[f].name);
            diag_note(diag, model->spaces.items[first].span, "the first is here");
        }
    }
}

/* `upper` must not stand below `lower`. */
static void check_flags_nest(PcubesContext *context, const MachineModel *model, size_t upper, size_t lower) {
    int above = find_flag(model, flag_names[upper].flag), below = find_flag(model, flag_names[lower].flag);
    if (above < 0 || below < 0 || above <= below) return;
    Diag *diag =
        diag_error(context->diags, E_MODEL_FLAGS, model->spaces.items[above].span,
                   "the flag <%s> must not stand below <%s>", flag_names[upper].name, flag_names[lower].name);
    diag_note(diag, model->spaces.items[below].span, "<%s> is here", flag_names[lower].name);
}

/* Below a card stand multiprocessors and warps, and maybe lanes. */
static void check_card(PcubesContext *context, const MachineModel *model, size_t gpu) {
    enum { LANES = 32 /* of each warp of every card */ };
    const MachineSpace *space = &model->spaces.items[gpu];
    const size_t below = model->spaces.count - 1 - gpu;
    if (below < 2 || below > 3) {
        Diag *diag = diag_error(context->diags, E_MODEL_FLAGS, space->span, "'%s' is a GPU with %zu space%s below it instead of two or three", space->name, below,
                                below == 1 ? "" : "s");
        diag_help(diag, "below the cards come their multiprocessors, the warps of those and, if Spaces are to have single threads, the %d lanes of a warp", LANES);
    } else if (below == 3 && model->spaces.items[gpu + 3].count != LANES) {
        const MachineSpace *lanes = &model->spaces.items[gpu + 3];
        Diag *diag = diag_error(context->diags, E_MODEL_FLAGS, lanes->span, "'%s' are the lanes of a warp, of which there are %d, not %lld", lanes->name, LANES, (long long)lanes->count);
        diag_help(diag, "write (%d)", LANES);
    }
}

static void check_flags(PcubesContext *context, const MachineModel *model) {
    check_each_flag_once(context, model);
    enum { SEGMENT, UNIT, CORE, GPU }; /* positions in flag_names */
    /* A process may have a part of a unit: one for each NUMA node of a computer, say. */
    check_flags_nest(context, model, SEGMENT, CORE);
    check_flags_nest(context, model, SEGMENT, GPU);
    check_flags_nest(context, model, UNIT, CORE);
    check_flags_nest(context, model, CORE, GPU);
    int unit = find_flag(model, FLAG_UNIT), core = find_flag(model, FLAG_CORE),
        gpu = find_flag(model, FLAG_GPU);
    if (unit >= 0 && core < 0 && gpu < 0) {
        const MachineSpace *space = &model->spaces.items[unit];
        Diag *diag = diag_error(context->diags, E_MODEL_FLAGS, space->span,
                                "'%s' is a domain of core numbers (<unit>), but no space has the flag <core>",
                                space->name);
        diag_help(diag, "flag the space whose PPUs the operating system numbers: 'Space 1<core>: …'");
    }
    if (gpu >= 0) check_card(context, model, (size_t)gpu);
}

void pcubes_check_models(PcubesContext *context) {
    Machine *machine = context->machine;
    if (machine->models.count == 0) {
        Span end = {(uint32_t)context->source->length, (uint32_t)context->source->length};
        Diag *diag = diag_error(context->diags, E_MODEL_EMPTY, end, "the machine has no spaces");
        diag_help(diag, "a small model: 'Space 1: Core (4)'");
    }
    for (size_t i = 0; i < machine->models.count; i++) {
        const MachineModel *model = &machine->models.items[i];
        if (model->spaces.count == 0)
            diag_error(context->diags, E_MODEL_EMPTY, model->span, "model '%s' has no spaces", model->name);
        check_flags(context, model);
    }
}
