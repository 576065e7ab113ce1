// expect: nothing
// Odd-even merge sort network on global memory: one launch for each step of the network.
#include <algorithm>
#include <cstdio>
#include <vector>

__global__ void compare_step(int* keys, int n, int phase, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int offset = stride % phase;
    if (i < offset || (i - offset) / stride % 2 != 0) return;
    int partner = i + stride;
    if (partner >= n || i / (2 * phase) != partner / (2 * phase)) return;
    int a = keys[i], b = keys[partner];
    if (a > b) {
        keys[i] = b;
        keys[partner] = a;
    }
}

int main() {
    const int n = 64;
    std::vector<int> keys(n);
    for (int i = 0; i < n; ++i) keys[i] = (i * 37 + 11) % 64;
    std::vector<int> want = keys;
    std::sort(want.begin(), want.end());
    int* d_keys;
    cudaMalloc(&d_keys, n * sizeof(int));
    cudaMemcpy(d_keys, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    for (int phase = 1; phase < n; phase *= 2) {
        for (int stride = phase; stride > 0; stride /= 2) {
            compare_step<<<4, 16>>>(d_keys, n, phase, stride);
        }
    }
    cudaDeviceSynchronize();
    cudaMemcpy(keys.data(), d_keys, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_keys);
    for (int i = 0; i < n; ++i) {
        if (keys[i] != want[i]) {
            printf("keys[%d] is %d, not %d\n", i, keys[i], want[i]);
            return 1;
        }
    }
    return 0;
}
