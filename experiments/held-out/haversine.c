/* The nearest of many stations for places on the globe, by the great circle. */
#include <math.h>
#include "../reference/common.h"

static inline double great_circle(double latitude, double longitude, double latitude2, double longitude2) {
    double a = sin(0.5 * (latitude2 - latitude)), b = sin(0.5 * (longitude2 - longitude));
    return 2 * 6371 * asin(sqrt(a * a + cos(latitude) * cos(latitude2) * b * b));
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "latitude longitude station_latitude station_longitude k nearest way");
    Array latitudes = array_load("latitude", "<f8", 1), longitudes = array_load("longitude", "<f8", 1);
    Array station_latitudes = array_load("station_latitude", "<f8", 1), station_longitudes = array_load("station_longitude", "<f8", 1);
    Array nearests = vector_new("<i4", latitudes.count), ways = vector_new("<f8", latitudes.count);
    const double *latitude = latitudes.data, *longitude = longitudes.data, *latitude2 = station_latitudes.data, *longitude2 = station_longitudes.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < latitudes.count; i++) {
        double least = 1e30;
        int which = -1;
        for (int64_t s = 0; s < station_latitudes.count; s++) {
            double far = great_circle(latitude[i], longitude[i], latitude2[s], longitude2[s]);
            if (far < least) least = far, which = s;
        }
        ((int *)nearests.data)[i] = which;
        ((double *)ways.data)[i] = least;
    }
    timing_print("Haversine", begin);
    array_store("nearest", nearests);
    array_store("way", ways);
    return 0;
}
