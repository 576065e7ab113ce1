// expect: nothing
// Histogram of 16-bit words in 64 KiB of shared memory: opt-in by cudaFuncSetAttribute, grid from the occupancy query, cudaLaunchKernel.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

__global__ void histogram16(const uint16_t* in, size_t n, unsigned* out, int bins) {
    extern __shared__ unsigned local[];
    for (int b = threadIdx.x; b < bins; b += blockDim.x) local[b] = 0;
    __syncthreads();
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i < n; i += size_t(gridDim.x) * blockDim.x) atomicAdd(&local[in[i] % bins], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        if (unsigned c = local[b]; c != 0) atomicAdd(out + b, c);
}

int main() {
    int bins = 15 * 1024 + 7, device = 0, optin = 0, per_sm = 0;
    size_t n = 20011, bytes = bins * sizeof(unsigned);
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceProp prop{};
    cudaGetDeviceProperties(&prop, device);
    if (bytes <= prop.sharedMemPerBlock || bytes > (size_t)optin) {
        printf("sizes: %zu %zu %d\n", bytes, prop.sharedMemPerBlock, optin);
        return 2;
    }
    if (cudaFuncSetAttribute(histogram16, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes) != cudaSuccess) return 3;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, histogram16, 256, bytes) != cudaSuccess || per_sm < 1) return 4;
    unsigned grid = std::min(per_sm * prop.multiProcessorCount, 3);
    std::vector<uint16_t> h(n);
    std::vector<unsigned> got(bins), want(bins, 0);
    uint32_t s = 12345;
    for (auto& x : h) {
        s ^= s << 13, s ^= s >> 17, s ^= s << 5;
        x = s;
        want[x % bins]++;
    }
    uint16_t* in;
    unsigned* out;
    cudaMalloc(&in, n * sizeof(uint16_t));
    cudaMalloc(&out, bins * sizeof(unsigned));
    cudaMemset(out, 0, bins * sizeof(unsigned));
    cudaMemcpy(in, h.data(), n * sizeof(uint16_t), cudaMemcpyHostToDevice);
    void* args[] = {&in, &n, &out, &bins};
    cudaError_t e = cudaLaunchKernel((const void*)histogram16, dim3(grid), dim3(256), args, bytes, nullptr);
    cudaMemcpy(got.data(), out, bins * sizeof(unsigned), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    if (e != cudaSuccess || got != want) {
        printf("%s\n", cudaGetErrorString(e));
        return 1;
    }
    return 0;
}
