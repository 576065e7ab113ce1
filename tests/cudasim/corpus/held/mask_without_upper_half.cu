// expect: invalid-mask
// Sixteen lanes per row, but the mask is that of the lower sixteen for both rows of a warp.
#include <vector>

__global__ void row_sums(const float* in, float* out) {
    int lane = threadIdx.x % 16, row = threadIdx.x / 16;
    float sum = in[row * 16 + lane];
    for (int offset = 8; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0x0000ffffu, sum, offset, 16);  // <- invalid-mask
    }
    if (lane == 0) out[row] = sum;
}

int main() {
    const int rows = 4;
    std::vector<float> in(rows * 16, 1.0f), out(rows);
    float *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(float));
    cudaMalloc(&d_out, rows * sizeof(float));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
    row_sums<<<1, rows * 16>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, rows * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
