/* Global alignments of pairs of texts, with gaps that cost 5 to open and 1 to go on, and the way back. */
#include <stdlib.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a b k score equal");
    Array aa = array_load("a", "|S1", 2), bb = array_load("b", "|S1", 2);
    int64_t pairs = aa.extent[0], rows = aa.extent[1], columns = bb.extent[1], wide = columns + 1;
    Array scores = vector_new("<i4", pairs), equals = vector_new("<i4", pairs);
    int *restrict score = scores.data, *restrict equal = equals.data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
        int *restrict best = malloc(4 * wide), *restrict gap = malloc(4 * wide);
        unsigned char *restrict from = malloc((rows + 1) * wide);
#pragma omp for
        for (int64_t p = 0; p < pairs; p++) {
            const char *restrict a = (const char *)aa.data + p * rows, *restrict b = (const char *)bb.data + p * columns;
            best[0] = 0;
            for (int j = 1; j <= columns; j++) {
                best[j] = -4 - j;
                gap[j] = -1000000;
                from[j] = 2 + 8;
            }
            for (int i = 1; i <= rows; i++) {
                int corner = best[0], left = -4 - i, along = -1000000;
                best[0] = left;
                from[i * wide] = 1 + 4;
                for (int64_t j = 1; j <= columns; j++) {
                    int longer = gap[j] - 1 > best[j] - 5, further = along - 1 > left - 5;
                    int down = longer ? gap[j] - 1 : best[j] - 5;
                    along = further ? along - 1 : left - 5;
                    int here = corner + (a[i - 1] == b[j - 1] ? 2 : -1), way = 0;
                    if (down > here) here = down, way = 1;
                    if (along > here) here = along, way = 2;
                    corner = best[j];
                    gap[j] = down;
                    best[j] = left = here;
                    from[i * wide + j] = (unsigned char)(way + 4 * longer + 8 * further);
                }
            }
            score[p] = best[columns];
            int64_t i = rows, j = columns;
            int same = 0, inside = 0;
            while (i > 0 || j > 0) {
                int way = from[i * wide + j];
                if (!inside) inside = way & 3;
                if (inside == 0) {
                    i--, j--;
                    same += a[i] == b[j];
                } else if (inside == 1) {
                    i--;
                    if (!(way & 4)) inside = 0;
                } else {
                    j--;
                    if (!(way & 8)) inside = 0;
                }
            }
            equal[p] = same;
        }
    }
    timing_print("Gotoh", begin);
    array_store("score", scores);
    array_store("equal", equals);
    return 0;
}
