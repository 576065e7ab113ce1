// feature: cudaFuncSetAttribute for more than 48 KiB of shared memory, cudaFuncGetAttributes
// area: runtime
#include <cstdio>

__global__ void large(float* out, int n) {
    extern __shared__ float tile[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        tile[i] = static_cast<float>(i);
    }
    __syncthreads();
    out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}
template <typename T, int Threads>
__global__ void typed(T* out, int n) {
    extern __shared__ unsigned char raw[];
    T* const tile = reinterpret_cast<T*>(raw);
    for (int i = threadIdx.x; i < n; i += Threads) {
        tile[i] = static_cast<T>(i);
    }
    __syncthreads();
    out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}
template <typename T>
__global__ void deduced(T* out, int n) {
    extern __shared__ unsigned char more[];
    reinterpret_cast<T*>(more)[n - 1] = static_cast<T>(n);
    out[0] = reinterpret_cast<T*>(more)[n - 1];
}

int main() {
    const int bytes = 96 << 10, n = bytes / sizeof(float);
    float *out, host[64];
    int wrong = 0;
    cudaMalloc(&out, sizeof host);
    wrong += cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) !=
             cudaSuccess;
    large<<<1, 64, bytes>>>(out, n);
    wrong += cudaGetLastError() != cudaSuccess;
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) {
        wrong += host[i] != n - 1 - i;
    }
    auto* const kernel = typed<float, 64>;
    wrong += cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) !=
             cudaSuccess;
    typed<float, 64><<<1, 64, bytes>>>(out, n);
    kernel<<<1, 64, bytes>>>(out, n);
    wrong += cudaGetLastError() != cudaSuccess;
    wrong += cudaFuncSetAttribute(deduced<float>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  bytes) != cudaSuccess;
    deduced<<<1, 1, bytes>>>(out, n);
    deduced<float><<<1, 1, bytes>>>(out, n);
    wrong += cudaGetLastError() != cudaSuccess;
    wrong += cudaFuncSetAttribute((const void*)large,
                                  cudaFuncAttributePreferredSharedMemoryCarveout,
                                  cudaSharedmemCarveoutMaxShared) != cudaSuccess;
    wrong += cudaFuncSetCacheConfig(large, cudaFuncCachePreferShared) != cudaSuccess;
    cudaFuncAttributes attributes;
    wrong += cudaFuncGetAttributes(&attributes, large) != cudaSuccess;
    wrong += attributes.maxThreadsPerBlock < 64 || attributes.maxDynamicSharedSizeBytes != bytes;
    cudaFree(out);
    if (wrong) {
        std::printf("%d checks failed: %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
