// expect: nothing
// One warp hands seventy thousand numbers to another through one slot with a flag and fences.
__global__ void stream(long long* sum, int n) {
    __shared__ int slot, full;
    if (threadIdx.x == 0) full = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 0; k < n; k++) {
            while (atomicAdd(&full, 0) == 1) {
            }
            __threadfence_block();
            slot = k;
            __threadfence_block();
            atomicExch(&full, 1);
        }
    } else if (threadIdx.x == 32) {
        long long all = 0;
        for (int k = 0; k < n; k++) {
            while (atomicAdd(&full, 0) == 0) {
            }
            __threadfence_block();
            all += slot;
            __threadfence_block();
            atomicExch(&full, 0);
        }
        *sum = all;
    }
}

int main() {
    const int n = 70000;
    long long *sum, host = 0;
    cudaMalloc(&sum, sizeof host);
    stream<<<1, 64>>>(sum, n);
    cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(sum);
    return host != n * (n - 1LL) / 2;
}
