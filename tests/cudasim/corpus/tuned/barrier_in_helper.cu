// expect: barrier-divergence
// The helper waits for the whole block, but only the first warp calls it.
#include <vector>

__device__ float share(float value, float* cell) {
    if (threadIdx.x == 0) *cell = value;
    __syncthreads();  // <- barrier-divergence
    return *cell;
}

__global__ void broadcast(const float* in, float* out) {
    __shared__ float cell;
    float value = in[threadIdx.x];
    if (threadIdx.x < 32) value = share(value, &cell);
    __syncthreads();  // <- barrier-divergence
    out[threadIdx.x] = value;
}

int main() {
    std::vector<float> in(96, 1.0f), out(96);
    float *d_in, *d_out;
    cudaMalloc(&d_in, 96 * sizeof(float));
    cudaMalloc(&d_out, 96 * sizeof(float));
    cudaMemcpy(d_in, in.data(), 96 * sizeof(float), cudaMemcpyHostToDevice);
    broadcast<<<1, 96>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, 96 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
