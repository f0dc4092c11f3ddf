/* Programs of one stage, for tests of the verifier of lowering. */
#ifndef HP5_TESTS_VERIFY_PROGRAMS_H
#define HP5_TESTS_VERIFY_PROGRAMS_H
#include "tests/unit/lower/open_stage.h"

#define PROGRAM(stages, calls)                                                                           \
    "Task \"T\":\n"                                                                                      \
    "  Define: x, y, z: 2d Array of Real double-precision\n"                                             \
    "    u, v: 1d Array of Real double-precision\n"                                                      \
    "    n, ends: 1d Array of Integer\n"                                                                 \
    "    total: Real double-precision Reduction\n"                                                       \
    "    count: Integer Reduction\n"                                                                     \
    "  Environment: x, y, z, u, v, n, ends: link\n"                                                      \
    "  Stages:\n" stages "\n"                                                                            \
    "  Computation: Space A { " calls " }\n"                                                             \
    "  Partition (p): Space A <1d> { x<dim1>, y<dim1>, z<dim1>, u, v, n: block_size(p) ends: replicated }\n"

static const char PRODUCT[] =
    PROGRAM("work(a, b, c) { do { a[i][j] = a[i][j] + b[i][k] * c[k][j] } for i, j in a; k in b }", "work(x, y, z)");
#endif
