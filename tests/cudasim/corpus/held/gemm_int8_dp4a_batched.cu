// expect: nothing
// Batched int8 product by __dp4a, K padded to words of four, the batch in blockIdx.z, strides as arguments.
#include <cstdint>
#include <cstdio>
#include <vector>

template <int TILE>
__global__ void gemm_s8(const int* A, const int* Bt, int* C, int M, int N, int Kw, size_t sA, size_t sB, size_t sC) {
    __shared__ int ta[TILE][TILE + 1], tb[TILE][TILE + 1];
    A += blockIdx.z * sA;
    Bt += blockIdx.z * sB;
    C += blockIdx.z * sC;
    const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    const int brow = blockIdx.x * TILE + threadIdx.y;
    int acc = 0;
    for (int k0 = 0; k0 < Kw; k0 += TILE) {
        const int k = k0 + threadIdx.x;
        ta[threadIdx.y][threadIdx.x] = row < M && k < Kw ? __ldg(A + row * Kw + k) : 0;
        tb[threadIdx.y][threadIdx.x] = brow < N && k < Kw ? __ldg(Bt + brow * Kw + k) : 0;
        __syncthreads();
#pragma unroll 4
        for (int kk = 0; kk < TILE; ++kk) acc = __dp4a(ta[threadIdx.y][kk], tb[threadIdx.x][kk], acc);
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}

int main() {
    const int M = 21, N = 18, K = 54, Kp = (K + 3) / 4 * 4, batch = 3;
    std::vector<int8_t> a(batch * M * Kp, 0), bt(batch * N * Kp, 0);
    for (int r = 0; r < batch * M; ++r)
        for (int k = 0; k < K; ++k) a[r * Kp + k] = int8_t((r * 31 + k * 17) % 255 - 127);
    for (int r = 0; r < batch * N; ++r)
        for (int k = 0; k < K; ++k) bt[r * Kp + k] = int8_t((r * 13 + k * 41) % 255 - 127);
    std::vector<int> c(batch * M * N);
    int *da, *db, *dc;
    cudaMalloc(&da, a.size());
    cudaMalloc(&db, bt.size());
    cudaMalloc(&dc, c.size() * sizeof(int));
    cudaMemcpy(da, a.data(), a.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(db, bt.data(), bt.size(), cudaMemcpyHostToDevice);
    constexpr int T = 8;
    gemm_s8<T><<<dim3((N + T - 1) / T, (M + T - 1) / T, batch), dim3(T, T)>>>(da, db, dc, M, N, Kp / 4, M * Kp / 4,
                                                                              N * Kp / 4, M * N);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    for (int z = 0; z < batch; ++z)
        for (int i = 0; i < M; ++i)
            for (int j = 0; j < N; ++j) {
                int want = 0;
                for (int k = 0; k < K; ++k) want += a[(z * M + i) * Kp + k] * bt[(z * N + j) * Kp + k];
                if (c[(z * M + i) * N + j] != want) { printf("%d %d %d\n", z, i, j); return 1; }
            }
    return 0;
}
