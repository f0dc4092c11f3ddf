/* Programs of one stage over rows, for tests of what lowering makes of loops inside of others. */
#ifndef HP5_TESTS_UNIT_LOWER_ROW_PROGRAMS_H
#define HP5_TESTS_UNIT_LOWER_ROW_PROGRAMS_H

#define ROWS(body)                                                                                       \
    "Task \"T\":\n"                                                                                      \
    "  Define: x, y: 1d Array of Real double-precision\n"                                                \
    "    ends: 1d Array of Integer single-precision\n"                                                   \
    "  Environment: x, y, ends: link\n"                                                                  \
    "  Stages:\n"                                                                                        \
    "work(y, x, ends) { do { " body " } for i in y }\n"                                                  \
    "  Computation: Space A { work(y, x, ends) }\n"                                                      \
    "  Partition (p): Space A <1d> { y: block_size(p) x, ends: replicated }\n"

#define LANES(stages, call)                                                                              \
    "Task \"T\":\n"                                                                                       \
    "  Define: a, b: 2d Array of Real double-precision\n"                                                 \
    "    x, y: 1d Array of Real double-precision\n"                                                       \
    "    n: Integer\n"                                                                                    \
    "  Environment: a, b, x, y: link\n"                                                                   \
    "  Stages:\n" stages "\n"                                                                             \
    "  Computation: Space A { " call " }\n"                                                               \
    "  Partition (p): Space A <1d> { y: block_size(p) a, b, x: replicated }\n"
#endif
