/* The model of a machine from hwloc's topology.
 *
 * A level of the topology becomes a space when all its objects hold equally many cores,
 * because the PPUs of a space are uniform. hwloc keeps NUMA nodes beside the tree of
 * cores; they are put where their sets of cores belong. What adds nothing is
 * left out: a package that is the whole machine, a cache that belongs to one core (its size
 * becomes the core's memory), a hardware thread that is alone on its core. */
#include "compiler/machine/probe.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Levels of the topology --------------------------------------------------------- */

static int cores_inside(const ProbeTopology *probe, hwloc_const_cpuset_t set) {
    return hwloc_get_nbobjs_inside_cpuset_by_type(probe->topology, set, probe->core_type);
}

/* Do all sets hold equally many cores, and each core one set? */
static bool is_uniform(const ProbeTopology *probe, const ProbeLevel *level) {
    if (level->count < 1) return false;
    int first = cores_inside(probe, level->sets[0]);
    for (int64_t i = 0; i < level->count; i++) {
        if (cores_inside(probe, level->sets[i]) != first) return false;
    }
    return first > 0 && (int64_t)first * level->count == probe->cores;
}

static bool is_cache(hwloc_obj_type_t type) { return type >= HWLOC_OBJ_L2CACHE && type <= HWLOC_OBJ_L5CACHE; }

/* The name of spaces of this type, or NULL when they are of no interest. */
static const char *name_of(const ProbeTopology *probe, hwloc_obj_type_t type) {
    if (type == probe->core_type) return "Core";
    switch (type) {
    case HWLOC_OBJ_MACHINE: return "Machine";
    case HWLOC_OBJ_PACKAGE: return "Package";
    case HWLOC_OBJ_DIE: return "Die";
    case HWLOC_OBJ_GROUP: return "Group";
    case HWLOC_OBJ_NUMANODE: return "NUMA-Node";
    case HWLOC_OBJ_L2CACHE: return "L2-Cache";
    case HWLOC_OBJ_L3CACHE: return "L3-Cache";
    case HWLOC_OBJ_L4CACHE: return "L4-Cache";
    case HWLOC_OBJ_PU: return "Thread";
    default: return NULL;
    }
}

/* Objects without cores (memory on a card, say) do not count. */
static ProbeLevel read_level(Arena *arena, const ProbeTopology *probe, int depth) {
    unsigned objects = hwloc_get_nbobjs_by_depth(probe->topology, depth);
    hwloc_obj_type_t type = hwloc_get_depth_type(probe->topology, depth);
    ProbeLevel level = {.name = name_of(probe, type), .type = type, .memory = MACHINE_UNSTATED};
    level.sets = ARENA_ARRAY(arena, hwloc_cpuset_t, objects);
    for (unsigned i = 0; i < objects; i++) {
        hwloc_obj_t object = hwloc_get_obj_by_depth(probe->topology, depth, i);
        if (hwloc_bitmap_iszero(object->cpuset)) continue;
        level.sets[level.count++] = object->cpuset;
        if (is_cache(type) && object->attr) level.memory = (double)object->attr->cache.size;
    }
    return level;
}

/* Equal names (nested groups) get numbers. */
static void add_level(Arena *arena, ProbeTopology *probe, ProbeLevel level) {
    int same = 1;
    for (size_t i = 0; i < probe->levels.count; i++) same += probe->levels.items[i].type == level.type;
    if (same > 1) level.name = arena_printf(arena, "%s-%d", level.name, same);
    vec_push(arena, &probe->levels, level);
}

/* All uniform levels, fewest objects first; the machine is the first, the cores are among them. */
static void find_levels(Arena *arena, ProbeTopology *probe) {
    ProbeLevel nodes = read_level(arena, probe, HWLOC_TYPE_DEPTH_NUMANODE);
    bool nodes_left = nodes.count > 1 && is_uniform(probe, &nodes);
    int depths = hwloc_topology_get_depth(probe->topology);
    for (int depth = 0; depth < depths; depth++) {
        ProbeLevel level = read_level(arena, probe, depth);
        bool threads = level.type == HWLOC_OBJ_PU && probe->core_type != HWLOC_OBJ_PU;
        if (threads && (level.count == probe->cores || level.count % probe->cores != 0)) continue;
        if (!level.name || (!threads && !is_uniform(probe, &level))) continue;
        bool inside = level.count > nodes.count || (level.count == nodes.count && is_cache(level.type));
        if (nodes_left && inside) {
            add_level(arena, probe, nodes);
            nodes_left = false;
        }
        add_level(arena, probe, level);
    }
}

/* ---- What adds nothing -------------------------------------------------------------- */

static size_t core_index(const ProbeTopology *probe) {
    size_t i = 0;
    while (probe->levels.items[i].type != probe->core_type) i++;
    return i;
}

/* Level `i` has one object in each object of level `i - 1`. */
static bool adds_nothing(const ProbeTopology *probe, size_t i) {
    const ProbeLevel *level = &probe->levels.items[i];
    if (level->type == probe->core_type) return false;
    bool shared_cache = is_cache(level->type) && level->count < probe->cores;
    return probe->levels.items[i - 1].count == level->count && !shared_cache;
}

static void drop_levels(ProbeTopology *probe) {
    ProbeLevel *core = &probe->levels.items[core_index(probe)];
    size_t kept = 1;
    for (size_t i = 1; i < probe->levels.count; i++) {
        ProbeLevel *level = &probe->levels.items[i];
        bool private_cache = is_cache(level->type) && level->count == probe->cores && probe->cores > 1;
        if (private_cache && !machine_is_stated(core->memory)) core->memory = level->memory;
        if (private_cache && level->type == HWLOC_OBJ_L2CACHE) core->memory = level->memory;
        if (private_cache || adds_nothing(probe, i)) continue;
        probe->levels.items[kept++] = *level;
        if (level == core) core = &probe->levels.items[kept - 1];
    }
    probe->levels.count = kept;
}

/* What the system keeps for itself makes odd numbers. */
static double whole_megabytes(double bytes) {
    double megabytes = floor(bytes / 0x1p20);
    return megabytes >= 64 ? megabytes * 0x1p20 : bytes;
}

/* Main memory belongs to the lowest space with one NUMA node in each PPU, else to the top. */
static void place_memory(ProbeTopology *probe) {
    hwloc_obj_t node = NULL;
    int64_t nodes = 0;
    while ((node = hwloc_get_next_obj_by_type(probe->topology, HWLOC_OBJ_NUMANODE, node)))
        nodes += !hwloc_bitmap_iszero(node->cpuset) && node->attr->numanode.local_memory > 0;
    double total = (double)hwloc_get_root_obj(probe->topology)->total_memory;
    if (total <= 0) return;
    nodes = nodes > 0 ? nodes : 1;
    for (size_t i = probe->levels.count; i-- > 1;) {
        ProbeLevel *level = &probe->levels.items[i];
        if (level->count != nodes || nodes < 2 || is_cache(level->type) || level->type == probe->core_type)
            continue;
        level->memory = whole_megabytes(total / (double)nodes);
        return;
    }
    probe->levels.items[0].memory = whole_megabytes(total);
}

/* The size of the first-level data cache serves a core that has no other of its own. */
static void give_core_memory(ProbeTopology *probe) {
    ProbeLevel *core = &probe->levels.items[core_index(probe)];
    hwloc_obj_t cache = hwloc_get_obj_by_type(probe->topology, HWLOC_OBJ_L1CACHE, 0);
    probe->line = cache && cache->attr->cache.linesize > 0 ? cache->attr->cache.linesize : 64;
    if (cache && !machine_is_stated(core->memory)) core->memory = (double)cache->attr->cache.size;
}

/* ---- The model ------------------------------------------------------------------------ */

static bool load_topology(ProbeTopology *probe, const ProbeOptions *options) {
    setenv("HWLOC_HIDE_ERRORS", "2", 0); /* a container without /sys is no reason to write on stderr */
    if (hwloc_topology_init(&probe->topology) != 0) return false;
    bool good = !options->xml_path || hwloc_topology_set_xml(probe->topology, options->xml_path) == 0;
    if (good && hwloc_topology_load(probe->topology) == 0) return true;
    int reason = errno;
    hwloc_topology_destroy(probe->topology);
    errno = reason;
    return false;
}

static MachineModel make_model(Arena *arena, const ProbeTopology *probe, bool measure) {
    size_t count = probe->levels.count, core = core_index(probe);
    MachineAttributes *attributes = ARENA_ARRAY(arena, MachineAttributes, count);
    for (size_t i = 0; i < count; i++) {
        attributes[i] = machine_nothing_stated;
        attributes[i].memory = probe->levels.items[i].memory;
    }
    if (measure) probe_measure(probe, attributes);
    /* Threads of a core share its units: the core computes, also where its speed is not known. */
    if (!measure && core + 1 < count) attributes[core].operations = 1;
    MachineModel model = {0};
    for (size_t i = 0; i < count; i++) {
        const ProbeLevel *level = &probe->levels.items[i];
        MachineSpace space = {.number = (int)(count - i), .name = level->name, .attributes = attributes[i]};
        space.count = i == 0 ? 1 : level->count / probe->levels.items[i - 1].count;
        if (i + 1 == count) space.flags |= FLAG_CORE;
        vec_push(arena, &model.spaces, space);
    }
    return model;
}

static const char *machine_name(Arena *arena, const ProbeTopology *probe) {
    hwloc_obj_t package = hwloc_get_obj_by_type(probe->topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    char *name = arena_strdup(arena, model && model[0] ? model : "This machine");
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == ' ') name[--length] = '\0';
    for (char *c = name; *c; c++) {
        if (*c == '"' || (unsigned char)*c < 0x20) *c = ' ';
    }
    return name;
}

/* What a reader of the model should know of its numbers: which are measured, and which are not. */
static void comment_measured(const ProbeTopology *probe, const MachineModel *model, Text *out) {
    text_append(out, "Counts, sizes of memories and cache lines are hwloc's. Measured, perhaps while the machine was busy:\n"
                     "  memory    bytes a second that a core's vectors load and store in half of its memory\n"
                     "  compute   operations of a core in one cycle (a fused multiply-add counts two), clock\n"
                     "  cycles    of one core: operations one by one, a dependent addition, a division, a function, a loop's start\n"
                     "  exchange  one way of a message between two siblings, through a shared cache line\n"
                     "  move      reading the parent's memory: bandwidth of one PPU, latency of dependent reads, how many\n"
                     "            PPUs reach that bandwidth at once, how many lone reads of one PPU are in flight at once");
    for (size_t i = 1; i < probe->levels.count; i++) {
        const MachineSpace *space = &model->spaces.items[i];
        bool exchange = machine_is_stated(space->attributes.exchange), move = machine_is_stated(space->attributes.move_bandwidth);
        if (exchange && move) continue;
        text_printf(out, "\nNot measured: %s%s%s of %s", exchange ? "" : "exchange", exchange || move ? "" : " and ", move ? "" : "move",
                    space->name);
        if (!exchange && space->count == 1) text_append(out, " (it has no sibling)");
    }
}

/* Cores of several kinds have one description: a model's PPUs are all alike. */
static void comment_kinds(const ProbeTopology *probe, Text *out) {
    int kinds = hwloc_cpukinds_get_nr(probe->topology, 0);
    if (kinds < 2) return;
    text_printf(out, "\nThe machine has cores of %d kinds, which the model takes for one:", kinds);
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    for (int k = 0; set && k < kinds; k++) {
        int efficiency;
        if (hwloc_cpukinds_get_info(probe->topology, (unsigned)k, set, &efficiency, NULL, NULL, 0) != 0) continue;
        text_printf(out, "%s %d", k > 0 ? "," : "", cores_inside(probe, set));
    }
    text_append(out, " cores, the slowest kind first");
    hwloc_bitmap_free(set);
}

static const char *comment_for(Arena *arena, const ProbeTopology *probe, const ProbeOptions *options, const MachineModel *model) {
    Text text = {0};
    if (options->xml_path) text_append(&text, "From a saved topology: levels and sizes only, nothing is measured.");
    else if (!options->measure) text_append(&text, "Levels and sizes from hwloc; nothing is measured ('hp5c --probe' measures).");
    else comment_measured(probe, model, &text);
    comment_kinds(probe, &text);
    const char *comment = arena_strdup(arena, text.data);
    text_free(&text);
    return comment;
}

/* ---- What is wrong with a topology file ---------------------------------------------------- */

/* hwloc says no more than that an argument is invalid. */
static const char *problem_of_text(const char *text) {
    while (isspace((unsigned char)*text)) text++;
    if (*text == '\0') return "it is empty";
    if (*text != '<') return "it is not XML";
    if (!strstr(text, "<topology")) return "it is XML, but not a topology of hwloc's";
    if (!strstr(text, "type=\"PU\"")) return "it has no processors (objects of type PU)";
    if (!strstr(text, "</topology>")) return "it is cut off: its end is missing";
    return "hwloc refuses it as damaged";
}

static void report_file(const char *path, int reason, Diags *diags) {
    char text[1 << 16];
    const char *problem = strerror(reason);
    FILE *file = reason == EINVAL ? fopen(path, "r") : NULL;
    Text whole = {0};
    for (size_t length; file && (length = fread(text, 1, sizeof text, file)) > 0;) text_append_n(&whole, text, length);
    if (file) {
        fclose(file);
        problem = problem_of_text(whole.data ? whole.data : "");
    }
    Diag *diag = diag_error_plain(diags, E_PROBE, "%s: hwloc cannot read this topology: %s", path, problem);
    diag_help(diag, "'lstopo machine.xml' writes the topology of a machine");
    text_free(&whole);
}

Machine *machine_probe(Arena *arena, const ProbeOptions *options, Diags *diags) {
    ProbeTopology probe = {0};
    if (!load_topology(&probe, options)) {
        if (options->xml_path) report_file(options->xml_path, errno, diags);
        else
            diag_error_plain(diags, E_PROBE, "hwloc cannot read this machine's topology: %s",
                             strerror(errno));
        return NULL;
    }
    bool shows_cores = hwloc_get_nbobjs_by_type(probe.topology, HWLOC_OBJ_CORE) > 0;
    probe.core_type = shows_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    probe.cores = hwloc_get_nbobjs_by_type(probe.topology, probe.core_type);
    find_levels(arena, &probe);
    drop_levels(&probe);
    place_memory(&probe);
    give_core_memory(&probe);
    Machine *machine = ARENA_NEW(arena, Machine);
    machine->name = machine_name(arena, &probe);
    vec_push(arena, &machine->models, make_model(arena, &probe, options->measure && !options->xml_path));
    machine->comment = comment_for(arena, &probe, options, &machine->models.items[0]);
    if (options->cards && !options->xml_path && probe_cards(arena, machine))
        machine->models.items[0].name = "CPU-Only";
    hwloc_topology_destroy(probe.topology);
    return machine;
}
