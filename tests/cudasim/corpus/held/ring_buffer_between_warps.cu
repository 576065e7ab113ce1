// expect: nothing
// Warp 0 produces chunks into a ring in shared memory, the other warps take turns consuming; flags by atomics and fences of the block.
#include <cstdio>
#include <vector>

enum SlotState : int { FREE = 0, FILLED = 1 };

template <int SLOTS>
struct Ring {
    int state[SLOTS];
    int data[SLOTS][32];
};

__device__ __forceinline__ void wait_for(int* flag, int value) {
    if ((threadIdx.x & 31) == 0) {
        while (atomicAdd_block(flag, 0) != value) __nanosleep(8);
        __threadfence_block();
    }
    __syncwarp();
}

__device__ __forceinline__ void signal(int* flag, int value) {
    __syncwarp();
    if ((threadIdx.x & 31) == 0) {
        __threadfence_block();
        atomicExch_block(flag, value);
    }
}

template <int SLOTS>
__global__ void produce_consume(const int* in, int* out, int chunks) {
    __shared__ Ring<SLOTS> ring;
    if (threadIdx.x < SLOTS) ring.state[threadIdx.x] = FREE;
    __syncthreads();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, consumers = blockDim.x / 32 - 1;
    in += blockIdx.x * chunks * 32;
    out += blockIdx.x * chunks * 32;
    if (warp == 0) {
        for (int c = 0; c < chunks; ++c) {
            wait_for(&ring.state[c % SLOTS], FREE);
            ring.data[c % SLOTS][lane] = in[c * 32 + lane];
            signal(&ring.state[c % SLOTS], FILLED);
        }
    } else {
        // a consumer owns the slots whose number is its own modulo the number of consumers
        for (int c = warp - 1; c < chunks; c += consumers) {
            wait_for(&ring.state[c % SLOTS], FILLED);
            int v = ring.data[c % SLOTS][31 - lane];
            signal(&ring.state[c % SLOTS], FREE);
            out[c * 32 + lane] = v * 2;
        }
    }
}

int main() {
    const int chunks = 11, blocks = 2, n = chunks * blocks * 32;
    std::vector<int> h(n), r(n);
    for (int i = 0; i < n; ++i) h[i] = i;
    int *a, *b;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    cudaMemcpy(a, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    produce_consume<4><<<blocks, 3 * 32>>>(a, b, chunks);
    cudaMemcpy(r.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    for (int i = 0; i < n; ++i)
        if (r[i] != 2 * h[i / 32 * 32 + 31 - i % 32]) {
            printf("%d: %d\n", i, r[i]);
            return 1;
        }
    return 0;
}
