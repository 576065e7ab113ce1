// expect: race
// may: uninitialized
// All threads publish a column and fence, but thread 0 takes the ticket before they are done.
#include <vector>

constexpr int COLS = 96;

__global__ void column_sums(const int* in, int* partial, int* out, unsigned* done) {
    __shared__ unsigned ticket;
    int col = threadIdx.x;
    partial[blockIdx.x * COLS + col] = in[blockIdx.x * COLS + col] * 3;  // <- race
    __threadfence();
    if (col == 0) ticket = atomicAdd(done, 1u);
    __syncthreads();
    if (ticket != gridDim.x - 1) return;
    __threadfence();
    int total = 0;
    for (unsigned block = 0; block < gridDim.x; ++block) {
        total += partial[block * COLS + col];  // <- race
    }
    out[col] = total;
}

int main() {
    const int blocks = 5;
    std::vector<int> in(blocks * COLS, 1), out(COLS);
    int *d_in, *d_partial, *d_out;
    unsigned* d_done;
    cudaMalloc(&d_in, in.size() * sizeof(int));
    cudaMalloc(&d_partial, in.size() * sizeof(int));
    cudaMalloc(&d_out, COLS * sizeof(int));
    cudaMalloc(&d_done, sizeof(unsigned));
    cudaMemset(d_done, 0, sizeof(unsigned));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    column_sums<<<blocks, COLS>>>(d_in, d_partial, d_out, d_done);
    cudaMemcpy(out.data(), d_out, COLS * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_partial);
    cudaFree(d_out);
    cudaFree(d_done);
    return 0;
}
