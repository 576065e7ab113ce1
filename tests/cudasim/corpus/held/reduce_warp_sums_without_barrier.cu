// expect: race
// may: uninitialized
// Shuffle reduction: the first warp reads the sums of the others without waiting for them.
#include <vector>

__device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    return value;
}

__global__ void reduce(const float* in, float* out) {
    __shared__ float sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = warp_sum(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (lane == 0) sums[warp] = sum;  // <- race
    if (warp == 0) {
        sum = lane < blockDim.x / 32 ? sums[lane] : 0.0f;  // <- race
        sum = warp_sum(sum);
        if (lane == 0) out[blockIdx.x] = sum;
    }
}

int main() {
    const int n = 512;
    std::vector<float> in(n, 0.5f);
    float *d_in, *d_out, out[2];
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    reduce<<<2, 256>>>(d_in, d_out);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
