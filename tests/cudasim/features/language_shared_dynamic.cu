// feature: dynamic shared memory, one array and several carved out of one
// area: language
#include <cstdio>

extern __shared__ float whole[];

__device__ float* second_half() { return whole + blockDim.x; }

__global__ void one(float* out) {
    whole[threadIdx.x] = 1.0f * threadIdx.x;
    second_half()[threadIdx.x] = 100.0f;
    __syncthreads();
    out[threadIdx.x] = whole[blockDim.x - 1 - threadIdx.x] + second_half()[0];
}

__global__ void carved(float* out, int n) {
    extern __shared__ __align__(16) unsigned char bytes[];
    double* const doubles = reinterpret_cast<double*>(bytes);
    float4* const quads = reinterpret_cast<float4*>(doubles + n);
    short* const shorts = reinterpret_cast<short*>(quads + n);
    const int i = threadIdx.x;
    doubles[i] = i * 0.5;
    quads[i] = make_float4(i, i + 1, i + 2, i + 3);
    shorts[i] = static_cast<short>(i);
    __syncthreads();
    const int j = n - 1 - i;
    out[i] = static_cast<float>(doubles[j]) + quads[j].w + shorts[j];
}

template <class T>
__global__ void typed(T* out) {
    extern __shared__ unsigned char raw[];
    T* const values = reinterpret_cast<T*>(raw);
    values[threadIdx.x] = static_cast<T>(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = values[(threadIdx.x + 1) % blockDim.x];
}

int main() {
    const int n = 64;
    float *out, host[n];
    cudaMalloc(&out, sizeof host);
    int wrong = 0;
    one<<<1, n, 2 * n * sizeof(float)>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        wrong += host[i] != 100.0f + (n - 1 - i);
    }
    carved<<<1, n, n * (sizeof(double) + sizeof(float4) + sizeof(short))>>>(out, n);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        const int j = n - 1 - i;
        wrong += host[i] != 0.5f * j + (j + 3) + j;
    }
    typed<float><<<1, n, n * sizeof(float)>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        wrong += host[i] != (i + 1) % n;
    }
    cudaFree(out);
    if (wrong) {
        std::printf("%d values are wrong\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
