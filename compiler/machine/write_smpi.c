/* A model as a platform of SimGrid's SMPI, so that programs for a cluster run on a simulated one: a host for each segment, and
 * the network above them as nested zones.
 *
 *   - A host computes as fast as one PPU of the level that computes, and has as many cores as there are such PPUs in a segment.
 *   - A message between siblings goes up one link and down another. Each has the bandwidth of `move` and half the latency of
 *     `exchange` (where that is not stated, the latency of `move`).
 *   - SMPI's factors, which stand for a network of another time, are 1: what the model states is what is simulated. */
#include "compiler/machine/machine.h"
#include <stdio.h>

typedef struct Platform {
    const MachineModel *model;
    const Machine *machine;
    int segment;      /* the level of the segments */
    int64_t hosts;    /* written so far */
    int64_t zones;    /* likewise, those above the segments */
    Text *out;
} Platform;

/* What a simulation needs and the model does not state; one message for all of it. */
static bool states_enough(Diags *diags, const MachineModel *model, int segment, int computes) {
    const MachineSpace *compute = &model->spaces.items[computes];
    bool enough = true;
    if (!(compute->attributes.operations > 0) || !(compute->attributes.clock > 0)) {
        Diag *diag = diag_error(diags, E_MODEL_UNSTATED, compute->span, "the model does not say how fast %s computes", compute->name);
        diag_help(diag, "a simulation needs it, for example { compute: 4 ops 2.3 GHz }");
        enough = false;
    }
    for (int level = 0; level <= segment; level++) {
        const MachineSpace *space = &model->spaces.items[level];
        const MachineAttributes *a = &space->attributes;
        if (space->count == 1 || (a->move_bandwidth > 0 && (machine_is_stated(a->exchange) || machine_is_stated(a->move_latency)))) continue;
        Diag *diag = diag_error(diags, E_MODEL_UNSTATED, space->name_span, "the model does not say how fast data move between %s and %s",
                                space->name, level == 0 ? "the rest of the machine" : model->spaces.items[level - 1].name);
        diag_help(diag, "a simulation needs bandwidth and latency, for example { exchange: 2 us, move: 12.5 GB/s }");
        enough = false;
    }
    return enough;
}

static double bandwidth_of(const MachineSpace *space) {
    return space->attributes.move_bandwidth > 0 ? space->attributes.move_bandwidth : 1e12; /* of the only one: nobody to send to */
}

static double latency_of(const MachineSpace *space) {
    if (machine_is_stated(space->attributes.exchange)) return space->attributes.exchange / 2;
    return machine_is_stated(space->attributes.move_latency) ? space->attributes.move_latency : 0;
}

/* name="12.5e9Bps": SimGrid reads numbers as C does. */
static void write_value(Text *out, const char *name, double value, const char *unit) {
    text_printf(out, " %s=\"", name);
    text_real(out, value);
    text_printf(out, "%s\"", unit);
}

/* All segments inside one PPU of the level above; the router's name follows from the prefix and the zone's. */
static void write_segments(Platform *p, int64_t zone, int columns) {
    const MachineSpace *space = &p->model->spaces.items[p->segment];
    int computes = model_compute_level(p->model, p->segment);
    const MachineAttributes *compute = &p->model->spaces.items[computes].attributes;
    int64_t cores = computes > p->segment ? model_ppus_between(p->model, p->segment, computes) : 1;
    text_indent(p->out, columns);
    text_printf(p->out, "<cluster id=\"zone-%lld\" prefix=\"host-\" suffix=\"\" radical=\"%lld-%lld\"", (long long)zone, (long long)p->hosts,
                (long long)(p->hosts + space->count - 1));
    write_value(p->out, "speed", compute->operations * compute->clock, "f");
    text_printf(p->out, " core=\"%lld\"", (long long)cores);
    write_value(p->out, "bw", bandwidth_of(space), "Bps");
    write_value(p->out, "lat", latency_of(space), "s");
    text_append(p->out, " sharing_policy=\"SPLITDUPLEX\"/>\n");
    p->hosts += space->count;
}

/* A zone's way to the hub of the zone that it lies in. */
static void write_way_up(Platform *p, int64_t zone, bool of_segments, int64_t hub, int columns) {
    char router[64];
    snprintf(router, sizeof router, of_segments ? "host-zone-%lld_router" : "router-%lld", (long long)zone);
    text_indent(p->out, columns);
    text_printf(p->out,
                "<zoneRoute src=\"zone-%lld\" dst=\"hub-%lld\" gw_src=\"%s\" gw_dst=\"router-%lld\"><link_ctn id=\"link-%lld\" "
                "direction=\"UP\"/></zoneRoute>\n",
                (long long)zone, (long long)hub, router, (long long)hub, (long long)zone);
}

/* One PPU of the level above `level`, with the PPUs of `level` in it, each behind a link of its own to the zone's hub. SimGrid
 * wants all zones first, then links, then routes. */
static void write_zone(Platform *p, int level, int columns) {
    int64_t zone = p->zones++;
    if (level == p->segment) {
        write_segments(p, zone, columns);
        return;
    }
    const MachineSpace *space = &p->model->spaces.items[level];
    text_indent(p->out, columns);
    text_printf(p->out, "<zone id=\"zone-%lld\" routing=\"Dijkstra\">\n", (long long)zone);
    text_indent(p->out, columns + 2);
    text_printf(p->out, "<zone id=\"hub-%lld\" routing=\"Full\"><router id=\"router-%lld\"/></zone>\n", (long long)zone, (long long)zone);
    int64_t first = p->zones;
    for (int64_t i = 0; i < space->count; i++) write_zone(p, level + 1, columns + 2);
    int64_t each = (p->zones - first) / space->count; /* an inner zone and what it has in it */
    for (int64_t i = 0; i < space->count; i++) {
        text_indent(p->out, columns + 2);
        text_printf(p->out, "<link id=\"link-%lld\"", (long long)(first + i * each));
        write_value(p->out, "bandwidth", bandwidth_of(space), "Bps");
        write_value(p->out, "latency", latency_of(space), "s");
        text_append(p->out, " sharing_policy=\"SPLITDUPLEX\"/>\n");
    }
    for (int64_t i = 0; i < space->count; i++) write_way_up(p, first + i * each, level + 1 == p->segment, zone, columns + 2);
    text_indent(p->out, columns);
    text_append(p->out, "</zone>\n");
}

static void write_head(const Platform *p) {
    const MachineSpace *space = &p->model->spaces.items[p->segment];
    const MachineAttributes *compute = &p->model->spaces.items[model_compute_level(p->model, p->segment)].attributes;
    text_append(p->out, "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<!-- Machine ");
    text_append_xml(p->out, p->machine->name);
    int64_t hosts = model_total_ppus(p->model, p->segment);
    text_printf(p->out, ": host-0 to host-%lld stand for its %lld PPUs of %s, one process each.\n     A list of them for smpirun: "
                "seq -f host-%%.0f 0 %lld > hosts -->\n",
                (long long)(hosts - 1), (long long)hosts, space->name, (long long)(hosts - 1));
    text_append(p->out, "<platform version=\"4.1\">\n  <config>\n    <prop id=\"smpi/host-speed\" value=\"");
    text_real(p->out, compute->operations * compute->clock);
    text_append(p->out, "f\"/>\n"
                        "    <prop id=\"network/bandwidth-factor\" value=\"1\"/><prop id=\"network/latency-factor\" value=\"1\"/>\n"
                        "    <prop id=\"network/weight-S\" value=\"0\"/>\n"
                        "    <prop id=\"smpi/bw-factor\" value=\"0:1\"/><prop id=\"smpi/lat-factor\" value=\"0:1\"/>\n"
                        "  </config>\n");
}

/* The first one, or the first of all. */
static const MachineModel *model_with_segments(const Machine *machine) {
    for (size_t m = 0; m < machine->models.count; m++)
        if (model_segment_level(&machine->models.items[m]) >= 0) return &machine->models.items[m];
    return &machine->models.items[0];
}

bool machine_write_smpi(const Machine *machine, Diags *diags, Text *out) {
    const MachineModel *model = model_with_segments(machine);
    Platform platform = {.model = model, .machine = machine, .segment = model_segment_level(model), .out = out};
    if (platform.segment < 0) {
        Diag *diag = diag_error(diags, E_MODEL_UNSTATED, model->spaces.items[0].name_span, "no space of the model is a segment");
        diag_help(diag, "each PPU of a segment is simulated as a process: write Space N<segment>: … for the computers of a cluster");
        return false;
    }
    if (!states_enough(diags, model, platform.segment, model_compute_level(model, platform.segment))) return false;
    write_head(&platform);
    int top = 0; /* levels of one PPU above all others are no network */
    while (top < platform.segment && model->spaces.items[top].count == 1) top++;
    write_zone(&platform, top, 2);
    text_append(out, "</platform>\n");
    return true;
}
