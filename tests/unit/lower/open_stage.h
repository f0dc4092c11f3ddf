/* A stage of a program, lowered: tests break one thing of it, and expect to be told which. */
#ifndef HP5_TESTS_OPEN_STAGE_H
#define HP5_TESTS_OPEN_STAGE_H
#include "tests/unit/check_text.h"
#include "tests/unit/emit/stage_fixture.h"

typedef struct Opened { Fixture fixture; LoweredStage *stage; Nest *nest; } Opened;

static inline Opened open_stage(const char *program, Binding binding) {
    Opened o;
    const bool opened = fixture_open(&o.fixture, program, binding);
    CU_ASSERT_TRUE_FATAL(opened);
    o.stage = o.fixture.stages.items[0];
    CU_ASSERT_TRUE_FATAL(o.stage->code.nests.count > 0);
    o.nest = o.stage->code.nests.items[0];
    CU_ASSERT_PTR_NULL(lower_body_fault(&o.stage->code));
    return o;
}

static inline void close_stage(Opened *o, const char *expected) {
    const char *fault = lower_body_fault(&o->stage->code);
    CHECK_TEXT(fault ? fault : "nothing", expected);
    fixture_close(&o->fixture);
}

static inline Loop *loop_of(Opened *o, size_t l) { return &o->nest->loops.items[l]; }
#endif
