// expect: host-pointer
#include <cstdlib>

struct Read {
    const float* values;
    __device__ float operator()(int i) const { return values[i]; }
};

template <typename F>
__global__ void apply(float* data, F f) {
    data[threadIdx.x] = f(threadIdx.x);
}

int main() {
    float* const on_host = static_cast<float*>(std::calloc(32, sizeof(float)));
    float* data;
    cudaMalloc(&data, 32 * sizeof(float));
    apply<<<1, 32>>>(data, Read{on_host});
    cudaDeviceSynchronize();
    cudaFree(data);
    std::free(on_host);
    return 0;
}
