// expect: nothing
// Jacobi steps in one cooperative launch: grid.sync parts the steps, two buffers change places.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__global__ void jacobi(int* a, int* b, int n, int steps) {
    cg::grid_group grid = cg::this_grid();
    int* in = a;
    int* out = b;
    for (int step = 0; step < steps; ++step) {
        for (int i = grid.thread_rank(); i < n; i += grid.size()) {
            int left = i > 0 ? in[i - 1] : 0;
            int right = i < n - 1 ? in[i + 1] : 0;
            out[i] = (left + right) % 1000 + 1;
        }
        grid.sync();
        int* swap = in;
        in = out;
        out = swap;
    }
}

int main() {
    int n = 150, steps = 6;
    std::vector<int> grid(n), next(n);
    for (int i = 0; i < n; ++i) grid[i] = i * i % 100;
    int *d_a, *d_b;
    cudaMalloc(&d_a, n * sizeof(int));
    cudaMalloc(&d_b, n * sizeof(int));
    cudaMemcpy(d_a, grid.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    void* args[] = {&d_a, &d_b, &n, &steps};
    cudaLaunchCooperativeKernel(jacobi, dim3(4), dim3(30), args);
    cudaDeviceSynchronize();
    for (int step = 0; step < steps; ++step) {
        for (int i = 0; i < n; ++i) {
            next[i] = ((i > 0 ? grid[i - 1] : 0) + (i < n - 1 ? grid[i + 1] : 0)) % 1000 + 1;
        }
        grid.swap(next);
    }
    cudaMemcpy(next.data(), d_a, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    for (int i = 0; i < n; ++i) {
        if (grid[i] != next[i]) {
            printf("grid[%d] is %d, not %d\n", i, next[i], grid[i]);
            return 1;
        }
    }
    return 0;
}
