// expect: nothing
// Stable compaction in three launches: count per block, scan the counts, scatter.
#include <cstdio>
#include <vector>

constexpr int THREADS = 64;

__global__ void count(const int* in, int n, int* counts) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    int kept = __syncthreads_count(i < n && in[i] > 0);
    if (threadIdx.x == 0) counts[blockIdx.x] = kept;
}

__global__ void scan_counts(int* counts, int blocks) {
    int sum = 0;
    for (int block = 0; block < blocks; ++block) {
        int kept = counts[block];
        counts[block] = sum;
        sum += kept;
    }
    counts[blocks] = sum;
}

__global__ void scatter(const int* in, int n, const int* starts, int* out) {
    __shared__ int ranks[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x, tid = threadIdx.x;
    int keep = i < n && in[i] > 0;
    ranks[tid] = keep;
    for (int offset = 1; offset < THREADS; offset *= 2) {
        __syncthreads();
        int other = tid >= offset ? ranks[tid - offset] : 0;
        __syncthreads();
        ranks[tid] += other;
    }
    if (keep) out[starts[blockIdx.x] + ranks[tid] - 1] = in[i];
}

int main() {
    const int n = 300, blocks = (n + THREADS - 1) / THREADS;
    std::vector<int> in(n), want;
    for (int i = 0; i < n; ++i) {
        in[i] = i * 47 % 21 - 9;
        if (in[i] > 0) want.push_back(in[i]);
    }
    int *d_in, *d_counts, *d_out, kept;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_counts, (blocks + 1) * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    count<<<blocks, THREADS>>>(d_in, n, d_counts);
    scan_counts<<<1, 1>>>(d_counts, blocks);
    scatter<<<blocks, THREADS>>>(d_in, n, d_counts, d_out);
    cudaMemcpy(&kept, d_counts + blocks, sizeof(int), cudaMemcpyDeviceToHost);
    std::vector<int> out(kept);
    cudaMemcpy(out.data(), d_out, kept * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_counts);
    cudaFree(d_out);
    if (out != want) printf("%d kept, not %zu, or in another order\n", kept, want.size());
    return out != want;
}
