/* Inside the printers of machines: what the text forms and the picture share. */
#ifndef HP5_MACHINE_DRAW_H
#define HP5_MACHINE_DRAW_H
#include "compiler/machine/machine.h"

/* "memory: 64 GB, exchange: 120 ns": every stated attribute, in the form of model files. */
void machine_write_attributes(Text *out, const MachineAttributes *attributes);
/* "4 × Core". */
void machine_write_plural(Text *out, int64_t count, const char *name);
#endif
