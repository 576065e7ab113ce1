// expect: race
// Blelloch scan: the barrier stands at the end of each down-sweep step, and the root is cleared with none after it.
#include <cstdio>
#include <vector>

template <typename T, int N>
__global__ void prescan(T* data) {
    __shared__ T x[N];
    const int t = threadIdx.x;
    T* mine = data + blockIdx.x * N;
    for (int k = t; k < N; k += blockDim.x) x[k] = mine[k];
    __syncthreads();
    for (int d = 1; d < N; d *= 2) {
        const int k = (t + 1) * 2 * d - 1;
        if (k < N) x[k] += x[k - d];
        __syncthreads();
    }
    if (t == blockDim.x - 1) x[N - 1] = T(0);  // <- race
    for (int d = N / 2; d > 0; d /= 2) {
        const int k = (t + 1) * 2 * d - 1;
        if (k < N) {
            const T left = x[k - d];
            x[k - d] = x[k];  // <- race
            x[k] += left;  // <- race
        }
        __syncthreads();
    }
    for (int k = t; k < N; k += blockDim.x) mine[k] = x[k];
}

int main() {
    constexpr int N = 128;
    const int blocks = 3;
    std::vector<float> h(N * blocks, 1.0f);
    float* d;
    cudaMalloc(&d, h.size() * sizeof(float));
    cudaMemcpy(d, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    prescan<float, N><<<blocks, N / 2>>>(d);
    cudaMemcpy(h.data(), d, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[5]);
    cudaFree(d);
    return 0;
}
