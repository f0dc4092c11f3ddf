/* Questions about a model: finding spaces, counting PPUs, and who computes. */
#include "compiler/machine/machine.h"
#include <stdlib.h>
#include <string.h>

const MachineModel *machine_find_model(const Machine *machine, const char *name) {
    if (!name) return &machine->models.items[0];
    for (size_t i = 0; i < machine->models.count; i++) {
        const char *other = machine->models.items[i].name;
        if (other && strcmp(other, name) == 0) return &machine->models.items[i];
    }
    return NULL;
}

int model_find_space(const MachineModel *model, const char *text) {
    char *end;
    long number = strtol(text, &end, 10);
    bool numeric = end != text && *end == '\0';
    for (size_t i = 0; i < model->spaces.count; i++) {
        const MachineSpace *space = &model->spaces.items[i];
        if (numeric ? space->number == number : strcmp(space->name, text) == 0) return (int)i;
    }
    return -1;
}

const char *model_nearest_space(const MachineModel *model, const char *text) {
    const char *names[MACHINE_MAX_LEVELS];
    for (size_t i = 0; i < model->spaces.count; i++) names[i] = model->spaces.items[i].name;
    return text_nearest(text, names, model->spaces.count);
}

int64_t model_ppus_between(const MachineModel *model, int upper, int lower) {
    int64_t count = 1;
    for (int level = upper + 1; level <= lower; level++) count *= model->spaces.items[level].count;
    return count;
}

int64_t model_total_ppus(const MachineModel *model, int level) {
    return model_ppus_between(model, -1, level);
}

static int level_of_flag(const MachineModel *model, MachineFlag flag) {
    for (size_t i = 0; i < model->spaces.count; i++) {
        if (model->spaces.items[i].flags & flag) return (int)i;
    }
    return -1;
}

int model_segment_level(const MachineModel *model) {
    const int segment = level_of_flag(model, FLAG_SEGMENT), cards = level_of_flag(model, FLAG_GPU);
    return cards > segment && model_ppus_between(model, segment, cards) > 1 ? cards : segment;
}

bool model_is_gpu_level(const MachineModel *model, int level) {
    int gpu = level_of_flag(model, FLAG_GPU);
    return gpu >= 0 && level >= gpu;
}

static bool states_compute(const MachineSpace *space) {
    return machine_is_stated(space->attributes.operations);
}

bool model_can_compute(const MachineModel *model, int level) {
    bool stated = false;
    for (size_t i = 0; i < model->spaces.count; i++)
        stated = stated || states_compute(&model->spaces.items[i]);
    if (stated) return model->spaces.items[level].attributes.operations > 0;
    int core = level_of_flag(model, FLAG_CORE);
    return core >= 0 ? level >= core : (size_t)level + 1 == model->spaces.count;
}

/* The nearest level that can compute from `level` on in steps of `step`, or -1. With
 * `gpu` given, only on that side of the GPU boundary. */
static int search(const MachineModel *model, int level, int step, const bool *gpu) {
    for (; level >= 0 && (size_t)level < model->spaces.count; level += step) {
        if (gpu && model_is_gpu_level(model, level) != *gpu) return -1;
        if (model_can_compute(model, level)) return level;
    }
    return -1;
}

int model_compute_level(const MachineModel *model, int level) {
    bool gpu = model_is_gpu_level(model, level);
    int found = search(model, level, 1, &gpu);
    if (found < 0) found = search(model, level, -1, &gpu);
    if (found < 0) found = search(model, level, 1, NULL);
    if (found < 0) found = search(model, level, -1, NULL);
    return found;
}
