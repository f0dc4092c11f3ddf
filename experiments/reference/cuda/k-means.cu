/* k-means: a thread has a point, and looks for the nearest centre in shared memory; blocks add up their points there, and what they have to the card's sums; one block
 * moves the centres. The host reads after each round how many points have changed. */
#include "card.h"

enum { THREADS = 256, BLOCKS = 132 * 4, MOST = 1024 /* Reals of all centres */ };

typedef struct Sums { double of[MOST]; unsigned long long sizes[MOST], changes; } Sums;

static __global__ void join(const double *__restrict__ points, const double *__restrict__ centres, int64_t *cluster, Sums *sums, int64_t count, int dimensions, int clusters) {
    __shared__ double places[MOST], of_block[MOST];
    __shared__ unsigned sizes[MOST], changes;
    for (int i = threadIdx.x; i < clusters * dimensions; i += THREADS) places[i] = centres[i], of_block[i] = 0;
    for (int i = threadIdx.x; i < clusters; i += THREADS) sizes[i] = 0;
    if (threadIdx.x == 0) changes = 0;
    __syncthreads();
    for (int64_t p = (int64_t)blockIdx.x * THREADS + threadIdx.x; p < count; p += (int64_t)BLOCKS * THREADS) {
        const double *point = points + p * dimensions;
        double shortest = 0;
        int nearest = 0;
        for (int c = 0; c < clusters; c++) {
            double square = 0;
            for (int d = 0; d < dimensions; d++) {
                const double way = point[d] - places[c * dimensions + d];
                square += way * way;
            }
            if (c == 0 || square < shortest) shortest = square, nearest = c;
        }
        if (cluster[p] != nearest) atomicAdd(&changes, 1u);
        cluster[p] = nearest;
        atomicAdd(&sizes[nearest], 1u);
        for (int d = 0; d < dimensions; d++) atomicAdd(&of_block[nearest * dimensions + d], point[d]);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < clusters * dimensions; i += THREADS) atomicAdd(&sums->of[i], of_block[i]);
    for (int i = threadIdx.x; i < clusters; i += THREADS) atomicAdd(&sums->sizes[i], (unsigned long long)sizes[i]);
    if (threadIdx.x == 0) atomicAdd(&sums->changes, (unsigned long long)changes);
}

static __global__ void move(double *centres, const Sums *sums, int dimensions, int clusters) {
    for (int i = threadIdx.x; i < clusters * dimensions; i += THREADS)
        if (sums->sizes[i / dimensions] > 0) centres[i] = sums->of[i] / (double)sums->sizes[i / dimensions];
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "points centres max_rounds k result cluster");
    Array points = array_load("points", "<f8", 2), centres = array_load("centres", "<f8", 2), cluster = vector_new("<i8", points.extent[0]);
    const int dimensions = (int)points.extent[1], clusters = (int)centres.extent[0];
    if (clusters * dimensions > MOST) fail(1, "centres have at most %d Reals", MOST);
    const double *on_card = card_give<double>(&points);
    double *places = card_give<double>(&centres);
    int64_t *mine = card_new<int64_t>(cluster.count);
    Sums *sums = card_new<Sums>(1);
    join<<<BLOCKS, THREADS>>>(on_card, places, mine, sums, cluster.count, dimensions, clusters);
    card_check(cudaMemset(mine, 0xFF, (size_t)cluster.count * sizeof *mine), "no clusters");
    const double begin = card_clock();
    int64_t rounds = 0;
    unsigned long long changes = 1;
    for (; changes > 0 && rounds < argument_integer("max_rounds"); rounds++) {
        card_check(cudaMemsetAsync(sums, 0, sizeof *sums), "zeros");
        join<<<BLOCKS, THREADS>>>(on_card, places, mine, sums, cluster.count, dimensions, clusters);
        move<<<1, THREADS>>>(places, sums, dimensions, clusters);
        card_check(cudaMemcpy(&changes, &sums->changes, sizeof changes, cudaMemcpyDeviceToHost), "copying back");
    }
    card_clock();
    timing_print("k-means", begin);
    printf("%lld %llu\n", (long long)rounds, changes);
    card_take(&centres, places);
    card_take(&cluster, mine);
    array_store("result", centres);
    array_store("cluster", cluster);
    return 0;
}
