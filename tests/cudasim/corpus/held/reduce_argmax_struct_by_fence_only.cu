// expect: race
// Arg-max over pairs in shared memory: the last steps rely on __threadfence_block in place of __syncwarp.
#include <cfloat>
#include <cstdio>
#include <vector>

struct Best {
    float value;
    int index;
};

__device__ __host__ inline Best better(const Best& a, const Best& b) { return b.value > a.value ? b : a; }

__global__ void argmax(const float* in, int n, Best* out) {
    __shared__ Best s[64];
    const int t = threadIdx.x;
    Best mine{-FLT_MAX, -1};
    for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64) mine = better(mine, Best{in[i], i});
    s[t] = mine;
    __syncthreads();
    if (t < 32) {
        for (int d = 32; d > 0; d >>= 1) {
            if (t < d) s[t] = better(s[t], s[t + d]);  // <- race
            __threadfence_block();
        }
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

int main() {
    const int n = 410, blocks = 3;
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = i * 37 % 409;
    float* d_in;
    Best *d_out, out[blocks];
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    argmax<<<blocks, 64>>>(d_in, n, d_out);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    printf("%g\n", out[0].value);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
