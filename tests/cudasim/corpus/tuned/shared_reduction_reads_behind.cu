// expect: out-of-bounds
// Tree reduction over 48 of 48 cells: the first stride is 32, so cells 48 to 63 are read too.
#include <vector>

__global__ void reduce(const float* in, float* out) {
    __shared__ float partial[48];
    int tid = threadIdx.x;
    partial[tid] = in[tid];
    __syncthreads();
    for (int stride = 32; stride > 0; stride /= 2) {
        if (tid < stride) partial[tid] += partial[tid + stride];  // <- out-of-bounds
        __syncthreads();
    }
    if (tid == 0) *out = partial[0];
}

int main() {
    std::vector<float> in(48, 1.0f);
    float *d_in, *d_out, out;
    cudaMalloc(&d_in, 48 * sizeof(float));
    cudaMalloc(&d_out, sizeof(float));
    cudaMemcpy(d_in, in.data(), 48 * sizeof(float), cudaMemcpyHostToDevice);
    reduce<<<1, 48>>>(d_in, d_out);
    cudaMemcpy(&out, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
