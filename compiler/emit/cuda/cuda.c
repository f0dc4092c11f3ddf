/* The backend for cards: CUDA C++, compiled by nvcc. Tasks that run on threads stand in the same program (../cpu). */
#include "compiler/emit/cuda/cuda.h"
#include "compiler/emit/cpu/flow.h"

/* -fmad=false: products are rounded before they are added, as everywhere. */
static const char *const flags[] = {"-O3", "-std=c++20", "-fmad=false", NULL};
static const char *const libraries[] = {"-lcudart_static", "-ldl", "-lrt", NULL};

const Backend backend_cuda = {.machine = "a CUDA card", .runs_on = "the threads of a CUDA card", .own = "static __device__", .called = "static __device__", .accepts = cuda_accepts,
                              .schedule = cuda_schedule, .stage = cuda_stage, .stage_cost = cuda_stage_cost, .parallel = cuda_parallel, .by_one = cuda_by_one,
                              .reduce = cuda_reduce, .touches = cpu_touches, .flow = cpu_flow, .build = {flags, NULL, libraries}};
