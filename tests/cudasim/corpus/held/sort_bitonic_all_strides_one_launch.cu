// expect: race
// Bitonic sort of more than a block in one launch: __syncthreads is taken for a barrier of the grid.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void bitonic_everything(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 2; k <= n; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            const int partner = i ^ j;
            if (partner > i) {
                const int a = data[i], b = data[partner];  // <- race
                if ((a > b) == ((i & k) == 0)) {
                    data[i] = b;  // <- race
                    data[partner] = a;  // <- race
                }
            }
            __syncthreads();
        }
    }
}

int main() {
    const int n = 512;
    std::vector<int> h(n);
    for (int& x : h) x = rand();
    int* d;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    bitonic_everything<<<n / 128, 128>>>(d, n);
    cudaMemcpy(h.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(d);
    return 0;
}
