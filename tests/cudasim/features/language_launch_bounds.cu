// feature: __launch_bounds__, __restrict__, const and __grid_constant__ parameters, #pragma unroll
// area: language
#include <cstdio>

struct Parameters {
    float alpha, beta;
};

__global__ void __launch_bounds__(256) axpy(const float* __restrict__ x, float* __restrict__ y,
                                            const float alpha, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] += alpha * __ldg(&x[i]);
    }
}

template <int Threads>
__launch_bounds__(Threads, 2) __global__
    void scale(float* y, const __grid_constant__ Parameters parameters) {
    float sum = 0;
#pragma unroll 4
    for (int k = 0; k < 4; k++) {
        sum += parameters.alpha;
    }
#pragma unroll
    for (int k = 0; k < 2; ++k) sum += parameters.beta;
    y[threadIdx.x] = sum * y[threadIdx.x];
}

int main() {
    const int n = 256;
    float *x, *y, host[n];
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&y, sizeof host);
    for (int i = 0; i < n; i++) {
        host[i] = static_cast<float>(i);
    }
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(y, host, sizeof host, cudaMemcpyHostToDevice);
    axpy<<<1, 256>>>(x, y, 3.0f, n);
    scale<256><<<1, 256>>>(y, Parameters{0.25f, 0.5f});
    cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaFree(y);
    for (int i = 0; i < n; i++) {
        if (host[i] != 8.0f * i) {
            std::printf("y[%d] is %g and not %g\n", i, host[i], 8.0f * i);
            return 1;
        }
    }
    return cudaGetLastError() != cudaSuccess;
}
