// expect: error cudaErrorInvalidConfiguration
#include <thread>

__global__ void nothing() {}

int main() {
    cudaError_t there = cudaSuccess;
    std::thread other([&there] {
        nothing<<<1, 4096>>>();
        there = cudaGetLastError();
    });
    other.join();
    // Another thread's last error is not this one's.
    return there != cudaErrorInvalidConfiguration || cudaGetLastError() != cudaSuccess;
}
