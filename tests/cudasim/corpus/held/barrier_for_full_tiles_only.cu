// expect: barrier-divergence
// All-pairs sums by tiles: only threads that have a body of their own wait for the tile.
#include <vector>

__global__ void distances(const float* x, float* out, int n) {
    __shared__ float tile[64];
    int tid = threadIdx.x;
    float sum = 0.0f;
    tile[tid] = tid < n ? x[tid] : 0.0f;
    if (tid < n) {
        __syncthreads();  // <- barrier-divergence
        for (int j = 0; j < 32; ++j) sum += fabsf(tile[j] - x[tid]);
        out[tid] = sum;
    }
    int late = __syncthreads_count(sum > 100.0f);  // <- barrier-divergence
    if (tid == 0) out[n] = late;
}

int main() {
    const int n = 40;
    std::vector<float> x(n, 2.0f), out(n + 1);
    float *d_x, *d_out;
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMalloc(&d_out, (n + 1) * sizeof(float));
    cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    distances<<<1, 64>>>(d_x, d_out, n);
    cudaMemcpy(out.data(), d_out, (n + 1) * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_out);
    return 0;
}
