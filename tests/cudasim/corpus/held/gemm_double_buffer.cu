// expect: nothing
// Double buffering in shared memory with register staging: one barrier per tile, K not divisible by the tile.
#include <cstdio>
#include <vector>

constexpr int BS = 16;

__global__ void gemm_db(const int* __restrict__ A, const int* __restrict__ B, int* __restrict__ C, int M, int N, int K) {
    __shared__ int sa[2][BS][BS], sb[2][BS][BS];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * BS + ty, col = blockIdx.x * BS + tx;
    auto loadA = [&](int k0) { return row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0; };
    auto loadB = [&](int k0) { return k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0; };
    sa[0][ty][tx] = loadA(0);
    sb[0][ty][tx] = loadB(0);
    __syncthreads();
    int acc = 0, cur = 0;
    for (int k0 = 0; k0 < K; k0 += BS) {
        int nextA = 0, nextB = 0;
        const bool more = k0 + BS < K;
        if (more) {
            nextA = loadA(k0 + BS);
            nextB = loadB(k0 + BS);
        }
        for (int k = 0; k < BS; ++k) acc += sa[cur][ty][k] * sb[cur][k][tx];
        if (more) {
            sa[cur ^ 1][ty][tx] = nextA;
            sb[cur ^ 1][ty][tx] = nextB;
        }
        __syncthreads();
        cur ^= 1;
    }
    if (row < M && col < N) C[row * N + col] = acc;
}

int main() {
    const int M = 41, N = 35, K = 77;
    std::vector<int> a(M * K), b(K * N), c(M * N);
    for (int i = 0; i < M * K; ++i) a[i] = i % 19 - 9;
    for (int i = 0; i < K * N; ++i) b[i] = i % 13 - 6;
    int *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(int));
    cudaMalloc(&db, b.size() * sizeof(int));
    cudaMalloc(&dc, c.size() * sizeof(int));
    cudaMemcpyAsync(da, a.data(), a.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpyAsync(db, b.data(), b.size() * sizeof(int), cudaMemcpyHostToDevice);
    gemm_db<<<dim3((N + BS - 1) / BS, (M + BS - 1) / BS), dim3(BS, BS)>>>(da, db, dc, M, N, K);
    cudaMemcpyAsync(c.data(), dc, c.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaStreamSynchronize(0);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            int want = 0;
            for (int k = 0; k < K; ++k) want += a[i * K + k] * b[k * N + j];
            if (c[i * N + j] != want) return printf("C(%d,%d)\n", i, j), 1;
        }
    return 0;
}
