// expect: uninitialized
// The last block is only partly full, and its threads without an element store nothing.
#include <vector>

__global__ void reduce(const int* in, int* out, int n) {
    __shared__ int partial[64];
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    if (i < n) partial[tid] = in[i];
    __syncthreads();
    for (int stride = 32; stride > 0; stride /= 2) {
        if (tid < stride) {
            partial[tid] += partial[tid + stride];  // <- uninitialized
        }
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = partial[0];
}

int main() {
    const int n = 150;
    std::vector<int> in(n, 1);
    int *d_in, *d_out, out[3];
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    reduce<<<3, 64>>>(d_in, d_out, n);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
