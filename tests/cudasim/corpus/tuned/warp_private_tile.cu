// expect: nothing
// Each warp has a row of shared memory for itself: __syncwarp orders its lanes, no block barrier.
#include <cstdio>

__global__ void reverse_and_add(const int* in, int* out, int rounds) {
    __shared__ int rows[3][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int round = 0; round < rounds + warp; ++round) {  // warps go round differently often
        rows[warp][lane] = value;
        __syncwarp();
        value += rows[warp][31 - lane] - rows[warp][(lane + 1) % 32];
        __syncwarp();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

int main() {
    const int n = 192, rounds = 3;
    int in[n], out[n], *d_in, *d_out;
    for (int i = 0; i < n; ++i) in[i] = i * 5 % 37;
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
    reverse_and_add<<<2, 96>>>(d_in, d_out, rounds);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int first = 0; first < n; first += 32) {
        int row[32];
        for (int round = 0; round < rounds + first % 96 / 32; ++round) {
            for (int i = 0; i < 32; ++i) row[i] = in[first + i];
            for (int i = 0; i < 32; ++i) in[first + i] += row[31 - i] - row[(i + 1) % 32];
        }
        for (int i = first; i < first + 32; ++i) {
            if (in[i] != out[i]) {
                printf("out[%d] is %d, not %d\n", i, out[i], in[i]);
                return 1;
            }
        }
    }
    return 0;
}
