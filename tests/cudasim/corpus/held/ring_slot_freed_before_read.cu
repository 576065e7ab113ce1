// expect: race
// Producer and consumer warps with one mailbox: the consumer says "empty" before its lanes have read the mail.
#include <cstdio>
#include <vector>

__global__ void relay(const int* in, int* out, int rounds) {
    __shared__ int mail[32];
    __shared__ int full;
    if (threadIdx.x == 0) full = 0;
    __syncthreads();
    int lane = threadIdx.x & 31;
    bool producer = threadIdx.x < 32;
    for (int r = 0; r < rounds; r++) {
        int want = producer ? 0 : 1;
        if (lane == 0) {
            while (atomicCAS(&full, want, want) != want)
                ;
            __threadfence_block();
        }
        __syncwarp();
        if (producer) {
            mail[lane] = in[(blockIdx.x * rounds + r) * 32 + lane];  // <- race
            __syncwarp();
            if (lane == 0) {
                __threadfence_block();
                atomicExch(&full, 1);
            }
        } else {
            if (lane == 0) {
                __threadfence_block();
                atomicExch(&full, 0);
            }
            out[(blockIdx.x * rounds + r) * 32 + lane] = mail[31 - lane];  // <- race
            __syncwarp();
        }
    }
}

int main() {
    const int rounds = 5, n = 2 * rounds * 32;
    std::vector<int> h(n, 7);
    int *a, *b;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    cudaMemcpy(a, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    relay<<<2, 64>>>(a, b, rounds);
    cudaMemcpy(h.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[5]);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
