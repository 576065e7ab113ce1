// expect: nothing
// Reduction with float4 loads, shuffles in the warp, shared memory between warps, one atomic per block; scalar tail.
#include <cmath>
#include <cstdio>
#include <vector>

namespace reduction {

static constexpr int kThreads = 192;
static constexpr unsigned kFull = 0xffffffffu;

__inline__ __device__ float warpSum(float v) {
#pragma unroll
    for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down_sync(kFull, v, d);
    return v;
}

__inline__ __device__ float blockSum(float v) {
    static __shared__ float shared[32];
    int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
    v = warpSum(v);
    if (lane == 0) shared[wid] = v;
    __syncthreads();
    v = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0.0f;
    if (wid == 0) v = warpSum(v);
    return v;
}

__global__ void __launch_bounds__(kThreads) sum(const float* __restrict__ in, float* out, int n) {
    float acc = 0.0f;
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = idx; i < n / 4; i += blockDim.x * gridDim.x) {
        float4 v = reinterpret_cast<const float4*>(in)[i];
        acc += v.x + v.y + v.z + v.w;
    }
    int i = idx + n / 4 * 4;
    if (i < n) acc += in[i];
    acc = blockSum(acc);
    if (threadIdx.x == 0) atomicAdd(out, acc);
}

}  // namespace reduction

int main() {
    const int n = 2047;
    std::vector<float> h(n);
    double want = 0;
    for (int i = 0; i < n; i++) want += h[i] = (i % 16) * 0.125f;
    float *d_in, *d_out, got;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, sizeof(float));
    cudaMemcpy(d_in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof(float));
    reduction::sum<<<2, reduction::kThreads>>>(d_in, d_out, n);
    cudaMemcpy(&got, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    if (std::fabs(got - want) > 1e-3 * want) {
        printf("%f, not %f\n", got, want);
        return 1;
    }
    return 0;
}
