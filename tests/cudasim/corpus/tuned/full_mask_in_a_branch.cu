// expect: warp-divergence invalid-mask
// A shuffle reduction inside the guard, with the mask of the full warp.
#include <vector>

__global__ void reduce(const int* in, int* out, int n) {
    int i = threadIdx.x;
    if (i < n) {
        int sum = in[i];
        for (int offset = 8; offset > 0; offset /= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, offset);  // <- warp-divergence invalid-mask
        }
        if (i == 0) *out = sum;
    }
    __syncwarp();  // <- warp-divergence invalid-mask
    if (i == 31) out[1] = n;
}

int main() {
    const int n = 16;
    std::vector<int> in(n, 1);
    int *d_in, *d_out, out[2];
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    reduce<<<1, 32>>>(d_in, d_out, n);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
