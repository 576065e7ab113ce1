// expect: uninitialized
// Grid-stride sum with one atomicAdd per warp: the accumulator was allocated, but never set to zero.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define cudaCheck(err) (cudaCheckImpl(err, __FILE__, __LINE__))
inline void cudaCheckImpl(cudaError_t error, const char *file, int line) {
    if (error != cudaSuccess) {
        printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
        exit(EXIT_FAILURE);
    }
}

__global__ void deviceReduceWarpAtomic(const int *in, int *out, int N) {
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x) sum += in[i];
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if ((threadIdx.x & (warpSize - 1)) == 0) atomicAdd(out, sum);  // <- uninitialized
}

int main() {
    const int N = 1500;
    std::vector<int> in(N, 3);
    int *d_in, *d_out, out = 0;
    cudaCheck(cudaMalloc(&d_in, N * sizeof(int)));
    cudaCheck(cudaMalloc(&d_out, sizeof(int)));
    cudaCheck(cudaMemcpy(d_in, in.data(), N * sizeof(int), cudaMemcpyHostToDevice));
    deviceReduceWarpAtomic<<<4, 96>>>(d_in, d_out, N);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaMemcpy(&out, d_out, sizeof(int), cudaMemcpyDeviceToHost));
    printf("sum = %d\n", out);
    cudaCheck(cudaFree(d_in));
    cudaCheck(cudaFree(d_out));
    return 0;
}
