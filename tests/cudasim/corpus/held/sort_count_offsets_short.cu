// expect: out-of-bounds
// Counting sort: counts are kept shifted by one, counts[key + 1], but the table has room for as many entries as keys.
#include <cstdio>
#include <random>
#include <vector>

#define KEYS 100

__global__ void count_shifted(const unsigned char* keys, int n, int* counts) {
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) atomicAdd(&counts[keys[i] + 1], 1);  // <- out-of-bounds
}

int main() {
    const int n = 1111;
    std::mt19937_64 gen(5);
    std::uniform_int_distribution<int> key(0, KEYS - 1);
    std::vector<unsigned char> h(n);
    for (auto& k : h) k = static_cast<unsigned char>(key(gen));
    unsigned char* d_keys;
    int *d_counts, counts[KEYS];
    cudaMalloc(&d_keys, n);
    cudaMalloc(&d_counts, KEYS * sizeof(int));
    cudaMemset(d_counts, 0, KEYS * sizeof(int));
    cudaMemcpy(d_keys, h.data(), n, cudaMemcpyHostToDevice);
    count_shifted<<<(n + 95) / 96, 96>>>(d_keys, n, d_counts);
    cudaMemcpy(counts, d_counts, sizeof counts, cudaMemcpyDeviceToHost);
    printf("%d\n", counts[1]);
    cudaFree(d_keys);
    cudaFree(d_counts);
    return 0;
}
