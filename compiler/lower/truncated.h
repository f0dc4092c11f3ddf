/* Integers that may be Reals without their fraction, and nothing else. gcc up to 12 makes one function of the way there and back, (double)(int64_t)x, where it need not mind traps
 * (-fno-trapping-math, without which conditions keep loops out of vectors), and of -0.5 that is -0.0; as an Integer it is 0. So what is converted back loses the sign of zero. */
#ifndef HP5_LOWER_TRUNCATED_H
#define HP5_LOWER_TRUNCATED_H
#include "compiler/lower/lower.h"

/* code: NULL where nothing is known of the body. */
bool lower_may_be_truncated(const LoweredBody *code, const Expr *expr);
/* Sets LoweredBody.truncated. */
void lower_find_truncated(Arena *arena, LoweredBody *code);
#endif
