/* --mapping-svg: for each Space of a task that is divided a panel, of others a line. On the left the grid of LPUs, coloured by PPU: PPUs in one unit of the
 * uppermost level (a socket, a node) share a hue, heavy lines separate the units, thin ones the PPUs. Grids inside LPUs are
 * drawn inside these while there is room. On the right the bytes of padding from unit to unit, the totals, and one part
 * with its padding, to scale. Below, which colour is which PPU.
 *
 * How to read it: colours; where grids lie (lay_out_*), tiles; then the pieces on the right, and the panel. */
#include "runtime/mapping/space.h"
#include "runtime/show/show.h"
#include "runtime/run/private.h"
#include <math.h>
#include <string.h>

enum { LEFT = 24, GRID_WIDTH = 600, GRID_HEIGHT = 460, RIGHT = 664, LARGEST_TILE = 48, MOST_TITLES = 1100, MOST_ROW = 50, MOST_KEYS = 32, MOST_SKETCHES = 3 };
static const double SMALLEST_TILE = 3.5;

typedef struct Drawing {
    FILE *out;
    const Hp5ShowTask *task;
    const Hp5TaskDesc *desc;
    const Hp5ShowSpace *space;
    double tile;
    int64_t tiles; /* that will be drawn */
} Drawing;

/* ---- Colours ------------------------------------------------------------------------------------- */

static double channel(double hue, double saturation, double light, int shift) {
    double k = fmod(shift + hue / 30, 12), low = light < 1 - light ? light : 1 - light;
    double wave = k - 3 < 9 - k ? k - 3 : 9 - k;
    if (wave > 1) wave = 1;
    if (wave < -1) wave = -1;
    return light - saturation * low * wave;
}

/* A PPU's colour; where it is dark, text on it is white. */
static void colour_of(const Hp5ShowSpace *space, int thread, char text[8], bool *dark) {
    int unit = space->unit_of[0][thread], units = space->unit_count[0], first = thread, last = thread;
    while (first > 0 && space->unit_of[0][first - 1] == unit) first--;
    while (last + 1 < space->threads && space->unit_of[0][last + 1] == unit) last++;
    int inside = space->ppu_of[last] - space->ppu_of[first] + 1, number = space->ppu_of[thread] - space->ppu_of[first];
    double hue = units <= 12 ? 360.0 * unit / units + 205 : 137.508 * unit, light = inside > 1 ? 0.40 + 0.44 * number / (inside - 1) : 0.66;
    if (inside == 1 && units > 12) light = 0.52 + 0.12 * (unit % 3);
    static const int shifts[] = {0, 8, 4};
    int rgb[3];
    for (int i = 0; i < 3; i++) rgb[i] = (int)(255 * channel(fmod(hue, 360), 0.55, light, shifts[i]) + 0.5);
    snprintf(text, 8, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
    *dark = 0.3 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2] < 128;
}

static void xml_text(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '&') fputs("&amp;", out);
        else if (*text == '<') fputs("&lt;", out);
        else if (*text == '>') fputs("&gt;", out);
        else if (*text == '"') fputs("&quot;", out);
        else if ((unsigned char)*text >= 0x20) fputc(*text, out);
    }
}

static void label(FILE *out, double x, double y, const char *attributes, const char *text) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\"%s%s>", x, y, attributes[0] ? " " : "", attributes);
    xml_text(out, text);
    fputs("</text>\n", out);
}

/* "19.2 kB" */
static const char *short_bytes(int64_t bytes, char text[16]) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    double value = (double)bytes;
    int u = 0;
    for (; value >= 1000 && u < 5; u++) value /= 1000;
    snprintf(text, 16, value >= 100 || u == 0 ? "%.0f %s" : "%.1f %s", value, units[u]);
    return text;
}

/* ---- Where a grid lies ------------------------------------------------------------------------------ */

/* A grid in tiles: its last two dimensions as rows and columns, the others as pictures side by side. A long row is
 * broken. */
typedef struct Shape {
    int64_t rows, columns, slices, across; /* of a slice; slices; of these side by side */
    bool broken;
} Shape;

static Shape shape_of(const Hp5Grid *grid, int dims) {
    Shape shape = {.rows = 1, .columns = 1, .slices = 1, .across = 1};
    if (dims > 0) shape.columns = grid->extent[dims - 1];
    if (dims > 1) shape.rows = grid->extent[dims - 2];
    for (int j = 0; j < dims - 2; j++) shape.slices *= grid->extent[j];
    if (dims == 1 && shape.columns > MOST_ROW) {
        int64_t columns = (int64_t)ceil(sqrt(3.0 * (double)shape.columns));
        shape.rows = (shape.columns + columns - 1) / columns;
        shape.columns = columns;
        shape.broken = true;
    }
    double wide = sqrt((double)shape.slices * (double)(shape.rows + 1) / (double)(shape.columns + 1) * GRID_WIDTH / GRID_HEIGHT);
    shape.across = wide < 1 ? 1 : wide > (double)shape.slices ? shape.slices : (int64_t)(wide + 0.5);
    return shape;
}

static int64_t down(const Shape *shape) { return (shape->slices + shape->across - 1) / shape->across; }

/* The LPSes from the one that is drawn outermost down to the Space; depth 1: the Space alone. */
typedef struct Chain {
    int lps[64], depth;
} Chain;

/* Tiles that all grids of a chain take side by side, from an LPU of the first one's parent down. */
static void tiles_of(const Drawing *d, const Chain *chain, int at, const Hp5Lpu *parent, double *wide, double *high) {
    const Hp5Grid *grid = &parent->children[d->task->run->hidden->geometry.shapes[chain->lps[at]].slot];
    Shape shape = shape_of(grid, d->desc->lpses[chain->lps[at]].dims);
    double w = 1, h = 1;
    if (at + 1 < chain->depth && grid->count > 0) {
        tiles_of(d, chain, at + 1, &grid->lpus[0], &w, &h);
        w += 0.5;
        h += 0.5;
    }
    *wide = (double)(shape.columns * shape.across) * w + (double)(shape.across - 1);
    *high = (double)(shape.rows * down(&shape)) * h + 1.4 * (double)(down(&shape) - 1);
}

/* ---- Tiles ------------------------------------------------------------------------------------------------ */

static void point_text(const Hp5Grid *grid, int dims, int64_t number, char *text, int size) {
    Hp5Tuple point = {.count = dims};
    for (int j = dims - 1; j >= 0; number /= grid->extent[j--]) point.at[j] = number % grid->extent[j];
    hp5_tuple_text(&point, text, size);
}

static void tile(const Drawing *d, const Hp5Grid *grid, int dims, int64_t number, int thread, double x, double y) {
    char colour[8], point[200], name[200];
    bool dark = false;
    int ppu = d->space->ppu_of[thread];
    if (d->space->load) colour_of(d->space, thread, colour, &dark);
    else strcpy(colour, "#cccccc");
    double gap = d->tile >= 10 ? 0.5 : d->tile >= 6 ? 0.25 : 0;
    fprintf(d->out, "<rect class=\"lpu\" data-ppu=\"%d\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"", ppu, x + gap, y + gap,
            d->tile - 2 * gap, d->tile - 2 * gap, colour);
    if (d->tiles <= MOST_TITLES) {
        point_text(grid, dims, number, point, sizeof point);
        hp5_show_ppu_name(d->task, d->space, ppu, name, sizeof name);
        fprintf(d->out, "><title>LPU %s: ", point);
        xml_text(d->out, d->space->load ? name : "whoever is free");
        fputs("</title></rect>\n", d->out);
    } else fputs("/>\n", d->out);
    int digits = snprintf(point, sizeof point, "%d", ppu);
    if (d->space->load && d->tile >= 8 + 7 * digits)
        fprintf(d->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\"%s>%d</text>\n", x + d->tile / 2, y + d->tile / 2 + 4, dark ? " style=\"fill:#fff\"" : "", ppu);
}

typedef struct Place { double x, y, w, h; } Place; /* of LPU 0 of a grid; of one LPU */

static void place_of(const Shape *shape, const Place *origin, int64_t number, double gap, double *x, double *y) {
    int64_t slice = shape->broken ? 0 : number / (shape->rows * shape->columns), rest = shape->broken ? number : number % (shape->rows * shape->columns);
    *x = origin->x + (double)(slice % shape->across) * ((double)shape->columns * origin->w + gap) + (double)(rest % shape->columns) * origin->w;
    *y = origin->y + (double)(slice / shape->across) * ((double)shape->rows * origin->h + 1.4 * gap) + (double)(rest / shape->columns) * origin->h;
}

/* A line between an LPU and the next one to the right or below, where another unit or PPU begins. */
static void border(const Drawing *d, int a, int b, double x, double y, bool below) {
    const Hp5ShowSpace *space = d->space;
    bool unit = space->unit_of[0][a] != space->unit_of[0][b];
    if (!unit && space->ppu_of[a] == space->ppu_of[b]) return;
    double x1 = below ? x : x + d->tile, y1 = below ? y + d->tile : y;
    fprintf(d->out, "<path d=\"M%.2f %.2f%c%.2f\" stroke=\"%s\" stroke-width=\"%.1f\" stroke-linecap=\"round\"/>\n", x1, y1, below ? 'h' : 'v', d->tile,
            unit ? "#000" : "#777", (unit ? 2.6 : 0.9) * (d->tile < 10 ? 0.6 : 1));
}

static void leaf_grid(const Drawing *d, const Hp5Lpu *parent, const Hp5Grid *grid, Place origin) {
    int dims = d->desc->lpses[grid->lps].dims, *thread = hp5_alloc((int64_t)sizeof(int) * (grid->count + 1), "a mapping's picture");
    Shape shape = shape_of(grid, dims);
    struct Hp5ShowSpan above = hp5_show_span(d->task->run, parent);
    double x, y;
    origin.w = origin.h = d->tile;
    for (int64_t i = 0; i < grid->count; i++) {
        thread[i] = hp5_lpu_span(&d->task->run->hidden->geometry, grid, i, (Hp5Span){above.first, above.count}).first;
        place_of(&shape, &origin, i, d->tile, &x, &y);
        tile(d, grid, dims, i, thread[i], x, y);
    }
    for (int64_t i = 0; i < grid->count && d->space->load; i++) {
        int64_t column = i % shape.columns, row = i / shape.columns % shape.rows;
        place_of(&shape, &origin, i, d->tile, &x, &y);
        if (column + 1 < shape.columns && i + 1 < grid->count) border(d, thread[i], thread[i + 1], x, y, false);
        if (!shape.broken && row + 1 < shape.rows) border(d, thread[i], thread[i + shape.columns], x, y, true);
        if (shape.broken && column == 0) {
            char number[32];
            snprintf(number, sizeof number, "%lld", (long long)i);
            label(d->out, x - 3, y + d->tile * 0.8, "class=\"small\" text-anchor=\"end\"", number);
        }
    }
    for (int64_t s = 0; s < shape.slices && shape.slices > 1; s++) {
        char text[220];
        place_of(&shape, &origin, s * shape.rows * shape.columns, d->tile, &x, &y);
        point_text(grid, dims, s * shape.rows * shape.columns, text, sizeof text - 8);
        for (int j = 0; j < 2; j++) *strrchr(text, ',') = '\0';
        strcat(text, ", *, *)");
        label(d->out, x, y - 3, "class=\"small\"", text);
    }
    hp5_free(thread);
}

static void draw_chain(const Drawing *d, const Chain *chain, int at, const Hp5Lpu *parent, double x, double y) {
    const Hp5Grid *grid = &parent->children[d->task->run->hidden->geometry.shapes[chain->lps[at]].slot];
    if (at + 1 == chain->depth) {
        leaf_grid(d, parent, grid, (Place){x, y, 0, 0});
        return;
    }
    Shape shape = shape_of(grid, d->desc->lpses[chain->lps[at]].dims);
    double wide, high, inner_x, inner_y, gap = d->tile;
    if (grid->count == 0) return;
    tiles_of(d, chain, at + 1, &grid->lpus[0], &wide, &high);
    Place place = {x, y, (wide + 0.5) * d->tile, (high + 0.5) * d->tile};
    for (int64_t i = 0; i < grid->count; i++) {
        place_of(&shape, &place, i, gap, &inner_x, &inner_y);
        draw_chain(d, chain, at + 1, &grid->lpus[i], inner_x, inner_y);
    }
}

/* The chain that fits: from the child of Root if its grids are alike enough to be drawn in one another, else the Space alone. */
static Chain choose_chain(Drawing *d, const Hp5Lpu **parent, double *wide, double *high) {
    Chain chain = {.depth = 0};
    int path[64], count = 0;
    for (int x = d->space->lps; x > 0 && count < 64; x = d->desc->lpses[x].parent) path[count++] = x;
    while (count > 0) chain.lps[chain.depth++] = path[--count];
    *parent = &d->task->run->root;
    bool alike = d->space->kind_count == 1 || d->space->other_grids == 0;
    tiles_of(d, &chain, 0, *parent, wide, high);
    d->tiles = d->space->lpus;
    if (chain.depth > 1 && (!alike || GRID_WIDTH / *wide < SMALLEST_TILE || GRID_HEIGHT / *high < SMALLEST_TILE)) {
        chain.lps[0] = d->space->lps;
        chain.depth = 1;
        *parent = d->space->kinds[0].parent;
        d->tiles = d->space->kinds[0].grid->count;
        tiles_of(d, &chain, 0, *parent, wide, high);
    }
    return chain;
}

/* ---- On the right ----------------------------------------------------------------------------------------------- */

static const char *level_name(const Drawing *d, int k) {
    return d->space->level[k] < 0 ? d->desc->level_names[d->space->lps] : d->desc->machine_levels[d->space->level[k]].name;
}

static double matrix(const Drawing *d, double top) {
    const Hp5ShowSpace *space = d->space;
    const int64_t *bytes = space->bytes.matrix;
    int n = space->unit_count[0];
    int64_t most = 0;
    for (int i = 0; bytes && i < n * n; i++) most = bytes[i] > most ? bytes[i] : most;
    if (most == 0) return 0;
    double cell = n <= 6 ? 46 : 288.0 / n;
    char text[200];
    snprintf(text, sizeof text, "bytes of padding, from row to column (%ss)", level_name(d, 0));
    label(d->out, RIGHT, top + 12, "", text);
    top += 32;
    for (int i = 0; i < n && cell >= 9; i++) {
        snprintf(text, sizeof text, "%d", i);
        label(d->out, RIGHT + 20 + cell * (i + 0.5), top - 3, "class=\"small\" text-anchor=\"middle\"", text);
        label(d->out, RIGHT + 16, top + cell * (i + 0.5) + 4, "class=\"small\" text-anchor=\"end\"", text);
    }
    for (int from = 0; from < n; from++)
        for (int to = 0; to < n; to++) {
            int64_t value = bytes[from * n + to];
            double share = sqrt((double)value / (double)most);
            double x = RIGHT + 20 + cell * to, y = top + cell * from;
            fprintf(d->out, "<rect class=\"bytes\" data-bytes=\"%lld\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"", (long long)value, x, y, cell, cell);
            if (value > 0) fprintf(d->out, "#%02x%02x%02x", 252, (int)(236 - 110 * share), (int)(200 - 150 * share));
            else fputs(from == to ? "#e6e6e6" : "#fafafa", d->out);
            fputs("\" stroke=\"#fff\"/>\n", d->out);
            if (value > 0 && cell >= 44) label(d->out, x + cell / 2, y + cell / 2 + 3, "class=\"small\" style=\"fill:#000\" text-anchor=\"middle\"", short_bytes(value, text));
        }
    return 32 + cell * n + 14;
}

static double totals(const Drawing *d, double top) {
    const Hp5ShowSpace *space = d->space;
    char text[300], now[16], before[16];
    double y = top;
    for (int k = 0; k < space->level_count; k++) {
        snprintf(text, sizeof text, "between %ss%s%s: %s", level_name(d, k), k > 0 ? " of a " : "", k > 0 ? level_name(d, k - 1) : "",
                 short_bytes(space->bytes.crossing[k], now));
        label(d->out, RIGHT, y += 16, "", text);
        if (space->plain.crossing[k] == space->bytes.crossing[k]) continue;
        snprintf(text, sizeof text, "in runs of rows it would be %s", short_bytes(space->plain.crossing[k], before));
        label(d->out, RIGHT + 12, y += 15, "class=\"small\"", text);
    }
    snprintf(text, sizeof text, "inside a PPU: %s; most that a PPU takes: %s", short_bytes(space->bytes.within, now), short_bytes(space->bytes.most, before));
    label(d->out, RIGHT, y += 16, "", text);
    return y + 10 - top;
}

/* One part with its padding, the last two dimensions to scale. */
static double sketch(const Drawing *d, const Hp5ShowPart *part, double top) {
    const Hp5ArrayDesc *array = &d->desc->arrays[part->array];
    int last = array->rank - 1, before = array->rank > 1 ? array->rank - 2 : last;
    double own_w = (double)part->most[last], own_h = array->rank > 1 ? (double)part->most[before] : 0;
    double all_w = own_w + (double)(part->front[last] + part->back[last]), all_h = array->rank > 1 ? own_h + (double)(part->front[before] + part->back[before]) : 0;
    double scale = 130 / (all_w > all_h ? all_w : all_h), thin = array->rank > 1 ? 0 : 18;
    double x = RIGHT + 4, y = top + 20, w = all_w * scale, h = all_h * scale + thin;
    if (h < 6) h = 6;
    if (w < 6) w = 6;
    char text[300] = "";
    snprintf(text, sizeof text, "a part of %s", array->name);
    label(d->out, RIGHT, top + 12, "", text);
    double own_x = x + (double)part->front[last] * scale, own_y = y + (array->rank > 1 ? (double)part->front[before] * scale : 0);
    double inner_w = own_w * scale, inner_h = array->rank > 1 ? own_h * scale : thin;
    fprintf(d->out, "<rect class=\"padding\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", x, y, w, h);
    fprintf(d->out, "<rect class=\"own\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#bcd3ea\"/>\n", own_x, own_y, inner_w < 1 ? 1 : inner_w,
            inner_h < 1 ? 1 : inner_h);
    size_t used = 0;
    for (int k = 0; k < array->rank && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld", k > 0 ? " x " : "", (long long)part->most[k]);
    label(d->out, x + w + 12, y + 12, "", text);
    used = (size_t)snprintf(text, sizeof text, "padding ");
    for (int k = 0; k < array->rank && used < sizeof text; k++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld", k > 0 ? ", " : "", (long long)part->front[k]);
        if (part->front[k] != part->back[k] && used < sizeof text) used += (size_t)snprintf(text + used, sizeof text - used, "+%lld", (long long)part->back[k]);
    }
    label(d->out, x + w + 12, y + 28, "", text);
    return 20 + (h > 32 ? h : 32) + 12;
}

/* ---- A panel --------------------------------------------------------------------------------------------------------- */

static void key_name(const Drawing *d, int ppu, char *name, size_t size) {
    size_t used = (size_t)snprintf(name, size, "%d ", ppu);
    hp5_show_ppu_name(d->task, d->space, ppu, name + used, size - used);
}

/* As many beside each other as the longest name lets. */
static int key_columns(const Drawing *d, int shown) {
    size_t longest = 1;
    for (int i = 0; i < shown; i++) {
        char name[220];
        key_name(d, i, name, sizeof name);
        if (strlen(name) > longest) longest = strlen(name);
    }
    int columns = (int)(GRID_WIDTH / (30 + 6 * (double)longest));
    return columns < 1 ? 1 : columns > 6 ? 6 : columns;
}

static double keys(const Drawing *d, double top) {
    const Hp5ShowSpace *space = d->space;
    int shown = space->ppu_count <= MOST_KEYS ? space->ppu_count : MOST_KEYS;
    char colour[8], name[220];
    bool dark;
    if (space->load == NULL) return 0;
    int columns = key_columns(d, shown), lines = (shown + columns - 1) / columns;
    for (int i = 0; i < shown; i++) {
        int thread = 0;
        while (space->ppu_of[thread] != i) thread++;
        double x = LEFT + GRID_WIDTH / columns * (i % columns), y = top + 16 * (double)(i / columns);
        colour_of(space, thread, colour, &dark);
        fprintf(d->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\" fill=\"%s\"/>\n", x, y, colour);
        key_name(d, i, name, sizeof name);
        label(d->out, x + 15, y + 10, "class=\"small\"", name);
    }
    if (shown < space->ppu_count) {
        snprintf(name, sizeof name, "… and %d more PPUs", space->ppu_count - shown);
        label(d->out, LEFT, top + 16 * (double)lines + 10, "class=\"small\"", name);
    }
    int rows = lines + (shown < space->ppu_count), idle = 0;
    for (int p = 0; p < space->ppu_count; p++) idle += space->load[p] == 0;
    if (idle > 0) {
        snprintf(name, sizeof name, "%d of %d PPUs %s nothing to do", idle, space->ppu_count, idle == 1 ? "has" : "have");
        label(d->out, LEFT, top + 16 * (double)rows++ + 10, "", name);
    }
    return 16 * (double)rows + 8;
}

static double panel(Drawing *d, double top) {
    const Hp5ShowSpace *space = d->space;
    const Hp5Lpu *parent;
    double wide, high, y = top + 30;
    FILE *titles = d->out;
    fprintf(titles, "<g transform=\"translate(0 0)\" data-space=\"%s\">\n", d->desc->lpses[space->lps].name);
    char heading[600];
    hp5_show_heading(d->task, space, heading, sizeof heading);
    label(titles, LEFT, top + 16, "class=\"space\"", heading);
    Chain chain = choose_chain(d, &parent, &wide, &high);
    d->tile = GRID_WIDTH / wide < GRID_HEIGHT / high ? GRID_WIDTH / wide : GRID_HEIGHT / high;
    if (d->tile > LARGEST_TILE) d->tile = LARGEST_TILE;
    bool slices = d->desc->lpses[space->lps].dims > 2, alone = chain.depth == 1 && space->grids > 1;
    if (alone) {
        char text[200];
        snprintf(text, sizeof text, "one of %lld grids", (long long)space->grids);
        label(titles, LEFT, y + 8, "class=\"small\"", text);
        y += 14;
    }
    if (slices) y += 12;
    double indent = shape_of(space->kinds[0].grid, d->desc->lpses[space->lps].dims).broken ? 26 : 0;
    draw_chain(d, &chain, 0, parent, LEFT + indent, y);
    double left = y + high * d->tile + 12, right = top + 28;
    left += keys(d, left);
    if (space->padded && space->load) {
        right += matrix(d, right);
        right += totals(d, right);
    }
    for (int v = 0, shown = 0; v < space->part_count && shown < MOST_SKETCHES; v++)
        if (space->parts[v].padded) {
            right += sketch(d, &space->parts[v], right);
            shown++;
        }
    fputs("</g>\n", d->out);
    return (left > right ? left : right) - top + 16;
}

/* Of a Space that is not divided there is nothing to draw. */
static double undivided(const Drawing *d, double top) {
    char heading[600];
    hp5_show_heading(d->task, d->space, heading, sizeof heading);
    label(d->out, LEFT, top + 16, "class=\"space\"", heading);
    return 22;
}

/* Text in lines of at most `most` characters, cut at spaces where there are any; returns their height. */
static double lines(FILE *out, double top, double height, const char *attributes, const char *text, size_t most) {
    char line[200];
    double y = top;
    while (*text) {
        size_t length = strlen(text);
        if (length > most) {
            for (length = most; length > 0 && text[length] != ' '; length--) continue;
            if (length == 0) length = most;
            while (length < strlen(text) && ((unsigned char)text[length] & 0xc0) == 0x80) length++; /* whole characters */
        }
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        label(out, LEFT, y, attributes, line);
        y += height;
        text += length;
        while (*text == ' ') text++;
    }
    return y - top;
}

double hp5_show_svg(const Hp5ShowTask *task, double top, FILE *out) {
    Drawing d = {.out = out, .task = task, .desc = task->run->desc};
    char text[2000];
    size_t used = 0;
    double y = top + 18;
    snprintf(text, sizeof text, "Task \"%s\" on %d thread%s", d.desc->name, task->threads, task->threads == 1 ? "" : "s");
    y += lines(out, y, 20, "class=\"task\"", text, 85);
    for (int a = 0; a < d.desc->array_count && used < sizeof text; a++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s ", a > 0 ? ", " : "", d.desc->arrays[a].name);
        for (int k = 0; k < task->run->items[a]->rank && used < sizeof text; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld", k > 0 ? " x " : "", (long long)task->run->items[a]->extent[k]);
    }
    if (used > 0) y += lines(out, y - 4, 15, "", text, 150);
    for (int i = 0; i < task->space_count; i++) {
        if (task->spaces[i].lpus == 0) continue;
        d.space = &task->spaces[i];
        y += d.desc->lpses[d.space->lps].dims > 0 ? panel(&d, y) : undivided(&d, y);
    }
    return y - top + 8;
}
