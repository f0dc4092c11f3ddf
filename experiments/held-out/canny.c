/* Edges as Canny's method finds them: gradients, then what is larger than its two neighbours across the edge, weak or strong. */
#include <stdlib.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image low high k edges");
    Array in = array_load("image", "<i4", 2), sizes = array_new("<i4", 2, in.extent), ways = array_new("<i4", 2, in.extent), out = array_new("<i4", 2, in.extent);
    int64_t n = in.extent[0], m = in.extent[1];
    int low = (int)argument_integer("low"), high = (int)argument_integer("high");
    const int *restrict image = in.data;
    int *restrict size = sizes.data, *restrict direction = ways.data, *restrict edges = out.data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for
        for (int64_t i = 1; i < n - 1; i++)
#pragma omp simd
            for (int64_t j = 1; j < m - 1; j++) {
                const int *at = image + i * m + j;
                int x = at[1 - m] + 2 * at[1] + at[1 + m] - at[-1 - m] - 2 * at[-1] - at[-1 + m];
                int y = at[m - 1] + 2 * at[m] + at[m + 1] - at[-m - 1] - 2 * at[-m] - at[-m + 1];
                int right = abs(x), down = abs(y);
                size[i * m + j] = right + down;
                direction[i * m + j] = 5 * down <= 2 * right ? 0 : 5 * right <= 2 * down ? 2 : x * y > 0 ? 1 : 3;
            }
#pragma omp for
        for (int64_t i = 1; i < n - 1; i++)
#pragma omp simd
            for (int64_t j = 1; j < m - 1; j++) {
                const int *at = size + i * m + j;
                int way = direction[i * m + j], here = at[0];
                int left = at[-1], right = at[1], above = at[-m], below = at[m], nw = at[-m - 1], se = at[m + 1], ne = at[-m + 1], sw = at[m - 1];
                int before = way == 0 ? left : way == 1 ? nw : way == 2 ? above : ne;
                int behind = way == 0 ? right : way == 1 ? se : way == 2 ? below : sw;
                int peak = (here >= before) & (here > behind);
                edges[i * m + j] = peak ? here >= high ? 2 : here >= low ? 1 : 0 : 0;
            }
    }
    timing_print("Canny", begin);
    array_store("edges", out);
    return 0;
}
