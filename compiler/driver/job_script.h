/* hp5c --launcher: a script with which a cluster's batch system starts a program, one process for each segment that its mapping uses. */
#ifndef HP5_DRIVER_JOB_SCRIPT_H
#define HP5_DRIVER_JOB_SCRIPT_H
#include "compiler/driver/options.h"
#include "compiler/plan/plan.h"

/* `program`: the name of the executable. False, and an error, for a model without segments. */
bool job_script(const Plan *plan, const Options *options, const char *program, Diags *diags, Text *out);
#endif
