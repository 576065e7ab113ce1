// feature: a lock from atomicCAS and atomicExch, between blocks and between the warps of a block
// area: atomics
#include <cstdio>

__device__ int lock = 0;

__global__ void between_blocks(volatile int* cell) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {
        }
        __threadfence();
        *cell = *cell + 1;
        __threadfence();
        atomicExch(&lock, 0);
    }
}

// One warp waits for another, which is only reached when the first gives way.
__global__ void between_warps(int* out, int first) {
    __shared__ int turn;
    if (threadIdx.x == 0) {
        turn = 0;
    }
    __syncthreads();
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const int mine = first ? warps - 1 - warp : warp;
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&turn, mine, mine) != mine) {
        }
        out[mine] = mine + 1;
        __threadfence_block();
        atomicAdd(&turn, 1);
    }
}

int main() {
    int *out, host[8];
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    between_blocks<<<64, 64>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    int wrong = host[0] != 64;
    for (int first = 0; first < 2; first++) {
        between_warps<<<1, 256>>>(out, first);
        cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
        for (int i = 0; i < 8; i++) {
            wrong += host[i] != i + 1;
        }
    }
    cudaFree(out);
    if (wrong) {
        std::printf("%d values are wrong\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
