// expect: race
// Cooperative iteration: the residual is cleared for the next round by one thread while others still decide on it.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;

__device__ float g_residual;

__global__ void relax(float* a, float* b, int n, int limit, int* rounds) {
    cg::grid_group grid = cg::this_grid();
    const unsigned id = grid.thread_rank();
    int round = 0, quiet = 0;
    for (; round < limit; ++round) {
        float worst = 0.f;
        for (unsigned i = id; i < n; i += grid.num_threads()) {
            float l = i ? a[i - 1] : 1.f, r = i + 1 < n ? a[i + 1] : 0.f, v = 0.5f * (l + r);
            worst = fmaxf(worst, fabsf(v - a[i]));
            b[i] = v;
        }
        atomicAdd(&g_residual, worst);
        grid.sync();
        bool stop = g_residual < 1e-30f;  // <- race
        if (id == 0) g_residual = 0.f;  // <- race
        grid.sync();
        quiet += stop;
        float* t = a;
        a = b;
        b = t;
    }
    if (id == 0) *rounds = round - quiet;
}

int main() {
    int n = 75, limit = 6, zero = 0;
    float *a, *b;
    int* rounds;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&rounds, sizeof(int));
    cudaMemset(a, 0, n * sizeof(float));
    cudaMemset(b, 0, n * sizeof(float));
    cudaMemcpyToSymbol(g_residual, &zero, sizeof zero);
    void* args[] = {&a, &b, &n, &limit, &rounds};
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(&relax), dim3(2), dim3(32), args);
    cudaMemcpy(&zero, rounds, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", zero);
    cudaFree(a);
    cudaFree(b);
    cudaFree(rounds);
    return 0;
}
