// expect: race
// Radix sort, one bit per pass: the scattered keys are fetched before all have been scattered.
#include <vector>

__global__ void radix_sort(unsigned* keys, int bits) {
    __shared__ unsigned buffer[64];
    __shared__ int zeros[2];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    buffer[tid] = 0;
    unsigned key = keys[tid];
    for (int bit = 0; bit < bits; ++bit) {
        bool is_zero = (key >> bit & 1) == 0;
        unsigned votes = __ballot_sync(0xffffffffu, is_zero);
        if (lane == 0) zeros[warp] = __popc(votes);
        __syncthreads();
        int rank = (warp == 1 ? zeros[0] : 0) + __popc(votes & ((1u << lane) - 1));
        int total = zeros[0] + zeros[1];
        buffer[is_zero ? rank : total + tid - rank] = key;  // <- race
        key = buffer[tid];                                  // <- race
        __syncthreads();
    }
    keys[tid] = key;
}

int main() {
    const int n = 64;
    std::vector<unsigned> keys(n);
    for (int i = 0; i < n; ++i) keys[i] = i * 2654435761u >> 24;
    unsigned* d_keys;
    cudaMalloc(&d_keys, n * sizeof(unsigned));
    cudaMemcpy(d_keys, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    radix_sort<<<1, n>>>(d_keys, 8);
    cudaMemcpy(keys.data(), d_keys, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
    cudaFree(d_keys);
    return 0;
}
