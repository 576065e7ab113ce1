// expect: error cudaErrorMemoryAllocation
#include <cstdint>

int main() {
    char* data = reinterpret_cast<char*>(1);
    if (cudaMalloc(&data, size_t{1} << 50) != cudaErrorMemoryAllocation ||
        cudaGetLastError() != cudaErrorMemoryAllocation) {
        return 1;
    }
    if (cudaMalloc(&data, SIZE_MAX) != cudaErrorMemoryAllocation ||
        cudaGetLastError() != cudaErrorMemoryAllocation) {
        return 1;
    }
    // It is no fault: smaller ones are still to be had.
    return cudaMalloc(&data, 1000) != cudaSuccess || cudaFree(data) != cudaSuccess;
}
