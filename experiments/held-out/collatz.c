/* How many steps Collatz's rule takes from each number to 1, and the largest number on the way. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "n k steps highest");
    int64_t n = argument_integer("n"), longest = 0;
    Array all_steps = vector_new("<i4", n), tops = vector_new("<i8", n);
    int *steps = all_steps.data;
    int64_t *highest = tops.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) reduction(max : longest)
    for (int64_t i = 1; i <= n; i++) {
        int64_t x = i, top = i, turns = 0;
        do {
            x = x % 2 == 0 ? x / 2 : 3 * x + 1;
            if (x > top) top = x;
            turns++;
        } while (x > 1);
        steps[i - 1] = turns;
        highest[i - 1] = top;
        if (turns > longest) longest = turns;
    }
    timing_print("Collatz", begin);
    printf("longest %lld\n", (long long)longest);
    array_store("steps", all_steps);
    array_store("highest", tops);
    return 0;
}
