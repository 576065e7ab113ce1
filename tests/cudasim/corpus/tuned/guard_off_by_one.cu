// expect: out-of-bounds
// The guard lets one index too many through, and only a store is wild.
#include <vector>

__global__ void iota(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = i;  // <- out-of-bounds
}

int main() {
    const int n = 100;
    std::vector<int> out(n);
    int* d_out;
    cudaMalloc(&d_out, n * sizeof(int));
    iota<<<2, 64>>>(d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    return 0;
}
