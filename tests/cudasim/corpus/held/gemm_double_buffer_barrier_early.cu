// expect: race
// may: uninitialized
// Double-buffered matrix product: the barrier stands before the store of the next tile instead of after it.
#include <cstdio>
#include <vector>

template <int BM, int BN, int BK>
__global__ void doubleBuffered(const float *A, const float *B, float *C, int M, int N, int K) {
    __shared__ float As[2][BK][BM];
    __shared__ float Bs[2][BK][BN];
    const int t = threadIdx.x, tx = t % BN, ty = t / BN;      // BM * BN threads
    const int ar = t / BK, ac = t % BK;                       // the first BM * BK load A
    const int br = t / BN, bc = t % BN;                       // the first BK * BN load B
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    if (ar < BM) As[0][ac][ar] = A[ar * K + ac];
    if (br < BK) Bs[0][br][bc] = B[br * N + bc];
    __syncthreads();
    float c = 0.f;
    int write = 1;
    for (int k0 = 0; k0 < K; k0 += BK) {
        const int read = write ^ 1;
        float a = 0.f, b = 0.f;
        if (k0 + BK < K) {
            if (ar < BM) a = A[ar * K + k0 + BK + ac];
            if (br < BK) b = B[(k0 + BK + br) * N + bc];
        }
#pragma unroll
        for (int k = 0; k < BK; ++k) c += As[read][k][ty] * Bs[read][k][tx];  // <- race
        __syncthreads();
        if (k0 + BK < K) {
            if (ar < BM) As[write][ac][ar] = a;  // <- race
            if (br < BK) Bs[write][br][bc] = b;  // <- race
        }
        write ^= 1;
    }
    C[(blockIdx.y * BM + ty) * N + blockIdx.x * BN + tx] = c;
}

int main() {
    const int M = 32, N = 48, K = 40;
    std::vector<float> h(M * K + K * N, 1.5f), c(M * N);
    float *d, *dC;
    cudaMalloc(&d, h.size() * sizeof(float));
    cudaMalloc(&dC, c.size() * sizeof(float));
    cudaMemcpy(d, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    doubleBuffered<16, 16, 8><<<dim3(N / 16, M / 16), 256>>>(d, d + M * K, dC, M, N, K);
    cudaMemcpy(c.data(), dC, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", c.back());
    cudaFree(d);
    cudaFree(dC);
    return 0;
}
