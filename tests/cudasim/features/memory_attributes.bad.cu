// expect: host-pointer
#include <cstdlib>

__global__ void increment(int* data) { data[threadIdx.x]++; }

int main() {
    int* const on_host = static_cast<int*>(std::calloc(32, sizeof(int)));
    increment<<<1, 32>>>(on_host);
    cudaDeviceSynchronize();
    std::free(on_host);
    return 0;
}
