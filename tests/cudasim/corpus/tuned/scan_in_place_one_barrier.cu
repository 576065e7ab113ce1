// expect: race
// Inclusive scan in one array: a barrier after each step, none between reading and writing.
#include <vector>

__global__ void scan(const int* in, int* out) {
    __shared__ int values[128];
    int tid = threadIdx.x;
    values[tid] = in[tid];
    __syncthreads();
    for (int offset = 1; offset < 128; offset *= 2) {
        int other = tid >= offset ? values[tid - offset] : 0;  // <- race
        values[tid] += other;                                  // <- race
        __syncthreads();
    }
    out[tid] = values[tid];
}

int main() {
    std::vector<int> in(128, 1), out(128);
    int *d_in, *d_out;
    cudaMalloc(&d_in, 128 * sizeof(int));
    cudaMalloc(&d_out, 128 * sizeof(int));
    cudaMemcpy(d_in, in.data(), 128 * sizeof(int), cudaMemcpyHostToDevice);
    scan<<<1, 128>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, 128 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
