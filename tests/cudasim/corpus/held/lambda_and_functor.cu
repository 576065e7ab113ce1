// expect: nothing
// A kernel template that takes what to do as an object; arrays in shared memory per type and size.
#include <cstdio>

template <typename T, int N, typename F>
__global__ void map_reversed(const T* in, T* out, F f) {
    __shared__ T tile[N];
    tile[threadIdx.x] = f(in[blockIdx.x * N + threadIdx.x]);
    __syncthreads();
    out[blockIdx.x * N + threadIdx.x] = tile[N - 1 - threadIdx.x];
}

template <typename T>
struct Affine {
    T scale, shift;
    __host__ __device__ T operator()(T x) const { return scale * x + shift; }
};

template <typename T, int N>
bool check(Affine<T> f) {
    const int n = 3 * N;
    T in[n], out[n], *d_in, *d_out;
    for (int i = 0; i < n; ++i) in[i] = static_cast<T>(i % 25);
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
    map_reversed<T, N><<<3, N>>>(d_in, d_out, f);
    cudaDeviceSynchronize();
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < n; ++i) {
        if (out[i] != f(in[i / N * N + N - 1 - i % N])) {
            printf("N = %d: out[%d] is wrong\n", N, i);
            return false;
        }
    }
    return true;
}

int main() {
    bool good = check<int, 33>({3, -4});
    good = check<double, 64>({0.5, 8.0}) && good;
    good = check<short, 20>({2, 1}) && good;
    return !good;
}
