/* The shortest round trips through ten cities, many small problems (Held and Karp). */
#include "../reference/common.h"

enum { CITIES = 9, SETS = 1 << CITIES, FAR = 1000000000 };

int main(int argc, char **argv) {
    arguments_read(argc, argv, "way k length tour");
    Array ways = array_load("way", "<i4", 3);
    int64_t n = ways.extent[0];
    Array lengths = vector_new("<i4", n), tours = matrix_new("<i4", n, CITIES + 1);
    int *restrict length = lengths.data, *restrict tour = tours.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t p = 0; p < n; p++) {
        const int(*restrict way)[CITIES + 1] = (const int(*)[CITIES + 1])ways.data + p * (CITIES + 1);
        int cost[SETS][CITIES];
        for (int seen = 1; seen < SETS; seen++)
            for (int c = 0; c < CITIES; c++) {
                int best = FAR, rest = seen ^ 1 << c;
                if (seen >> c & 1) {
                    if (rest == 0)
                        best = way[CITIES][c];
                    else
                        for (int b = 0; b < CITIES; b++) {
                            int sum = cost[rest][b] + way[b][c];
                            best = sum < best ? sum : best;
                        }
                }
                cost[seen][c] = best;
            }
        int shortest = FAR, city = 0, left = SETS - 1;
        for (int c = 0; c < CITIES; c++)
            if (cost[left][c] + way[c][CITIES] < shortest) shortest = cost[left][c] + way[c][CITIES], city = c;
        length[p] = shortest;
        int *restrict mine = tour + p * (CITIES + 1);
        mine[0] = CITIES;
        mine[CITIES] = city;
        for (int stop = CITIES - 1; stop > 0; stop--) {
            int rest = left ^ 1 << city, before = 0, least = FAR;
            for (int b = 0; b < CITIES; b++)
                if (cost[rest][b] + way[b][city] < least) least = cost[rest][b] + way[b][city], before = b;
            mine[stop] = before;
            left = rest;
            city = before;
        }
    }
    timing_print("Held Karp", begin);
    array_store("length", lengths);
    array_store("tour", tours);
    return 0;
}
