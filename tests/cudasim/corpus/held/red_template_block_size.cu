// expect: nothing
// Sixth and seventh rung: block size as a template parameter, grid stride, chosen by a switch on the host.
#include <cstdio>
#include <vector>

template <unsigned int blockSize>
__global__ void reduce6(const int *g_idata, int *g_odata, unsigned int n) {
    __shared__ int sdata[blockSize];
    unsigned int tid = threadIdx.x;
    unsigned int gridSize = blockSize * 2 * gridDim.x;
    int sum = 0;
    for (unsigned int i = blockIdx.x * (blockSize * 2) + tid; i < n; i += gridSize) {
        sum += g_idata[i];
        if (i + blockSize < n) sum += g_idata[i + blockSize];
    }
    sdata[tid] = sum;
    __syncthreads();
    if (blockSize >= 512) { if (tid < 256) sdata[tid] = sum = sum + sdata[tid + 256]; __syncthreads(); }
    if (blockSize >= 256) { if (tid < 128) sdata[tid] = sum = sum + sdata[tid + 128]; __syncthreads(); }
    if (blockSize >= 128) { if (tid < 64) sdata[tid] = sum = sum + sdata[tid + 64]; __syncthreads(); }
    if (tid < 32) {
        if (blockSize >= 64) sum += sdata[tid + 32];
#pragma unroll
        for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    if (tid == 0) g_odata[blockIdx.x] = sum;
}

static void launch(int threads, int blocks, const int *in, int *out, unsigned n) {
    switch (threads) {
        case 512: reduce6<512><<<blocks, 512>>>(in, out, n); break;
        case 256: reduce6<256><<<blocks, 256>>>(in, out, n); break;
        case 128: reduce6<128><<<blocks, 128>>>(in, out, n); break;
        case 64: reduce6<64><<<blocks, 64>>>(in, out, n); break;
        default: reduce6<32><<<blocks, 32>>>(in, out, n); break;
    }
}

int main() {
    const unsigned n = 3001;
    const int blocks = 5;
    std::vector<int> h(n);
    int want = 0;
    for (unsigned i = 0; i < n; i++) want += h[i] = (int)(i % 23) - 9;
    int *d_in, *d_mid, *d_sum, got = 0, bad = 0;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_mid, blocks * sizeof(int));
    cudaMalloc(&d_sum, sizeof(int));
    cudaMemcpy(d_in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    for (int threads = 32; threads <= 512; threads *= 2) {
        launch(threads, blocks, d_in, d_mid, n);
        launch(32, 1, d_mid, d_sum, blocks);
        cudaMemcpy(&got, d_sum, sizeof(int), cudaMemcpyDeviceToHost);
        if (got != want) { printf("%d threads: %d, not %d\n", threads, got, want); bad = 1; }
    }
    cudaFree(d_in);
    cudaFree(d_mid);
    cudaFree(d_sum);
    return bad;
}
