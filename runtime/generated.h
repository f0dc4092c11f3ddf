/* The header that generated programs include (and runtime/math/math.h, where they use mathematical functions): the runtime's interfaces, and the small inline
 * functions that printed expressions and loops call. Arithmetic is that of runtime/array/arithmetic.h. */
#ifndef HP5_RUNTIME_GENERATED_H
#define HP5_RUNTIME_GENERATED_H
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "runtime/array/arithmetic.h"
#include "runtime/array/index_set.h"
#include "runtime/array/list.h"
#include "runtime/array/multiply.h"
#include "runtime/array/reduce.h"
#include "runtime/array/transpose.h"
#include "runtime/card/on_host.h"
#include "runtime/comm/comm.h"
#include "runtime/io/args.h"
#include "runtime/io/npy.h"
#include "runtime/io/print.h"
#include "runtime/lpu/placing.h"
#include "runtime/move/touched.h"
#include "runtime/predict/predict.h"
#include "runtime/report/crash.h"
#include "runtime/report/error.h"
#include "runtime/run/run.h"
#include "runtime/run/session.h"
#include "runtime/run/visit_strips.h"
#include "runtime/inline.h"
#include "runtime/checked.h"

/* Integers whose values are known to be small are stored in few bits: that the C compiler knows how a comparison with them ends
 * is no mistake. */
#pragma GCC diagnostic ignored "-Wtype-limits"

/* hp5c gives the name of a symbol that only the library of these headers has (compiler/driver/stamp.h). */
#ifdef HP5_RUNTIME_STAMP
extern const char HP5_RUNTIME_STAMP;
__attribute__((used)) static const char *const hp5_runtime_stamp = &HP5_RUNTIME_STAMP;
#endif

/* ---- Checked builds ---------------------------------------------------------------------------- */
/* An array index, checked against the LPU's part. */
static inline int64_t hp5_at(const Hp5View *view, int d, int64_t index, const char *variable, const char *stage,
                             const char *file, int line) {
    hp5_check_index(view, d, index, variable, stage, file, line);
    return index;
}
#endif
