/* The picture of a model: one row of boxes for each space, top-down. A row shows the
 * PPUs inside one PPU of the row above (the first few of them, and how many there
 * are); that PPU opens, in a light colour, to the ends of its row. */
#include "compiler/machine/draw.h"
#include <string.h>

enum {
    WIDTH = 960,
    MARGIN = 24,
    TITLE_HEIGHT = 40,
    ROW_HEIGHT = 92,
    BOX_HEIGHT = 34,
    MOST_BOXES = 16,
    GAP = 6,
    WIDEST_BOX = 220
};

static void draw_label(Text *out, double x, double y, const char *class, const char *anchor,
                       const char *string) {
    text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\" text-anchor=\"%s\">", x, y, class, anchor);
    text_append_xml(out, string);
    text_append(out, "</text>\n");
}

/* Where the boxes of a row lie. */
typedef struct Row {
    double left, box_width;
    int64_t boxes; /* drawn; fewer than there are when the row is long */
} Row;

static Row lay_out(int64_t count) {
    Row row = {.boxes = count < MOST_BOXES ? count : MOST_BOXES};
    double room = WIDTH - 2 * MARGIN - GAP * (double)(row.boxes - 1);
    row.box_width = room / (double)row.boxes < WIDEST_BOX ? room / (double)row.boxes : WIDEST_BOX;
    double used = row.box_width * (double)row.boxes + GAP * (double)(row.boxes - 1);
    row.left = (WIDTH - used) / 2;
    return row;
}

static const char *class_of(const MachineModel *model, size_t level) {
    if (model_is_gpu_level(model, (int)level)) return "gpu";
    return model_can_compute(model, (int)level) ? "computes" : "holds";
}

/* From the first box of the row above to the ends of this one; drawn before everything else, so that labels stand on it. */
static void draw_opening(Text *out, const MachineModel *model, size_t level, double top) {
    Row row = lay_out(model->spaces.items[level].count), above = lay_out(model->spaces.items[level - 1].count);
    double right = row.left + row.box_width * (double)row.boxes + GAP * (double)(row.boxes - 1), y = top - ROW_HEIGHT + BOX_HEIGHT;
    text_printf(out, "<path class=\"opens\" d=\"M%.1f %.1f L%.1f %.1f L%.1f %.1f L%.1f %.1f Z\"/>\n", above.left, y, row.left, top, right,
                top, above.left + above.box_width, y);
}

static void draw_row(Text *out, const MachineModel *model, size_t level, double top) {
    const MachineSpace *space = &model->spaces.items[level];
    Row row = lay_out(space->count);
    for (int64_t i = 0; i < row.boxes; i++) {
        double x = row.left + (row.box_width + GAP) * (double)i;
        text_printf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"3\"/>\n",
                    class_of(model, level), x, top, row.box_width, BOX_HEIGHT);
    }
    Text label = {0};
    text_printf(&label, "Space %d: ", space->number);
    machine_write_plural(&label, space->count, space->name);
    if (row.boxes < space->count) text_printf(&label, " (%lld drawn)", (long long)row.boxes);
    draw_label(out, WIDTH / 2.0, top + BOX_HEIGHT + 16, "name", "middle", label.data);
    label.length = 0;
    machine_write_attributes(&label, &space->attributes);
    if (label.length > 0)
        draw_label(out, WIDTH / 2.0, top + BOX_HEIGHT + 31, "attributes", "middle", label.data);
    text_free(&label);
}

void machine_draw_svg(const Machine *machine, Text *out) {
    size_t rows = 0;
    for (size_t m = 0; m < machine->models.count; m++) rows += machine->models.items[m].spaces.count;
    int height = TITLE_HEIGHT + (int)rows * ROW_HEIGHT + (int)machine->models.count * TITLE_HEIGHT;
    text_printf(
        out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
        WIDTH, height, WIDTH, height);
    text_append(out, "<style>text{font-family:sans-serif;fill:#222;paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}.title{font-size:18px;font-weight:bold}"
                     ".name{font-size:13px}.attributes{font-size:11px;fill:#666}rect{stroke:#444}"
                     ".holds{fill:#f4f4f4}.computes{fill:#cfe6cf}.gpu{fill:#d8d8f0}"
                     ".opens{stroke:#ccc;fill:#f7f7f2}</style>\n");
    text_append(out, "<rect width=\"100%\" height=\"100%\" style=\"fill:#fff;stroke:none\"/>\n");
    draw_label(out, MARGIN, 28, "title", "start", machine->name);
    double top = TITLE_HEIGHT;
    for (size_t m = 0; m < machine->models.count; m++) {
        const MachineModel *model = &machine->models.items[m];
        if (model->name) draw_label(out, MARGIN, top + 20, "name", "start", model->name);
        top += TITLE_HEIGHT - 8;
        for (size_t i = 1; i < model->spaces.count; i++) draw_opening(out, model, i, top + ROW_HEIGHT * (double)i);
        for (size_t i = 0; i < model->spaces.count; i++, top += ROW_HEIGHT) draw_row(out, model, i, top);
        top += 8;
    }
    text_append(out, "</svg>\n");
}
