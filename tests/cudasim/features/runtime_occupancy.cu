// feature: cudaOccupancy functions
// area: runtime
#include <cstdio>

__global__ void scale(float* data) { data[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }

int main() {
    int wrong = 0, blocks = 0, fewer = 0, grid = 0, block = 0;
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    wrong += cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0) != cudaSuccess;
    wrong += blocks < 1 || blocks * 256 > p.maxThreadsPerMultiProcessor;
    wrong += cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, scale, 256, 40 << 10) !=
             cudaSuccess;
    wrong += fewer < 1 || fewer > blocks || fewer * (40u << 10) > p.sharedMemPerMultiprocessor;
    wrong += cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                 &fewer, scale, 1024, 0, cudaOccupancyDefault) != cudaSuccess;
    wrong += fewer < 1 || fewer > blocks;
    wrong += cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 0) != cudaSuccess;
    wrong += block < 32 || block > 1024 || grid < p.multiProcessorCount;
    wrong += cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 128) != cudaSuccess;
    wrong += block > 128 || block < 32;
    wrong += cudaOccupancyMaxPotentialBlockSizeVariableSMem(
                 &grid, &block, scale, [](int size) { return size * sizeof(float); }) !=
             cudaSuccess;
    wrong += block < 32;
    size_t bytes = 0;
    wrong += cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, scale, 2, 256) != cudaSuccess;
    wrong += bytes == 0 || bytes > p.sharedMemPerMultiprocessor / 2;
    if (wrong) {
        std::printf("%d checks failed\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
