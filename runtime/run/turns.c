/* Turns (turns.h). */
#include "runtime/run/turns.h"
#include "runtime/report/error.h"

static bool is_ready(int execution, const bool *has_turn, bool (*share_data)(int a, int b, void *data), void *data) {
    for (int before = 0; before < execution; before++)
        if (!has_turn[before] && share_data(before, execution, data)) return false;
    return true;
}

void hp5_turns(int count, const int64_t *priority, bool (*share_data)(int a, int b, void *data), void *data, int *order) {
    bool *has_turn = hp5_alloc_zeroed((int64_t)sizeof *has_turn * (count + 1), "the order of executions");
    for (int turn = 0; turn < count; turn++) {
        int best = -1;
        for (int i = 0; i < count; i++)
            if (!has_turn[i] && (best < 0 || priority[i] > priority[best]) && is_ready(i, has_turn, share_data, data)) best = i;
        has_turn[order[turn] = best] = true;
    }
    hp5_free(has_turn);
}
