// feature: cudaLaunchKernel, with a kernel's type and without
// area: runtime
#include <cstdio>

struct Pair {
    short low;
    double high;
};

__global__ void fill(float* out, int n, Pair pair, char tag) {
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = pair.low + static_cast<float>(pair.high) + tag;
    __syncthreads();
    if (i < n) {
        out[i] = tile[blockDim.x - 1 - threadIdx.x] + i;
    }
}
template <typename T>
__global__ void store(T* out, T value) {
    out[threadIdx.x] = value;
}

int differ(const float* device, int n, float base, float step) {
    int wrong = 0;
    float host[128];
    cudaMemcpy(host, device, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        wrong += host[i] != base + step * i;
    }
    return wrong;
}

int main() {
    float* out;
    cudaMalloc(&out, 128 * sizeof(float));
    int n = 100, wrong = 0;
    Pair pair{3, 4.5};
    char tag = 2;
    void* arguments[] = {&out, &n, &pair, &tag};
    const dim3 grid(4), block(32);
    wrong += cudaLaunchKernel((void*)fill, grid, block, arguments, 32 * sizeof(float), 0) !=
             cudaSuccess;
    wrong += differ(out, n, 9.5f, 1);
    cudaMemset(out, 0, 128 * sizeof(float));
    wrong += cudaLaunchKernel(fill, grid, block, arguments, 32 * sizeof(float)) != cudaSuccess;
    wrong += differ(out, n, 9.5f, 1);
    float value = 6;
    void* others[] = {&out, &value};
    wrong += cudaLaunchKernel(store<float>, dim3(1), dim3(64), others, 0, cudaStream_t(0)) !=
             cudaSuccess;
    wrong += differ(out, 64, 6, 0);
    // No launch names these two: they are known by their addresses.
    void* const by_address = (void*)store<int>;
    int integer = 8, host[64] = {};
    void* integers[] = {&out, &integer};
    wrong += cudaLaunchKernel(by_address, 1, 64, integers, 0, 0) != cudaSuccess;
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    wrong += host[63] != 8;
    short small = 9;
    void* shorts[] = {&out, &small};
    wrong += cudaLaunchCooperativeKernel((void*)store<short>, 1, 64, shorts, 0, 0) != cudaSuccess;
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    wrong += host[31] != 9 * 65537 || host[32] != 8;
    auto* const chosen = &fill;
    chosen<<<grid, block, 32 * sizeof(float)>>>(out, n, pair, 'a');
    wrong += differ(out, n, 7.5f + 'a', 1);
    void (*by_type)(float*, float) = store<float>;
    by_type<<<1, 64>>>(out, 1.0f);
    wrong += differ(out, 64, 1, 0);
    cudaFree(out);
    if (wrong) {
        std::printf("%d checks failed\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
