// expect: race
// Fifth rung as in the old slides: volatile instead of __syncwarp in the unrolled last warp.
#include <cstdio>
#include <vector>

__device__ void warpReduce(volatile float* sdata, int tid) {
    sdata[tid] += sdata[tid + 32];  // <- race
    sdata[tid] += sdata[tid + 16];  // <- race
    sdata[tid] += sdata[tid + 8];  // <- race
    sdata[tid] += sdata[tid + 4];  // <- race
    sdata[tid] += sdata[tid + 2];  // <- race
    sdata[tid] += sdata[tid + 1];  // <- race
}

__global__ void reduce(const float* in, float* out, int n) {
    __shared__ float sdata[128];
    int tid = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * 128 + tid; i < n; i += gridDim.x * 128) sum += in[i];
    sdata[tid] = sum;
    __syncthreads();
    if (tid < 64) sdata[tid] += sdata[tid + 64];
    __syncthreads();
    if (tid < 32) warpReduce(sdata, tid);
    if (tid == 0) out[blockIdx.x] = sdata[0];  // <- race
}

int main() {
    const int n = 901;
    std::vector<float> h(n, 1.0f);
    float *d_in, *d_out, out[3];
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    reduce<<<3, 128>>>(d_in, d_out, n);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    printf("%g\n", out[0] + out[1] + out[2]);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
