/* Many moving things, each seen with errors at many moments: place and speed of each by a Kalman filter with two states. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "seen step noise error k place speed");
    Array seens = array_load("seen", "<f8", 2);
    int64_t count = seens.extent[0], length = seens.extent[1];
    Array places = matrix_new("<f8", count, length), speeds = vector_new("<f8", count);
    double step = argument_real("step"), noise = argument_real("noise"), error = argument_real("error");

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t s = 0; s < count; s++) {
        const double *restrict seen = (double *)seens.data + s * length;
        double *restrict place = (double *)places.data + s * length, x = seen[0], v = 0, p = 1, q = 1, c = 0;
        place[0] = x;
        for (int64_t t = 1; t < length; t++) {
            x += step * v;
            p += 2 * step * c + step * step * q + noise;
            c += step * q;
            q += noise;
            double whole = p + error, gain = p / whole, gain_v = c / whole, off = seen[t] - x;
            x += gain * off;
            v += gain_v * off;
            q -= gain_v * c;
            c *= 1 - gain;
            p *= 1 - gain;
            place[t] = x;
        }
        ((double *)speeds.data)[s] = v;
    }
    timing_print("Kalman", begin);
    array_store("place", places);
    array_store("speed", speeds);
    return 0;
}
