// expect: launch
// A square block of 40 x 40 threads has more than 1024 of them.
#include <cuda_runtime.h>

__global__ void fill(int* out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) out[y * n + x] = x + y;
}

int main() {
    const int n = 80;
    int* d_out;
    cudaMalloc(&d_out, n * n * sizeof(int));
    fill<<<dim3(2, 2), dim3(40, 40)>>>(d_out, n);  // <- launch
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
