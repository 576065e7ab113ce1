// expect: nothing
// Maximum of floats by a CAS loop on their bits, first within the block, then over the grid.
#include <cstdio>
#include <vector>

__device__ void atomic_max(float* address, float value) {
    int* bits = reinterpret_cast<int*>(address);
    int old = atomicAdd(bits, 0);
    while (__int_as_float(old) < value) {
        int assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(value));
        if (old == assumed) break;
    }
}

__global__ void maximum(const float* in, int n, float* out) {
    __shared__ float block_max;
    if (threadIdx.x == 0) block_max = -1e30f;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomic_max(&block_max, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) atomic_max(out, block_max);
}

int main() {
    const int n = 333;
    std::vector<float> in(n);
    float want = -1e30f, out = -1e30f;
    for (int i = 0; i < n; ++i) {
        in[i] = (i * 71 % 337) * 0.5f - 200.0f;
        want = in[i] > want ? in[i] : want;
    }
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, sizeof(float));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_out, &out, sizeof(float), cudaMemcpyHostToDevice);
    maximum<<<6, 64>>>(d_in, n, d_out);
    cudaMemcpy(&out, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    if (out != want) printf("maximum is %f, not %f\n", out, want);
    return out != want;
}
