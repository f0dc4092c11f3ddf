/* Forward algorithm of a profile hidden Markov model, with logarithms. */
#include <math.h>
#include <stdlib.h>
#include "../reference/common.h"

typedef struct { double mm, mi, md, im, ii, dm, dd; } Moves;

static inline double log_add(double a, double b) {
    double high = a > b ? a : b, low = a > b ? b : a;
    return high + log1p(exp(low - high));
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "letters first emit move k score");
    Array letterss = array_load("letters", "<i4", 1), firsts = array_load("first", "<i4", 1), emits = array_load("emit", "<f8", 2);
    Array moves = array_load_records("move", sizeof(Moves), "[('match_match', '<f8'), ('match_insert', '<f8'), ('match_delete', '<f8'), ('insert_match', '<f8'), "
        "('insert_insert', '<f8'), ('delete_match', '<f8'), ('delete_delete', '<f8')]");
    int n = firsts.count - 1, last = moves.count, width = emits.extent[1];
    const int *letters = letterss.data, *first = firsts.data;
    const double *emit = emits.data;
    const Moves *move = moves.data;
    Array scores = vector_new("<f8", n);
    double *score = scores.data, none = -1e30;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
    double *match = malloc(8 * (last + 1)), *insert = malloc(8 * (last + 1)), *delete = malloc(8 * (last + 1));
#pragma omp for schedule(dynamic, 8)
    for (int s = 0; s < n; s++) {
        match[0] = 0, insert[0] = delete[0] = none;
        for (int k = 1; k <= last; k++) {
            match[k] = insert[k] = none;
            delete[k] = log_add(match[k - 1] + move[k - 1].md, delete[k - 1] + move[k - 1].dd);
        }
        for (int p = first[s]; p < first[s + 1]; p++) {
            int letter = letters[p];
            double om = match[0], oi = insert[0], od = delete[0];
            match[0] = none;
            for (int k = 1; k <= last; k++) {
                Moves m = move[k - 1];
                double way = log_add(log_add(om + m.mm, oi + m.im), od + m.dm);
                om = match[k], oi = insert[k], od = delete[k];
                match[k] = way + emit[(k - 1) * width + letter];
                insert[k] = log_add(om + m.mi, oi + m.ii);
                delete[k] = log_add(match[k - 1] + m.md, delete[k - 1] + m.dd);
            }
        }
        score[s] = log_add(log_add(match[last], insert[last]), delete[last]);
    }
    }
    int best = 0;
    for (int s = 1; s < n; s++)
        if (score[s] > score[best]) best = s;
    timing_print("Forward", begin);
    printf("best %d\n", best);
    array_store("score", scores);
    return 0;
}
