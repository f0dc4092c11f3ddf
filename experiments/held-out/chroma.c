/* From red, green and blue to brightness for each point, and two colours for each square of four points. */
#include "../reference/common.h"

static inline int within(int x) { return x < 0 ? 0 : x > 255 ? 255 : x; }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "rgb k y u v");
    Array cc = array_load("rgb", "<i4", 3);
    int64_t n = cc.extent[0], m = cc.extent[1];
    Array yy = matrix_new("<i4", n, m), uu = matrix_new("<i4", n / 2, m / 2), vv = matrix_new("<i4", n / 2, m / 2);
    const int *restrict rgb = cc.data;
    int *restrict y = yy.data, *restrict u = uu.data, *restrict v = vv.data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < m; j++) {
                const int *at = rgb + (i * m + j) * 3;
                y[i * m + j] = ((66 * at[0] + 129 * at[1] + 25 * at[2] + 128) >> 8) + 16;
            }
#pragma omp for
        for (int64_t i = 0; i < n / 2; i++)
            for (int64_t j = 0; j < m / 2; j++) {
                const int *up = rgb + (2 * i * m + 2 * j) * 3, *down = up + m * 3;
                int r = (up[0] + up[3] + down[0] + down[3] + 2) >> 2, g = (up[1] + up[4] + down[1] + down[4] + 2) >> 2;
                int b = (up[2] + up[5] + down[2] + down[5] + 2) >> 2;
                u[i * (m / 2) + j] = within(((112 * b - 38 * r - 74 * g + 128) >> 8) + 128);
                v[i * (m / 2) + j] = within(((112 * r - 94 * g - 18 * b + 128) >> 8) + 128);
            }
    }
    timing_print("Chroma", begin);
    array_store("y", yy);
    array_store("u", uu);
    array_store("v", vv);
    return 0;
}
