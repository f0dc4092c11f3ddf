/* What waiting costs on a card: launches, waits of a grid and of a block, and copies of the host. Microseconds and GB/s, one line each. */
#include "card.h"
#include <cooperative_groups.h>
#include <vector>

static __global__ void nothing(int) {}

static __global__ void grid_waits(int rounds) {
    for (int i = 0; i < rounds; i++) cooperative_groups::this_grid().sync();
}

static __global__ void block_waits(int rounds) {
    for (int i = 0; i < rounds; i++) __syncthreads();
}

template <class What> static double microseconds(int count, What what) {
    what();
    const double begin = card_clock();
    for (int i = 0; i < count; i++) what();
    return (card_clock() - begin) / count * 1e6;
}

static void cooperative(const void *kernel, int blocks, int threads, int rounds) {
    void *arguments[] = {&rounds};
    card_check(cudaLaunchCooperativeKernel(kernel, dim3((unsigned)blocks), dim3((unsigned)threads), arguments, 0, 0), "a cooperative launch");
}

static void of_launches() {
    printf("launch, one after the other: %.2f us\n", microseconds(2000, [] { nothing<<<132, 256>>>(0); }));
    printf("launch and wait: %.2f us\n", microseconds(500, [] { nothing<<<132, 256>>>(0); cudaDeviceSynchronize(); }));
    printf("cooperative launch and wait: %.2f us\n", microseconds(500, [] { cooperative((const void *)nothing, 132, 256, 0); cudaDeviceSynchronize(); }));
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t all;
    card_check(cudaStreamCreate(&stream), "a stream");
    card_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "a graph");
    for (int i = 0; i < 1000; i++) nothing<<<132, 256, 0, stream>>>(0);
    card_check(cudaStreamEndCapture(stream, &graph), "a graph");
    card_check(cudaGraphInstantiate(&all, graph, 0), "a graph");
    printf("kernel of a graph: %.2f us\n", microseconds(5, [&] { cudaGraphLaunch(all, stream); }) / 1000);
}

static void of_grids() {
    int multiprocessors = 0;
    card_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "the card");
    for (int each : {1, 2, 8})
        for (int threads : {128, 256, 1024}) {
            if (each * threads > 2048) continue;
            const double time = microseconds(3, [=] { cooperative((const void *)grid_waits, each * multiprocessors, threads, 1000); }) / 1000;
            printf("wait of a grid, %d blocks of %d threads in each multiprocessor: %.2f us\n", each, threads, time);
        }
    printf("wait of a block, 1024 threads: %.3f us\n", microseconds(3, [=] { block_waits<<<multiprocessors, 1024>>>(10000); }) / 10000);
}

static void of_copies(int64_t bytes) {
    char *card = card_new<char>(bytes), *pinned;
    card_check(cudaMallocHost(&pinned, (size_t)bytes), "pinned memory");
    std::vector<char> plain((size_t)bytes, 1);
    memset(pinned, 1, (size_t)bytes);
    const char *kinds[] = {"pinned", "pageable"};
    char *const places[] = {pinned, plain.data()};
    for (int i = 0; i < 2; i++) {
        char *host = places[i];
        const double to = microseconds(3, [=] { cudaMemcpy(card, host, (size_t)bytes, cudaMemcpyHostToDevice); });
        const double from = microseconds(3, [=] { cudaMemcpy(host, card, (size_t)bytes, cudaMemcpyDeviceToHost); });
        printf("%s: to the card %.1f GB/s, back %.1f GB/s", kinds[i], (double)bytes / to / 1e3, (double)bytes / from / 1e3);
        printf(", 8 bytes %.2f and %.2f us\n", microseconds(200, [=] { cudaMemcpy(card, host, 8, cudaMemcpyHostToDevice); }),
               microseconds(200, [=] { cudaMemcpy(host, card, 8, cudaMemcpyDeviceToHost); }));
    }
    double begin = clock_now();
    card_check(cudaHostRegister(plain.data(), (size_t)bytes, 0), "registering");
    printf("to register: %.3f s/GB\n", (clock_now() - begin) / (double)bytes * 1e9);
    begin = clock_now();
    char *other;
    card_check(cudaMalloc((void **)&other, (size_t)bytes), "memory on the card");
    printf("cudaMalloc of as much: %.0f us\n", (clock_now() - begin) * 1e6);
}

int main() {
    of_launches();
    of_grids();
    of_copies(1 << 28);
}
