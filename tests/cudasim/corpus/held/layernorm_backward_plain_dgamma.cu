// expect: race
// Gradients of gamma and beta: the warps of a block add to the same shared cells with +=.
#include <cstdio>
#include <vector>

constexpr int WARP = 32;

__device__ float warp_sum(float v) {
#pragma unroll
    for (int d = WARP / 2; d >= 1; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d, WARP);
    return v;
}

__global__ void ln_bwd(const float* __restrict__ dy, const float* __restrict__ xhat, const float* __restrict__ gamma,
                       float* __restrict__ dx, float* dgamma, float* dbeta, int rows, int cols) {
    extern __shared__ float acc[];
    float *sg = acc, *sb = acc + cols;
    const int tid = threadIdx.y * WARP + threadIdx.x, nthreads = blockDim.y * WARP;
    for (int c = tid; c < cols; c += nthreads) sg[c] = sb[c] = 0.f;
    __syncthreads();
    for (int r = blockIdx.x * blockDim.y + threadIdx.y; r < rows; r += gridDim.x * blockDim.y) {
        float s1 = 0.f, s2 = 0.f;
        for (int c = threadIdx.x; c < cols; c += WARP) {
            float g = dy[r * cols + c] * gamma[c];
            s1 += g;
            s2 += g * xhat[r * cols + c];
        }
        s1 = warp_sum(s1) / cols;
        s2 = warp_sum(s2) / cols;
        for (int c = threadIdx.x; c < cols; c += WARP) {
            float d = dy[r * cols + c], h = xhat[r * cols + c];
            dx[r * cols + c] = d * gamma[c] - s1 - h * s2;
            sg[c] += d * h;  // <- race
            sb[c] += d;      // <- race
        }
    }
    __syncthreads();
    for (int c = tid; c < cols; c += nthreads) {
        atomicAdd(dgamma + c, sg[c]);
        atomicAdd(dbeta + c, sb[c]);
    }
}

int main() {
    int rows = 29, cols = 70;
    std::vector<float> a(rows * cols, 0.25f), g(cols, 1.5f);
    float *dy, *xh, *ga, *dx, *dg, *db;
    cudaMalloc(&dy, rows * cols * sizeof(float));
    cudaMalloc(&xh, rows * cols * sizeof(float));
    cudaMalloc(&dx, rows * cols * sizeof(float));
    cudaMalloc(&ga, cols * sizeof(float));
    cudaMalloc(&dg, cols * sizeof(float));
    cudaMalloc(&db, cols * sizeof(float));
    cudaMemset(dg, 0, cols * sizeof(float));
    cudaMemset(db, 0, cols * sizeof(float));
    cudaMemcpy(dy, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(xh, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(ga, g.data(), g.size() * sizeof(float), cudaMemcpyHostToDevice);
    ln_bwd<<<3, dim3(WARP, 4), 2 * cols * sizeof(float)>>>(dy, xh, ga, dx, dg, db, rows, cols);
    cudaMemcpy(g.data(), dg, cols * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", g[3]);
    for (float* p : {dy, xh, ga, dx, dg, db}) cudaFree(p);
    return 0;
}
