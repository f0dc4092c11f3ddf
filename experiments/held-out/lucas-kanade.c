/* Lucas-Kanade. */
#include <math.h>
#include "../reference/common.h"

typedef struct Flow {
    double down, right;
} Flow;

static inline double between(const double *restrict p, int64_t columns, double down, double right) {
    double upper = (1 - right) * p[0] + right * p[1], lower = (1 - right) * p[columns] + right * p[columns + 1];
    return (1 - down) * upper + down * lower;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "before after point rounds k flow error good");
    Array befores = array_load("before", "<f8", 2), afters = array_load("after", "<f8", 2), points = array_load("point", "<f8", 2);
    int64_t rows = befores.extent[0], columns = befores.extent[1], n = points.extent[0], tracked = 0;
    int rounds = argument_integer("rounds");
    Array flows = {.dimensions = 1, .extent = {n, 1, 1, 1}, .count = n, .size = sizeof(Flow), .type = "[('down', '<f8'), ('right', '<f8')]", .data = memory_new((size_t)n * sizeof(Flow))};
    Array errors = vector_new("<f8", n), goods = vector_new("|b1", n);
    const double *before = befores.data, *after = afters.data, (*point)[2] = points.data;
    Flow *flow = flows.data;
    double *error = errors.data;
    bool *good = goods.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(static) reduction(+ : tracked)
    for (int64_t i = 0; i < n; i++) {
        double patch[11][11], steep_down[11][11], steep_right[11][11], gdd = 0, gdr = 0, grr = 0;
        int64_t row = (int64_t)point[i][0] - 5, column = (int64_t)point[i][1] - 5;
        double down = point[i][0] - (int64_t)point[i][0], right = point[i][1] - (int64_t)point[i][1];
        for (int q = 0; q < 11; q++)
            for (int r = 0; r < 11; r++) {
                const double *p = before + (row + q) * columns + column + r;
                patch[q][r] = between(p, columns, down, right);
                double sd = 0.5 * (between(p + columns, columns, down, right) - between(p - columns, columns, down, right));
                double sr = 0.5 * (between(p + 1, columns, down, right) - between(p - 1, columns, down, right));
                steep_down[q][r] = sd;
                steep_right[q][r] = sr;
                gdd += sd * sd;
                gdr += sd * sr;
                grr += sr * sr;
            }
        double determinant = gdd * grr - gdr * gdr, misfit = 0, moved = 0;
        Flow found = {0, 0};
        bool fine = determinant > 1e-4;
        int round = 0;
        if (fine)
            do {
                double bd = 0, br = 0, place_down = point[i][0] + found.down, place_right = point[i][1] + found.right;
                misfit = 0;
                row = (int64_t)place_down - 5, column = (int64_t)place_right - 5;
                down = place_down - (int64_t)place_down, right = place_right - (int64_t)place_right;
                for (int q = 0; q < 11; q++)
                    for (int r = 0; r < 11; r++) {
                        double off = patch[q][r] - between(after + (row + q) * columns + column + r, columns, down, right);
                        bd += off * steep_down[q][r];
                        br += off * steep_right[q][r];
                        misfit += off * off;
                    }
                double step_down = (grr * bd - gdr * br) / determinant, step_right = (gdd * br - gdr * bd) / determinant;
                found.down += step_down;
                found.right += step_right;
                moved = step_down * step_down + step_right * step_right;
                round++;
                double y = point[i][0] + found.down, x = point[i][1] + found.right;
                if (y < 7 || x < 7 || y > rows - 8 || x > columns - 8) fine = false;
            } while (fine && moved > 1e-6 && round < rounds);
        flow[i] = found;
        error[i] = sqrt(misfit / 121);
        good[i] = fine;
        tracked += fine;
    }
    timing_print("Track", begin);
    printf("tracked %lld\n", (long long)tracked);
    array_store("flow", flows);
    array_store("error", errors);
    array_store("good", goods);
    return 0;
}
