// expect: race
// may: uninitialized
// Each lane reads what its neighbour in the same warp has just stored, trusting in lockstep.
#include <vector>

__global__ void differences(const float* in, float* out) {
    __shared__ float cells[33];
    int lane = threadIdx.x;
    cells[lane] = in[lane];                     // <- race
    if (lane == 0) cells[32] = in[32];          // <- race
    out[lane] = cells[lane + 1] - cells[lane];  // <- race
}

int main() {
    std::vector<float> in(33, 1.0f), out(32);
    float *d_in, *d_out;
    cudaMalloc(&d_in, 33 * sizeof(float));
    cudaMalloc(&d_out, 32 * sizeof(float));
    cudaMemcpy(d_in, in.data(), 33 * sizeof(float), cudaMemcpyHostToDevice);
    differences<<<1, 32>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, 32 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
