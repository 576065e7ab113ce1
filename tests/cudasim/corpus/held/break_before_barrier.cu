// expect: barrier-divergence
// Relaxation: each thread leaves the loop as soon as its own value has settled.
#include <vector>

__global__ void relax(float* x) {
    __shared__ float values[64];
    int tid = threadIdx.x;
    values[tid] = x[tid];
    __syncthreads();
    for (int round = 0; round < 20; ++round) {
        float mean = 0.5f * (values[tid] + values[(tid + 1) % 64]);
        bool settled = fabsf(mean - values[tid]) < 0.5f;
        __syncthreads();  // <- barrier-divergence
        if (settled) break;
        values[tid] = mean;
        __syncthreads();  // <- barrier-divergence
    }
    __syncthreads();  // <- barrier-divergence
    x[tid] = values[tid];
}

int main() {
    std::vector<float> x(64, 1.0f);
    x[40] = 100.0f;
    float* d_x;
    cudaMalloc(&d_x, 64 * sizeof(float));
    cudaMemcpy(d_x, x.data(), 64 * sizeof(float), cudaMemcpyHostToDevice);
    relax<<<1, 64>>>(d_x);
    cudaMemcpy(x.data(), d_x, 64 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    return 0;
}
