/* Connected components of an image: each point takes the smallest label around it, rows forth and back, until none changes. */
#include <stdlib.h>
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image k label");
    Array in = array_load("image", "<i4", 2), now = array_new("<i4", 2, in.extent), next = array_new("<i4", 2, in.extent);
    int64_t n = in.extent[0], m = in.extent[1];
    const int *image = in.data;
    double begin = clock_now();
    int *start = now.data;
    for (int64_t i = 0; i < n * m; i++) start[i] = image[i] > 0 ? (int)i + 1 : 0;
    memcpy(next.data, now.data, n * m * sizeof *start);
    int64_t changes = 1;
    while (changes > 0) {
        const int *restrict old = now.data;
        int *restrict label = next.data;
        changes = 0;
#pragma omp parallel for num_threads(argument_threads()) reduction(+ : changes)
        for (int64_t i = 1; i < n - 1; i++) {
            for (int64_t j = 1; j < m - 1; j++) {
                int64_t at = i * m + j;
                int here = old[at], best = here;
                if (here > 0) {
                    int above = old[at - m], below = old[at + m], left = label[at - 1];
                    if (above > 0 && above < best) best = above;
                    if (below > 0 && below < best) best = below;
                    if (left > 0 && left < best) best = left;
                    changes += best < here;
                }
                label[at] = best;
            }
            for (int64_t j = m - 2; j > 0; j--) {
                int64_t at = i * m + j;
                if (label[at] > 0 && label[at + 1] > 0 && label[at + 1] < label[at]) {
                    label[at] = label[at + 1];
                    changes++;
                }
            }
        }
        Array keep = now;
        now = next;
        next = keep;
    }
    timing_print("Components", begin);
    array_store("label", now);
    return 0;
}
