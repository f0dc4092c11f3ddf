/* Inside the probe: probe.c finds the levels, measure.c times them, cards.c asks the
 * CUDA driver. */
#ifndef HP5_MACHINE_PROBE_H
#define HP5_MACHINE_PROBE_H
#include "compiler/machine/machine.h"
#include <hwloc.h>

/* One level of the topology: `count` objects that hold equally many cores. */
typedef struct ProbeLevel {
    const char *name;
    hwloc_obj_type_t type;
    int64_t count;
    hwloc_cpuset_t *sets; /* of the topology, or owned by `owned_sets` */
    double memory;        /* bytes, or MACHINE_UNSTATED */
} ProbeLevel;

typedef struct ProbeTopology {
    hwloc_topology_t topology;
    hwloc_obj_type_t core_type; /* HWLOC_OBJ_CORE, or PU where the system shows no cores */
    int64_t cores;
    double line;            /* bytes of a cache line */
    VEC(ProbeLevel) levels; /* top-down */
} ProbeTopology;

/* measure_core.c: seconds of the monotonic clock; a value as measurements are exact: two digits, MACHINE_UNSTATED for none. */
double probe_now(void);
double probe_two_digits(double value);
/* Clock, operations and cycles of the core that runs this thread. */
void probe_measure_core(MachineAttributes *out);
/* Fills in what can be timed: clock, operations, bandwidths and latencies. `attributes`
 * is parallel to the levels. */
void probe_measure(const ProbeTopology *probe, MachineAttributes *attributes);
/* Appends a model of the machine with its CUDA cards; false when there are none. */
bool probe_cards(Arena *arena, Machine *machine);
#endif
