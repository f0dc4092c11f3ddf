/* What a thread is doing, in words, for the message when a signal ends the program: called in signal handlers. */
#include "runtime/report/crash.h"
#include "runtime/run/private.h"

/* "LPU (3, 1) of Space B in LPU (2) of Space A" */
static void say_lpu(const Hp5TaskDesc *desc, const Hp5Lpu *lpu, Hp5CrashText *text) {
    bool first = true;
    for (; lpu != NULL && lpu->grid != NULL; lpu = lpu->parent) {
        const Hp5LpsDesc *lps = &desc->lpses[lpu->grid->lps];
        if (lps->sub_partition || lps->dims == 0) continue;
        int64_t coordinates[HP5_MAX_RANK], rest = lpu->number;
        for (int d = lps->dims - 1; d >= 0; d--) {
            int64_t extent = lpu->grid->extent[d] > 0 ? lpu->grid->extent[d] : 1;
            coordinates[d] = rest % extent;
            rest /= extent;
        }
        hp5_crash_say(text, first ? ", LPU (" : " in LPU (");
        for (int d = 0; d < lps->dims; d++) {
            if (d > 0) hp5_crash_say(text, ", ");
            hp5_crash_say_number(text, coordinates[d]);
        }
        hp5_crash_say(text, ") of Space ");
        hp5_crash_say(text, lps->name);
        first = false;
    }
}

void hp5_say_where(const void *what, Hp5CrashText *text) {
    const Hp5Worker *worker = what;
    const Hp5TaskDesc *desc = worker->run->desc;
    hp5_crash_say(text, "task ");
    hp5_crash_say(text, desc->name);
    int stage = worker->doing.stage;
    if (stage < 1 || stage > desc->stage_count) {
        hp5_crash_say(text, ", between stages");
        return;
    }
    hp5_crash_say(text, ", stage ");
    hp5_crash_say(text, desc->stage_names[stage - 1]);
    say_lpu(desc, worker->doing.lpu, text);
}
