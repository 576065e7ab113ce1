// expect: race
// may: uninitialized
// Sliding sums with three stages of cp.async: waiting for all but the two newest groups leaves the needed one in flight.
#include <cuda_pipeline.h>
#include <cstdio>
#include <vector>

#define STAGES 3
#define CHUNK 64

__global__ void smooth(const float* in, float* out, int chunks) {
    __shared__ float buf[STAGES][CHUNK];
    const int t = threadIdx.x;
    const float* src = in + blockIdx.x * chunks * CHUNK;
    float* dst = out + blockIdx.x * chunks * CHUNK;
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < chunks) __pipeline_memcpy_async(&buf[s][t], src + s * CHUNK + t, sizeof(float));  // <- race
        __pipeline_commit();
    }
    for (int c = 0; c < chunks; c++) {
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
        float left = buf[c % STAGES][t > 0 ? t - 1 : 0];  // <- race
        float right = buf[c % STAGES][t < CHUNK - 1 ? t + 1 : t];  // <- race
        dst[c * CHUNK + t] = 0.5f * (left + right);
        int next = c + STAGES - 1;
        if (next < chunks) __pipeline_memcpy_async(&buf[next % STAGES][t], src + next * CHUNK + t, sizeof(float));  // <- race
        __pipeline_commit();
    }
}

int main() {
    const int chunks = 7, blocks = 3, n = chunks * blocks * CHUNK;
    std::vector<float> h(n);
    for (int i = 0; i < n; i++) h[i] = i % 19;
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    smooth<<<blocks, CHUNK>>>(a, b, chunks);
    cudaMemcpy(h.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[3]);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
