/* Sales grouped by store. */
#include <math.h>
#include <stdlib.h>
#include "../reference/common.h"

typedef struct Sale {
    int32_t store, pieces;
    double price;
} Sale;
typedef struct Group {
    int64_t sales, pieces;
    double revenue, least, most;
} Group;

int main(int argc, char **argv) {
    arguments_read(argc, argv, "sale stores k l group");
    Array in = array_load_records("sale", sizeof(Sale), "[('store', '<i4'), ('pieces', '<i4'), ('price', '<f8')]");
    int64_t stores = argument_integer("stores");
    Array out = {.dimensions = 1, .extent = {stores, 1, 1, 1}, .count = stores, .size = sizeof(Group),
        .type = "[('sales', '<i8'), ('pieces', '<i8'), ('revenue', '<f8'), ('least', '<f8'), ('most', '<f8')]",
        .data = memory_new((size_t)stores * sizeof(Group))};
    const Sale *sale = in.data;
    Group *group = out.data;

    double begin = clock_now();
    for (int64_t s = 0; s < stores; s++) group[s].least = INFINITY, group[s].most = -INFINITY;
#pragma omp parallel num_threads(argument_threads())
    {
        Group *mine = calloc((size_t)stores, sizeof *mine);
        for (int64_t s = 0; s < stores; s++) mine[s].least = INFINITY, mine[s].most = -INFINITY;
#pragma omp for
        for (int64_t i = 0; i < in.count; i++)
            if (sale[i].pieces > 0) {
                Group *g = &mine[sale[i].store];
                double price = sale[i].price;
                g->sales++;
                g->pieces += sale[i].pieces;
                g->revenue += price * sale[i].pieces;
                g->least = price < g->least ? price : g->least;
                g->most = price > g->most ? price : g->most;
            }
#pragma omp critical
        for (int64_t s = 0; s < stores; s++) {
            group[s].sales += mine[s].sales;
            group[s].pieces += mine[s].pieces;
            group[s].revenue += mine[s].revenue;
            group[s].least = fmin(group[s].least, mine[s].least);
            group[s].most = fmax(group[s].most, mine[s].most);
        }
        free(mine);
    }
    int64_t best = 0, busy = 0;
    for (int64_t s = 0; s < stores; s++) {
        if (group[s].revenue > group[best].revenue) best = s;
        if (group[s].sales > 0)
            busy++;
        else
            group[s].least = group[s].most = 0;
    }
    timing_print("Group By", begin);
    printf("best store %lld stores with sales %lld\n", (long long)best, (long long)busy);
    array_store("group", out);
    return 0;
}
