/* Five small kernels as a graph that is made once and launched again and again; the host waits for all of it in the end. */
#include "card.h"

enum { THREADS = 256 };

static __global__ void there(double *__restrict__ w, const double *__restrict__ v, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) w[i] = 0.5 * (v[i] + v[n - 1 - i]);
}

static __global__ void back(double *__restrict__ v, const double *__restrict__ w, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) v[i] = w[i] - 0.25 * w[n - 1 - i];
}

static __global__ void rise(double *v, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) v[i] = 0.75 * v[i] + 0.125;
}

static cudaGraphExec_t graph_of(double *v, double *w, int64_t n, cudaStream_t stream) {
    const unsigned blocks = card_blocks(n, THREADS);
    cudaGraph_t graph;
    cudaGraphExec_t made;
    card_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "a graph");
    for (int i = 0; i < 2; i++) {
        there<<<blocks, THREADS, 0, stream>>>(w, v, n);
        back<<<blocks, THREADS, 0, stream>>>(v, w, n);
    }
    rise<<<blocks, THREADS, 0, stream>>>(v, n);
    card_check(cudaStreamEndCapture(stream, &graph), "a graph");
    card_check(cudaGraphInstantiate(&made, graph, 0), "a graph");
    card_check(cudaGraphUpload(made, stream), "a graph");
    return made;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "v rounds result");
    Array v = array_load("v", "<f8", 1);
    const int64_t n = v.extent[0], rounds = argument_integer("rounds");
    double *here = card_give<double>(&v), *there_too = card_new<double>(n);
    cudaStream_t stream;
    card_check(cudaStreamCreate(&stream), "a stream");
    const cudaGraphExec_t graph = graph_of(here, there_too, n, stream);
    const double begin = card_clock();
    for (int64_t r = 0; r < rounds; r++) card_check(cudaGraphLaunch(graph, stream), "a launch");
    card_clock();
    timing_print("Five", begin);
    card_take(&v, here);
    array_store("result", v);
    return 0;
}
