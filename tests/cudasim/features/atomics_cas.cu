// feature: loops around atomicCAS: minimum, maximum and product of float and double, 16-bit words
// area: atomics
#include <cfloat>
#include <cstdio>

__device__ float atomic_min(float* address, float value) {
    int* const word = reinterpret_cast<int*>(address);
    int old = *word, assumed;
    do {
        assumed = old;
        if (__int_as_float(assumed) <= value) {
            break;
        }
        old = atomicCAS(word, assumed, __float_as_int(value));
    } while (assumed != old);
    return __int_as_float(old);
}

__device__ double atomic_max(double* address, double value) {
    unsigned long long* const word = reinterpret_cast<unsigned long long*>(address);
    unsigned long long old = *word, assumed;
    do {
        assumed = old;
        const double larger = fmax(value, __longlong_as_double(assumed));
        old = atomicCAS(word, assumed, __double_as_longlong(larger));
    } while (assumed != old);
    return __longlong_as_double(old);
}

// A maximum by the order of the bits, as integers, for numbers that are not negative.
__device__ void atomic_max_bits(float* address, float value) {
    atomicMax(reinterpret_cast<int*>(address), __float_as_int(value));
}

__global__ void run(float* f, double* d, unsigned short* words, unsigned* unique) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomic_min(&f[0], 100.0f - i);
    atomic_max_bits(&f[1], 0.5f * i);
    atomic_max(d, -1000.0 + i);
    unsigned short old = words[i % 2], assumed;
    do {
        assumed = old;
        old = atomicCAS(&words[i % 2], assumed, static_cast<unsigned short>(assumed + 1));
    } while (assumed != old);
    if (atomicCAS(&unique[i / 4], 0u, 1u) == 0u) {
        atomicAdd(&unique[64], 1u);
    }
}

int main() {
    const int n = 256;
    float *f, host_f[2] = {FLT_MAX, 0};
    double *d, host_d = -DBL_MAX;
    unsigned short *words, host_words[2];
    unsigned *unique, host_unique[65];
    cudaMalloc(&f, sizeof host_f);
    cudaMalloc(&d, sizeof host_d);
    cudaMalloc(&words, sizeof host_words);
    cudaMalloc(&unique, sizeof host_unique);
    cudaMemcpy(f, host_f, sizeof host_f, cudaMemcpyHostToDevice);
    cudaMemcpy(d, &host_d, sizeof host_d, cudaMemcpyHostToDevice);
    cudaMemset(words, 0, sizeof host_words);
    cudaMemset(unique, 0, sizeof host_unique);
    run<<<4, n / 4>>>(f, d, words, unique);
    cudaMemcpy(host_f, f, sizeof host_f, cudaMemcpyDeviceToHost);
    cudaMemcpy(&host_d, d, sizeof host_d, cudaMemcpyDeviceToHost);
    cudaMemcpy(host_words, words, sizeof host_words, cudaMemcpyDeviceToHost);
    cudaMemcpy(host_unique, unique, sizeof host_unique, cudaMemcpyDeviceToHost);
    cudaFree(f);
    cudaFree(d);
    cudaFree(words);
    cudaFree(unique);
    if (host_f[0] != 100 - n + 1 || host_f[1] != 0.5f * (n - 1) || host_d != -1000.0 + n - 1 ||
        host_words[0] != n / 2 || host_words[1] != n / 2 || host_unique[64] != n / 4) {
        std::printf("%g %g %g %d %d %u\n", host_f[0], host_f[1], host_d, host_words[0],
                    host_words[1], host_unique[64]);
        return 1;
    }
    return cudaGetLastError() != cudaSuccess;
}
