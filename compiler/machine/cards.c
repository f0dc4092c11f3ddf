/* CUDA cards, through the driver's library where there is one. It is opened at run time,
 * so that hp5c needs nothing of CUDA to be built or run. The numbers that name
 * attributes are those of CUdevice_attribute in cuda.h, which never change. */
#include "compiler/machine/probe.h"
#include <dlfcn.h>
#include <string.h>

enum {
    WARP_SIZE = 10,
    CLOCK_KHZ = 13,
    MULTIPROCESSORS = 16,
    MEMORY_CLOCK_KHZ = 36,
    MEMORY_BUS_BITS = 37,
    THREADS_IN_MULTIPROCESSOR = 39,
    SHARED_MEMORY_IN_MULTIPROCESSOR = 81,
    SCHEDULERS = 4, /* of a multiprocessor, in every generation since Maxwell */
    MOST_CARDS = 64
};

/* The driver's functions that the probe calls; each returns 0 when it succeeds. */
typedef struct Driver {
    void *library;
    int (*init)(unsigned flags);
    int (*get_count)(int *count);
    int (*get_device)(int *device, int ordinal);
    int (*get_attribute)(int *value, int attribute, int device);
    int (*get_memory)(size_t *bytes, int device);
} Driver;

static bool find(const Driver *driver, const char *name, void *function) {
    void *symbol = dlsym(driver->library, name);
    memcpy(function, &symbol, sizeof symbol); /* ISO C converts no object pointer to a function's */
    return symbol != NULL;
}

static bool open_driver(Driver *driver) {
    driver->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver->library) return false;
    return find(driver, "cuInit", &driver->init) && find(driver, "cuDeviceGetCount", &driver->get_count) &&
           find(driver, "cuDeviceGet", &driver->get_device) &&
           find(driver, "cuDeviceGetAttribute", &driver->get_attribute) &&
           find(driver, "cuDeviceTotalMem_v2", &driver->get_memory) && driver->init(0) == 0;
}

/* What a model says of a card. */
typedef struct Card {
    size_t memory;
    int multiprocessors, warps, warp_size, clock_khz, memory_clock_khz, bus_bits, shared_memory;
} Card;

static bool read_card(const Driver *driver, int ordinal, Card *card) {
    int device, threads = 0;
    *card = (Card){0};
    if (driver->get_device(&device, ordinal) != 0 || driver->get_memory(&card->memory, device) != 0)
        return false;
    const struct {
        int attribute, *value;
    } wanted[] = {{WARP_SIZE, &card->warp_size},
                  {CLOCK_KHZ, &card->clock_khz},
                  {MULTIPROCESSORS, &card->multiprocessors},
                  {MEMORY_CLOCK_KHZ, &card->memory_clock_khz},
                  {MEMORY_BUS_BITS, &card->bus_bits},
                  {THREADS_IN_MULTIPROCESSOR, &threads},
                  {SHARED_MEMORY_IN_MULTIPROCESSOR, &card->shared_memory}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        if (driver->get_attribute(wanted[i].value, wanted[i].attribute, device) != 0) return false;
    }
    if (card->warp_size < 1 || card->multiprocessors < 1) return false;
    card->warps = threads / card->warp_size;
    return card->warps >= 1;
}

static bool equal_cards(const Card *a, const Card *b) {
    return a->multiprocessors == b->multiprocessors && a->warps == b->warps && a->memory == b->memory;
}

/* The card that occurs most often; *count gets how often. */
static const Card *commonest(const Card *cards, int number, int *count) {
    const Card *best = NULL;
    *count = 0;
    for (int i = 0; i < number; i++) {
        int same = 0;
        for (int j = 0; j < number; j++) same += equal_cards(&cards[i], &cards[j]);
        if (same > *count) best = &cards[i], *count = same;
    }
    return best;
}


static void add_space(Arena *arena, MachineModel *model, int number, const char *name, int64_t count,
                      unsigned flags, MachineAttributes attributes) {
    MachineSpace space = {
        .number = number, .name = name, .count = count, .flags = flags, .attributes = attributes};
    vec_push(arena, &model->spaces, space);
}

static void add_model(Arena *arena, Machine *machine, const Card *card, int count) {
    MachineModel model = {.name = "GPU"};
    MachineAttributes node = machine_nothing_stated, gpu = machine_nothing_stated, sm = machine_nothing_stated, warp = machine_nothing_stated;
    node.memory = machine->models.items[0].spaces.items[0].attributes.memory;
    gpu.memory = (double)card->memory;
    sm.memory = card->shared_memory;
    sm.move_width = 4.0 * card->warp_size;
    /* two transfers in a cycle of the memory's clock */
    if (card->memory_clock_khz > 0) sm.move_bandwidth = 2e3 * card->memory_clock_khz * (card->bus_bits / 8.0);
    warp.operations = card->warp_size;
    if (card->clock_khz > 0) warp.clock = 1e3 * card->clock_khz * SCHEDULERS / card->warps;
    add_space(arena, &model, 4, "Machine", 1, 0, node);
    add_space(arena, &model, 3, "GPU", count, FLAG_GPU, gpu);
    add_space(arena, &model, 2, "SM", card->multiprocessors, 0, sm);
    add_space(arena, &model, 1, "Warp", card->warps, 0, warp);
    vec_push(arena, &machine->models, model);
}

bool probe_cards(Arena *arena, Machine *machine) {
    Driver driver = {0};
    Card cards[MOST_CARDS];
    int count = 0, read = 0, same;
    bool found = open_driver(&driver) && driver.get_count(&count) == 0;
    for (int i = 0; found && i < count && read < MOST_CARDS; i++) read += read_card(&driver, i, &cards[read]);
    const Card *card = commonest(cards, read, &same);
    if (card) add_model(arena, machine, card, same);
    /* The library stays open: it has threads of its own that do not survive being unloaded. */
    return card != NULL;
}
