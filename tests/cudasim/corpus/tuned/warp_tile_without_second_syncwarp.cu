// expect: race
// A row of shared memory per warp: the next round stores before all lanes have read.
#include <vector>

__global__ void rotate(const int* in, int* out, int rounds) {
    __shared__ int rows[2][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int value = in[threadIdx.x];
    for (int round = 0; round < rounds; ++round) {
        rows[warp][lane] = value;  // <- race
        __syncwarp();
        value = rows[warp][(lane + 5) % 32] + 1;  // <- race
    }
    out[threadIdx.x] = value;
}

int main() {
    std::vector<int> in(64, 1), out(64);
    int *d_in, *d_out;
    cudaMalloc(&d_in, 64 * sizeof(int));
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaMemcpy(d_in, in.data(), 64 * sizeof(int), cudaMemcpyHostToDevice);
    rotate<<<1, 64>>>(d_in, d_out, 4);
    cudaMemcpy(out.data(), d_out, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
