// expect: race
// Blocks add to one global sum by an atomic whose scope is the block alone.
#include <vector>

__global__ void sum(const int* in, int* out) {
    int value = __reduce_add_sync(0xffffffffu, in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x % 32 == 0) atomicAdd_block(out, value);  // <- race
}

int main() {
    const int n = 256;
    std::vector<int> in(n, 1);
    int *d_in, *d_out, out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, sizeof(int));
    cudaMemset(d_out, 0, sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    sum<<<4, 64>>>(d_in, d_out);
    cudaMemcpy(&out, d_out, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
