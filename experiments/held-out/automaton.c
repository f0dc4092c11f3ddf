/* How often, and where first, a word is in each line: an automaton after Knuth, Morris and Pratt. */
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "lines word k counts first");
    Array liness = array_load("lines", "<i4", 2), words = array_load("word", "<i4", 1);
    int64_t count = liness.extent[0], n = liness.extent[1];
    int length = (int)words.count;
    const int *lines = liness.data, *word = words.data;
    Array countss = vector_new("<i8", count), firsts = vector_new("<i8", count);
    int64_t *counts = countss.data, *first = firsts.data;
    int(*table)[256] = memory_new(sizeof *table * (length + 1));
    long long total = 0, best = 0;
    double begin = clock_now();
    table[0][word[0]] = 1;
    for (int s = 1, x = 0; s <= length; s++) {
        memcpy(table[s], table[x], sizeof *table);
        if (s < length) {
            table[s][word[s]] = s + 1;
            x = table[x][word[s]];
        }
    }
#pragma omp parallel for num_threads(argument_threads()) schedule(static) reduction(+ : total)
    for (int64_t l = 0; l < count; l++) {
        const int *line = lines + l * n;
        int64_t found = 0, place = -1;
        int state = 0;
        for (int64_t i = 0; i < n; i++) {
            state = table[state][line[i]];
            if (state == length) {
                if (found == 0) place = i - length + 1;
                found++;
            }
        }
        counts[l] = found;
        first[l] = place;
        total += found;
    }
    for (int64_t l = 1; l < count; l++)
        if (counts[l] > counts[best]) best = l;
    timing_print("Search", begin);
    printf("all %lld best %lld\n", total, best);
    array_store("counts", countss);
    array_store("first", firsts);
    return 0;
}
