// expect: race
// One thread per block adds the block's count to a global counter with a plain +=.
#include <vector>

__global__ void count_positive(const int* in, int n, int* total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int count = __syncthreads_count(i < n && in[i] > 0);
    if (threadIdx.x == 0) {
        *total += count;  // <- race
    }
}

int main() {
    const int n = 300;
    std::vector<int> in(n);
    for (int i = 0; i < n; ++i) in[i] = i % 3 - 1;
    int *d_in, *d_total, total;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_total, sizeof(int));
    cudaMemset(d_total, 0, sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    count_positive<<<5, 64>>>(d_in, n, d_total);
    cudaMemcpy(&total, d_total, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_total);
    return 0;
}
