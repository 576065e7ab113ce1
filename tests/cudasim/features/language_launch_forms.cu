// feature: launches in macros, with dim3 in braces, with NULL, nullptr and 0, on a stream
// area: language
#include <cstdio>

__global__ void store(int* out, int value) { out[threadIdx.x] = value; }
__global__ void maybe(const float* in, int* out, const int* other) {
    out[threadIdx.x] = in == nullptr && other == NULL ? 5 : 6;
}
__global__ void none() {}

#define LAUNCH(kernel, n, ...) kernel<<<1, n>>>(__VA_ARGS__)
#define CHECK(call)                                                                    \
    do {                                                                               \
        const cudaError_t error = (call);                                              \
        if (error != cudaSuccess) {                                                    \
            std::printf("%s: %s\n", #call, cudaGetErrorString(error));                 \
            return 1;                                                                  \
        }                                                                              \
    } while (0)
#define RUN(...)                      \
    do {                              \
        __VA_ARGS__;                  \
        CHECK(cudaGetLastError());    \
        CHECK(cudaDeviceSynchronize()); \
    } while (0)

int first(const int* device) {
    int value = -1;
    cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}

int main() {
    int* out;
    CHECK(cudaMalloc((void**)&out, 64 * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int wrong = 0;
    LAUNCH(store, 32, out, 1);
    wrong += first(out) != 1;
    RUN(store<<<1, 32>>>(out, 2));
    wrong += first(out) != 2;
    store<<<dim3{1, 1, 1}, dim3{8, 4}>>>(out, 3);
    wrong += first(out) != 3;
    store<<<{1, 1}, {32}>>>(out, 4);
    wrong += first(out) != 4;
    maybe<<<1, 32>>>(nullptr, out, 0);
    wrong += first(out) != 5;
    maybe<<<1, 32>>>(NULL, out, NULL);
    wrong += first(out) != 5;
    store<<<1, 32, 0, stream>>>(out, 7);
    CHECK(cudaStreamSynchronize(stream));
    wrong += first(out) != 7;
    store<<<1, 32, 128, NULL>>>(out, 8);
    wrong += first(out) != 8;
    store<<<1, 32, 0, 0>>>(out, 9);
    wrong += first(out) != 9;
    for (int i = 0; i < 3; i++) store<<<1, 32>>>(out, i);
    wrong += first(out) != 2;
    if (out) none<<<1, 1>>>(); else store<<<1, 1>>>(out, 0);
    const int n = 100, threads = 32;
    store<<<(n + threads - 1) / threads, n > 32 ? threads : n>>>(out, n << 1 >> 1);
    wrong += first(out) != 100;
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(out));
    CHECK(cudaGetLastError());
    if (wrong) {
        std::printf("%d launches did something else\n", wrong);
    }
    return wrong != 0;
}
