// expect: race
// Tree reduction: the barrier stands before the loop, but not in it.
#include <vector>

__global__ void reduce(const float* in, float* out) {
    __shared__ float partial[128];
    int tid = threadIdx.x;
    partial[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
            partial[tid] += partial[tid + stride];  // <- race
        }
    }
    if (tid == 0) out[blockIdx.x] = partial[0];
}

int main() {
    const int n = 256;
    std::vector<float> in(n, 1.0f);
    float *d_in, *d_out, out[2];
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    reduce<<<2, 128>>>(d_in, d_out);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
