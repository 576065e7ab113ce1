// expect: nothing
// Blelloch's exclusive scan with padding against bank conflicts; several blocks, each its own 256 values.
#include <cstdio>
#include <vector>

#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)

__global__ void prescan(int *g_odata, const int *g_idata, int n, int total) {
    extern __shared__ int temp[];
    int thid = threadIdx.x, offset = 1, base = blockIdx.x * n;
    int ai = thid, bi = thid + n / 2;
    int bankOffsetA = CONFLICT_FREE_OFFSET(ai), bankOffsetB = CONFLICT_FREE_OFFSET(bi);
    temp[ai + bankOffsetA] = base + ai < total ? g_idata[base + ai] : 0;
    temp[bi + bankOffsetB] = base + bi < total ? g_idata[base + bi] : 0;
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
            a += CONFLICT_FREE_OFFSET(a);
            b += CONFLICT_FREE_OFFSET(b);
            temp[b] += temp[a];
        }
        offset *= 2;
    }
    if (thid == 0) temp[n - 1 + CONFLICT_FREE_OFFSET(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
            a += CONFLICT_FREE_OFFSET(a);
            b += CONFLICT_FREE_OFFSET(b);
            int t = temp[a];
            temp[a] = temp[b];
            temp[b] += t;
        }
    }
    __syncthreads();
    if (base + ai < total) g_odata[base + ai] = temp[ai + bankOffsetA];
    if (base + bi < total) g_odata[base + bi] = temp[bi + bankOffsetB];
}

int main() {
    const int n = 256, total = 700, blocks = (total + n - 1) / n;
    std::vector<int> in(total), out(total);
    for (int i = 0; i < total; i++) in[i] = i * 7 % 13;
    int *d_in, *d_out;
    cudaMalloc(&d_in, total * sizeof(int));
    cudaMalloc(&d_out, total * sizeof(int));
    cudaMemcpy(d_in, in.data(), total * sizeof(int), cudaMemcpyHostToDevice);
    size_t shared = (n + CONFLICT_FREE_OFFSET(n - 1)) * sizeof(int);
    prescan<<<blocks, n / 2, shared>>>(d_out, d_in, n, total);
    cudaMemcpy(out.data(), d_out, total * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0, sum = 0; i < total; i++) {
        if (i % n == 0) sum = 0;
        if (out[i] != sum) { printf("[%d] %d != %d\n", i, out[i], sum); return 1; }
        sum += in[i];
    }
    return 0;
}
