// expect: race
// may: uninitialized
// Running maximum per row, chunk by chunk: the carry of the last chunk is renewed while others still read it.
#include <cfloat>
#include <cstdio>
#include <vector>

__global__ void cummax(const float* in, float* out, int cols) {
    __shared__ float warp_best[4];
    __shared__ float carry;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (threadIdx.x == 0) carry = -FLT_MAX;
    in += blockIdx.x * cols;
    out += blockIdx.x * cols;
    for (int base = 0; base < cols; base += blockDim.x) {
        const int c = base + threadIdx.x;
        float v = c < cols ? in[c] : -FLT_MAX;
        for (int d = 1; d < 32; d *= 2) {
            const float up = __shfl_up_sync(0xffffffffu, v, d);
            if (lane >= d) v = fmaxf(v, up);
        }
        if (lane == 31) warp_best[warp] = v;
        __syncthreads();
        for (int w = 0; w < warp; ++w) v = fmaxf(v, warp_best[w]);
        v = fmaxf(v, carry);  // <- race
        if (c < cols) out[c] = v;
        if (threadIdx.x == blockDim.x - 1) carry = v;  // <- race
        __syncthreads();
    }
}

int main() {
    const int rows = 3, cols = 300;
    std::vector<float> h(rows * cols);
    for (int i = 0; i < rows * cols; ++i) h[i] = float(i * 53 % 997);
    float *d_in, *d_out;
    cudaMalloc(&d_in, h.size() * sizeof(float));
    cudaMalloc(&d_out, h.size() * sizeof(float));
    cudaMemcpy(d_in, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    cummax<<<rows, 128>>>(d_in, d_out, cols);
    cudaMemcpy(h.data(), d_out, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h.back());
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
