/* In how many ways n queens stand on a board of n by n squares. */
#include "../reference/common.h"

static void place(int n, uint32_t columns, uint32_t left, uint32_t right, int64_t *ways, int64_t *tried) {
    uint32_t full = (1u << n) - 1, free[20], taken[20], lefts[20], rights[20];
    int64_t found = 0, all = 0;
    int row = 2;
    taken[2] = columns, lefts[2] = left, rights[2] = right;
    free[2] = full & ~(columns | left | right);
    while (row >= 2) {
        uint32_t squares = free[row];
        if (squares == 0) {
            row--;
            continue;
        }
        uint32_t queen = squares & -squares;
        free[row] = squares ^ queen;
        all++;
        if (row == n - 1)
            found++;
        else {
            taken[row + 1] = taken[row] | queen;
            lefts[row + 1] = (lefts[row] | queen) << 1;
            rights[row + 1] = (rights[row] | queen) >> 1;
            row++;
            free[row] = full & ~(taken[row] | lefts[row] | rights[row]);
        }
    }
    *ways = found;
    *tried = all;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "n ways tried");
    int n = (int)argument_integer("n");
    Array wayss = matrix_new("<i8", n, n), trieds = matrix_new("<i8", n, n);
    int64_t *ways = wayss.data, *tried = trieds.data, all = 0;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(dynamic) collapse(2) reduction(+ : all)
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            if (a - b > 1 || b - a > 1) {
                uint32_t one = 1u << a, two = 1u << b;
                place(n, one | two, (one << 1 | two) << 1, (one >> 1 | two) >> 1, &ways[a * n + b], &tried[a * n + b]);
                all += ways[a * n + b];
            }
    timing_print("Queens", begin);
    printf("ways %lld\n", (long long)all);
    array_store("ways", wayss);
    array_store("tried", trieds);
    return 0;
}
