// expect: nothing
// SAXPY of the well-known blog posts: grid-stride loop in a template over a lambda-like functor, bandwidth printed, two streams.
#include <cstdio>
#include <cmath>
#include <utility>

#define gpuErrchk(ans)                                                                       \
    do {                                                                                     \
        cudaError_t rc = (ans);                                                              \
        if (rc != cudaSuccess) {                                                             \
            printf("%s at %s:%d\n", cudaGetErrorString(rc), __FILE__, __LINE__);             \
            return 1;                                                                        \
        }                                                                                    \
    } while (0)

class grid_stride_range {
public:
    struct iterator {
        int i, step;
        __device__ int operator*() const { return i; }
        __device__ iterator& operator++() { i += step; return *this; }
        __device__ bool operator!=(const iterator& end) const { return i < end.i; }
    };
    __device__ grid_stride_range(int begin, int end) : b(begin), e(end) {}
    __device__ iterator begin() const {
        return {b + int(blockIdx.x * blockDim.x + threadIdx.x), int(gridDim.x * blockDim.x)};
    }
    __device__ iterator end() const { return {e, 0}; }
private:
    int b, e;
};

template <typename F, typename... Args>
__global__ void transform(int n, F f, Args... args) {
    for (int i : grid_stride_range(0, n)) f(i, args...);
}

struct Saxpy {
    float a;
    __device__ void operator()(int i, const float* x, float* y) const { y[i] = a * x[i] + y[i]; }
};

int main(void) {
    int N = 10007;
    float *x, *y, *d_x, *d_y;
    gpuErrchk(cudaMallocHost(&x, N * sizeof(float)));
    gpuErrchk(cudaMallocHost(&y, N * sizeof(float)));
    gpuErrchk(cudaMalloc(&d_x, N * sizeof(float)));
    gpuErrchk(cudaMalloc(&d_y, N * sizeof(float)));
    for (int i = 0; i < N; i++) {
        x[i] = 1.0f;
        y[i] = 2.0f;
    }
    cudaEvent_t start, stop;
    cudaStream_t streams[2];
    gpuErrchk(cudaEventCreate(&start));
    gpuErrchk(cudaEventCreate(&stop));
    for (auto& s : streams) gpuErrchk(cudaStreamCreate(&s));
    gpuErrchk(cudaEventRecord(start));
    for (int k = 0; k < 2; k++) {
        int first = k * (N / 2), count = k ? N - first : N / 2;
        size_t bytes = count * sizeof(float);
        gpuErrchk(cudaMemcpyAsync(d_x + first, x + first, bytes, cudaMemcpyHostToDevice, streams[k]));
        gpuErrchk(cudaMemcpyAsync(d_y + first, y + first, bytes, cudaMemcpyHostToDevice, streams[k]));
        transform<<<3, 256, 0, streams[k]>>>(count, Saxpy{2.0f}, (const float*)(d_x + first), d_y + first);
        gpuErrchk(cudaGetLastError());
        gpuErrchk(cudaMemcpyAsync(y + first, d_y + first, bytes, cudaMemcpyDeviceToHost, streams[k]));
    }
    gpuErrchk(cudaDeviceSynchronize());
    gpuErrchk(cudaEventRecord(stop));
    gpuErrchk(cudaEventSynchronize(stop));
    float milliseconds = 0, maxError = 0.0f;
    gpuErrchk(cudaEventElapsedTime(&milliseconds, start, stop));
    for (int i = 0; i < N; i++) maxError = fmaxf(maxError, fabsf(y[i] - 4.0f));
    printf("Max error: %f\nEffective Bandwidth (GB/s): %f\n", maxError, N * 4 * 3 / milliseconds / 1e6);
    for (auto& s : streams) gpuErrchk(cudaStreamDestroy(s));
    gpuErrchk(cudaEventDestroy(start));
    gpuErrchk(cudaEventDestroy(stop));
    gpuErrchk(cudaFree(d_x));
    gpuErrchk(cudaFree(d_y));
    gpuErrchk(cudaFreeHost(x));
    gpuErrchk(cudaFreeHost(y));
    return maxError != 0.0f;
}
