/* Travel times in a layered medium by bisection, and corrections of stations. */
#include <math.h>
#include "../reference/common.h"

typedef struct { int layer; float offset, observed; } Pick;

int main(int argc, char **argv) {
    arguments_read(argc, argv, "pick thick speed first tolerance k l time correction");
    Array picks = array_load_records("pick", sizeof(Pick), "[('layer', '<i4'), ('offset', '<f4'), ('observed', '<f4')]");
    Array thicks = array_load("thick", "<f8", 1), speeds = array_load("speed", "<f8", 1), firsts = array_load("first", "<i4", 1);
    int n = picks.count, stations = firsts.count - 1;
    const Pick *pick = picks.data;
    const double *restrict thick = thicks.data, *restrict speed = speeds.data;
    const int *first = firsts.data;
    double tolerance = argument_real("tolerance");
    Array times = vector_new("<f8", n), corrections = vector_new("<f8", stations);
    double *time = times.data, *correction = corrections.data;
    long long steps = 0;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(dynamic, 256) reduction(+ : steps)
    for (int i = 0; i < n; i++) {
        int layers = pick[i].layer, count = 0;
        double fastest = 0, offset = pick[i].offset, low = 0, p, x, t = 0;
        for (int l = 0; l < layers; l++) fastest = speed[l] > fastest ? speed[l] : fastest;
        double high = 1 / fastest;
        do {
            p = 0.5 * (low + high);
            x = 0;
            for (int l = 0; l < layers; l++) {
                double sine = p * speed[l];
                x += thick[l] * sine / sqrt(1 - sine * sine);
            }
            if (x < offset) low = p; else high = p;
            count++;
        } while (fabs(x - offset) > tolerance && count < 50);
        for (int l = 0; l < layers; l++) {
            double sine = p * speed[l];
            t += thick[l] / (speed[l] * sqrt(1 - sine * sine));
        }
        time[i] = t;
        steps += count;
    }
    int worst = 0;
#pragma omp parallel for num_threads(argument_threads())
    for (int s = 0; s < stations; s++) {
        double sum = 0;
        for (int i = first[s]; i < first[s + 1]; i++) sum += pick[i].observed - time[i];
        correction[s] = sum / (first[s + 1] - first[s]);
    }
    for (int s = 1; s < stations; s++)
        if (fabs(correction[s]) > fabs(correction[worst])) worst = s;
    timing_print("Trace", begin);
    printf("steps %lld worst station %d\n", steps, worst);
    array_store("time", times);
    array_store("correction", corrections);
    return 0;
}
