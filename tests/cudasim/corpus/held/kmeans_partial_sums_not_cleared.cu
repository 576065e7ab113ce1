// expect: uninitialized
// K-means update: counts are cleared by a loop, the sums only for the first blockDim.x cells.
#include <cfloat>
#include <cstdio>
#include <vector>

template <int K, int DIM>
__global__ void assign_and_sum(const float* __restrict__ points, const float* __restrict__ centers, float* sums, int* counts, int* label, int n) {
    __shared__ float s_sum[K * DIM];
    __shared__ int s_count[K];
    if (threadIdx.x < K * DIM) s_sum[threadIdx.x] = 0.f;
    for (int k = threadIdx.x; k < K; k += blockDim.x) s_count[k] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float best = FLT_MAX;
        int arg = 0;
#pragma unroll
        for (int k = 0; k < K; ++k) {
            float d = 0.f;
            for (int c = 0; c < DIM; ++c) {
                float t = points[i * DIM + c] - centers[k * DIM + c];
                d += t * t;
            }
            if (d < best) best = d, arg = k;
        }
        label[i] = arg;
        atomicAdd(&s_count[arg], 1);
        for (int c = 0; c < DIM; ++c) atomicAdd(&s_sum[arg * DIM + c], points[i * DIM + c]);  // <- uninitialized
    }
    __syncthreads();
    for (int j = threadIdx.x; j < K * DIM; j += blockDim.x) atomicAdd(&sums[j], s_sum[j]);  // <- uninitialized
    if (threadIdx.x < K) atomicAdd(&counts[threadIdx.x], s_count[threadIdx.x]);
}

int main() {
    constexpr int K = 12, DIM = 6;
    const int n = 201;
    std::vector<float> p(n * DIM), c(K * DIM);
    for (int i = 0; i < n * DIM; ++i) p[i] = (i * 29 % 97) * 0.1f;
    for (int i = 0; i < K * DIM; ++i) c[i] = (i * 17 % 89) * 0.1f;
    float *dp, *dc, *ds;
    int *dn, *dl;
    cudaMalloc(&dp, p.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMalloc(&ds, c.size() * sizeof(float));
    cudaMalloc(&dn, K * sizeof(int));
    cudaMalloc(&dl, n * sizeof(int));
    cudaMemcpy(dp, p.data(), p.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), c.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(ds, 0, c.size() * sizeof(float));
    cudaMemset(dn, 0, K * sizeof(int));
    assign_and_sum<K, DIM><<<(n + 63) / 64, 64>>>(dp, dc, ds, dn, dl, n);
    cudaMemcpy(c.data(), ds, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", c[0]);
    cudaFree(dp);
    cudaFree(dc);
    cudaFree(ds);
    cudaFree(dn);
    cudaFree(dl);
    return 0;
}
