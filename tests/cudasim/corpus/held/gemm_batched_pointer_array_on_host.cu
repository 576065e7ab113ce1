// expect: host-pointer
// Batched product by an array of pointers: the matrices are on the device, the array of their addresses is not.
#include <cstdio>
#include <vector>

template <int N>
__global__ void batched(const float* const* A, const float* const* B, float* const* C) {
    const float* a = A[blockIdx.x];  // <- host-pointer
    const float* b = B[blockIdx.x];  // <- host-pointer
    float* c = C[blockIdx.x];  // <- host-pointer
    for (int e = threadIdx.x; e < N * N; e += blockDim.x) {
        float s = 0;
        for (int k = 0; k < N; ++k) s += a[e / N * N + k] * b[k * N + e % N];
        c[e] = s;
    }
}

int main() {
    constexpr int N = 11;
    const int batch = 5;
    std::vector<float> h(N * N, 1.0f);
    std::vector<float*> pA(batch), pB(batch), pC(batch);
    for (auto* list : {&pA, &pB, &pC})
        for (float*& p : *list) {
            cudaMalloc(&p, h.size() * sizeof(float));
            cudaMemcpy(p, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
        }
    batched<N><<<batch, 64>>>(pA.data(), pB.data(), pC.data());
    cudaMemcpy(h.data(), pC[2], h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[0]);
    for (auto* list : {&pA, &pB, &pC})
        for (float* p : *list) cudaFree(p);
    return 0;
}
