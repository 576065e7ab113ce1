// feature: device lambdas and functors passed to kernels, lambdas inside kernels
// area: language
// nvcc: --extended-lambda
#include <cstdio>

struct Scale {
    float factor;
    __host__ __device__ float operator()(float x) const { return x * factor; }
};

template <typename F>
__global__ void apply(float* data, int n, F f) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] = f(data[i]);
    }
}

template <typename F>
__global__ void for_each(int n, F f) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        f(i);
    }
}

__global__ void inside(float* data) {
    __shared__ float tile[64];
    const auto at = [&](int i) -> float& { return tile[i % 64]; };
    at(threadIdx.x) = data[threadIdx.x];
    __syncthreads();
    const auto square = [](float x) { return x * x; };
    data[threadIdx.x] = square(at(threadIdx.x + 1)) ;
}

int main() {
    const int n = 64;
    float *data, host[n];
    cudaMalloc(&data, sizeof host);
    const float offset = 1.0f;
    for_each<<<2, 16>>>(n, [=] __device__(int i) { data[i] = static_cast<float>(i); });
    apply<<<2, 32>>>(data, n, Scale{3.0f});
    apply<<<2, 32>>>(data, n, [offset] __device__(float x) { return x + offset; });
    auto both = [=] __host__ __device__(float x) { return x - 2 * offset; };
    apply<<<2, 32>>>(data, n, both);
    inside<<<1, n>>>(data);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(data);
    for (int i = 0; i < n; i++) {
        const float x = both(Scale{3.0f}(static_cast<float>((i + 1) % n)) + offset);
        if (host[i] != x * x) {
            std::printf("data[%d] is %g and not %g\n", i, host[i], x * x);
            return 1;
        }
    }
    return cudaGetLastError() != cudaSuccess;
}
