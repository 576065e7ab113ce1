// expect: nothing
// Neighbouring threads write and read different bytes and halves of the same words: no race.
#include <cstdio>

__global__ void mix(unsigned char* bytes, unsigned short* halves) {
    __shared__ unsigned char flags[70];
    __shared__ uchar2 pairs[35];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    flags[tid] = static_cast<unsigned char>(tid ^ 0x5a);
    if (tid % 2 == 0) flags[tid] += 1;
    if (tid % 2 == 0) {
        pairs[tid / 2].x = flags[tid];
    } else {
        pairs[tid / 2].y = flags[tid];
    }
    bytes[i] += flags[tid];  // blocks begin in the middle of a word
    __syncthreads();
    uchar2 pair = pairs[34 - tid / 2];
    halves[i] = tid % 2 == 0 ? pair.x : pair.y;
}

int main() {
    const int threads = 70, n = 3 * threads;
    unsigned char bytes[n], *d_bytes;
    unsigned short halves[n], *d_halves;
    cudaMalloc(&d_bytes, sizeof(bytes));
    cudaMalloc(&d_halves, sizeof(halves));
    cudaMemset(d_bytes, 3, sizeof(bytes));
    mix<<<3, threads>>>(d_bytes, d_halves);
    cudaMemcpy(bytes, d_bytes, sizeof(bytes), cudaMemcpyDeviceToHost);
    cudaMemcpy(halves, d_halves, sizeof(halves), cudaMemcpyDeviceToHost);
    cudaFree(d_bytes);
    cudaFree(d_halves);
    for (int i = 0; i < n; ++i) {
        int tid = i % threads, other = (34 - tid / 2) * 2 + tid % 2;
        int want = (tid ^ 0x5a) + (tid % 2 == 0) + 3;
        int want_half = (other ^ 0x5a) + (other % 2 == 0);
        if (bytes[i] != want || halves[i] != want_half) {
            printf("%d: %d and %d, not %d and %d\n", i, bytes[i], halves[i], want, want_half);
            return 1;
        }
    }
    return 0;
}
