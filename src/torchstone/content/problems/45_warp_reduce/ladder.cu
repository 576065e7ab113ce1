// The versions of the editorial's ladder, numbered as there, on 2^16 floats.
// `torchstone cuda check ladder.cu --json` counts what they move.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int n = 1 << 16;

__global__ void atomics(const float* x, float* out) {
    atomicAdd(out, x[blockIdx.x * blockDim.x + threadIdx.x]);
}

__global__ void modulo_tree(const float* x, float* out) {
    __shared__ float sums[1024];
    const unsigned rank = threadIdx.x;
    sums[rank] = x[blockIdx.x * blockDim.x + rank];
    __syncthreads();
    for (unsigned offset = 1; offset < 1024; offset *= 2) {
        if (rank % (2 * offset) == 0) sums[rank] += sums[rank + offset];
        __syncthreads();
    }
    if (rank == 0) atomicAdd(out, sums[0]);
}

__global__ void gathered_tree(const float* x, float* out) {
    __shared__ float sums[1024];
    const unsigned rank = threadIdx.x;
    sums[rank] = x[blockIdx.x * blockDim.x + rank];
    __syncthreads();
    for (unsigned offset = 1; offset < 1024; offset *= 2) {
        const unsigned at = 2 * offset * rank;
        if (at < 1024) sums[at] += sums[at + offset];
        __syncthreads();
    }
    if (rank == 0) atomicAdd(out, sums[0]);
}

__global__ void halving_tree(const float* x, float* out) {
    __shared__ float sums[1024];
    const unsigned rank = threadIdx.x;
    sums[rank] = x[blockIdx.x * blockDim.x + rank];
    __syncthreads();
    for (unsigned offset = 512; offset > 0; offset /= 2) {
        if (rank < offset) sums[rank] += sums[rank + offset];
        __syncthreads();
    }
    if (rank == 0) atomicAdd(out, sums[0]);
}

__global__ void last_warp_shuffles(const float* x, float* out) {
    __shared__ float sums[1024];
    const unsigned rank = threadIdx.x;
    sums[rank] = x[blockIdx.x * blockDim.x + rank];
    __syncthreads();
    for (unsigned offset = 512; offset >= 32; offset /= 2) {
        if (rank < offset) sums[rank] += sums[rank + offset];
        __syncthreads();
    }
    if (rank < 32) {
        float v = sums[rank];
        for (int offset = 16; offset > 0; offset /= 2) {
            v += __shfl_down_sync(0xffffffffu, v, offset);
        }
        if (rank == 0) atomicAdd(out, v);
    }
}

__device__ float warp_sum(float v, unsigned mask) {
    const int lane = threadIdx.x % 32, count = __popc(mask);
    for (int offset = 16; offset > 0; offset /= 2) {
        const float other = __shfl_down_sync(mask, v, offset);
        if (lane + offset < count) v += other;
    }
    return v;
}

__device__ float block_sum(float v) {
    __shared__ float sums[32];
    __shared__ float total;
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    v = warp_sum(v, 0xffffffffu);
    if (lane == 0) sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = warp_sum(lane < blockDim.x / 32 ? sums[lane] : 0.0f, 0xffffffffu);
        if (lane == 0) total = v;
    }
    __syncthreads();
    return total;
}

__global__ void shuffles_first(const float* x, float* out) {
    const float sum = block_sum(x[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

__global__ void eight_each(const float* x, float* out) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i];
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

__device__ float sum_of_fours(const float* x) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        const float4 four = reinterpret_cast<const float4*>(x)[i];
        sum += (four.x + four.y) + (four.z + four.w);
    }
    return sum;
}

__global__ void float4_each(const float* x, float* out) {
    const float sum = block_sum(sum_of_fours(x));
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

__device__ float partials[1024];

__global__ void without_atomics(const float* x) {
    const float sum = block_sum(sum_of_fours(x));
    if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

__global__ void add_partials(int count, float* out) {
    const float sum = block_sum(threadIdx.x < count ? partials[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) *out = sum;
}

int main() {
    std::vector<float> x(n);
    unsigned seed = 1;
    double truth = 0;
    for (float& v : x) {
        seed = seed * 1664525u + 1013904223u;
        v = (seed >> 8) / 16777216.0f - 0.3f;
        truth += v;
    }
    float *on_device, *out, sum;
    cudaMalloc(&on_device, n * sizeof(float));
    cudaMalloc(&out, sizeof(float));
    cudaMemcpy(on_device, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(float));
    int num_wrong = 0;
    const auto look = [&](const char* name) {
        cudaMemcpy(&sum, out, sizeof(float), cudaMemcpyDeviceToHost);
        cudaMemset(out, 0, sizeof(float));
        const bool is_right = std::fabs(sum - truth) < 1e-3 * n;
        num_wrong += !is_right;
        std::printf("%s: %s\n", name, is_right ? "right" : "WRONG");
    };
    atomics<<<n / 1024, 1024>>>(on_device, out);
    look("1 atomics");
    modulo_tree<<<n / 1024, 1024>>>(on_device, out);
    look("2 modulo");
    gathered_tree<<<n / 1024, 1024>>>(on_device, out);
    look("3 gathered");
    halving_tree<<<n / 1024, 1024>>>(on_device, out);
    look("4 halves");
    last_warp_shuffles<<<n / 1024, 1024>>>(on_device, out);
    look("5 last warp");
    shuffles_first<<<n / 1024, 1024>>>(on_device, out);
    look("6 shuffles");
    eight_each<<<n / 8192, 1024>>>(on_device, out);
    look("7 eight each");
    float4_each<<<n / 8192, 1024>>>(on_device, out);
    look("8 float4");
    without_atomics<<<n / 8192, 1024>>>(on_device);
    add_partials<<<1, 32>>>(n / 8192, out);
    look("9 two kernels");
    cudaFree(on_device);
    cudaFree(out);
    return num_wrong;
}
