// expect: nothing
// First rung of the reduction ladder: interleaved addressing, chosen by the remainder; host adds the block sums.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#define CHECK_CUDA(call)                                                             \
    do {                                                                             \
        cudaError_t err_ = (call);                                                   \
        if (err_ != cudaSuccess) {                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err_)); \
            exit(EXIT_FAILURE);                                                      \
        }                                                                            \
    } while (0)

__global__ void reduce0(const int *g_idata, int *g_odata, unsigned int n) {
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = (i < n) ? g_idata[i] : 0;
    __syncthreads();
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0) {
            sdata[tid] += sdata[tid + s];
        }
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

int main(int argc, char **argv) {
    unsigned int n = argc > 1 ? (unsigned int)atoi(argv[1]) : 1003;
    const unsigned int threads = 128;
    const unsigned int blocks = (n + threads - 1) / threads;
    std::vector<int> h_in(n), h_out(blocks);
    for (unsigned int i = 0; i < n; i++) h_in[i] = (int)(i * 37u % 101u) - 40;
    int *d_in = nullptr, *d_out = nullptr;
    CHECK_CUDA(cudaMalloc((void **)&d_in, n * sizeof(int)));
    CHECK_CUDA(cudaMalloc((void **)&d_out, blocks * sizeof(int)));
    CHECK_CUDA(cudaMemcpy(d_in, h_in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    reduce0<<<blocks, threads, threads * sizeof(int)>>>(d_in, d_out, n);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(h_out.data(), d_out, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaFree(d_in));
    CHECK_CUDA(cudaFree(d_out));
    int got = std::accumulate(h_out.begin(), h_out.end(), 0);
    int want = std::accumulate(h_in.begin(), h_in.end(), 0);
    if (got != want) {
        printf("sum %d, expected %d\n", got, want);
        return 1;
    }
    return 0;
}
