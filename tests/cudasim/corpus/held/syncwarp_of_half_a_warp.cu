// expect: race
// may: uninitialized
// Each half-warp synchronises for itself, then a lane reads from the other half.
#include <vector>

__global__ void exchange(const int* in, int* out) {
    __shared__ int cells[32];
    int lane = threadIdx.x;
    cells[lane] = in[lane];  // <- race
    __syncwarp(lane < 16 ? 0x0000ffffu : 0xffff0000u);
    out[lane] = cells[lane ^ 16];  // <- race
}

int main() {
    std::vector<int> in(32, 9), out(32);
    int *d_in, *d_out;
    cudaMalloc(&d_in, 32 * sizeof(int));
    cudaMalloc(&d_out, 32 * sizeof(int));
    cudaMemcpy(d_in, in.data(), 32 * sizeof(int), cudaMemcpyHostToDevice);
    exchange<<<1, 32>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, 32 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
