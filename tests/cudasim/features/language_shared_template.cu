// feature: __shared__ variables whose type and size come from template parameters
// area: language
#include <cstdio>

template <typename T, int N>
struct Pair {
    T first[N];
    T second;
};

template <typename T, int N>
__device__ T block_sum(T value) {
    __shared__ T parts[N];
    __shared__ Pair<T, N> pair;
    parts[threadIdx.x] = value;
    pair.first[threadIdx.x] = value;
    if (threadIdx.x == 0) {
        pair.second = T(1);
    }
    __syncthreads();
    T sum = 0;
    for (int i = 0; i < N; i++) {
        sum += parts[i] + pair.first[i];
    }
    sum += pair.second;
    __syncthreads();
    return sum;
}

template <typename T, int N>
__global__ void sum(T* out) {
    const T total = block_sum<T, N>(static_cast<T>(threadIdx.x));
    const T again = block_sum<T, N>(T(1));
    out[threadIdx.x] = total + again;
}

template <typename T, int N>
int check() {
    T *out, host[N];
    cudaMalloc(&out, sizeof host);
    sum<T, N><<<1, N>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        wrong += host[i] != static_cast<T>(N * (N - 1) + 1 + 2 * N + 1);
    }
    return wrong;
}

int main() {
    const int wrong = check<float, 64>() + check<double, 32>() + check<int, 128>();
    if (wrong) {
        std::printf("%d values are wrong\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
