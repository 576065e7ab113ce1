// expect: nothing
// Jacobi iteration in one cooperative kernel: ping-pong pointers, a residual by block reduction and atomics, all stop together.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cmath>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__global__ void jacobi(const float* A, const float* b, float* x, float* x_new, double* sums, int n, int max_iter, double tol, int* iterations) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block cta = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(cta);
    __shared__ double warp_part[8];
    int it = 0;
    for (; it < max_iter; ++it) {
        double err = 0.0;
        for (int row = grid.thread_rank() / 32; row < n; row += grid.size() / 32) {
            float s = 0.f;
            for (int j = tile.thread_rank(); j < n; j += 32) s += A[row * n + j] * (j == row ? 0.f : x[j]);
            s = cg::reduce(tile, s, cg::plus<float>());
            if (tile.thread_rank() == 0) {
                float v = (b[row] - s) / A[row * n + row];
                err += fabs((double)v - x[row]);
                x_new[row] = v;
            }
        }
        if (tile.thread_rank() == 0) warp_part[tile.meta_group_rank()] = err;
        cg::sync(cta);
        if (cta.thread_rank() == 0) {
            double t = 0;
            for (unsigned w = 0; w < tile.meta_group_size(); ++w) t += warp_part[w];
            atomicAdd(&sums[it % 2], t);
        }
        if (grid.thread_rank() == 0) sums[(it + 1) % 2] = 0.0;
        cg::sync(grid);
        float* t = x;
        x = x_new;
        x_new = t;
        bool done = sums[it % 2] < tol;
        cg::sync(grid);
        if (done) break;
    }
    if (grid.thread_rank() == 0) *iterations = it + 1;
}

int main() {
    int n = 45, max_iter = 100, iterations = 0;
    double tol = 1e-4;
    std::vector<float> A(n * n), b(n), x(n), want(n);
    for (int i = 0; i < n; ++i) {
        want[i] = std::sin(i + 1.0f);
        for (int j = 0; j < n; ++j) A[i * n + j] = i == j ? 2.0f * n / 3 : 0.2f * std::cos(i * 3.f + j);
    }
    for (int i = 0; i < n; ++i) {
        double s = 0;
        for (int j = 0; j < n; ++j) s += A[i * n + j] * want[j];
        b[i] = s;
    }
    float *dA, *db, *dx, *dy;
    double* sums;
    int* dit;
    cudaMalloc(&dA, n * n * 4), cudaMalloc(&db, n * 4), cudaMalloc(&dx, n * 4), cudaMalloc(&dy, n * 4);
    cudaMalloc(&sums, 2 * sizeof(double)), cudaMalloc(&dit, sizeof(int));
    cudaMemcpy(dA, A.data(), n * n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemset(dx, 0, n * 4), cudaMemset(dy, 0, n * 4), cudaMemset(sums, 0, 2 * sizeof(double));
    int threads = 128, blocks = 0, dev = 0;
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, dev);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, jacobi, threads, 0);
    if (!prop.cooperativeLaunch || blocks < 1) return 3;
    blocks = std::min(3, blocks * prop.multiProcessorCount);
    void* args[] = {&dA, &db, &dx, &dy, &sums, &n, &max_iter, &tol, &dit};
    cudaError_t e = cudaLaunchCooperativeKernel((void*)jacobi, blocks, threads, args, 0, 0);
    if (e != cudaSuccess) printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(&iterations, dit, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(x.data(), iterations % 2 ? dy : dx, n * 4, cudaMemcpyDeviceToHost);
    cudaFree(dA), cudaFree(db), cudaFree(dx), cudaFree(dy), cudaFree(sums), cudaFree(dit);
    int bad = iterations >= max_iter;
    for (int i = 0; i < n; ++i) bad += std::fabs(x[i] - want[i]) > 1e-3;
    if (bad) printf("%d bad after %d iterations\n", bad, iterations);
    return bad != 0;
}
