/* Inside the resolution of mappings. */
#ifndef HP5_MAPPING_RESOLVE_H
#define HP5_MAPPING_RESOLVE_H
#include "compiler/mapping/mapping.h"

/* What the mapping asks for, before any rule is applied. */
typedef struct AskedLps {
    int level; /* -1 only for Root, see mapping.h */
    bool inherited;
    const MappingLine *line; /* NULL without one */
    Span span;               /* where messages about this LPS point, in the mapping file */
} AskedLps;

/* Root's level when nothing confines the task. */
int mapping_root_level(const MachineModel *model);
/* Fills `asked` with the default mapping; false when no level of the host can compute. */
bool mapping_default(Arena *arena, const MachineModel *model, const MappingTree *tree, AskedLps *asked);
#endif
