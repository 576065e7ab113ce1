// expect: nothing
// Radix sort of one block, one bit per pass: ranks come from ballots, scanned over the warps.
#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;

__global__ void radix_sort(unsigned* keys, int bits) {
    __shared__ unsigned buffer[THREADS];
    __shared__ int zeros[WARPS];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    unsigned key = keys[tid];
    for (int bit = 0; bit < bits; ++bit) {
        bool is_zero = (key >> bit & 1) == 0;
        unsigned votes = __ballot_sync(0xffffffffu, is_zero);
        if (lane == 0) zeros[warp] = __popc(votes);
        __syncthreads();
        int before = 0, total = 0;
        for (int w = 0; w < WARPS; ++w) {
            if (w < warp) before += zeros[w];
            total += zeros[w];
        }
        int zeros_before = before + __popc(votes & ((1u << lane) - 1));
        buffer[is_zero ? zeros_before : total + tid - zeros_before] = key;
        __syncthreads();
        key = buffer[tid];
    }
    keys[tid] = key;
}

int main() {
    std::vector<unsigned> keys(THREADS);
    for (int i = 0; i < THREADS; ++i) keys[i] = i * 2654435761u >> 20;
    std::vector<unsigned> want = keys;
    std::sort(want.begin(), want.end());
    unsigned* d_keys;
    cudaMalloc(&d_keys, THREADS * sizeof(unsigned));
    cudaMemcpy(d_keys, keys.data(), THREADS * sizeof(unsigned), cudaMemcpyHostToDevice);
    radix_sort<<<1, THREADS>>>(d_keys, 12);
    cudaDeviceSynchronize();
    cudaMemcpy(keys.data(), d_keys, THREADS * sizeof(unsigned), cudaMemcpyDeviceToHost);
    cudaFree(d_keys);
    if (keys != want) {
        printf("the keys are not in order\n");
        return 1;
    }
    return 0;
}
