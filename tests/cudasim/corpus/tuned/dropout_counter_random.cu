// expect: nothing
// Dropout in place with random numbers computed from a counter; float4 body and a scalar tail.
#include <cstdio>
#include <vector>

__host__ __device__ inline unsigned random_bits(unsigned seed, unsigned counter) {
    unsigned x = counter * 0x9e3779b9u ^ seed;
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return x ^ (x >> 16);
}

__global__ void dropout(float* x, int n, unsigned threshold, float scale, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 v = reinterpret_cast<float4*>(x)[i];
        v.x *= random_bits(seed, 4 * i) < threshold ? 0.0f : scale;
        v.y *= random_bits(seed, 4 * i + 1) < threshold ? 0.0f : scale;
        v.z *= random_bits(seed, 4 * i + 2) < threshold ? 0.0f : scale;
        v.w *= random_bits(seed, 4 * i + 3) < threshold ? 0.0f : scale;
        reinterpret_cast<float4*>(x)[i] = v;
    }
    int rest = n / 4 * 4 + i;
    if (rest < n) x[rest] *= random_bits(seed, rest) < threshold ? 0.0f : scale;
}

int main() {
    const int n = 403;
    const unsigned threshold = 1u << 30, seed = 12345;
    std::vector<float> x(n);
    for (int i = 0; i < n; ++i) x[i] = i + 1.0f;
    float* d_x;
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    dropout<<<4, 32>>>(d_x, n, threshold, 1.5f, seed);
    cudaMemcpy(x.data(), d_x, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    for (int i = 0; i < n; ++i) {
        float want = random_bits(seed, i) < threshold ? 0.0f : (i + 1) * 1.5f;
        if (x[i] != want) {
            printf("x[%d] is %f, not %f\n", i, x[i], want);
            return 1;
        }
    }
    return 0;
}
