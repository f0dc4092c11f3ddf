/* What users do, cut into sessions. */
#include "../reference/common.h"

typedef struct Longest {
    int64_t seconds, first;
} Longest;

int main(int argc, char **argv) {
    arguments_read(argc, argv, "time starts pause k sessions longest often");
    Array times = array_load("time", "<i4", 1), startss = array_load("starts", "<i4", 1);
    int64_t users = startss.count - 1, pause = argument_integer("pause");
    Array counts = vector_new("<i4", users), oftens = vector_new("<i8", 32);
    Array bests = {.dimensions = 1, .extent = {users, 1, 1, 1}, .count = users, .size = sizeof(Longest), .type = "[('seconds', '<i8'), ('first', '<i8')]",
        .data = memory_new((size_t)users * sizeof(Longest))};
    const int *restrict time = times.data, *restrict starts = startss.data;
    int *restrict sessions = counts.data;
    int64_t *often = oftens.data, all = 0, alone = 0;
    Longest *restrict longest = bests.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) reduction(+ : often[:32], all, alone)
    for (int64_t u = 0; u < users; u++) {
        int count = 0, first = starts[u], last = starts[u + 1];
        Longest best = {-1, -1};
        for (int e = first; e < last; e++)
            if (e + 1 == last || time[e + 1] - time[e] > pause) {
                int length = time[e] - time[first] + 1;
                if (length > best.seconds) best = (Longest){length, first};
                often[31 - __builtin_clz((unsigned)length)]++;
                count++;
                first = e + 1;
            }
        sessions[u] = count;
        longest[u] = best;
        all += count;
        alone += count == 1 && best.seconds == 1;
    }
    int64_t who = 0;
    for (int64_t u = 1; u < users; u++)
        if (longest[u].seconds > longest[who].seconds) who = u;
    timing_print("Sessions", begin);
    printf("sessions %lld user of the longest %lld events alone %lld\n", (long long)all, (long long)who, (long long)alone);
    array_store("sessions", counts);
    array_store("longest", bests);
    array_store("often", oftens);
    return 0;
}
