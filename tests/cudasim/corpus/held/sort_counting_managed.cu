// expect: nothing
// Counting sort of bytes in managed memory: count, exclusive scan by one warp, then places by atomics; order among equals is free.
#include <algorithm>
#include <iostream>
#include <string>

constexpr int RANGE = 128;

__global__ void count(const char* s, int n, int* counts) {
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&counts[s[i]], 1);
}

__global__ void offsets(int* counts) {
    const int lane = threadIdx.x;
    int carry = 0;
    for (int base = 0; base < RANGE; base += 32) {
        int c = counts[base + lane], sum = c;
        for (int d = 1; d < 32; d <<= 1) {
            int below = __shfl_up_sync(0xffffffff, sum, d);
            sum += lane >= d ? below : 0;
        }
        counts[base + lane] = carry + sum - c;
        carry += __shfl_sync(0xffffffff, sum, 31);
    }
}

__global__ void place(const char* s, int n, int* next, char* out) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) out[atomicAdd(next + s[i], 1)] = s[i];
}

int main() {
    std::string text;
    for (int i = 0; i < 45; ++i) text += "sphinx of black quartz, judge my vow " + std::to_string(i);
    const int n = static_cast<int>(text.size());
    char *in, *out;
    int* counts;
    cudaMallocManaged(&in, n);
    cudaMallocManaged(&out, n + 1);
    cudaMallocManaged(&counts, RANGE * sizeof(int));
    std::copy(text.begin(), text.end(), in);
    std::fill_n(counts, RANGE, 0);
    out[n] = '\0';
    count<<<3, 128>>>(in, n, counts);
    offsets<<<1, 32>>>(counts);
    place<<<(n + 127) / 128, 128>>>(in, n, counts, out);
    cudaDeviceSynchronize();
    std::sort(text.begin(), text.end());
    const bool same = text == out;
    cudaFree(in);
    cudaFree(out);
    cudaFree(counts);
    if (!same) std::cout << "differs\n";
    return same ? 0 : 1;
}
