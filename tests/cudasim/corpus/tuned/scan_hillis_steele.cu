// expect: nothing
// Inclusive scan that alternates between two rows of shared memory: one barrier per step.
#include <cstdio>
#include <vector>

__global__ void scan(const int* in, int* out, int n) {
    extern __shared__ int rows[];
    int tid = threadIdx.x;
    int from = 0;
    rows[tid] = tid < n ? in[tid] : 0;
    __syncthreads();
    for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
        int* old_row = rows + from * blockDim.x;
        int* new_row = rows + (1 - from) * blockDim.x;
        new_row[tid] = old_row[tid] + (tid >= offset ? old_row[tid - offset] : 0);
        from = 1 - from;
        __syncthreads();
    }
    if (tid < n) out[tid] = rows[from * blockDim.x + tid];
}

int main() {
    const int n = 150, threads = 160;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = i * 13 % 7;
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    scan<<<1, threads, 2 * threads * sizeof(int)>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += in[i];
        if (out[i] != sum) {
            printf("out[%d] is %d, not %d\n", i, out[i], sum);
            return 1;
        }
    }
    return 0;
}
