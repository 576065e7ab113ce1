// expect: race
// may: uninitialized
// wmma from a shared tile that all warps fill, with no barrier between filling and loading the fragments.
#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <mma.h>

namespace wm = nvcuda::wmma;

__global__ void rows_times_weights(const __half* x, const __half* w, float* y, int tiles_k) {
    __shared__ __align__(32) __half weights[16 * 16];
    const int warp = threadIdx.x >> 5;
    const int tile_row = blockIdx.x * (blockDim.x >> 5) + warp;
    wm::fragment<wm::accumulator, 16, 16, 16, float> out;
    wm::fill_fragment(out, 0.f);
    for (int t = 0; t < tiles_k; ++t) {
        for (int i = threadIdx.x; i < 256; i += blockDim.x) weights[i] = w[t * 256 + i];  // <- race
        wm::fragment<wm::matrix_a, 16, 16, 16, __half, wm::row_major> fx;
        wm::fragment<wm::matrix_b, 16, 16, 16, __half, wm::row_major> fw;
        wm::load_matrix_sync(fx, x + tile_row * 16 * tiles_k * 16 + t * 16, tiles_k * 16);
        wm::load_matrix_sync(fw, weights, 16);  // <- race
        wm::mma_sync(out, fx, fw, out);
        __syncthreads();
    }
    wm::store_matrix_sync(y + tile_row * 256, out, 16, wm::mem_row_major);
}

int main() {
    const int tiles_k = 3, rows = 6 * 16, K = tiles_k * 16;
    std::vector<__half> x(rows * K, __float2half(1.f)), w(K * 16, __float2half(0.5f));
    std::vector<float> y(rows * 16);
    __half *dx, *dw;
    float* dy;
    cudaMalloc(&dx, x.size() * sizeof(__half));
    cudaMalloc(&dw, w.size() * sizeof(__half));
    cudaMalloc(&dy, y.size() * sizeof(float));
    cudaMemcpy(dx, x.data(), x.size() * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(dw, w.data(), w.size() * sizeof(__half), cudaMemcpyHostToDevice);
    rows_times_weights<<<2, 96>>>(dx, dw, dy, tiles_k);
    cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", y[7]);
    cudaFree(dx);
    cudaFree(dw);
    cudaFree(dy);
    return 0;
}
