// feature: clock64, clock and __nanosleep
// area: language
#include <cstdio>

__global__ void measure(long long* out) {
    const long long begin = clock64();
    const clock_t coarse = clock();
    float x = 1.0f;
    for (int i = 0; i < 1000; i++) {
        x = x * 1.0001f + 0.5f;
    }
    __nanosleep(100);
    out[threadIdx.x] = clock64() - begin;
    out[32 + threadIdx.x] = static_cast<long long>(clock() - coarse);
    out[64 + threadIdx.x] = x > 0 ? 1 : 0;
}

int main() {
    long long *out, host[96];
    cudaMalloc(&out, sizeof host);
    measure<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    for (int i = 0; i < 32; i++) {
        if (host[i] <= 0 || host[32 + i] < 0 || host[64 + i] != 1) {
            std::printf("thread %d measured %lld\n", i, host[i]);
            return 1;
        }
    }
    return cudaGetLastError() != cudaSuccess;
}
