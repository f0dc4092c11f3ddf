/* Machines as text: the model file, which reads back to the same machine, and the
 * indented picture of --show-model. */
#include "compiler/machine/draw.h"
#include <string.h>

static const struct FlagText {
    MachineFlag flag;
    const char *name, *meaning;
} flag_texts[] = {
    {FLAG_SEGMENT, "segment", "one process each"},
    {FLAG_UNIT, "unit", "own core numbers"},
    {FLAG_CORE, "core", "numbered by the system"},
    {FLAG_GPU, "gpu", "accelerator cards"},
};
enum { FLAG_TEXTS = sizeof flag_texts / sizeof flag_texts[0] };

static void write_stated(Text *out, UnitKind kind, double value, const char *before) {
    if (!machine_is_stated(value)) return;
    text_append(out, before);
    machine_write_quantity(out, kind, value);
}

static void separate(Text *out, size_t start) {
    if (out->length > start) text_append(out, ", ");
}

static void write_cycles(Text *out, const MachineAttributes *a, size_t start) {
    const struct Cycles {
        UnitKind kind;
        double value;
    } cycles[] = {{UNIT_SCALAR, a->scalar}, {UNIT_DEPENDENT, a->dependent}, {UNIT_DIVIDE, a->divide},
                  {UNIT_FUNCTION, a->function}, {UNIT_START, a->start}};
    bool any = false;
    for (size_t i = 0; i < sizeof cycles / sizeof cycles[0]; i++) {
        if (!machine_is_stated(cycles[i].value)) continue;
        if (!any) {
            separate(out, start);
            text_append(out, "cycles:");
        }
        write_stated(out, cycles[i].kind, cycles[i].value, " ");
        any = true;
    }
}

void machine_write_attributes(Text *out, const MachineAttributes *a) {
    size_t start = out->length;
    write_stated(out, UNIT_BYTES, a->memory, "memory: ");
    write_stated(out, UNIT_RATE, a->memory_bandwidth, " ");
    if (machine_is_stated(a->operations) || machine_is_stated(a->clock)) {
        separate(out, start);
        text_append(out, "compute:");
        write_stated(out, UNIT_OPERATIONS, a->operations, " ");
        write_stated(out, UNIT_HERTZ, a->clock, " ");
    }
    write_cycles(out, a, start);
    if (machine_is_stated(a->exchange)) separate(out, start);
    write_stated(out, UNIT_SECONDS, a->exchange, "exchange: ");
    bool moves = machine_is_stated(a->move_bandwidth) || machine_is_stated(a->move_width) ||
                 machine_is_stated(a->move_latency) || machine_is_stated(a->move_at_once) || machine_is_stated(a->move_in_flight);
    if (!moves) return;
    separate(out, start);
    text_append(out, "move:");
    write_stated(out, UNIT_RATE, a->move_bandwidth, " ");
    write_stated(out, UNIT_BYTES, a->move_width, " ");
    write_stated(out, UNIT_SECONDS, a->move_latency, " ");
    write_stated(out, UNIT_AT_ONCE, a->move_at_once, " ");
    write_stated(out, UNIT_IN_FLIGHT, a->move_in_flight, " ");
}

/* ---- The model file -------------------------------------------------------------- */

static void write_space(Text *out, const MachineSpace *space) {
    size_t start = out->length;
    text_printf(out, "Space %d", space->number);
    for (size_t i = 0; i < FLAG_TEXTS; i++) {
        if (space->flags & flag_texts[i].flag) text_printf(out, "<%s>", flag_texts[i].name);
    }
    text_printf(out, ": %s (%lld)", space->name, (long long)space->count);
    size_t line = out->length - start;
    Text attributes = {0};
    machine_write_attributes(&attributes, &space->attributes);
    if (attributes.length > 0) {
        text_indent(out, line < 36 ? (int)(36 - line) : 1);
        text_printf(out, " { %s }", attributes.data);
    }
    text_char(out, '\n');
    text_free(&attributes);
}

static void write_comment(Text *out, const char *comment) {
    for (const char *line = comment; *line;) {
        size_t length = strcspn(line, "\n");
        text_append(out, "// ");
        text_append_n(out, line, length);
        text_char(out, '\n');
        line += length + (line[length] == '\n');
    }
}

void machine_write(const Machine *machine, Text *out) {
    if (machine->comment) write_comment(out, machine->comment);
    text_printf(out, "Machine \"%s\"\n", machine->name);
    for (size_t m = 0; m < machine->models.count; m++) {
        const MachineModel *model = &machine->models.items[m];
        if (model->name) text_printf(out, "\nModel: %s\n", model->name);
        for (size_t i = 0; i < model->spaces.count; i++) write_space(out, &model->spaces.items[i]);
    }
}

/* ---- The picture in text ------------------------------------------------------------ */

void machine_write_plural(Text *out, int64_t count, const char *name) {
    text_printf(out, "%lld × %s", (long long)count, name);
}

static void draw_space(Text *out, const MachineModel *model, size_t level) {
    const MachineSpace *space = &model->spaces.items[level];
    if (level > 0) {
        text_indent(out, 3 * (int)level - 3);
        text_append(out, "└─ ");
    }
    size_t columns = level > 0 ? 3 * level : 0;
    Text label = {0};
    machine_write_plural(&label, space->count, space->name);
    columns += label.length - 1; /* the sign × takes two bytes */
    text_append_n(out, label.data, label.length);
    text_free(&label);
    text_indent(out, columns < 40 ? (int)(40 - columns) : 1);
    text_printf(out, " Space %d, %lld in all", space->number, (long long)model_total_ppus(model, (int)level));
    for (size_t i = 0; i < FLAG_TEXTS; i++) {
        if (space->flags & flag_texts[i].flag) text_printf(out, ", %s", flag_texts[i].meaning);
    }
    if (model_can_compute(model, (int)level)) text_append(out, ", computes");
    text_char(out, '\n');
    Text attributes = {0};
    machine_write_attributes(&attributes, &space->attributes);
    if (attributes.length > 0) {
        text_indent(out, 3 * (int)level);
        text_append(out, level + 1 < model->spaces.count ? "│  " : "   ");
        text_printf(out, "%s\n", attributes.data);
    }
    text_free(&attributes);
}

void machine_draw_text(const Machine *machine, Text *out) {
    text_printf(out, "%s\n", machine->name);
    for (size_t m = 0; m < machine->models.count; m++) {
        const MachineModel *model = &machine->models.items[m];
        if (model->name) text_printf(out, "\nModel %s\n", model->name);
        for (size_t i = 0; i < model->spaces.count; i++) draw_space(out, model, i);
    }
}
