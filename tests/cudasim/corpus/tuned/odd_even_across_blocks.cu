// expect: race
// Odd-even transposition sort of global memory: __syncthreads does not hold back other blocks.
#include <vector>

__global__ void sort(int* keys, int n) {
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    for (int step = 0; step < n; ++step) {
        int i = 2 * pair + step % 2;
        if (i + 1 < n) {
            int a = keys[i];      // <- race
            int b = keys[i + 1];  // <- race
            if (a > b) {
                keys[i] = b;      // <- race
                keys[i + 1] = a;  // <- race
            }
        }
        __syncthreads();
    }
}

int main() {
    const int n = 64;
    std::vector<int> keys(n);
    for (int i = 0; i < n; ++i) keys[i] = n - i;
    int* d_keys;
    cudaMalloc(&d_keys, n * sizeof(int));
    cudaMemcpy(d_keys, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    sort<<<2, n / 4>>>(d_keys, n);
    cudaMemcpy(keys.data(), d_keys, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_keys);
    return 0;
}
