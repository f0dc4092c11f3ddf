/* Intervals of Integers, both ends included, and what operators make of them. An operation that may
 * wrap around gives every Integer. */
#ifndef HP5_LOWER_INTERVAL_H
#define HP5_LOWER_INTERVAL_H
#include <stdbool.h>
#include <stdint.h>
#include "compiler/check/program.h"

typedef struct Interval { int64_t min, max; } Interval; /* min <= max */

#define INTERVAL_ALL ((Interval){INT64_MIN, INT64_MAX})
#define INTERVAL_SINGLE ((Interval){INT32_MIN, INT32_MAX}) /* Integer single-precision */

static inline bool interval_within(Interval a, int64_t min, int64_t max) { return a.min >= min && a.max <= max; }
static inline bool interval_equal(Interval a, Interval b) { return a.min == b.min && a.max == b.max; }
Interval interval_join(Interval a, Interval b);
/* A wider interval than `old` that holds `now`: its ends are one of few, so that widening comes to an end. */
Interval interval_widen(Interval old, Interval now);
Interval interval_negate(Interval a);
Interval interval_binary(Operator op, Interval a, Interval b);
Interval interval_least(Interval a, Interval b); /* of min(a, b) */
Interval interval_most(Interval a, Interval b);  /* of max(a, b) */
Interval interval_magnitude(Interval a);         /* of abs(a) */
#endif
