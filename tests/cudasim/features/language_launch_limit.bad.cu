// expect: error cudaErrorLaunchOutOfResources
#include <cstdio>

template <int Threads>
__global__ void __launch_bounds__(Threads) fill(int* out) {
    out[threadIdx.x] = 1;
}

int main() {
    int *out, first = 0;
    cudaMalloc(&out, 128 * sizeof(int));
    cudaMemset(out, 0, 128 * sizeof(int));
    fill<64><<<1, 65>>>(out);
    if (cudaGetLastError() != cudaErrorLaunchOutOfResources) {
        std::printf("a block of 65 threads was launched, and 64 are allowed\n");
        return 1;
    }
    // Nothing has run, and what follows is not harmed.
    cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
    if (first != 0 || cudaGetLastError() != cudaSuccess) {
        std::printf("the first number is %d\n", first);
        return 1;
    }
    fill<64><<<1, 64>>>(out);
    cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
    cudaFree(out);
    return first != 1;
}
