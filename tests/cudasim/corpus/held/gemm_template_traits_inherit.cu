// expect: nothing
// GEMM in the style of a small library: traits, policy classes, iterators with operator[], epilogue functors, a launcher with a stream.
#include <cmath>
#include <cstdio>
#include <type_traits>
#include <vector>

namespace mini {

template <class T, int R, int C>
struct Tile {
    static_assert(std::is_arithmetic<T>::value, "numbers only");
    T storage[R * (C + 1)];
    __device__ T& operator()(int r, int c) { return storage[r * (C + 1) + c]; }
    __device__ const T& operator()(int r, int c) const { return storage[r * (C + 1) + c]; }
};

template <class T>
struct View {
    T* data;
    int rows, cols, ld;
    __host__ __device__ bool inside(int r, int c) const { return r < rows && c < cols; }
    __device__ T get(int r, int c) const { return inside(r, c) ? data[r * ld + c] : T(0); }
};

template <int Bm, int Bn, int Bk>
struct Policy {
    enum { M = Bm, N = Bn, K = Bk, Threads = Bm * Bn / 4 };
};

struct LinearRelu {
    float alpha;
    const float* bias;
    __device__ float operator()(float acc, int col) const { return fmaxf(alpha * acc + __ldg(bias + col), 0.f); }
};

template <class P>
struct SharedStorage {
    Tile<float, P::M, P::K> a;
    Tile<float, P::K, P::N> b;
};

template <class P, class Epilogue>
__global__ void __launch_bounds__(P::Threads, 2) gemm(View<const float> A, View<const float> B, View<float> D, Epilogue epi) {
    extern __shared__ float4 raw[];
    auto& smem = *reinterpret_cast<SharedStorage<P>*>(raw);
    const int r0 = blockIdx.y * P::M, c0 = blockIdx.x * P::N;
    const int tr = threadIdx.x / (P::N / 2) * 2, tc = threadIdx.x % (P::N / 2) * 2;
    float acc[2][2]{};
    for (int k0 = 0; k0 < A.cols; k0 += P::K) {
        for (int i = threadIdx.x; i < P::M * P::K; i += P::Threads)
            smem.a(i / P::K, i % P::K) = A.get(r0 + i / P::K, k0 + i % P::K);
        for (int i = threadIdx.x; i < P::K * P::N; i += P::Threads)
            smem.b(i / P::N, i % P::N) = B.get(k0 + i / P::N, c0 + i % P::N);
        __syncthreads();
#pragma unroll (P::K)
        for (int k = 0; k < P::K; ++k)
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j) acc[i][j] += smem.a(tr + i, k) * smem.b(k, tc + j);
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            if (D.inside(r0 + tr + i, c0 + tc + j)) D.data[(r0 + tr + i) * D.ld + c0 + tc + j] = epi(acc[i][j], c0 + tc + j);
}

template <class P, class E>
cudaError_t run(View<const float> A, View<const float> B, View<float> D, E epi, cudaStream_t stream = nullptr) {
    dim3 grid{unsigned(D.cols + P::N - 1) / P::N, unsigned(D.rows + P::M - 1) / P::M};
    gemm<P><<<grid, dim3{P::Threads}, sizeof(SharedStorage<P>), stream>>>(A, B, D, epi);
    return cudaGetLastError();
}

}  // namespace mini

int main() {
    using P = mini::Policy<16, 32, 8>;
    const int M = 43, N = 61, K = 38;
    std::vector<float> a(M * K), b(K * N), bias(N), d(M * N);
    for (int i = 0; i < M * K; ++i) a[i] = (i % 9 - 4) * 0.25f;
    for (int i = 0; i < K * N; ++i) b[i] = (i % 7 - 3) * 0.5f;
    for (int i = 0; i < N; ++i) bias[i] = i % 4 - 1.5f;
    float *da, *db, *dbias, *dd;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dbias, bias.size() * sizeof(float));
    cudaMalloc(&dd, d.size() * sizeof(float));
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMemcpyAsync(da, a.data(), a.size() * sizeof(float), cudaMemcpyDefault, stream);
    cudaMemcpyAsync(db, b.data(), b.size() * sizeof(float), cudaMemcpyDefault, stream);
    cudaMemcpyAsync(dbias, bias.data(), bias.size() * sizeof(float), cudaMemcpyDefault, stream);
    if (auto e = mini::run<P>({da, M, K, K}, {db, K, N, N}, {dd, M, N, N}, mini::LinearRelu{0.5f, dbias}, stream)) return int(e);
    cudaMemcpyAsync(d.data(), dd, d.size() * sizeof(float), cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(da), cudaFree(db), cudaFree(dbias), cudaFree(dd);
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0;
            for (int k = 0; k < K; ++k) s += a[i * K + k] * b[k * N + j];
            if (std::fabs(std::fmax(0.5f * s + bias[j], 0.f) - d[i * N + j]) > 1e-4f) return printf("(%d, %d)\n", i, j), 1;
        }
    return 0;
}
