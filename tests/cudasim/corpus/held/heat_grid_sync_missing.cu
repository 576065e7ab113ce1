// expect: race
// Heat equation in a cooperative kernel: the buffers are swapped, but the blocks only wait for themselves.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
using namespace cooperative_groups;

__global__ void heat(float* u, float* v, int n, int steps) {
    auto g = this_grid();
    auto b = this_thread_block();
    for (int s = 0; s < steps; s++) {
        for (int i = g.thread_rank(); i < n; i += g.size()) {
            float l = i > 0 ? u[i - 1] : 0.f;      // <- race
            float r = i + 1 < n ? u[i + 1] : 0.f;  // <- race
            v[i] = u[i] + 0.25f * (l - 2.f * u[i] + r);  // <- race
        }
        b.sync();
        float* t = u;
        u = v;
        v = t;
    }
}

int main() {
    int n = 150, steps = 5;
    std::vector<float> h(n, 0.f);
    h[64] = 100.f;
    float *u, *v;
    cudaMalloc(&u, n * sizeof(float));
    cudaMalloc(&v, n * sizeof(float));
    cudaMemcpy(u, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(v, 0, n * sizeof(float));
    void* kernelArgs[] = {(void*)&u, (void*)&v, (void*)&n, (void*)&steps};
    cudaLaunchCooperativeKernel((const void*)heat, dim3(3), dim3(64), kernelArgs);
    cudaDeviceSynchronize();
    cudaMemcpy(h.data(), v, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[60]);
    cudaFree(u);
    cudaFree(v);
    return 0;
}
