// expect: invalid-free
// Dot product whose clean-up frees the first vector twice and the second one never.
#include <stdio.h>
#include <vector>

__global__ void dot(const int *a, const int *b, int *c, int n) {
    __shared__ int temp[100];
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    temp[threadIdx.x] = i < n ? a[i] * b[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int k = 0; k < (int)blockDim.x; k++) sum += temp[k];
        atomicAdd(c, sum);
    }
}

int main() {
    const int n = 350;
    std::vector<int> v(n, 2);
    int *dev_a, *dev_b, *dev_c, c;
    cudaMalloc((void **)&dev_a, n * sizeof(int));
    cudaMalloc((void **)&dev_b, n * sizeof(int));
    cudaMalloc((void **)&dev_c, sizeof(int));
    cudaMemcpy(dev_a, v.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dev_b, v.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(dev_c, 0, sizeof(int));
    dot<<<4, 100>>>(dev_a, dev_b, dev_c, n);
    cudaMemcpy(&c, dev_c, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", c);
    cudaFree(dev_a);
    cudaFree(dev_a);  // <- invalid-free
    cudaFree(dev_c);
    return 0;
}
