// expect: race
// may: uninitialized
// Only thread 0 knows whether its block is the last; the others read its flag at once.
#include <vector>

__device__ unsigned tickets = 0;

__global__ void maximum(const int* in, int* partial, int* out) {
    __shared__ int is_last;
    int tid = threadIdx.x;
    int value = __reduce_max_sync(0xffffffffu, in[blockIdx.x * 64 + tid]);
    if (tid % 32 == 0) atomicMax(&partial[blockIdx.x], value);
    __threadfence();
    __syncthreads();
    if (tid == 0) is_last = atomicAdd(&tickets, 1u) == gridDim.x - 1;  // <- race
    if (is_last) {                                                     // <- race
        __threadfence();
        for (int block = tid; block < gridDim.x; block += 64) {
            atomicMax(out, atomicMax(&partial[block], 0));
        }
    }
}

int main() {
    const int blocks = 4;
    std::vector<int> in(blocks * 64, 7);
    int *d_in, *d_partial, *d_out, out;
    cudaMalloc(&d_in, in.size() * sizeof(int));
    cudaMalloc(&d_partial, blocks * sizeof(int));
    cudaMalloc(&d_out, sizeof(int));
    cudaMemset(d_partial, 0, blocks * sizeof(int));
    cudaMemset(d_out, 0, sizeof(int));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    maximum<<<blocks, 64>>>(d_in, d_partial, d_out);
    cudaMemcpy(&out, d_out, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_partial);
    cudaFree(d_out);
    return 0;
}
